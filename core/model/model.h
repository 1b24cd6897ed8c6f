// A forward pass over a checkpoint's tensors on the manual attention path. Const after construction.
#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <string>
#include <vector>

#include "core/attention_mask.h"
#include "core/checkpoint/checkpoint.h"
#include "core/model_info.h"
#include "core/progress.h"

namespace core::model {

/// What attention saw in one layer, float32.
struct LayerRecord {
  at::Tensor q;    ///< (H, T, D)
  at::Tensor k;    ///< (Hkv, T, D)
  at::Tensor v;    ///< (Hkv, T, D)
  at::Tensor lse;  ///< (H, T)
};

struct ForwardOptions {
  Gelu gelu = Gelu::Erf;
};

struct ForwardResult {
  std::vector<LayerRecord> layers;
  at::Tensor hidden;  ///< (T, C), after the last norm: logits are one matrix product away
  std::string path;   ///< core::RunFacts::path
  std::vector<std::string> warnings;
};

class Model {
 public:
  virtual ~Model() = default;

  virtual AttentionMask mask(Layer layer, std::int64_t tokens) const = 0;

  /// Every token id must be in [0, vocabulary) and there must be 1 .. context of them.
  /// Reports progress by layer. Errors: Cancelled.
  virtual ForwardResult forward(const std::vector<TokenId>& tokens, const ForwardOptions& options,
                                const Progress& progress) const = 0;

  /// Shape: hidden (R, C) -> (R, V), float32.
  virtual at::Tensor logits(const at::Tensor& hidden) const = 0;
};

/// Takes the tensors out of the checkpoint (fp32 ones are used in place, others widened to fp32).
/// Errors: Unsupported when the family has no forward pass here.
std::shared_ptr<const Model> makeModel(checkpoint::Checkpoint& checkpoint);

}  // namespace core::model
