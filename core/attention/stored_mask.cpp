#include "core/attention/stored_mask.h"

#include <limits>
#include <vector>

namespace core::attention {

namespace {

constexpr std::int64_t kRowAlignment = 16;  // elements

}  // namespace

at::Tensor hiddenCells(const AttentionMask& mask, PositionRange rows, PositionRange columns) {
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> ends;
  for (Position i = rows.begin; i < rows.end; ++i) {
    const PositionRange keys = mask.visibleKeys(i);
    begins.push_back(keys.begin);
    ends.push_back(keys.end);
  }
  const at::Tensor begin = at::tensor(begins, at::kLong).unsqueeze(1);                    // (R, 1)
  const at::Tensor end = at::tensor(ends, at::kLong).unsqueeze(1);                        // (R, 1)
  const at::Tensor key = at::arange(columns.begin, columns.end, at::kLong).unsqueeze(0);  // (1, S)
  return key.lt(begin).logical_or_(key.ge(end));                                          // (R, S)
}

bool hidesNothing(const AttentionInput& input) {
  const std::int64_t T = input.mask.tokens();
  return input.mask.allVisible({T - input.q.size(2), T}, {0, T});
}

bool isPlainCausal(const AttentionInput& input) {
  return input.mask.kind() == MaskKind::Causal && input.q.size(2) == input.mask.tokens() &&
         input.mask.window().left >= input.mask.tokens() - 1;
}

at::Tensor hiddenMask(const AttentionInput& input) {
  const std::int64_t T = input.mask.tokens();
  return hiddenCells(input.mask, {T - input.q.size(2), T}, {0, T}).to(input.q.device());
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
