#include "core/checkpoint/gguf_metadata.h"

#include <fmt/format.h>

#include <array>

#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

using enum GgufValueType;

struct TypeRow {
  std::string_view name;
  std::size_t size;
};

// In the order of the enum.
constexpr std::array<TypeRow, kGgufValueTypes> kTypes = {{{"u8", 1},
                                                          {"i8", 1},
                                                          {"u16", 2},
                                                          {"i16", 2},
                                                          {"u32", 4},
                                                          {"i32", 4},
                                                          {"f32", 4},
                                                          {"bool", 1},
                                                          {"text", 0},
                                                          {"list", 0},
                                                          {"u64", 8},
                                                          {"i64", 8},
                                                          {"f64", 8}}};

bool isInteger(GgufValueType type) {
  return type != F32 && type != F64 && type != Bool && type != Text && type != List;
}

bool isSigned(GgufValueType type) { return type == I8 || type == I16 || type == I32 || type == I64; }

std::int64_t signedAt(std::string_view bytes, GgufValueType type, std::size_t at) {
  switch (type) {
    case I8: return little<std::int8_t>(bytes, at);
    case I16: return little<std::int16_t>(bytes, at);
    case I32: return little<std::int32_t>(bytes, at);
    default: return little<std::int64_t>(bytes, at);
  }
}

std::uint64_t unsignedAt(std::string_view bytes, GgufValueType type, std::size_t at) {
  switch (type) {
    case U8: return little<std::uint8_t>(bytes, at);
    case U16: return little<std::uint16_t>(bytes, at);
    case U32: return little<std::uint32_t>(bytes, at);
    default: return little<std::uint64_t>(bytes, at);
  }
}

}  // namespace

std::string_view name(GgufValueType type) { return kTypes[static_cast<std::size_t>(type)].name; }

std::size_t sizeOf(GgufValueType type) { return kTypes[static_cast<std::size_t>(type)].size; }

const GgufValue* GgufMetadata::find(std::string_view key) const {
  const auto found = m_values.find(key);
  return found == m_values.end() ? nullptr : &found->second;
}

void GgufMetadata::mistyped(std::string_view key, const GgufValue& value, std::string_view wanted) const {
  throw Error(ErrorKind::Mismatch,
              fmt::format("{}: the key {} is {}{}, not {}. Convert the model again.", m_origin, inQuotes(key),
                          value.isList ? "a list of " : "of the type ", name(value.type), wanted));
}

void GgufMetadata::requireAtMost(std::string_view key, const GgufValue& value, std::uint64_t most) const {
  if (value.count <= most) return;
  throw Error(ErrorKind::TooLarge, fmt::format("{}: the key {} is a list of {} items; the limit is {}. Open a smaller "
                                               "model.",
                                               m_origin, inQuotes(key), grouped(value.count), grouped(most)));
}

std::uint64_t GgufMetadata::wholeNumberAt(std::string_view key, const GgufValue& value, std::size_t index) const {
  const std::size_t at = value.begin + index * sizeOf(value.type);
  if (!isSigned(value.type)) return unsignedAt(m_header, value.type, at);
  const std::int64_t number = signedAt(m_header, value.type, at);
  if (number < 0) {
    throw Error(ErrorKind::Mismatch, fmt::format("{}: the key {} has the negative number {}. Convert the model again.",
                                                 m_origin, inQuotes(key), number));
  }
  return static_cast<std::uint64_t>(number);
}

std::optional<std::uint64_t> GgufMetadata::wholeNumber(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->isList || !isInteger(value->type)) mistyped(key, *value, "a whole number");
  return wholeNumberAt(key, *value, 0);
}

std::optional<double> GgufMetadata::number(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->isList && value->type == F32) return double{little<float>(m_header, value->begin)};
  if (!value->isList && value->type == F64) return little<double>(m_header, value->begin);
  if (value->isList || !isInteger(value->type)) mistyped(key, *value, "a number");
  return isSigned(value->type) ? static_cast<double>(signedAt(m_header, value->type, value->begin))
                               : static_cast<double>(unsignedAt(m_header, value->type, value->begin));
}

std::optional<bool> GgufMetadata::truth(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->isList || value->type != Bool) mistyped(key, *value, "a bool");
  return m_header[value->begin] != 0;
}

std::optional<std::string_view> GgufMetadata::text(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->isList || value->type != Text) mistyped(key, *value, "a text");
  return std::string_view(m_header).substr(value->begin, value->end - value->begin);
}

std::optional<std::vector<std::string_view>> GgufMetadata::texts(std::string_view key, std::uint64_t most) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->isList || value->type != Text) mistyped(key, *value, "a list of texts");
  requireAtMost(key, *value, most);
  std::vector<std::string_view> texts;
  texts.reserve(value->count);
  for (std::size_t at = value->begin; at < value->end;) {
    const auto length = little<std::uint64_t>(m_header, at);
    texts.push_back(std::string_view(m_header).substr(at + sizeof length, length));
    at += sizeof length + length;
  }
  return texts;
}

std::optional<std::vector<std::uint64_t>> GgufMetadata::wholeNumbers(std::string_view key, std::uint64_t most) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!isInteger(value->type)) mistyped(key, *value, "a whole number or a list of them");
  requireAtMost(key, *value, most);
  std::vector<std::uint64_t> numbers;
  numbers.reserve(value->count);
  for (std::size_t i = 0; i < value->count; ++i) numbers.push_back(wholeNumberAt(key, *value, i));
  return numbers;
}

std::optional<std::vector<float>> GgufMetadata::floats(std::string_view key, std::uint64_t most) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->isList || value->type != F32) mistyped(key, *value, "a list of f32");
  requireAtMost(key, *value, most);
  std::vector<float> numbers;
  numbers.reserve(value->count);
  for (std::size_t i = 0; i < value->count; ++i)
    numbers.push_back(little<float>(m_header, value->begin + i * sizeof(float)));
  return numbers;
}

}  // namespace core::checkpoint
