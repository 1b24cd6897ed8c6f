// A capture as a file that other programs read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/capture.h"
#include "core/export_format.h"
#include "core/output_file.h"
#include "core/progress.h"

namespace core {

struct CaptureExport {
  /// Those that the capture has: a saved one may have the last or none (Capture::logitRows()).
  enum class Logits { All, Last, None };

  ExportFormat format = ExportFormat::Npz;
  std::vector<Layer> layers = {};  ///< in this order; empty: all
  std::vector<Head> heads = {};
  std::vector<Position> rows = {};                      ///< queries, in this order; empty: all
  std::optional<PositionRange> columns = std::nullopt;  ///< keys; absent: all
  Logits logits = Logits::All;                          ///< of .npz and .safetensors
  CsvOptions csv = {};
  Existing existing = Existing::Refuse;
};

/// What exportCapture() writes at least: the bytes of attention, logits and numbers, or of a table's shortest lines.
/// settings: those of the run, which say what a table has lines for.
/// Errors: Mismatch when a layer or head is not one of the model's, a row not a position of the run, or one is named
/// twice; when the columns hold no key or one past the run's end; when a matrix is asked of several heads.
std::uint64_t exportBytes(const ModelConfig& config, const RunSettings& settings, std::int64_t tokens,
                          const CaptureExport& options);

/// Writes, as the format has it:
/// * .npz: attn (L, H, T, T) float32, token_ids (T) int64, tokens (T) labels, logits (T, V) float32, or (V,) of the
/// last
///   token alone, and meta, the text of core/capture_meta.h. When layers or heads are chosen, L and H are their numbers
///   and the arrays `layers` and `heads` (int64) say which they are. When rows or columns are, attn is (L, H, R, C) and
///   `rows` and `cols` (int64) are their positions.
/// * .safetensors: the same but for the texts, which are in its `__metadata__`: meta, app, model, model_file,
///   model_bytes, prompt.
/// * .npy: attention alone: (T, T) of one head, (H, T, T) of one layer, else (L, H, T, T). Meta in a .json beside it.
/// * .csv: core/csv_writer.h. Meta in a .json beside it.
/// A weight that is NaN stays NaN in arrays and is `nan` in a table. Attention is made and written in blocks of rows:
/// memory does not grow with T x T. Cancelled or failed, no file stays and an older one is untouched.
/// Errors: Mismatch as exportBytes, Io (with the bytes that are needed), Cancelled, OutOfMemory; those of reading a
/// saved capture.
Exported exportCapture(const std::shared_ptr<const Capture>& capture, const std::filesystem::path& path,
                       const CaptureExport& options, const Progress& progress);

}  // namespace core
