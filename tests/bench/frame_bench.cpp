// A frame of the map while it is zoomed: 1024 x 1024 cells of a real capture on 900 x 900 pixels.
#include <benchmark/benchmark.h>

#include <QApplication>
#include <QTest>
#include <QWheelEvent>

#include "core/attention/capture_data.h"
#include "core/attention/nanogpt_lines.h"
#include "core/session.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/heatmap/map_source.h"

namespace {

constexpr std::int64_t kTokens = 1024;

/// One head of random q and k over 1024 tokens: longer than the bundled model's context.
std::shared_ptr<const core::Capture> randomCapture() {
  const auto session = core::Session::open(HEADSCOPE_SOURCE_DIR "/models/shakespeare-char", {}, {});
  const auto bundled = session->run({{1, 2, 3}, {}}, {});
  core::Capture::Data data = bundled->data();
  data.tokens.resize(kTokens);
  for (core::model::LayerRecord& layer : data.layers) {
    layer.q = at::randn({data.info.config.heads, kTokens, data.info.config.headSize});
    layer.k = at::randn_like(layer.q);
    layer.v = at::randn_like(layer.q);
    layer.lse = core::attention::manualStages(layer.q, layer.k, layer.v, core::AttentionMask(kTokens), {0, kTokens},
                                              {0, kTokens})
                    .lse;
  }
  return std::make_shared<const core::Capture>(std::make_unique<const core::Capture::Data>(std::move(data)));
}

void zoomedFrame(benchmark::State& state) {
  static const auto capture = randomCapture();
  widgets::JobRunner jobs;
  widgets::HeatmapView view(jobs);
  view.resize(900, 900);
  view.grab();  // the size reaches a widget without a window only so
  view.setSource(widgets::makeMapSource(core::AttentionMap(capture, {core::Layer(0), core::Head(0)})));
  view.setColouring(widgets::ColormapName::Viridis, static_cast<widgets::Scale>(state.range(0)), core::Reduction::Max);
  const bool exact = QTest::qWaitFor(
      [&] {
        view.grab();
        return view.isExact();
      },
      60000);
  if (!exact) return state.SkipWithError("the map was not computed");
  int notches = 1;
  for (auto _ : state) {
    const QPointF centre(450, 450);
    QWheelEvent wheel(centre, centre, {}, QPoint(0, 120 * notches), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(&view, &wheel);
    benchmark::DoNotOptimize(view.grab());
    notches = -notches;
  }
}

}  // namespace

BENCHMARK(zoomedFrame)->Name("frame")->DenseRange(0, 3)->Unit(benchmark::kMillisecond)->UseRealTime();

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
