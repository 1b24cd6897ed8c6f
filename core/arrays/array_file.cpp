#include "core/arrays/array_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/arrays/byte_stream.h"
#include "core/checkpoint/checked.h"
#include "core/checkpoint/content.h"
#include "core/checkpoint/json.h"
#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::arrays {

using checkpoint::counted;
using checkpoint::File;
using checkpoint::grouped;
using checkpoint::inQuotes;
using checkpoint::SafetensorsFile;
using checkpoint::shapeText;

namespace {

constexpr std::size_t kMostArrays = 10'000;
constexpr std::string_view kNpyEnding = ".npy";
constexpr const char* kMetadata = "__metadata__";

/// The header of a safetensors file once more, for its texts. The limits are those of its reader.
constexpr checkpoint::JsonLimits kHeaderJson{
    .bytes = 100'000'000, .depth = 8, .values = 1'000'000, .stringBytes = 4u << 20};

std::map<std::string, std::string> textsOf(const File& file) {
  const auto length = checkpoint::little<std::uint64_t>(file.read(0, checkpoint::kLengthBytes), 0);
  const checkpoint::Json header =
      checkpoint::parseJson(file.read(checkpoint::kLengthBytes, length), file.name() + ": the header", kHeaderJson);
  const auto found = header.find(kMetadata);
  return found == header.end() ? std::map<std::string, std::string>()
                               : found->get<std::map<std::string, std::string>>();
}

ElementType elementTypeOf(const SafetensorsFile::Entry& entry) {
  using checkpoint::DType;
  using Kind = ElementType::Kind;
  ElementType type{.kind = Kind::Other, .bytes = 0, .bigEndian = false, .name = entry.dtype};
  if (!entry.type) return type;
  type.bytes = checkpoint::itemSize(*entry.type);
  switch (*entry.type) {
    case DType::F32:
    case DType::F16:
    case DType::F64: type.kind = Kind::Float; break;
    case DType::BF16: type.kind = Kind::BFloat; break;
    case DType::I64:
    case DType::I32:
    case DType::I16:
    case DType::I8: type.kind = Kind::Int; break;
    case DType::U8: type.kind = Kind::Unsigned; break;
    case DType::Bool: type.kind = Kind::Bool; break;
  }
  return type;
}

/// The array that a header describes. `available`: bytes behind the header.
/// Errors: Truncated, Corrupt unless the elements are exactly these bytes.
StoredArray arrayOf(const NpyHeader& header, std::uint64_t available, const std::string& place) {
  StoredArray array{.type = header.type, .order = header.order, .shape = header.shape};
  const auto count = checkpoint::elementCount(header.shape);
  const auto bytes = count ? checkpoint::checkedMultiply(*count, header.type.bytes) : std::nullopt;
  if (!bytes) {
    throw Error(ErrorKind::Corrupt, fmt::format("{}: its shape {} has more elements than there are numbers. Save the "
                                                "array again.",
                                                place, shapeText(header.shape)));
  }
  array.elements = *count;
  // Objects are pickled: they have no size of their own.
  if (header.type.kind == ElementType::Kind::Object) return array;
  if (*bytes > available) {
    throw Error(
        ErrorKind::Truncated,
        fmt::format("{}: it was cut short: its shape {} of {} takes {} bytes, it has {}. Copy or save it again.", place,
                    shapeText(header.shape), header.type.name, grouped(*bytes), grouped(available)));
  }
  if (*bytes < available) {
    throw Error(
        ErrorKind::Corrupt,
        fmt::format("{}: it has {} after its last element: its shape {} of {} takes {} bytes, it has {}. Save it "
                    "again.",
                    place, counted(available - *bytes, "byte"), shapeText(header.shape), header.type.name,
                    grouped(*bytes), grouped(available)));
  }
  return array;
}

}  // namespace

ArrayFile::ArrayFile(File file) : m_file(std::make_unique<File>(std::move(file))) {
  const std::string head = m_file->read(0, std::min<std::uint64_t>(m_file->size(), 10));
  if (looksLikeNpy(head)) {
    openNpy();
  } else if (checkpoint::looksLikeZip(head)) {
    openNpz();
  } else if (checkpoint::looksLikeSafetensors(head)) {
    openSafetensors();
  } else {
    const auto byType = checkpoint::refusalByType(*m_file);
    if (byType && head.starts_with("version ht")) throw *byType;  // a pointer of Git LFS says where the file is
    throw Error(byType && byType->kind() == ErrorKind::Unsafe ? ErrorKind::Unsafe : ErrorKind::NotAModel,
                fmt::format("{}: it begins with {}, not as .npy, .npz and .safetensors files do. Open a capture that "
                            "Headscope or NumPy saved.",
                            m_file->name(), inQuotes(std::string_view(head).substr(0, 8))),
                byType ? byType->what() : "");
  }
}

