#include "core/arrays/element_type.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/tokenizer/utf8.h"

namespace core::arrays {

static_assert(std::endian::native == std::endian::little, "numbers are put together as they lie in memory");

namespace {

using Kind = ElementType::Kind;

/// The Number that begins at `from`, of either byte order.
template <class Number>
Number numberAt(const std::byte* from, bool bigEndian) {
  std::byte bytes[sizeof(Number)];
  std::memcpy(bytes, from, sizeof bytes);
  if (bigEndian) std::reverse(std::begin(bytes), std::end(bytes));
  Number number{};
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

/// Source: IEEE 754-2019, binary16.
float fromHalf(std::uint16_t half) {
  const auto sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1Fu;
  const std::uint32_t fraction = half & 0x3FFu;
  if (exponent == 0) {  // zero and subnormal: fraction / 2^24, exact in float32
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F80'0000u | (fraction << 13));
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

template <class Stored, class Convert>
void convertAll(const ElementType& type, std::span<const std::byte> bytes, float* into, Convert convert) {
  const std::size_t count = bytes.size() / sizeof(Stored);
  for (std::size_t i = 0; i < count; ++i)
    into[i] = convert(numberAt<Stored>(bytes.data() + i * sizeof(Stored), type.bigEndian));
}

/// "12" of "<U12"; nothing for what is no number or one above 2^28.
std::optional<std::size_t> sizeIn(std::string_view digits) {
  if (digits.empty() || digits.size() > 9) return std::nullopt;
  std::size_t size = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    size = size * 10 + static_cast<std::size_t>(digit - '0');
  }
  if (size > (std::size_t{1} << 28)) return std::nullopt;
  return size;
}

bool isOneOf(std::size_t size, std::initializer_list<std::size_t> sizes) {
  return std::find(sizes.begin(), sizes.end(), size) != sizes.end();
}

}  // namespace

std::optional<ElementType> elementTypeOf(std::string_view typestr) {
  ElementType type{.name = std::string(typestr)};
  if (typestr == "|O") {
    type.kind = Kind::Object;
    return type;
  }
  if (typestr.size() < 3 || std::string_view("<>|").find(typestr[0]) == std::string_view::npos) return type;
  const auto size = sizeIn(typestr.substr(2));
  if (!size) return std::nullopt;
  type.bytes = *size;
  type.bigEndian = typestr[0] == '>';
  switch (typestr[1]) {
    case 'f':
      if (!isOneOf(*size, {2, 4, 8, 12, 16})) return std::nullopt;
      type.kind = Kind::Float;
      break;
    case 'i':
    case 'u':
      if (!isOneOf(*size, {1, 2, 4, 8})) return std::nullopt;
      type.kind = typestr[1] == 'i' ? Kind::Int : Kind::Unsigned;
      break;
    case 'b':
      if (*size != 1) return std::nullopt;
      type.kind = Kind::Bool;
      break;
    case 'U':
      type.kind = Kind::Text;
      type.bytes = 4 * *size;
      break;
    case 'S': type.kind = Kind::Bytes; break;
    case 'O': type.kind = Kind::Object; break;
    default: break;  // complex numbers, dates and others, whose size is known
  }
  return type;
}

void toFloats(const ElementType& type, std::span<const std::byte> bytes, float* into) {
  if (type.isPlainFloat()) {
    if (!bytes.empty()) std::memcpy(into, bytes.data(), bytes.size());
    return;
  }
  if (type.kind == Kind::BFloat) {
    return convertAll<std::uint16_t>(type, bytes, into, [](std::uint16_t upper) {
      return std::bit_cast<float>(static_cast<std::uint32_t>(upper) << 16);
    });
  }
  switch (type.bytes) {
    case 2: return convertAll<std::uint16_t>(type, bytes, into, fromHalf);
    case 4: return convertAll<float>(type, bytes, into, [](float number) { return number; });
    case 8: return convertAll<double>(type, bytes, into, [](double number) { return static_cast<float>(number); });
    default: return;  // isFloat() says no
  }
}

std::int64_t toInteger(const ElementType& type, std::span<const std::byte> element) {
  const bool isSigned = type.kind == Kind::Int;
  const auto read = [&](auto isNegative, auto plain) -> std::int64_t {
    using Signed = decltype(isNegative);
    using Unsigned = decltype(plain);
    return isSigned ? static_cast<std::int64_t>(numberAt<Signed>(element.data(), type.bigEndian))
                    : static_cast<std::int64_t>(numberAt<Unsigned>(element.data(), type.bigEndian));
  };
  switch (type.bytes) {
    case 1: return read(std::int8_t{}, std::uint8_t{});
    case 2: return read(std::int16_t{}, std::uint16_t{});
    case 4: return read(std::int32_t{}, std::uint32_t{});
    default: return read(std::int64_t{}, std::uint64_t{});
  }
}

std::string toText(const ElementType& type, std::span<const std::byte> element) {
  std::string text;
  if (type.kind == Kind::Bytes) {
    text.assign(reinterpret_cast<const char*>(element.data()), element.size());
    text.erase(text.find_last_not_of('\0') + 1);
    return text;
  }
  std::size_t count = element.size() / 4;
  const auto characterAt = [&](std::size_t i) {
    return numberAt<std::uint32_t>(element.data() + 4 * i, type.bigEndian);
  };
  while (count > 0 && characterAt(count - 1) == 0) --count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t value = characterAt(i);
    const bool isCharacter = value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
    tokenizer::appendUtf8(text, isCharacter ? static_cast<char32_t>(value) : U'\uFFFD');
  }
  return text;
}

double roundingOfSum(const ElementType& type, std::int64_t count) {
  if (type.kind == Kind::BFloat) return std::ldexp(1.0, -8);
  if (type.kind != Kind::Float || type.bytes != 2) return 0;
  return std::ldexp(1.0, -11) + std::ldexp(static_cast<double>(count), -25);
}

}  // namespace core::arrays
