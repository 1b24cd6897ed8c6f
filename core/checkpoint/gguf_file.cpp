#include "core/checkpoint/gguf_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "core/checkpoint/gguf_header.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

constexpr std::uint32_t kVersions[] = {2, 3};
constexpr std::uint64_t kLongestName = 65'535;  // upstream's own limit for keys
constexpr std::uint64_t kMostKeys = 65'536;
constexpr std::uint64_t kMostTensors = 100'000;
constexpr std::uint32_t kMostDimensions = 4;
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint64_t kLargestAlignment = 64u << 10;
constexpr std::string_view kAlignmentKey = "general.alignment";

// The least bytes that an item can take: what bounds a count before anything is set aside for it.
constexpr std::uint64_t kLeastKey = 8 + 1 + 4 + 1;  // length, a letter, type, a value of one byte
constexpr std::uint64_t kLeastTensor =
    8 + 1 + 4 + 8 + 4 + 8;  // length, a letter, dimensions, one of them, type, offset

class Parser {
 public:
  explicit Parser(const File& file) : m_file(file), m_header(file) {}

  void readFront() {
    m_header.skip(kGgufMagic.size(), 1, "the magic");
    const auto version = m_header.next<std::uint32_t>("the version");
    requireVersion(version);
    m_tensors = m_header.next<std::uint64_t>("the number of tensors");
    m_keys = m_header.next<std::uint64_t>("the number of keys");
    requireCount(m_keys, "keys", kLeastKey, kMostKeys);
    requireCount(m_tensors, "tensors", kLeastTensor, kMostTensors);
  }

  GgufMetadata::Values readKeys() {
    GgufMetadata::Values values;
    for (std::uint64_t i = 0; i < m_keys; ++i) {
      std::string key = readName(fmt::format("the name of key {} of {}", grouped(i + 1), grouped(m_keys)));
      const GgufValue value = readValue(fmt::format("the value of the key {}", inQuotes(key)));
      const auto [at, isNew] = values.emplace(std::move(key), value);
      if (!isNew) corrupt(fmt::format("the key {} is there twice", inQuotes(at->first)));
    }
    return values;
  }

  /// With places counted from the beginning of the tensors' bytes.
  GgufFile::Entries readTensors(std::uint64_t alignment) {
    GgufFile::Entries entries;
    for (std::uint64_t i = 0; i < m_tensors; ++i) {
      std::string name = readName(fmt::format("the name of tensor {} of {}", grouped(i + 1), grouped(m_tensors)));
      GgufFile::Entry entry = readEntry(fmt::format("the tensor {}", inQuotes(name)), alignment);
      const auto [at, isNew] = entries.emplace(std::move(name), std::move(entry));
      if (!isNew) corrupt(fmt::format("the tensor {} is there twice", inQuotes(at->first)));
    }
    return entries;
  }

  std::uint64_t alignment(const GgufMetadata::Values& values) const {
    const auto found = values.find(kAlignmentKey);
    if (found == values.end()) return kDefaultAlignment;
    const GgufValue& value = found->second;
    if (value.isList || value.type != GgufValueType::U32) {
      corrupt(fmt::format("the key {} is {}{}, not a u32", inQuotes(kAlignmentKey), value.isList ? "a list of " : "a ",
                          name(value.type)));
    }
    const auto alignment = little<std::uint32_t>(m_header.from(value.begin), 0);
    if (!std::has_single_bit(alignment) || alignment > kLargestAlignment) {
      corrupt(fmt::format("the key {} is {}; it must be a power of two up to {}", inQuotes(kAlignmentKey),
                          grouped(std::uint64_t{alignment}), grouped(kLargestAlignment)));
    }
    return alignment;
  }

  std::uint64_t at() const { return m_header.at(); }
  std::string takeHeader() { return m_header.take(); }

  [[noreturn]] void corrupt(const std::string& what) const {
    throw Error(ErrorKind::Corrupt, fmt::format("{}: {}. Download or copy the file again.", m_file.name(), what));
  }

