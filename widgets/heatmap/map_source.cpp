#include "widgets/heatmap/map_source.h"

namespace widgets {

namespace {

class AttentionMapSource final : public MapSource {
 public:
  explicit AttentionMapSource(core::AttentionMap map) : m_map(std::move(map)) {}

  core::HeadId head() const override { return m_map.head(); }
  const void* run() const override { return &m_map.capture(); }
  core::AttentionMask mask() const override { return m_map.mask(); }
  core::MapRect extent(core::Stage stage) const override { return m_map.extent(stage); }
  core::MapValues rectangle(core::Stage stage, const core::MapRect& rect) const override {
    return m_map.rectangle(stage, rect);
  }
  core::MapValues overview(core::Stage stage, const core::MapRect& rect, std::int64_t block, core::Reduction reduction,
                           const core::Progress& progress) const override {
    return m_map.overview(stage, rect, block, reduction, progress);
  }
  core::ValueRange range(core::Stage stage, const core::Progress& progress) const override {
    return m_map.range(stage, progress);
  }

  core::BrokenRows brokenRows() const override { return m_map.capture().brokenRows(m_map.head()); }

 private:
  core::AttentionMap m_map;
};

}  // namespace

std::shared_ptr<const MapSource> makeMapSource(core::AttentionMap map) {
  return std::make_shared<AttentionMapSource>(std::move(map));
}

}  // namespace widgets
