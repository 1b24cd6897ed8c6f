// What every kind of TensorStore does while it reads: memory, progress, and the look at the weights as they pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/checkpoint/file.h"
#include "core/checkpoint/tensor_store.h"
#include "core/checkpoint/weight_facts.h"
#include "core/progress.h"

namespace core::checkpoint {

class TensorReader {
 public:
  /// `total` bytes are going to be read, `memory` bytes filled; `origin` begins sentences.
  /// Errors: OutOfMemory when this computer can't hold them.
  TensorReader(const std::string& origin, std::uint64_t total, std::uint64_t memory, const Progress& progress);

  /// From here on `name` (as in the file) is what is read. Errors: Cancelled.
  void begin(const std::string& name);

  /// Reads bytes of the file into fresh memory, piece by piece; `onPiece` hears of each while it is in the processor's
  /// cache. Errors: Cancelled, Truncated, Io.
  using OnPiece = std::function<void(std::span<const std::byte>)>;
  std::shared_ptr<std::byte[]> read(const File& file, std::uint64_t offset, std::uint64_t bytes,
                                    const OnPiece& onPiece);

  /// Reads bytes of the file that nobody keeps: onPiece() takes what it needs of each. Pieces are whole blocks of
  /// `block` bytes. Errors: as read().
  void pass(const File& file, std::uint64_t offset, std::uint64_t bytes, std::uint64_t block, const OnPiece& onPiece);

  /// What the look at a tensor found, by its name in the file.
  WeightFacts& facts(const std::string& name) { return m_facts[name]; }
  void add(const std::string& ours, Tensor tensor) { m_reading.tensors.emplace(ours, std::move(tensor)); }
  void warn(std::string sentence) { m_reading.warnings.push_back(std::move(sentence)); }

  /// Everything that was added. Warnings of the weights come last.
  Reading take();

 private:
  void report() const;
  void readPiece(const File& file, std::uint64_t offset, std::span<std::byte> piece, const OnPiece& onPiece);

  const Progress& m_progress;
  std::uint64_t m_total;
  std::string m_stage;
  std::map<std::string, WeightFacts> m_facts;
  Reading m_reading;
};

/// Errors: Unsupported, unless weights are read from such elements (fp32, fp16, bf16, fp64).
void requireFloats(DType type, const std::string& origin, const std::string& name);

}  // namespace core::checkpoint
