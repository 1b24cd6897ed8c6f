// Source: LibTorch's _scaled_dot_product_flash_attention_for_cpu. It takes grouped heads as they are and gives lse; it
// knows no windows, its causal mask fits only as many queries as keys, and a mask must be stored in q's type.
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "core/attention/kernels.h"
#include "core/attention/stored_mask.h"

namespace core::attention {

namespace {

/// Queries of a block under a window. Its keys are this many more than the window's, so that small blocks compute less
/// that is hidden; large ones make better matrix products. Measured at T = 8192, H 12, D 64: a window of 512 is fastest
/// with 32 (full attention takes 6.2 times as long, and one stored T x T mask twice that again); windows of 1024 and
/// 2048 take 1.52, 1.34 and 2.54, 2.16 s with 32 and 256.
std::int64_t blockQueries(const AttentionMask& mask) { return mask.window().left < 1024 ? 32 : 256; }

/// A call can't be stopped: this many operations at most, but one query head in any case.
constexpr double kFlopOfOneCall = 2e10;

enum class Cells { All, Causal };

/// Puts the results of parts of the queries together.
class Flash {
 public:
  explicit Flash(const AttentionInput& input)
      : m_input(input),
        m_mask(input.mask),
        m_queries(input.q.size(2)),
        m_first(input.mask.tokens() - m_queries),
        m_block(blockQueries(input.mask)),
        m_result{.output = at::empty(input.q.sizes(), input.q.options()),
                 .lse = at::empty({input.q.size(0), input.q.size(1), m_queries}, input.q.options().dtype(at::kFloat))} {
  }

  AttentionOutput run() {
    if (hidesNothing(m_input)) {
      part({m_first, m_mask.tokens()}, {0, m_mask.tokens()}, Cells::All, {});
    } else if (isPlainCausal(m_input)) {
      part({0, m_queries}, {0, m_queries}, Cells::Causal, {});
    } else {
      runBlocks();
    }
    mendLse();
    return std::move(m_result);
  }

 private:
  /// The kernel gives 0 where all scores of a query are NaN or -infinity; that of its own key is then too.
  void mendLse() {
    const at::Tensor isZero = m_result.lse.eq(0);
    if (!isZero.any().item<bool>()) return;
    const std::int64_t group = m_input.q.size(1) / m_input.k.size(1);
    const at::Tensor keys = m_input.k.slice(2, m_first).repeat_interleave(group, 1);  // (B, H, R, D)
    const at::Tensor own = (m_input.q.to(at::kFloat) * keys.to(at::kFloat)).sum(-1);  // (B, H, R), not scaled
    m_result.lse = at::where(isZero.logical_and(own.isfinite().logical_not()), own, m_result.lse);
  }

  /// Queries and keys by their absolute positions.
  void part(PositionRange rows, PositionRange keys, Cells cells, const std::optional<at::Tensor>& mask) {
    const PositionRange own{rows.begin - m_first, rows.end - m_first};
    const auto [y, lse] = at::_scaled_dot_product_flash_attention_for_cpu(
        m_input.q.slice(2, own.begin, own.end), m_input.k.slice(2, keys.begin, keys.end),
        m_input.v.slice(2, keys.begin, keys.end), 0, cells == Cells::Causal, mask);
    m_result.output.slice(2, own.begin, own.end).copy_(y);
    m_result.lse.slice(2, own.begin, own.end).copy_(lse);
  }

  /// (rows, keys) of q's type: 0, and -infinity where hidden.
  at::Tensor stored(PositionRange rows, PositionRange keys) {
    const at::Tensor hidden = hiddenCells(m_mask, rows, keys);
    const at::Tensor mask =
        at::zeros(hidden.sizes(), m_input.q.options()).masked_fill_(hidden, -std::numeric_limits<double>::infinity());
    m_result.maskBytes += static_cast<std::int64_t>(mask.nbytes());
    return mask;
  }

  void runBlocks() {
    Position row = m_first;
    const std::int64_t left = m_mask.window().left;
    if (row == 0 && m_mask.kind() == MaskKind::Causal) {
      // The first queries see all that came before them: no mask is needed.
      row = std::min(left + 1, m_mask.tokens());
      part({0, row}, {0, row}, Cells::Causal, {});
    }
    while (row < m_mask.tokens()) row = like(row) ? runAlike(row) : runBlock(row);
  }