 private:
  void requireVersion(std::uint32_t version) const {
    if (std::find(std::begin(kVersions), std::end(kVersions), version) != std::end(kVersions)) return;
    const std::uint32_t swapped = __builtin_bswap32(version);
    const bool isBigEndian = std::find(std::begin(kVersions), std::end(kVersions), swapped) != std::end(kVersions);
    throw Error(ErrorKind::Unsupported,
                isBigEndian
                    ? fmt::format("{}: it is a big-endian file (version {} with its bytes swapped), for computers of "
                                  "another kind. Get the little-endian file, or convert the model again.",
                                  m_file.name(), swapped)
                    : fmt::format("{}: it is of GGUF version {}; versions 2 and 3 are read. Convert the model again "
                                  "with a current converter.",
                                  m_file.name(), version));
  }

  void requireCount(std::uint64_t count, std::string_view noun, std::uint64_t least, std::uint64_t most) const {
    const std::uint64_t fitting = (m_file.size() - m_header.at()) / least;
    if (count > fitting) {
      corrupt(fmt::format("it is said to have {} {}, but its {} bytes have room for at most {}", grouped(count), noun,
                          grouped(m_file.size()), grouped(fitting)));
    }
    if (count > most) {
      throw Error(ErrorKind::TooLarge, fmt::format("{}: it has {} {}; the limit is {}. Open a smaller model.",
                                                   m_file.name(), grouped(count), noun, grouped(most)));
    }
  }

  std::string readName(const std::string& what) {
    std::string name(m_header.nextText(what, kLongestName));
    if (name.empty()) corrupt(fmt::format("{} is empty", what));
    return name;
  }

  GgufValueType readValueType(const std::string& what) {
    const auto id = m_header.next<std::uint32_t>(what);
    if (id >= kGgufValueTypes) {
      corrupt(fmt::format("{} is of the type {}; types go from 0 to {}", what, grouped(std::uint64_t{id}),
                          kGgufValueTypes - 1));
    }
    return static_cast<GgufValueType>(id);
  }

  GgufValue readValue(const std::string& what) {
    GgufValue value;
    value.type = readValueType(what);
    if (value.type == GgufValueType::List) {
      value.isList = true;
      value.type = readValueType(what);
      if (value.type == GgufValueType::List) corrupt(fmt::format("{} is a list of lists", what));
      value.count = m_header.next<std::uint64_t>(what);
    }
    value.begin = m_header.at();
    if (value.type == GgufValueType::Text) {
      readTexts(value, what);
    } else {
      m_header.skip(value.count, sizeOf(value.type), what);
    }
    value.end = m_header.at();
    const auto isNoBool = [](char byte) { return byte != 0 && byte != 1; };
    const std::string_view bytes = m_header.from(value.begin);
    if (value.type == GgufValueType::Bool && std::any_of(bytes.begin(), bytes.end(), isNoBool))
      corrupt(fmt::format("{} is neither true (1) nor false (0)", what));
    return value;
  }

  /// A text by itself begins behind its length; those of a list are kept with theirs.
  void readTexts(GgufValue& value, const std::string& what) {
    for (std::uint64_t i = 0; i < value.count; ++i) {
      const std::size_t length = m_header.nextText(what, m_file.size()).size();
      if (!value.isList) value.begin = m_header.at() - length;
    }
  }

