// A capture that was saved, by Headscope or by another program, opened again.
#pragma once

#include <filesystem>
#include <memory>

#include "core/capture.h"
#include "core/progress.h"

namespace core {

/// Of file names, for an Open dialog: "*.npz *.npy *.safetensors".
inline constexpr const char* kSavedCapturePatterns = "*.npz *.npy *.safetensors";

/// Opens by content what exportCapture() writes but for tables, and an .npy, .npz or .safetensors of other programs
/// with weights of shape (L, H, T, T), (H, T, T) or (T, T): float16, bfloat16, float32 or float64, of either byte
/// order, in C or Fortran order, stored or deflated. Of several arrays it is `attn`, `attentions`, `attention` or
/// `weights`, else the only one of such a shape. Every row must sum to 1 within 1e-4 over the keys that it sees (and
/// what rounding to the stored type adds), or be of zeros and NaN alone: a broken row, see Capture::brokenRows().
///
/// The mask is that of the meta; without one causal where everything above the diagonal is exactly 0 in every head,
/// else bidirectional. Tokens come from the meta, `tokens` or `token_ids`; without any they are "#0", "#1" ... Parts
/// that can't be used are told in RunFacts::warnings.
///
/// float32 that is stored as it is is read from the file when it is asked for; anything else is held in memory.
/// Errors: those of opening any file; NotAModel; Unsupported (pickled objects, other types and shapes; a part of the
/// rows or columns), with the arrays and shapes; Mismatch for values that are no attention weights, with the shape and
/// the first such row; Corrupt, Truncated; OutOfMemory; TooLarge; Cancelled.
std::shared_ptr<const Capture> openSavedCapture(const std::filesystem::path& path, const Progress& progress);

/// Whether a file is meant for openSavedCapture() rather than for a model: an .npy, a zip of them, or safetensors with
/// a tensor of one of those names. By its headers alone; false for one that can't be read.
bool isSavedCapture(const std::filesystem::path& path);

}  // namespace core
