#include "core/checkpoint/safetensors_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "core/checkpoint/checked.h"
#include "core/checkpoint/json.h"
#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

constexpr std::uint64_t kLargestHeader = 100'000'000;             // upstream's own limit
constexpr std::uint64_t kLargestNumber = std::uint64_t{1} << 53;  // above it readers of JSON round differently
constexpr std::size_t kMostDimensions = 64;
constexpr std::string_view kMetadata = "__metadata__";

/// About 120,000 tensors, eight values each.
constexpr JsonLimits kLimits{.bytes = kLargestHeader, .depth = 8, .values = 1'000'000, .stringBytes = 4u << 20};

struct TypeRow {
  std::string_view name;
  std::uint64_t bits;
  std::optional<DType> type;
};

constexpr TypeRow kTypes[] = {
    {"F64", 64, DType::F64},          {"F32", 32, DType::F32},      {"F16", 16, DType::F16},
    {"BF16", 16, DType::BF16},        {"I64", 64, DType::I64},      {"I32", 32, DType::I32},
    {"I16", 16, DType::I16},          {"I8", 8, DType::I8},         {"U8", 8, DType::U8},
    {"BOOL", 8, DType::Bool},         {"U16", 16, std::nullopt},    {"U32", 32, std::nullopt},
    {"U64", 64, std::nullopt},        {"C64", 64, std::nullopt},    {"F8_E4M3", 8, std::nullopt},
    {"F8_E5M2", 8, std::nullopt},     {"F8_E8M0", 8, std::nullopt}, {"F8_E4M3FNUZ", 8, std::nullopt},
    {"F8_E5M2FNUZ", 8, std::nullopt}, {"F6_E2M3", 6, std::nullopt}, {"F6_E3M2", 6, std::nullopt},
    {"F4", 4, std::nullopt}};

/// The place in a sentence where something is wrong.
struct Place {
  const File& file;
  std::string_view name;

  [[noreturn]] void fail(ErrorKind kind, const std::string& what) const {
    throw Error(kind, fmt::format("{}: the tensor {} {}. {}", file.name(), inQuotes(name), what,
                                  kind == ErrorKind::Corrupt ? "Download or copy the file again."
                                                             : "Save the model as float32."));
  }
};

const char* kindOf(const Json& value) { return value.is_number_float() ? "a fractional number" : value.type_name(); }

const Json& field(const Place& place, const Json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end()) place.fail(ErrorKind::Corrupt, fmt::format("has no {}", inQuotes(key)));
  return *found;
}

std::uint64_t wholeNumber(const Place& place, const Json& value, const char* key) {
  if (value.is_number_integer() && !value.is_number_unsigned()) {
    place.fail(ErrorKind::Corrupt,
               fmt::format("has the negative number {} in its {}", value.get<std::int64_t>(), inQuotes(key)));
  }
  if (!value.is_number_unsigned())
    place.fail(ErrorKind::Corrupt, fmt::format("has {} in its {}, not a whole number", kindOf(value), inQuotes(key)));
  const auto number = value.get<std::uint64_t>();
  if (number > kLargestNumber) {
    place.fail(ErrorKind::Corrupt, fmt::format("has {} in its {}; above {} numbers in JSON are not exact",
                                               grouped(number), inQuotes(key), grouped(kLargestNumber)));
  }
  return number;
}

std::vector<std::int64_t> shapeOf(const Place& place, const Json& value) {
  if (!value.is_array()) place.fail(ErrorKind::Corrupt, fmt::format("has {} as its 'shape', no list", kindOf(value)));
  if (value.size() > kMostDimensions) {
    place.fail(ErrorKind::Corrupt, fmt::format("has {} dimensions; the limit is {}",
                                               grouped(std::uint64_t{value.size()}), kMostDimensions));
  }
  std::vector<std::int64_t> shape;
  for (const Json& size : value) shape.push_back(static_cast<std::int64_t>(wholeNumber(place, size, "shape")));
  return shape;
}