  GgufFile::Entry readEntry(const std::string& what, std::uint64_t alignment) {
    GgufFile::Entry entry;
    const auto dimensions = m_header.next<std::uint32_t>(what);
    if (dimensions < 1 || dimensions > kMostDimensions) {
      corrupt(fmt::format("{} has {} dimensions; there are 1 to {}", what, grouped(std::uint64_t{dimensions}),
                          kMostDimensions));
    }
    for (std::uint32_t i = 0; i < dimensions; ++i) {
      const auto size = static_cast<std::int64_t>(m_header.next<std::uint64_t>(what));
      if (size < 1) corrupt(fmt::format("{} has the size {} as its dimension {}", what, grouped(size), i + 1));
      entry.shape.insert(entry.shape.begin(), size);
    }
    const auto id = m_header.next<std::uint32_t>(what);
    entry.type = ggufType(id);
    if (entry.type == nullptr) {
      throw Error(
          ErrorKind::Unsupported,
          fmt::format("{}: {} is of the type {}, which ggml does not have or has given up; read are {}. Convert "
                      "the model again.",
                      m_file.name(), what, id, ggufTypesRead()));
    }
    entry.begin = m_header.next<std::uint64_t>(what);
    if (entry.begin % alignment != 0) {
      corrupt(fmt::format("{} begins at byte {} of the data, which is no multiple of the alignment {}", what,
                          grouped(entry.begin), alignment));
    }
    setEnd(entry, what);
    return entry;
  }

  void setEnd(GgufFile::Entry& entry, const std::string& what) const {
    const GgufType& type = *entry.type;
    if (static_cast<std::uint64_t>(entry.shape.back()) % type.blockElements != 0) {
      corrupt(fmt::format("{} has rows of {} numbers, no multiple of {}, a block of {}", what,
                          grouped(entry.shape.back()), type.blockElements, type.name));
    }
    const auto count = elementCount(entry.shape);
    const auto bytes = count ? checkedMultiply(*count / type.blockElements, type.blockBytes) : std::nullopt;
    const auto end = bytes ? checkedAdd(entry.begin, *bytes) : std::nullopt;
    if (!end) {
      corrupt(fmt::format("{} of shape {} from byte {} on takes more bytes than there are numbers", what,
                          shapeText(entry.shape), grouped(entry.begin)));
    }
    entry.end = *end;
  }

  const File& m_file;
  GgufHeader m_header;
  std::uint64_t m_keys = 0;
  std::uint64_t m_tensors = 0;
};

/// From places in the data to places in the file. Errors: Corrupt for tensors that overlap, Truncated when the file
/// ends before they do. Answers the end of the last.
std::uint64_t place(GgufFile::Entries& entries, std::uint64_t dataBegin, const Parser& parser, const File& file) {
  std::vector<GgufFile::Entries::value_type*> order;
  for (auto& entry : entries) order.push_back(&entry);
  std::sort(order.begin(), order.end(),
            [](const auto* left, const auto* right) { return left->second.begin < right->second.begin; });
  std::uint64_t end = 0;
  std::string_view before;
  for (const auto* next : order) {
    if (next->second.begin < end) {
      parser.corrupt(fmt::format("the tensor {} begins at byte {} of the data, within {}, which ends at byte {}",
                                 inQuotes(next->first), grouped(next->second.begin), inQuotes(before), grouped(end)));
    }
    end = next->second.end;
    before = next->first;
  }
  const auto expected = checkedAdd(dataBegin, end);
  if (!expected || *expected > file.size()) {
    throw Error(
        ErrorKind::Truncated,
        fmt::format("{}: the file was cut short: its tensors end at byte {} with {}, the file has {}. Download "
                    "or copy it again.",
                    file.name(), expected ? grouped(*expected) : "2^64", inQuotes(before), grouped(file.size())));
  }
  for (auto* entry : order) {
    entry->second.begin += dataBegin;
    entry->second.end += dataBegin;
  }
  return *expected;
}

}  // namespace

GgufFile::GgufFile(File file) : m_file(std::move(file)) {
  Parser parser(m_file);
  parser.readFront();
  GgufMetadata::Values values = parser.readKeys();
  const std::uint64_t alignment = parser.alignment(values);
  m_entries = parser.readTensors(alignment);
  const std::uint64_t headerEnd = parser.at();
  // Without tensors nothing follows, and no padding need be there.
  m_end = headerEnd;
  if (!m_entries.empty()) m_end = place(m_entries, (headerEnd + alignment - 1) / alignment * alignment, parser, m_file);
  m_metadata = GgufMetadata(m_file.name(), parser.takeHeader(), std::move(values));
}

}  // namespace core::checkpoint
