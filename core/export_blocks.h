// A capture's maps in blocks of rows, on their way into a file.
#pragma once

#include <algorithm>
#include <memory>

#include "core/attention_map.h"
#include "core/export_plan.h"

namespace core {

using CapturePtr = std::shared_ptr<const Capture>;

/// How far the values of the whole file are.
class Share {
 public:
  Share(const Progress& progress, std::int64_t total) : m_progress(progress), m_total(total) {}
  void report(const char* stage) const {
    m_progress.report(m_total > 0 ? std::min(1.0, static_cast<double>(m_done) / static_cast<double>(m_total)) : 1,
                      stage);
  }
  void add(std::int64_t values) { m_done += values; }

 private:
  const Progress& m_progress;
  std::int64_t m_total;
  std::int64_t m_done = 0;
};

/// Calls use(map, rows, values) for blocks of rows of every head that is written, in their order.
template <class Use>
void forEachBlock(const CapturePtr& capture, const ExportPlan& plan, Share& share, Use use) {
  const std::vector<PositionRange> runs = plan.rowRuns();
  for (const Layer layer : plan.layers) {
    for (const Head head : plan.heads) {
      const AttentionMap map(capture, {layer, head});
      for (const PositionRange& run : runs) {
        inRowBlocks(run, plan.columns.size(), [&](const PositionRange& rows) {
          share.report("Writing attention");
          use(map, rows, map.rectangle(Stage::Weights, {rows, plan.columns}));
          share.add(rows.size() * plan.columns.size());
        });
      }
    }
  }
  share.report("Writing attention");
}

}  // namespace core
