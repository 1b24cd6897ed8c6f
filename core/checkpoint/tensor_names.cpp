#include "core/checkpoint/tensor_names.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace core::checkpoint {

namespace {

using enum Dim;

// Source: nanoGPT model.py. A LayerNorm has a bias of its own only where the linears have one.
constexpr TensorRow kNanogpt[] = {
    {"wte.weight", "transformer.wte.weight", {V, C}},
    {"wpe.weight", "transformer.wpe.weight", {T, C}},
    {"h.#.ln_1.weight", "transformer.h.#.ln_1.weight", {C, One}},
    {"h.#.ln_1.bias", "transformer.h.#.ln_1.bias", {C, One}, Presence::WithBias},
    {"h.#.attn.c_attn.weight", "transformer.h.#.attn.c_attn.weight", {C3, C}, Presence::Always, Layout::Linear},
    {"h.#.attn.c_attn.bias", "transformer.h.#.attn.c_attn.bias", {C3, One}, Presence::WithBias},
    {"h.#.attn.c_proj.weight", "transformer.h.#.attn.c_proj.weight", {C, C}, Presence::Always, Layout::Linear},
    {"h.#.attn.c_proj.bias", "transformer.h.#.attn.c_proj.bias", {C, One}, Presence::WithBias},
    {"h.#.ln_2.weight", "transformer.h.#.ln_2.weight", {C, One}},
    {"h.#.ln_2.bias", "transformer.h.#.ln_2.bias", {C, One}, Presence::WithBias},
    {"h.#.mlp.c_fc.weight", "transformer.h.#.mlp.c_fc.weight", {C4, C}, Presence::Always, Layout::Linear},
    {"h.#.mlp.c_fc.bias", "transformer.h.#.mlp.c_fc.bias", {C4, One}, Presence::WithBias},
    {"h.#.mlp.c_proj.weight", "transformer.h.#.mlp.c_proj.weight", {C, C4}, Presence::Always, Layout::Linear},
    {"h.#.mlp.c_proj.bias", "transformer.h.#.mlp.c_proj.bias", {C, One}, Presence::WithBias},
    {"ln_f.weight", "transformer.ln_f.weight", {C, One}},
    {"ln_f.bias", "transformer.ln_f.bias", {C, One}, Presence::WithBias},
    {"lm_head.weight", "lm_head.weight", {V, C}, Presence::MayBeTied}};

std::string forLayer(std::string_view pattern, int layer) {
  std::string name(pattern);
  if (const std::size_t at = name.find('#'); at != std::string::npos) name.replace(at, 1, std::to_string(layer));
  return name;
}

std::vector<std::int64_t> shapeOf(const TensorRow& row, const ModelConfig& config) {
  std::vector<std::int64_t> shape;
  const std::int64_t width = config.embedding;
  for (const Dim dim : row.shape) {
    switch (dim) {
      case One: break;
      case V: shape.push_back(config.vocabulary); break;
      case T: shape.push_back(config.context); break;
      case C: shape.push_back(width); break;
      case C3: shape.push_back(3 * width); break;
      case C4: shape.push_back(4 * width); break;
    }
  }
  return shape;
}

}  // namespace

std::span<const TensorRow> nanogptTensors() { return kNanogpt; }

std::vector<ExpectedTensor> expandRows(std::span<const TensorRow> rows, const ModelConfig& config) {
  std::vector<ExpectedTensor> expected;
  for (const TensorRow& row : rows) {
    if (row.presence == Presence::WithBias && !config.hasBias) continue;
    const int layers = row.ours.find('#') == std::string_view::npos ? 1 : config.layers;
    for (int layer = 0; layer < layers; ++layer) {
      expected.push_back({.ours = forLayer(row.ours, layer),
                          .theirs = forLayer(row.theirs, layer),
                          .shape = shapeOf(row, config),
                          .presence = row.presence,
                          .layout = row.layout});
    }
  }
  return expected;
}

NameDifference compareNames(const std::vector<ExpectedTensor>& expected, const std::vector<std::string>& names) {
  NameDifference difference;
  const std::set<std::string> given(names.begin(), names.end());
  std::set<std::string> known;
  for (const ExpectedTensor& tensor : expected) {
    known.insert(tensor.theirs);
    if (!given.contains(tensor.theirs) && tensor.presence != Presence::MayBeTied)
      difference.missing.push_back(tensor.theirs);
  }
  std::set_difference(given.begin(), given.end(), known.begin(), known.end(), std::back_inserter(difference.odd));
  return difference;
}

}  // namespace core::checkpoint