  /// Whether a whole block starts here that has all the keys of its window.
  bool like(Position row) const {
    const std::int64_t left = m_mask.window().left;
    const Position lastKey = row + m_block + (m_mask.kind() == MaskKind::Causal ? 0 : left);
    return m_mask.window().limited() && left <= row && lastKey <= m_mask.tokens();
  }

  /// One block with a mask of its own, where it needs one. Returns the row after it.
  Position runBlock(Position row) {
    const PositionRange rows{row, std::min(row + m_block, m_mask.tokens())};
    const PositionRange keys = m_mask.visibleKeys(rows);
    part(rows, keys, Cells::All, m_mask.allVisible(rows, keys) ? std::nullopt : std::optional(stored(rows, keys)));
    return rows.end;
  }

  /// All blocks from here that have the same mask, in one call: blocks are the batch, their keys overlap in memory.
  Position runAlike(Position row) {
    std::int64_t count = 1;
    while (like(row + count * m_block)) ++count;
    const PositionRange keys = m_mask.visibleKeys(PositionRange{row, row + m_block});
    const at::Tensor mask = stored({row, row + m_block}, keys);
    const Position own = row - m_first;
    for (std::int64_t b = 0; b < m_input.q.size(0); ++b) {
      const auto [y, lse] = at::_scaled_dot_product_flash_attention_for_cpu(
          blocks(m_input.q[b], own, m_block, count), blocks(m_input.k[b], keys.begin, keys.size(), count),
          blocks(m_input.v[b], keys.begin, keys.size(), count), 0, false, mask);
      blocks(m_result.output[b], own, m_block, count).copy_(y);  // (blocks, H, m_block, D)
      const at::Tensor target = m_result.lse[b].slice(1, own, own + count * m_block);
      target.unflatten(1, {count, m_block}).copy_(lse.transpose(0, 1));
    }
    return row + count * m_block;
  }

  /// (heads, T, D) -> (count, heads, size, D), each block m_block further.
  at::Tensor blocks(const at::Tensor& heads, Position begin, std::int64_t size, std::int64_t count) const {
    return heads.as_strided({count, heads.size(0), size, heads.size(2)},
                            {m_block * heads.stride(1), heads.stride(0), heads.stride(1), heads.stride(2)},
                            heads.storage_offset() + begin * heads.stride(1));
  }

  const AttentionInput& m_input;
  const AttentionMask& m_mask;
  std::int64_t m_queries;
  Position m_first;      ///< absolute position of the first query
  std::int64_t m_block;  ///< queries of a block
  AttentionOutput m_result;
};

}  // namespace

AttentionOutput cpuFlash(const AttentionInput& input) {
  const std::int64_t H = input.q.size(1);
  const std::int64_t group = H / input.k.size(1);
  const std::int64_t cells = std::min(input.q.size(2) * input.mask.tokens(), input.mask.visibleCells());
  const double flopOfHead = 4.0 * static_cast<double>(input.q.size(0) * input.q.size(3)) * static_cast<double>(cells);
  const std::int64_t atOnce = std::max<std::int64_t>(static_cast<std::int64_t>(kFlopOfOneCall / flopOfHead), 1);
  if (atOnce >= H) return Flash(input).run();

  std::vector<at::Tensor> outputs, lses;
  std::int64_t maskBytes = 0;
  for (std::int64_t begin = 0, end = 0; begin < H; begin = end) {
    input.progress.report(static_cast<double>(begin) / static_cast<double>(H), "attention");
    // Whole groups, or some heads of one group: they share key/value heads without a copy.
    end = std::min(atOnce >= group ? begin + atOnce / group * group : begin + atOnce,
                   atOnce >= group ? H : (begin / group + 1) * group);
    AttentionInput heads = input;
    heads.q = input.q.slice(1, begin, end);
    heads.k = input.k.slice(1, begin / group, (end - 1) / group + 1);
    heads.v = input.v.slice(1, begin / group, (end - 1) / group + 1);
    const AttentionOutput result = Flash(heads).run();
    outputs.push_back(result.output);
    lses.push_back(result.lse);
    maskBytes = std::max(maskBytes, result.maskBytes);
  }
  return {.output = at::cat(outputs, 1), .lse = at::cat(lses, 1), .maskBytes = maskBytes};
}

}  // namespace core::attention
