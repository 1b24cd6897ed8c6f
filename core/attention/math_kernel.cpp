// Source: LibTorch's _scaled_dot_product_attention_math.
#include "core/attention/math_kernel.h"

#include <ATen/ops/_scaled_dot_product_attention_math.h>

#include <optional>

#include "core/attention/stored_mask.h"

namespace core::attention {

AttentionOutput mathKernel(const AttentionInput& input) {
  // Its own causal flag would make the same mask inside, where nobody counts the bytes.
  std::optional<at::Tensor> mask;
  if (!hidesNothing(input)) mask = biasMask(input);  // a mask of bools would be added as numbers
  const bool grouped = input.k.size(1) != input.q.size(1);
  AttentionOutput result;
  result.output = std::get<0>(at::_scaled_dot_product_attention_math(input.q, input.k, input.v, mask, 0, false, {}, {},
                                                                     grouped));  // (B, H, R, D)
  if (mask) result.maskBytes = storedBytes(*mask);
  return result;
}

}  // namespace core::attention