/// An entry with its offsets as the header has them: from the end of the header on.
SafetensorsFile::Entry entryOf(const Place& place, const Json& value) {
  if (!value.is_object()) place.fail(ErrorKind::Corrupt, fmt::format("is described by {}, no object", kindOf(value)));
  const Json& dtype = field(place, value, "dtype");
  if (!dtype.is_string()) place.fail(ErrorKind::Corrupt, fmt::format("has {} as its 'dtype', no text", kindOf(dtype)));
  SafetensorsFile::Entry entry;
  entry.dtype = dtype.get_ref<const std::string&>();
  const auto row = std::find_if(std::begin(kTypes), std::end(kTypes),
                                [&](const TypeRow& known) { return known.name == entry.dtype; });
  if (row == std::end(kTypes)) {
    place.fail(ErrorKind::Unsupported,
               fmt::format("is of the type {}, whose size is not known here", inQuotes(entry.dtype)));
  }
  entry.type = row->type;
  entry.shape = shapeOf(place, field(place, value, "shape"));

  const Json& offsets = field(place, value, "data_offsets");
  if (!offsets.is_array() || offsets.size() != 2)
    place.fail(ErrorKind::Corrupt, "has no pair of numbers as its 'data_offsets'");
  entry.begin = wholeNumber(place, offsets[0], "data_offsets");
  entry.end = wholeNumber(place, offsets[1], "data_offsets");
  if (entry.end < entry.begin) {
    place.fail(ErrorKind::Corrupt,
               fmt::format("ends at byte {}, before it begins at byte {}", grouped(entry.end), grouped(entry.begin)));
  }
  const auto count = elementCount(entry.shape);
  const auto bits = count ? checkedMultiply(*count, row->bits) : std::nullopt;
  if (bits != 8 * (entry.end - entry.begin)) {
    place.fail(ErrorKind::Corrupt, fmt::format("of shape {} in {} takes {}, but its 'data_offsets' leave it {} bytes",
                                               shapeText(entry.shape), entry.dtype,
                                               !bits            ? "more bytes than there are numbers"
                                               : *bits % 8 != 0 ? "no whole number of bytes"
                                                                : grouped(*bits / 8) + " bytes",
                                               grouped(entry.end - entry.begin)));
  }
  return entry;
}

void requireTexts(const File& file, const Json& metadata) {
  const bool texts = metadata.is_object() &&
                     std::all_of(metadata.begin(), metadata.end(), [](const Json& value) { return value.is_string(); });
  if (texts) return;
  throw Error(ErrorKind::Corrupt, fmt::format("{}: its '__metadata__' is no object of texts. Download or copy the file "
                                              "again, or save it again.",
                                              file.name()));
}

/// Errors: Corrupt unless the tensors stand one behind the other, Truncated when the file ends before they do.
void requireCover(const File& file, std::uint64_t begin, const SafetensorsFile::Entries& entries) {
  std::vector<const SafetensorsFile::Entries::value_type*> order;
  for (const auto& entry : entries) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const auto* left, const auto* right) {
    return std::pair(left->second.begin, left->second.end) < std::pair(right->second.begin, right->second.end);
  });
  std::uint64_t end = 0;
  std::string_view before;
  for (const auto* next : order) {
    const auto& [name, entry] = *next;
    if (entry.begin != end) {
      const std::string neighbour = before.empty() ? "the header" : inQuotes(before);
      Place{file, name}.fail(
          ErrorKind::Corrupt,
          entry.begin < end
              ? fmt::format("begins at byte {}, within {}, which ends at byte {}", grouped(entry.begin), neighbour,
                            grouped(end))
              : fmt::format("begins at byte {}, but {} ends at byte {}: {} belong to no tensor", grouped(entry.begin),
                            neighbour, grouped(end), counted(entry.begin - end, "byte")));
    }
    end = entry.end;
    before = name;
  }
  const std::uint64_t expected = begin + end;  // at most 2^53 more: no wrap
  if (expected > file.size()) {
    throw Error(ErrorKind::Truncated,
                fmt::format("{}: the file was cut short: expected {} bytes, the file has {}. Download or copy it "
                            "again.",
                            file.name(), grouped(expected), grouped(file.size())));
  }
  if (expected < file.size()) {
    throw Error(
        ErrorKind::Corrupt,
        fmt::format("{}: it has {} after its last tensor: expected {} bytes, the file has {}. Download or copy "
                    "it again.",
                    file.name(), counted(file.size() - expected, "byte"), grouped(expected), grouped(file.size())));
  }
}

