#include "core/attention/stored_mask.h"

#include <limits>

#include "core/attention/manual_attention.h"

namespace core::attention {

namespace {

constexpr std::int64_t kRowAlignment = 16;  // elements

at::Tensor hiddenMask(const AttentionInput& input) {
  const std::int64_t T = input.mask.tokens();
  return hiddenCells(input.mask, {T - input.q.size(2), T}, {0, T}).to(input.q.device());  // (R, T)
}

}  // namespace

bool hidesNothing(const AttentionInput& input) {
  const std::int64_t T = input.mask.tokens();
  return input.mask.allVisible({T - input.q.size(2), T}, {0, T});
}

bool isPlainCausal(const AttentionInput& input) {
  return input.mask.kind() == MaskKind::Causal && input.q.size(2) == input.mask.tokens() &&
         input.mask.window().left >= input.mask.tokens() - 1;
}

at::Tensor biasMask(const AttentionInput& input) {
  const std::int64_t R = input.q.size(2);
  const std::int64_t T = input.mask.tokens();
  const std::int64_t width = (T + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
  const at::Tensor bias = at::zeros({R, width}, input.q.options()).slice(1, 0, T);
  return bias.masked_fill_(hiddenMask(input), -std::numeric_limits<double>::infinity());
}

std::int64_t storedBytes(const at::Tensor& mask) { return static_cast<std::int64_t>(mask.storage().nbytes()); }

}  // namespace core::attention
