// A capture as a file that other programs read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/capture.h"
#include "core/output_file.h"
#include "core/progress.h"

namespace core {

struct NpzOptions {
  enum class Logits { All, Last };
  std::vector<Layer> layers;  ///< in this order; empty: all
  std::vector<Head> heads;
  std::vector<Position> rows;            ///< queries, in this order; empty: all
  std::optional<PositionRange> columns;  ///< keys; absent: all
  Logits logits = Logits::All;
  Existing existing = Existing::Refuse;
};

/// Bytes of the arrays that exportNpz() writes. Errors: Mismatch when a layer or head is not one of the model's, a row
/// not a position of the run, or one is named twice; when the columns hold no key or one past the run's end.
std::uint64_t npzBytes(const ModelConfig& config, std::int64_t tokens, const NpzOptions& options);

/// Writes a .npz: attn (L, H, T, T) float32, token_ids (T) int64, logits (T, V) float32, or (V,) of the last token
/// alone. When layers or heads are chosen, L and H are their numbers and the arrays `layers` and `heads` (int64) say
/// which they are. When rows or columns are, attn is (L, H, R, C) and `rows` and `cols` (int64) are their positions.
/// Attention is made and written in blocks of rows: memory does not grow with T x T. Cancelled or
/// failed, no file stays. Returns the size of the file. Errors: Mismatch as npzBytes, Io, Cancelled, OutOfMemory.
std::uint64_t exportNpz(const std::shared_ptr<const Capture>& capture, const std::filesystem::path& path,
                        const NpzOptions& options, const Progress& progress);

}  // namespace core