/// The header's length in bytes, all of which are in the file.
std::uint64_t headerLength(const File& file) {
  if (file.size() < kLengthBytes) {
    throw Error(ErrorKind::Truncated,
                fmt::format("{}: it has {}; a safetensors file begins with a length of 8 bytes. Download or copy it "
                            "again.",
                            file.name(), counted(file.size(), "byte")));
  }
  const std::string head = file.read(0, std::min<std::uint64_t>(file.size(), 10));
  const auto length = little<std::uint64_t>(head, 0);
  if (length > kLargestHeader) {
    throw Error(
        ErrorKind::TooLarge,
        fmt::format("{}: its header is said to have {} bytes, the limit is {}. If that is right, save the model "
                    "again without so much metadata; if not, download it again.",
                    file.name(), grouped(length), grouped(kLargestHeader)));
  }
  if (!rangeFits(file.size(), kLengthBytes, length)) {
    throw Error(ErrorKind::Truncated,
                fmt::format("{}: the file was cut short: expected at least {} bytes (a header of {}), the file has {}. "
                            "Download or copy it again.",
                            file.name(), grouped(kLengthBytes + length), grouped(length), grouped(file.size())));
  }
  if (length < 2) {
    throw Error(ErrorKind::Corrupt, fmt::format("{}: its header has {}, the least is 2. Download or copy it again.",
                                                file.name(), counted(length, "byte")));
  }
  if (head[kLengthBytes] != '{') {
    throw Error(ErrorKind::Corrupt,
                fmt::format("{}: its header begins with {} (byte 8), not with '{{'. Download or copy it again.",
                            file.name(), inQuotes(std::string_view(head).substr(kLengthBytes, 1))));
  }
  return length;
}

}  // namespace

bool looksLikeSafetensors(std::string_view head) {
  if (!head.substr(std::min(head.size(), std::size_t{kLengthBytes})).starts_with('{')) return false;
  if (head.starts_with("GGUF")) return false;  // whose count of tensors can look like the brace and a quote
  // Eight letters are a length above 10^17: a text that happens to have its "{" there.
  const auto isLetter = [](unsigned char byte) { return (byte >= 0x20 && byte < 0x7f) || (byte >= 9 && byte <= 13); };
  if (std::all_of(head.begin(), head.begin() + kLengthBytes, isLetter)) return false;
  return head.size() < kLengthBytes + 2 ||
         std::string_view("\"} \t\r\n").find(head[kLengthBytes + 1]) != std::string_view::npos;
}

SafetensorsFile::SafetensorsFile(File file) : m_file(std::move(file)) {
  const std::uint64_t length = headerLength(m_file);
  const Json header = parseJson(m_file.read(kLengthBytes, length), m_file.name() + ": the header", kLimits);
  for (const auto& [name, value] : header.items()) {
    if (name == kMetadata) {
      requireTexts(m_file, value);
    } else {
      m_entries.emplace(name, entryOf(Place{m_file, name}, value));
    }
  }
  const std::uint64_t begin = kLengthBytes + length;
  requireCover(m_file, begin, m_entries);
  for (auto& [name, entry] : m_entries) {
    entry.begin += begin;
    entry.end += begin;
  }
}

}  // namespace core::checkpoint
