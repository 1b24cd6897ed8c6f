#include "core/checkpoint/tensor_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

constexpr std::uint64_t kPiece = 1u << 20;  // fits the second cache of today's processors; a multiple of every element

std::uint64_t memoryOfThisComputer() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

}  // namespace

TensorReader::TensorReader(const std::string& origin, std::uint64_t total, std::uint64_t memory,
                           const Progress& progress)
    : m_progress(progress), m_total(total) {
  if (memory > memoryOfThisComputer()) {
    throw Error(ErrorKind::OutOfMemory,
                fmt::format("{}: its weights take {} bytes, this computer has {} bytes of memory. Open a smaller "
                            "model, or this one on a larger computer.",
                            origin, grouped(memory), grouped(memoryOfThisComputer())));
  }
}

void TensorReader::begin(const std::string& name) {
  m_stage = "reading " + name;
  report();
}

std::shared_ptr<std::byte[]> TensorReader::read(const File& file, std::uint64_t offset, std::uint64_t bytes,
                                                const OnPiece& onPiece) {
  std::shared_ptr<std::byte[]> whole = std::make_shared_for_overwrite<std::byte[]>(bytes);
  for (std::uint64_t done = 0; done < bytes;) {
    const std::span piece(whole.get() + done, std::min(kPiece, bytes - done));
    readPiece(file, offset + done, piece, onPiece);
    done += piece.size();
  }
  return whole;
}

void TensorReader::pass(const File& file, std::uint64_t offset, std::uint64_t bytes, std::uint64_t block,
                        const OnPiece& onPiece) {
  std::vector<std::byte> buffer(std::min(bytes, kPiece / block * block));
  for (std::uint64_t done = 0; done < bytes;) {
    const std::span piece(buffer.data(), std::min<std::uint64_t>(buffer.size(), bytes - done));
    readPiece(file, offset + done, piece, onPiece);
    done += piece.size();
  }
}

Reading TensorReader::take() {
  for (std::string& warning : weightWarnings(m_facts)) warn(std::move(warning));
  return std::move(m_reading);
}

void TensorReader::readPiece(const File& file, std::uint64_t offset, std::span<std::byte> piece,
                             const OnPiece& onPiece) {
  file.read(offset, piece);
  onPiece(piece);
  m_reading.bytes += static_cast<std::int64_t>(piece.size());
  report();
}

void TensorReader::report() const {
  const auto done = static_cast<double>(m_reading.bytes);
  m_progress.report(m_total > 0 ? std::min(1.0, done / static_cast<double>(m_total)) : 0, m_stage);
}

void requireFloats(DType type, const std::string& origin, const std::string& name) {
  if (isFloat(type)) return;
  throw Error(ErrorKind::Unsupported,
              fmt::format("{}: the tensor {} holds {}; weights are read as fp32, fp16, bf16 or fp64. Save the model as "
                          "float32.",
                          origin, inQuotes(name), checkpoint::name(type)));
}

}  // namespace core::checkpoint
