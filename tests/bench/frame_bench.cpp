// Frames of the map on 1200 x 900 pixels while a person pans and zooms, and of a widget that only draws a ready image.
// A time is the thread's own: the 99th percentile over many frames, each with its event and its painting.
#include <benchmark/benchmark.h>
#include <time.h>

#include <QApplication>
#include <QImage>
#include <QMouseEvent>
#include <QPainter>
#include <QTest>
#include <QWheelEvent>
#include <algorithm>
#include <vector>

#include "tests/bench/long_head.h"
#include "widgets/heatmap/heatmap_view.h"

namespace {

constexpr QSize kSize(1200, 900);
constexpr int kFrames = 400;

double threadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What a frame must at least do.
class ReadyImage : public QWidget {
 public:
  ReadyImage() : m_image(kSize, QImage::Format_RGB32) {
    m_image.fill(Qt::darkCyan);
    setAttribute(Qt::WA_OpaquePaintEvent);
    resize(kSize);
  }

 protected:
  void paintEvent(QPaintEvent*) override { QPainter(this).drawImage(0, 0, m_image); }

 private:
  QImage m_image;
};

/// The 99th percentile of the time of `frame(i)` and of drawing the widget after it. `between` is not measured.
template <class Frame, class Between>
double slowFrame(QWidget& widget, Frame frame, Between between) {
  QImage screen(kSize, QImage::Format_RGB32);
  std::vector<double> times;
  for (int i = 0; i < kFrames; ++i) {
    const double start = threadSeconds();
    frame(i);
    widget.render(&screen, {}, {}, QWidget::DrawWindowBackground);
    times.push_back(threadSeconds() - start);
    between();
  }
  std::sort(times.begin(), times.end());
  return times[kFrames * 99 / 100];
}

void readyImage(benchmark::State& state) {
  ReadyImage image;
  for (auto _ : state)
    state.SetIterationTime(slowFrame(
        image, [](int) {}, [] {}));
}

/// A view of one head of `tokens` tokens that shows its map exactly, zoomed to `scale` pixels a cell.
struct Shown {
  Shown(std::int64_t tokens, double scale, widgets::Scale colours) : view(jobs) {
    view.resize(kSize);
    view.grab();  // the size reaches a widget without a window only so
    view.setColours({.scale = colours});
    view.setSource(std::make_shared<const core::AttentionMap>(bench::longHead(tokens)));
    settle();
    while (view.geometry().rows().scale < scale) view.zoomIn();
    settle();
  }

  void settle() {
    isExact = QTest::qWaitFor(
        [this] {
          view.grab();
          return view.isExact();
        },
        120000);
  }

  void mouse(QEvent::Type type, QPointF at) {
    QMouseEvent event(type, at, at, type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton, Qt::LeftButton, {});
    QApplication::sendEvent(&view, &event);
  }

  void wheel(int notches) {
    const QPointF at(700, 500);
    QWheelEvent event(at, at, {}, QPoint(0, 120 * notches), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&view, &event);
  }

  widgets::JobRunner jobs;
  widgets::HeatmapView view;
  bool isExact = false;
};

// What arrives from the worker between two frames.
void deliver() { QApplication::processEvents(); }

/// range(0): tokens, range(1): the scale of the colours.
void pan(benchmark::State& state) {
  Shown shown(state.range(0), 1.2, static_cast<widgets::Scale>(state.range(1)));
  if (!shown.isExact) return state.SkipWithError("the map was not computed");
  for (auto _ : state) {
    QPointF at(600, 450);
    shown.mouse(QEvent::MouseButtonPress, at);
    const auto move = [&](int i) {
      const bool back = i / 100 % 2 == 1;
      at += back ? QPointF(5, 4) : QPointF(-5, -4);
      shown.mouse(QEvent::MouseMove, at);
    };
    state.SetIterationTime(slowFrame(shown.view, move, deliver));
    shown.mouse(QEvent::MouseButtonRelease, at);
  }
}

void zoom(benchmark::State& state) {
  Shown shown(state.range(0), 0, static_cast<widgets::Scale>(state.range(1)));
  if (!shown.isExact) return state.SkipWithError("the map was not computed");
  for (auto _ : state) {
    const auto turn = [&](int i) { shown.wheel(i / 10 % 2 == 0 ? 1 : -1); };
    state.SetIterationTime(slowFrame(shown.view, turn, deliver));
  }
}

void scales(benchmark::internal::Benchmark* bench) {
  for (const int tokens : {1024, 32768})
    for (const widgets::Scale scale : {widgets::Scale::Linear, widgets::Scale::Log})
      bench->Args({tokens, static_cast<int>(scale)});
  bench->Iterations(1)->UseManualTime()->Unit(benchmark::kMillisecond);
}

}  // namespace

BENCHMARK(readyImage)->Iterations(3)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(pan)->Apply(scales);
BENCHMARK(zoom)->Apply(scales);

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