void ArrayFile::openNpy() {
  m_kind = Kind::Npy;
  ByteStream stream(*m_file, 0, m_file->size(), m_file->name());
  const NpyHeader header = readNpyHeader([&](std::uint64_t length) { return stream.read(length); }, m_file->name());
  StoredArray array = arrayOf(header, m_file->size() - header.dataOffset, m_file->name());
  array.offset = header.dataOffset;
  m_arrays.push_back(std::move(array));
}

void ArrayFile::openNpz() {
  m_kind = Kind::Npz;
  for (const ZipMember& member : readZipMembers(*m_file)) {
    if (!member.name.ends_with(kNpyEnding)) continue;
    if (m_arrays.size() == kMostArrays) {
      throw Error(ErrorKind::TooLarge, fmt::format("{}: it has more than {} arrays; save those of the capture alone.",
                                                   m_file->name(), grouped(std::uint64_t{kMostArrays})));
    }
    const std::string name = member.name.substr(0, member.name.size() - kNpyEnding.size());
    const std::string place = fmt::format("{}: the array {}", m_file->name(), inQuotes(name));
    ByteStream stream(*m_file, member, place);
    const NpyHeader header = readNpyHeader([&](std::uint64_t length) { return stream.read(length); }, place);
    StoredArray array = arrayOf(header, stream.left(), place);
    array.name = name;
    array.member = member;
    if (!member.deflated) array.offset = member.offset + header.dataOffset;
    m_arrays.push_back(std::move(array));
  }
  if (!m_arrays.empty()) return;
  throw Error(ErrorKind::NotAModel,
              fmt::format("{}: it is a zip without arrays of NumPy (members that end in .npy). Open a checkpoint as a "
                          "model, and here a capture that Headscope or NumPy saved.",
                          m_file->name()));
}

void ArrayFile::openSafetensors() {
  m_kind = Kind::Safetensors;
  m_safetensors = std::make_unique<SafetensorsFile>(std::move(*m_file));
  m_file.reset();
  m_texts = textsOf(file());
  for (const auto& [name, entry] : m_safetensors->entries()) {
    StoredArray array{.name = name, .type = elementTypeOf(entry), .shape = entry.shape};
    array.elements = checkpoint::elementCount(entry.shape).value_or(0);  // checked by the reader of the header
    array.offset = entry.begin;
    m_arrays.push_back(std::move(array));
  }
}

const StoredArray* ArrayFile::find(std::string_view name) const {
  const auto found =
      std::find_if(m_arrays.begin(), m_arrays.end(), [&](const StoredArray& array) { return array.name == name; });
  return found == m_arrays.end() ? nullptr : &*found;
}

std::string ArrayFile::placeOf(const StoredArray& array) const {
  return array.name.empty() ? file().name() : fmt::format("{}: the array {}", file().name(), inQuotes(array.name));
}

std::string ArrayFile::listing() const {
  constexpr std::size_t kMost = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(m_arrays.size(), kMost); ++i) {
    const StoredArray& array = m_arrays[i];
    const std::string name = array.name.empty() ? "" : inQuotes(array.name) + " ";
    text += fmt::format("{}{}{} {}", i > 0 ? ", " : "", name, shapeText(array.shape), array.type.name);
  }
  if (m_arrays.size() > kMost) text += fmt::format(" and {} more", m_arrays.size() - kMost);
  return text;
}

void ArrayFile::read(const StoredArray& array, std::uint64_t pieceBytes, const Progress& progress,
                     const Use& use) const {
  const std::string place = placeOf(array);
  const std::string stage = array.name.empty() ? "reading" : "reading " + array.name;
  ByteStream stream = array.member ? ByteStream(file(), *array.member, place)
                                   : ByteStream(file(), array.offset.value_or(0), array.bytes(), place);
  if (array.member) readNpyHeader([&](std::uint64_t length) { return stream.read(length); }, place);
  const std::uint64_t whole = stream.left();
  if (whole != array.bytes()) {
    throw Error(ErrorKind::Corrupt,
                fmt::format("{}: it was changed since the file was opened: {} bytes then, {} now. Open "
                            "it again.",
                            place, grouped(array.bytes()), grouped(whole)));
  }
  std::vector<std::byte> piece(std::min(pieceBytes, whole));
  while (stream.left() > 0) {
    progress.report(1 - static_cast<double>(stream.left()) / static_cast<double>(whole), stage);
    const std::span<std::byte> part(piece.data(), std::min<std::uint64_t>(piece.size(), stream.left()));
    stream.read(part);
    use(part);
  }
  stream.finish();
}

}  // namespace core::arrays
