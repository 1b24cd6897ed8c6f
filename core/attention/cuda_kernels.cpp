// Source: LibTorch's _flash_attention_forward (window arguments as in FlashAttention 2: key j of query i when
// -left <= j - i <= right, causal masks aligned at the last key), _scaled_dot_product_cudnn_attention and
// _scaled_dot_product_efficient_attention (causal masks aligned at the first key). All give lse in natural logarithm.
#include "core/attention/cuda_kernels.h"

#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention.h>

#include <optional>

#include "core/attention/stored_mask.h"

namespace core::attention {

namespace {

/// How a mask goes to the two kernels that know no windows.
struct MaskArguments {
  std::optional<at::Tensor> bias;  ///< (R, T)
  bool causal = false;
  std::int64_t bytes = 0;
};

MaskArguments maskArguments(const AttentionInput& input) {
  MaskArguments arguments;
  if (hidesNothing(input)) return arguments;
  arguments.causal = isPlainCausal(input);
  if (arguments.causal) return arguments;
  arguments.bias = biasMask(input);
  arguments.bytes = storedBytes(*arguments.bias);
  return arguments;
}

std::optional<at::Tensor> expanded(const std::optional<at::Tensor>& bias, std::int64_t B, std::int64_t H) {
  if (!bias) return std::nullopt;
  return bias->expand({B, H, bias->size(0), bias->size(1)});  // every head reads the same (R, T)
}

}  // namespace

AttentionOutput cudaFlash(const AttentionInput& input) {
  const auto timeFirst = [](const at::Tensor& heads) { return heads.transpose(1, 2); };  // (B, T, heads, D)
  const bool causal = input.mask.kind() == MaskKind::Causal;
  std::optional<std::int64_t> left;
  std::optional<std::int64_t> right;
  if (input.mask.window().limited()) {
    left = input.mask.window().left;
    right = causal ? 0 : *left;
  }
  const auto result = at::_flash_attention_forward(
      timeFirst(input.q), timeFirst(input.k), timeFirst(input.v), /*cum_seq_q=*/{}, /*cum_seq_k=*/{}, input.q.size(2),
      input.k.size(2), /*dropout_p=*/0, causal, /*return_debug_mask=*/false, /*scale=*/{}, left, right);
  return {.output = std::get<0>(result).transpose(1, 2),  // (B, H, R, D)
          .lse = std::get<1>(result)};                    // (B, H, R)
}

AttentionOutput cudaCudnn(const AttentionInput& input) {
  const std::int64_t B = input.q.size(0), H = input.q.size(1), R = input.q.size(2);
  const MaskArguments mask = maskArguments(input);
  const auto result = at::_scaled_dot_product_cudnn_attention(input.q, input.k, input.v, expanded(mask.bias, B, 1),
                                                              /*compute_log_sumexp=*/true, 0, mask.causal);
  return {.output = std::get<0>(result),                  // (B, H, R, D)
          .lse = std::get<1>(result).reshape({B, H, R}),  // from (B, H, R, 1)
          .maskBytes = mask.bytes};
}

AttentionOutput cudaMemoryEfficient(const AttentionInput& input) {
  const std::int64_t B = input.q.size(0), H = input.q.size(1), R = input.q.size(2), D = input.q.size(3);
  const std::int64_t Hkv = input.k.size(1), T = input.k.size(2);
  const std::int64_t group = H / Hkv;
  // It knows no grouped heads. A group's query heads become the heads and all else the batch, so that the group reads
  // its one key/value head without a copy: the stride of its heads is 0.
  const auto shared = [&](const at::Tensor& heads) {
    return heads.reshape({B * Hkv, 1, T, D}).expand({B * Hkv, group, T, D});
  };
  const MaskArguments mask = maskArguments(input);
  const auto result = at::_scaled_dot_product_efficient_attention(
      input.q.reshape({B * Hkv, group, R, D}), shared(input.k), shared(input.v), expanded(mask.bias, B * Hkv, group),
      /*compute_log_sumexp=*/true, 0, mask.causal);
  return {.output = std::get<0>(result).reshape({B, H, R, D}),
          .lse = std::get<1>(result).slice(2, 0, R).reshape({B, H, R}),  // its rows are padded to a multiple of 32
          .maskBytes = mask.bytes};
}

}  // namespace core::attention
