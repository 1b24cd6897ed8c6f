#include "core/attention/manual_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/attention/head_tensors.h"
#include "core/attention/nanogpt_lines.h"
#include "core/attention/parallel_tasks.h"

namespace core::attention {

namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr std::int64_t kStages = 2;  // scores, masked in place, and weights

/// Work between two reports, in multiplications and additions of the two products: a few tenths of a second.
constexpr double kFlopBetweenReports = 1e10;

double scaleOf(const at::Tensor& q) { return 1 / std::sqrt(static_cast<double>(q.size(-1))); }

/// Keys that a block of `rows` rows sees at most.
std::int64_t widestSpan(const AttentionMask& mask, std::int64_t rows) {
  const std::int64_t T = mask.tokens();
  const std::int64_t left = std::min(mask.window().left, T);
  return std::min(T, left + rows + (mask.kind() == MaskKind::Causal ? 0 : left));
}

}  // namespace

std::int64_t manualWorkspaceBytes(std::int64_t tokens) {
  const auto stage = [&](std::int64_t rows) {
    return std::min(rows, tokens) * tokens * static_cast<std::int64_t>(sizeof(float));
  };
  const std::int64_t largest = std::max(std::min(stage(kBlockRows), kBlockBytes), stage(kLeastBlockRows));
  const std::int64_t rowMaxima = kBlockRows * static_cast<std::int64_t>(sizeof(float));  // of scores, and of weights
  return kStages * (largest + rowMaxima) * at::get_num_threads();
}

ManualAttention::ManualAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                 const AttentionMask& mask)
    : m_q(q),
      m_k(k),
      m_v(v),
      m_mask(mask),
      m_first(mask.tokens() - q.size(1)),
      m_output(at::empty_like(q, at::MemoryFormat::Contiguous)),
      m_lse(at::empty({q.size(0), q.size(1)}, q.options())) {
  const std::int64_t bytesPerRow =
      widestSpan(mask, kBlockRows) * static_cast<std::int64_t>(sizeof(float)) * (q.is_cpu() ? 1 : q.size(0));
  m_block = std::min(std::clamp(kBlockBytes / bytesPerRow, kLeastBlockRows, kBlockRows), q.size(1));
}

std::string ManualAttention::path() const {
  if (m_block == m_q.size(1)) return "manual path, all rows of a head at once";
  return "manual path, blocks of " + std::to_string(m_block) + " rows";
}

void ManualAttention::run(const Progress& progress) { m_q.is_cpu() ? runHeadByHead(progress) : runAllHeads(progress); }

void ManualAttention::runHeadByHead(const Progress& progress) {
  const std::int64_t H = m_q.size(0);
  const std::int64_t R = m_q.size(1);
  const std::int64_t blocks = (R + m_block - 1) / m_block;
  const std::int64_t tasks = H * blocks;
  const std::int64_t span = widestSpan(m_mask, m_block);
  const at::Tensor workspace = at::empty({threadsFor(tasks), kStages, m_block * span}, m_q.options());
  const double flopOfTask = 4.0 * static_cast<double>(m_block * span * m_q.size(2));
  const std::int64_t step = std::max<std::int64_t>(static_cast<std::int64_t>(kFlopBetweenReports / flopOfTask), 16);
  for (std::int64_t begin = 0; begin < tasks; begin += step) {
    progress.report(static_cast<double>(begin) / static_cast<double>(tasks), "attention");
    forEachTask(std::min(step, tasks - begin), [&](std::int64_t task, std::int64_t thread) {
      // Head by head, whose keys and values stay in the cache; long rows first.
      const std::int64_t head = (begin + task) / blocks;
      const Position row = m_first + (blocks - 1 - (begin + task) % blocks) * m_block;
      attend(head, {row, std::min(row + m_block, m_mask.tokens())}, workspace[thread]);
    });
  }
}

void ManualAttention::attend(std::int64_t head, PositionRange rows, const at::Tensor& workspace) const {
  const PositionRange keys = m_mask.visibleKeys(rows);
  const std::int64_t kvHead = head / (m_q.size(0) / m_k.size(0));
  const auto own = [&](const at::Tensor& perHead) {
    return perHead[head].slice(0, rows.begin - m_first, rows.end - m_first);
  };
  const auto stage = [&](std::int64_t which) {
    return workspace[which].slice(0, 0, rows.size() * keys.size()).view({rows.size(), keys.size()});
  };
  const at::Tensor k = m_k[kvHead].slice(0, keys.begin, keys.end);  // (S, D)
  const at::Tensor v = m_v[kvHead].slice(0, keys.begin, keys.end);  // (S, D)
  at::Tensor scores = stage(0);                                     // (R, S)
  at::Tensor weights = stage(1);                                    // (R, S)
  at::Tensor output = own(m_output);                                // (R, D)
  at::Tensor lse = own(m_lse);                                      // (R)

  at::addmm_out(scores, scores, own(m_q), k.t(), 0, scaleOf(m_q));  // with beta 0 what was there before counts nothing
  fillHidden(scores, m_mask, {rows, keys}, kMinusInfinity);
  at::_softmax_out(weights, scores, -1, false);
  // The largest weight of a row is exp(m - lse), m the row's largest score: lse without a second pass of exponentials.
  at::sub_out(lse, scores.amax(-1), weights.amax(-1).log_());
  at::mm_out(output, weights, v);
}

void ManualAttention::runAllHeads(const Progress& progress) {
  const std::int64_t R = m_q.size(1);
  for (std::int64_t begin = 0; begin < R; begin += m_block) {
    progress.report(static_cast<double>(begin) / static_cast<double>(R), "attention");
    const std::int64_t end = std::min(begin + m_block, R);
    const PositionRange rows{m_first + begin, m_first + end};
    const ManualStages stages =
        manualStages(m_q.slice(1, begin, end), m_k, m_v, m_mask, rows, m_mask.visibleKeys(rows));
    m_output.slice(1, begin, end).copy_(stages.output);
    m_lse.slice(1, begin, end).copy_(stages.lse);
  }
}

AttentionOutput manualKernel(const AttentionInput& input) {
  // Sequences of a batch are further heads.
  const auto heads = [](const at::Tensor& batched) { return batched.to(at::kFloat).contiguous().flatten(0, 1); };
  ManualAttention manual(heads(input.q), heads(input.k), heads(input.v), input.mask);
  manual.run(input.progress);
  return {.output = manual.output().view(input.q.sizes()).to(input.q.scalar_type()),
          .lse = manual.lse().view({input.q.size(0), input.q.size(1), input.q.size(2)})};
}

}  // namespace core::attention
