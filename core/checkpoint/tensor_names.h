// A family's tensors as a table: our name, their name, the shape that the config asks for.
//
// Ours are nanoGPT's without "transformer.": wte.weight, wpe.weight, h.0.ln_1.weight, h.0.attn.c_attn.weight ...,
// ln_f.weight, lm_head.weight; .bias where the model has biases. Linear weights are (out, in).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model_info.h"

namespace core::checkpoint {

/// A size that the config gives: V vocabulary, T context, C embedding, 3C, 4C. One: this dimension is not there.
enum class Dim : std::uint8_t { One, V, T, C, C3, C4 };

enum class Presence : std::uint8_t { Always, WithBias, MayBeTied };

/// How another family of files lays out a linear weight: (out, in), or (in, out) as GPT-2's Conv1D.
enum class Layout : std::uint8_t { AsIs, Linear };

struct TensorRow {
  std::string_view ours;  ///< "#" stands for the layer
  std::string_view theirs;
  std::array<Dim, 2> shape;
  Presence presence = Presence::Always;
  Layout layout = Layout::AsIs;
};

/// A row for one layer and config.
struct ExpectedTensor {
  std::string ours;
  std::string theirs;
  std::vector<std::int64_t> shape;
  Presence presence = Presence::Always;
  Layout layout = Layout::AsIs;
};

std::span<const TensorRow> nanogptTensors();

/// Every tensor that a model of this config has, biases only where it has them.
std::vector<ExpectedTensor> expandRows(std::span<const TensorRow> rows, const ModelConfig& config);

/// How far names are from a family: which are missing, and which it does not know.
struct NameDifference {
  std::vector<std::string> missing;
  std::vector<std::string> odd;
};

/// `names` as in the file, sorted; tensors that may be tied are not missed.
NameDifference compareNames(const std::vector<ExpectedTensor>& expected, const std::vector<std::string>& names);

}  // namespace core::checkpoint
