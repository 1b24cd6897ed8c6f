#include "core/arrays/array_values.h"

#include <fmt/format.h>

#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::arrays {

using checkpoint::grouped;
using checkpoint::shapeText;

namespace {

constexpr std::uint64_t kMostTextBytes = std::uint64_t{64} << 20;

void require(bool isRight, const ArrayFile& file, const StoredArray& array, const char* wanted) {
  if (isRight) return;
  throw Error(ErrorKind::Unsupported, fmt::format("{}: it holds {}, not {}. Save it as {}.", file.placeOf(array),
                                                  array.type.name, wanted, wanted));
}

void requireFew(const ArrayFile& file, const StoredArray& array, std::uint64_t most, std::uint64_t mostBytes) {
  if (array.elements <= most && array.bytes() <= mostBytes) return;
  throw Error(ErrorKind::TooLarge,
              fmt::format("{}: its shape {} has {} elements in {} bytes; the limits are {} and {}. Save the capture "
                          "again.",
                          file.placeOf(array), shapeText(array.shape), grouped(array.elements), grouped(array.bytes()),
                          grouped(most), grouped(mostBytes)));
}

std::vector<std::byte> bytesOf(const ArrayFile& file, const StoredArray& array) {
  std::vector<std::byte> bytes;
  bytes.reserve(array.bytes());
  file.read(array, std::uint64_t{1} << 20, {},
            [&](std::span<const std::byte> piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
  return bytes;
}

template <class Element>
void forEach(const StoredArray& array, const std::vector<std::byte>& bytes, Element element) {
  for (std::uint64_t i = 0; i < array.elements; ++i)
    element(std::span(bytes).subspan(i * array.type.bytes, array.type.bytes));
}

}  // namespace

std::vector<std::int64_t> readIntegers(const ArrayFile& file, const StoredArray& array, std::uint64_t most) {
  require(array.type.isInteger(), file, array, "whole numbers");
  requireFew(file, array, most, 8 * most);
  const std::vector<std::byte> bytes = bytesOf(file, array);
  std::vector<std::int64_t> values;
  values.reserve(array.elements);
  forEach(array, bytes, [&](std::span<const std::byte> one) { values.push_back(toInteger(array.type, one)); });
  return values;
}

std::vector<std::string> readTexts(const ArrayFile& file, const StoredArray& array, std::uint64_t most) {
  require(array.type.kind == ElementType::Kind::Text || array.type.kind == ElementType::Kind::Bytes, file, array,
          "texts");
  requireFew(file, array, most, kMostTextBytes);
  const std::vector<std::byte> bytes = bytesOf(file, array);
  std::vector<std::string> texts;
  texts.reserve(array.elements);
  forEach(array, bytes, [&](std::span<const std::byte> one) { texts.push_back(toText(array.type, one)); });
  return texts;
}

}  // namespace core::arrays
