#include "core/arrays/float_array.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::arrays {

using checkpoint::grouped;

namespace {

constexpr std::uint64_t kPieceElements = std::uint64_t{1} << 20;

/// What tells that a file is no longer as it was. One that another was put in the place of is not looked at again: what
/// was opened stays as it is.
class Stamp {
 public:
  explicit Stamp(const checkpoint::File& file) : m_file(file), m_then(now()) {}

  /// Errors: Corrupt when the file was written to since.
  void requireUnchanged() const {
    const auto status = now();
    if (!status || !m_then || status->st_dev != m_then->st_dev || status->st_ino != m_then->st_ino) return;
    if (status->st_size == m_then->st_size && status->st_mtim.tv_sec == m_then->st_mtim.tv_sec &&
        status->st_mtim.tv_nsec == m_then->st_mtim.tv_nsec) {
      return;
    }
    throw Error(
        ErrorKind::Corrupt,
        fmt::format("{}: it was written to since it was opened ({} bytes then, {} now), so its numbers are not "
                    "those that were checked. Open it again.",
                    m_file.name(), grouped(std::int64_t{m_then->st_size}), grouped(std::int64_t{status->st_size})));
  }

 private:
  std::optional<struct stat> now() const {
    struct stat status {};
    if (::stat(m_file.path().c_str(), &status) != 0) return std::nullopt;
    return status;
  }

  const checkpoint::File& m_file;
  std::optional<struct stat> m_then;
};

class InFile final : public FloatArray {
 public:
  InFile(std::shared_ptr<const ArrayFile> file, std::uint64_t offset, std::uint64_t size)
      : m_file(std::move(file)), m_stamp(m_file->file()), m_offset(offset), m_size(size) {}

  std::uint64_t size() const override { return m_size; }
  std::size_t bytesHeld() const override { return 0; }
  void read(std::uint64_t first, std::span<float> into) const override {
    m_file->file().read(m_offset + first * sizeof(float), std::as_writable_bytes(into));
    m_stamp.requireUnchanged();  // afterwards: what was read before the change is right
  }

 private:
  std::shared_ptr<const ArrayFile> m_file;
  Stamp m_stamp;
  std::uint64_t m_offset;
  std::uint64_t m_size;
};

class InMemory final : public FloatArray {
 public:
  /// The memory is not written to before there are values for it.
  explicit InMemory(std::uint64_t size) : m_values(std::make_unique_for_overwrite<float[]>(size)), m_size(size) {}

  std::span<float> values() { return {m_values.get(), m_size}; }
  std::uint64_t size() const override { return m_size; }
  std::size_t bytesHeld() const override { return m_size * sizeof(float); }
  void read(std::uint64_t first, std::span<float> into) const override {
    if (!into.empty()) std::memcpy(into.data(), m_values.get() + first, into.size_bytes());
  }

 private:
  std::unique_ptr<float[]> m_values;
  std::uint64_t m_size;
};

void requireMemory(const ArrayFile& file, const StoredArray& array, std::int64_t freeBytes) {
  const std::uint64_t needed = array.elements * sizeof(float);
  if (needed <= static_cast<std::uint64_t>(std::max<std::int64_t>(freeBytes, 0))) return;
  throw Error(
      ErrorKind::OutOfMemory,
      fmt::format("{}: to read it takes {} bytes of memory, {} are free. Save fewer layers or heads, or save it as "
                  "float32 with numpy.save or numpy.savez: then it is read part by part.",
                  file.placeOf(array), grouped(needed), grouped(freeBytes)));
}

/// Where the elements of an array in Fortran order belong, one after the other.
class FortranPlaces {
 public:
  explicit FortranPlaces(const std::vector<std::int64_t>& shape)
      : m_shape(shape), m_at(shape.size()), m_steps(shape.size()) {
    std::uint64_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
      m_steps[i] = step;
      step *= static_cast<std::uint64_t>(shape[i]);
    }
  }
  std::uint64_t next() {
    const std::uint64_t place = m_place;
    for (std::size_t i = 0; i < m_shape.size(); ++i) {
      m_place += m_steps[i];
      if (++m_at[i] < m_shape[i]) break;
      m_place -= m_steps[i] * static_cast<std::uint64_t>(m_shape[i]);
      m_at[i] = 0;
    }
    return place;
  }

 private:
  const std::vector<std::int64_t>& m_shape;
  std::vector<std::int64_t> m_at;
  std::vector<std::uint64_t> m_steps;
  std::uint64_t m_place = 0;
};

std::uint64_t rowsAtOnce(std::uint64_t row) {
  return std::max<std::uint64_t>(1, kPieceElements / std::max<std::uint64_t>(1, row));
}

}  // namespace

std::shared_ptr<const FloatArray> openFloats(const std::shared_ptr<const ArrayFile>& file, const StoredArray& array,
                                             std::uint64_t row, std::int64_t freeBytes, const Progress& progress,
                                             const Visit& visit) {
  if (!array.type.isFloat()) {
    throw Error(
        ErrorKind::Unsupported,
        fmt::format("{}: its elements are {}; float16, bfloat16, float32 and float64 are read. Save it as float32.",
                    file->placeOf(array), array.type.name));
  }
  const std::uint64_t pieceElements = rowsAtOnce(row) * row;
  const std::uint64_t pieceBytes = pieceElements * array.type.bytes;
  std::uint64_t first = 0;
  if (array.type.isPlainFloat() && array.order == Order::C && array.offset) {
    auto inFile = std::make_shared<const InFile>(file, *array.offset, array.elements);
    std::vector<float> values;
    file->read(array, pieceBytes, progress, [&](std::span<const std::byte> piece) {
      values.resize(piece.size() / sizeof(float));
      toFloats(array.type, piece, values.data());
      visit(first, values);
      first += values.size();
    });
    return inFile;
  }
  requireMemory(*file, array, freeBytes);
  const auto inMemory = std::make_shared<InMemory>(array.elements);
  const std::span<float> all = inMemory->values();
  if (array.order == Order::C) {
    file->read(array, pieceBytes, progress, [&](std::span<const std::byte> piece) {
      const std::span<float> part = all.subspan(first, piece.size() / array.type.bytes);
      toFloats(array.type, piece, part.data());
      visit(first, part);
      first += part.size();
    });
    return inMemory;
  }
  FortranPlaces places(array.shape);
  std::vector<float> values;
  file->read(array, pieceBytes, progress.part(0, 0.9), [&](std::span<const std::byte> piece) {
    values.resize(piece.size() / array.type.bytes);
    toFloats(array.type, piece, values.data());
    for (const float value : values) all[places.next()] = value;
  });
  for (; first < all.size(); first += pieceElements) {
    progress.report(0.9 + 0.1 * static_cast<double>(first) / static_cast<double>(all.size()), "checking");
    visit(first, all.subspan(first, std::min<std::uint64_t>(pieceElements, all.size() - first)));
  }
  return inMemory;
}

}  // namespace core::arrays
