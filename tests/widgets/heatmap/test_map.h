// A causal map whose values are known by arithmetic, and that counts what is asked of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>

#include "core/error.h"
#include "core/map_source.h"

namespace support {

class TestMap final : public core::MapSource {
 public:
  explicit TestMap(std::int64_t tokens, core::HeadId head = {}, const void* run = nullptr, core::Window window = {})
      : m_tokens(tokens), m_head(head), m_run(run ? run : this), m_window(window) {}

  static constexpr std::int64_t kHeadSize = 8;
  static constexpr std::int64_t kHeads = 3;

  /// Of a cell that the mask lets through: in [0, 1), different in neighbouring cells.
  float weight(core::Position row, core::Position column) const {
    return static_cast<float>((row * 37 + column * 61 + m_head.head.value * 13) % 101) / 101.0f;
  }

  /// "head 0 of run 0x55..": maps of one head and run are the same map.
  std::string identity() const override {
    return "head " + std::to_string(m_head.layer.value) + " " + std::to_string(m_head.head.value) + " of run " +
           std::to_string(reinterpret_cast<std::uintptr_t>(m_run)) + " hidden " + m_hidden.text();
  }
  core::MapMask mask() const override { return core::AttentionMask(m_tokens, m_window); }
  core::KeySet hidden() const override { return m_hidden; }
  std::optional<core::PositionRange> slice() const override {
    return core::PositionRange{m_head.head.value * kHeadSize, (m_head.head.value + 1) * kHeadSize};
  }

  core::MapRect extent(core::Stage stage) const override {
    if (stage == core::Stage::Output) return {{0, m_tokens}, {0, kHeadSize}};
    if (stage == core::Stage::Reassembled) return {{0, m_tokens}, {0, kHeadSize * kHeads}};
    return {{0, m_tokens}, {0, m_tokens}};
  }

  float value(core::Stage stage, core::Position row, core::Position column) const {
    if (const auto special = m_special.find({row, column}); special != m_special.end()) return special->second;
    const bool visible = isVisible(row, column);
    if (stage == core::Stage::Weights) return visible ? weight(row, column) : 0.0f;
    if (stage == core::Stage::MaskedScores && !visible) return -std::numeric_limits<float>::infinity();
    return 8 * weight(row, column) - 3;
  }

  core::MapValues rectangle(core::Stage stage, const core::MapRect& rect, const core::Progress&) const override {
    ++m_calls;
    core::MapValues result{rect.rows.size(), rect.columns.size(), {}};
    for (core::Position row = rect.rows.begin; row < rect.rows.end; ++row)
      for (core::Position column = rect.columns.begin; column < rect.columns.end; ++column)
        result.values.push_back(value(stage, row, column));
    return result;
  }

  core::MapValues overview(core::Stage stage, const core::MapRect& rect, std::int64_t block, core::Reduction reduction,
                           const core::Progress&) const override {
    ++m_calls;
    core::MapValues result{(rect.rows.size() + block - 1) / block, (rect.columns.size() + block - 1) / block, {}};
    for (std::int64_t y = 0; y < result.rows; ++y) {
      for (std::int64_t x = 0; x < result.columns; ++x) {
        float largest = 0;
        float sum = 0;
        float count = 0;
        for (core::Position row = rect.rows.begin + y * block;
             row < std::min(rect.rows.end, rect.rows.begin + (y + 1) * block); ++row) {
          for (core::Position column = rect.columns.begin + x * block;
               column < std::min(rect.columns.end, rect.columns.begin + (x + 1) * block); ++column) {
            if (!isVisible(row, column) || m_hidden.contains(column)) continue;
            largest = std::max(largest, value(stage, row, column));
            sum += value(stage, row, column);
            count += 1;
          }
        }
        result.values.push_back(reduction == core::Reduction::Max ? largest : count > 0 ? sum / count : 0);
      }
    }
    return result;
  }

  core::ValueRange range(core::Stage stage, const core::Progress&) const override {
    ++m_calls;
    if (stage == core::Stage::Weights) return {0, 100.0f / 101.0f};
    return {-3, 8 * 100.0f / 101.0f - 3};
  }

  core::BrokenRows brokenRows() const override { return m_broken; }

  void setBrokenRows(const core::BrokenRows& broken) { m_broken = broken; }
  void setHidden(const core::KeySet& hidden) { m_hidden = hidden; }
  void setSpecial(core::Position row, core::Position column, float special) { m_special[{row, column}] = special; }
  int calls() const { return m_calls; }

 private:
  bool isVisible(core::Position row, core::Position column) const {
    return column <= row && row - column <= m_window.left;
  }

  std::int64_t m_tokens;
  core::HeadId m_head;
  const void* m_run;
  core::Window m_window;
  core::BrokenRows m_broken;
  core::KeySet m_hidden;
  std::map<std::pair<core::Position, core::Position>, float> m_special;
  mutable std::atomic<int> m_calls = 0;
};

/// A map of which nothing can be computed.
class FailingMap final : public core::MapSource {
 public:
  std::string identity() const override { return "failing"; }
  core::MapMask mask() const override { return core::AttentionMask(50); }
  core::MapRect extent(core::Stage) const override { return {{0, 50}, {0, 50}}; }
  core::MapValues rectangle(core::Stage, const core::MapRect&, const core::Progress&) const override { fail(); }
  core::MapValues overview(core::Stage, const core::MapRect&, std::int64_t, core::Reduction,
                           const core::Progress&) const override {
    fail();
  }
  core::ValueRange range(core::Stage, const core::Progress&) const override { fail(); }
  core::BrokenRows brokenRows() const override { return {}; }

 private:
  [[noreturn]] static void fail() { throw core::Error(core::ErrorKind::OutOfMemory, "This map needs 9 GiB."); }
};

}  // namespace support
