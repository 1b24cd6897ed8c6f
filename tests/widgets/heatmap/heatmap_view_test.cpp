// The map widget: its pixels, and what mouse and keys do.
#include "widgets/heatmap/heatmap_view.h"

#include <QSignalSpy>
#include <QWheelEvent>
#include <cmath>

#include "tests/support/qt_test.h"
#include "tests/widgets/heatmap/fitted.h"
#include "tests/widgets/heatmap/mouse.h"
#include "tests/widgets/heatmap/test_map.h"
#include "widgets/heatmap/map_image.h"

namespace {

using widgets::Cell;
using widgets::ColormapName;
using widgets::HeatmapView;
using widgets::JobRunner;
using widgets::Rgb;
using widgets::Scale;

/// A view that shows a map exactly.
struct Shown {
  explicit Shown(std::shared_ptr<const core::MapSource> source, QSize size = {480, 440}) : view(jobs) {
    QPalette palette(QColor(0xf0, 0xf0, 0xf0));
    palette.setColor(QPalette::Base, Qt::white);
    view.setPalette(palette);
    view.resize(size);
    view.grab();  // the size reaches a widget without a window only so
    view.setSource(std::move(source));
    QObject::connect(&view, &HeatmapView::hovered, &view, [this](std::optional<Cell> cell) {
      hovered = cell;
      view.setHovered(cell);
    });
    QObject::connect(&view, &HeatmapView::pinRequested, &view, [this](std::optional<Cell> cell) {
      pinned = cell;
      view.setPinned(cell);
    });
  }

  QImage image() {
    QImage grabbed;
    const bool exact = QTest::qWaitFor([&] {
      grabbed = view.grab().toImage().convertToFormat(QImage::Format_RGB32);
      return view.isExact();
    });
    return exact ? grabbed : QImage();
  }

  void wheel(QPointF at, int notches) {
    QWheelEvent event(at, at, {}, QPoint(0, 120 * notches), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&view, &event);
  }

  JobRunner jobs;
  HeatmapView view;
  std::optional<Cell> hovered;
  std::optional<Cell> pinned;
};

/// A view on a screen whose pixels can become others.
class OnAnyScreen : public HeatmapView {
 public:
  using HeatmapView::HeatmapView;
  double ratio = 1;

 protected:
  int metric(PaintDeviceMetric which) const override {
    if (which == PdmDevicePixelRatio) return static_cast<int>(ratio);
    if (which == PdmDevicePixelRatioScaled) return static_cast<int>(ratio * devicePixelRatioFScale());
    return HeatmapView::metric(which);
  }
};

Rgb stepColor(double share) {
  return widgets::colormapTable(ColormapName::Viridis)[static_cast<std::size_t>(std::clamp(share * 256, 0.0, 255.0))];
}

constexpr double kLargest = 100.0 / 101.0;

}  // namespace

class HeatmapViewTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:

  void pixelsAtOneToOneAreThoseOfTheImage() {
    const auto map = std::make_shared<support::TestMap>(300);
    Shown shown(map);
    shown.view.oneToOne();
    const QImage image = shown.image();
    QCOMPARE(image.copy(0, 0, 300, 300),
             widgets::renderMapImage(*map, core::Stage::Weights,
                                     {.colormap = widgets::ColormapName::Viridis, .scale = widgets::Scale::Linear}, 1));
    QCOMPARE(image.pixel(301, 10), qRgb(255, 255, 255));
  }

  void pixelsAtAWholeZoomAreThoseOfTheImage() {
    const auto map = std::make_shared<support::TestMap>(40);
    Shown shown(map);  // 440 / 40 = 11 pixels a cell
    QCOMPARE(
        shown.image().copy(0, 0, 440, 440),
        widgets::renderMapImage(*map, core::Stage::Weights,
                                {.colormap = widgets::ColormapName::Viridis, .scale = widgets::Scale::Linear}, 11));
    QCOMPARE(shown.view.pixelLegend(), QString("11 × 11 pixels a cell"));
  }

  void everyScaleAndStageHasTheImagesPixels() {
    const auto map = std::make_shared<support::TestMap>(40);
    Shown shown(map);
    for (const core::Stage stage : {core::Stage::Scores, core::Stage::MaskedScores, core::Stage::Weights}) {
      for (const Scale scale : {Scale::SquareRoot, Scale::Log, Scale::PerRow}) {
        shown.view.setStage(stage);
        shown.view.setColours({.colormap = ColormapName::Diverging, .scale = scale});
        QCOMPARE(shown.image().copy(0, 0, 440, 440),
                 widgets::renderMapImage(*map, stage, {.colormap = ColormapName::Diverging, .scale = scale}, 11));
      }
    }
  }

  void belowOnePixelTheLargestOfTheBlockIsShown() {
    const auto map = std::make_shared<support::TestMap>(1600);
    Shown shown(map, {400, 400});
    const QImage image = shown.image();
    QCOMPARE(shown.view.pixelLegend(), QString("1 pixel = 4 × 4, max"));
    int compared = 0;
    for (int y = 0; y < 400; y += 3) {
      for (int x = 0; x <= y; x += 3) {
        float largest = 0;
        for (int row = 4 * y; row < 4 * y + 4; ++row)
          for (int column = 4 * x; column < std::min(4 * x + 4, row + 1); ++column)
            largest = std::max(largest, map->weight(row, column));
        QCOMPARE(image.pixel(x, y), stepColor(double(largest) / kLargest));
        ++compared;
      }
    }
    QVERIFY(compared > 5000);
    QCOMPARE(image.pixel(399, 0), widgets::patternAt(widgets::NoValue::Masked, widgets::kLightHatch, 399, 0));
  }

  void belowOnePixelTheMeanIsOverVisibleCells() {
    const auto map = std::make_shared<support::TestMap>(1600);
    Shown shown(map, {400, 400});
    shown.view.setColours({.reduction = core::Reduction::Mean});
    const QImage image = shown.image();
    QCOMPARE(shown.view.pixelLegend(), QString("1 pixel = 4 × 4, mean"));
    double sum = 0;
    for (int row = 40; row < 44; ++row)
      for (int column = 40; column <= row; ++column) sum += double(map->weight(row, column));
    const Rgb pixel = image.pixel(10, 10);
    QVERIFY(pixel == stepColor(sum / 10 / kLargest) || pixel == stepColor(sum / 10 / kLargest + 1e-5) ||
            pixel == stepColor(sum / 10 / kLargest - 1e-5));
  }

  void untilTheWorkerAnswersTheMapIsAPatternAndNotBlank() {
    Shown shown(std::make_shared<support::TestMap>(40));
    const QImage image = shown.view.grab().toImage();
    QVERIFY(!shown.view.isExact());
    QCOMPARE(image.pixel(8, 8), widgets::kLightHatch.line);
    QCOMPARE(image.pixel(9, 9), widgets::kLightHatch.ground);
  }

  void C11_NanIsSeen() {
    const auto map = std::make_shared<support::TestMap>(40);
    map->setSpecial(20, 3, std::nanf(""));
    Shown shown(map);
    QCOMPARE(shown.image().pixel(3 * 11 + 5, 20 * 11 + 5), widgets::specialColours(ColormapName::Viridis).notANumber);
  }

  void darkChangesTheHatchAndNeverTheData() {
    const auto map = std::make_shared<support::TestMap>(40);
    Shown shown(map);
    const QImage light = shown.image();
    QPalette dark(QColor(30, 30, 30));
    dark.setColor(QPalette::WindowText, Qt::white);
    shown.view.setPalette(dark);
    const QImage night = shown.image();
    QCOMPARE(night.pixel(30, 300), light.pixel(30, 300));
    QCOMPARE(night.pixel(300, 30), widgets::patternAt(widgets::NoValue::Masked, widgets::kDarkHatch, 300, 30));
  }

  void theWheelZoomsAtTheCursor() {
    Shown shown(std::make_shared<support::TestMap>(400), {400, 400});
    const QPointF at(237.5, 311.5);
    shown.wheel(at, 3);
    const std::optional<Cell> cell = shown.hovered;
    QVERIFY(cell.has_value());
    QCOMPARE(*cell, (Cell{311, 237}));
    for (int i = 0; i < 5; ++i) shown.wheel(at, i % 2 ? 2 : 1);
    QCOMPARE(*shown.hovered, *cell);
    QVERIFY(shown.view.geometry().rows().scale > 8);
  }

  void draggingPansAndPinsNothing() {
    Shown shown(std::make_shared<support::TestMap>(400), {400, 400});
    shown.wheel({200, 200}, 8);
    const double before = shown.view.geometry().columns().offset;
    QTest::mousePress(&shown.view, Qt::LeftButton, {}, {200, 200});
    support::moveMouse(shown.view, {150, 200}, Qt::LeftButton);
    support::moveMouse(shown.view, {140, 200}, Qt::LeftButton);
    QTest::mouseRelease(&shown.view, Qt::LeftButton, {}, {140, 200});
    QCOMPARE(shown.view.geometry().columns().offset, before + 60);
    QVERIFY(!shown.pinned.has_value());
  }

  void shiftDragZoomsIntoTheBox() {
    Shown shown(std::make_shared<support::TestMap>(400), {400, 400});
    QTest::mousePress(&shown.view, Qt::LeftButton, Qt::ShiftModifier, {100, 200});
    support::moveMouse(shown.view, {150, 250}, Qt::LeftButton);
    QTest::mouseRelease(&shown.view, Qt::LeftButton, Qt::ShiftModifier, {200, 300});
    QCOMPARE(shown.view.geometry().columns().visibleCells(), (core::PositionRange{100, 200}));
    QCOMPARE(shown.view.geometry().rows().visibleCells(), (core::PositionRange{200, 300}));
    QTest::keyClick(&shown.view, Qt::Key_Home);
    QVERIFY(support::isFitted(shown.view.geometry()));
  }

  void aClickPinsAndASecondClickReleases() {
    Shown shown(std::make_shared<support::TestMap>(40));
    QTest::mouseClick(&shown.view, Qt::LeftButton, {}, {11 * 5 + 3, 11 * 30 + 3});
    QCOMPARE(shown.pinned, std::optional(Cell{30, 5}));
    QTest::mouseClick(&shown.view, Qt::LeftButton, {}, {11 * 5 + 8, 11 * 30 + 8});
    QVERIFY(!shown.pinned.has_value());
  }

  void aDoubleClickFitsAndLeavesThePinAsItWas() {
    Shown shown(std::make_shared<support::TestMap>(40));
    QTest::mouseClick(&shown.view, Qt::LeftButton, {}, {11 * 5 + 3, 11 * 30 + 3});
    shown.wheel({100, 100}, 3);
    QTest::mouseClick(&shown.view, Qt::LeftButton, {}, {200, 200});
    QTest::mouseDClick(&shown.view, Qt::LeftButton, {}, {200, 200});
    QVERIFY(support::isFitted(shown.view.geometry()));
    QCOMPARE(shown.pinned, std::optional(Cell{30, 5}));
  }

  void escapeReleasesThePin() {
    Shown shown(std::make_shared<support::TestMap>(40));
    shown.view.setPinned(Cell{30, 5});
    shown.pinned = Cell{30, 5};
    QTest::keyClick(&shown.view, Qt::Key_Escape);
    QVERIFY(!shown.pinned.has_value());
  }

  void arrowKeysMoveTheCellAndKeepItInView() {
    Shown shown(std::make_shared<support::TestMap>(400), {400, 400});
    QTest::keyClick(&shown.view, Qt::Key_Right);
    QCOMPARE(shown.hovered, std::optional(Cell{0, 0}));
    QTest::keyClick(&shown.view, Qt::Key_Down);
    QTest::keyClick(&shown.view, Qt::Key_Right);
    QCOMPARE(shown.hovered, std::optional(Cell{1, 1}));
    QTest::keyClick(&shown.view, Qt::Key_Left);
    QTest::keyClick(&shown.view, Qt::Key_Left);
    QCOMPARE(shown.hovered, std::optional(Cell{1, 0}));
    shown.wheel({0.5, 0.5}, 12);
    const std::int64_t lastSeen = shown.view.geometry().rows().visibleCells().end;
    for (std::int64_t i = 0; i < lastSeen + 3; ++i) QTest::keyClick(&shown.view, Qt::Key_Down);
    const core::PositionRange rows = shown.view.geometry().rows().visibleCells();
    QVERIFY(rows.begin > 0);
    QVERIFY(rows.begin <= shown.hovered->query && shown.hovered->query < rows.end);
  }

  void arrowKeysMoveThePinWhenThereIsOne() {
    Shown shown(std::make_shared<support::TestMap>(40));
    shown.view.setPinned(Cell{30, 5});
    QTest::keyClick(&shown.view, Qt::Key_Up);
    QCOMPARE(shown.pinned, std::optional(Cell{29, 5}));
  }

  void bracketsAndPageKeysAskForOtherHeads() {
    Shown shown(std::make_shared<support::TestMap>(40));
    QSignalSpy layers(&shown.view, &HeatmapView::layerStepped);
    QSignalSpy heads(&shown.view, &HeatmapView::headStepped);
    QTest::keyClick(&shown.view, Qt::Key_BracketRight);
    QTest::keyClick(&shown.view, Qt::Key_BracketLeft);
    QTest::keyClick(&shown.view, Qt::Key_PageDown);
    QTest::keyClick(&shown.view, Qt::Key_PageUp);
    QCOMPARE(layers.at(0).first().toInt(), 1);
    QCOMPARE(layers.at(1).first().toInt(), -1);
    QCOMPARE(heads.at(0).first().toInt(), 1);
    QCOMPARE(heads.at(1).first().toInt(), -1);
  }

  void controlOneIsOneToOne() {
    Shown shown(std::make_shared<support::TestMap>(40));
    QTest::keyClick(&shown.view, Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(shown.view.geometry().rows().scale, 1.0);
    QCOMPARE(shown.view.pixelLegend(), QString("1 × 1 pixels a cell"));
  }

  void theCrosshairLeavesTheCellItselfVisible() {
    const auto map = std::make_shared<support::TestMap>(40);
    Shown shown(map);
    shown.view.setHovered(Cell{30, 5});
    const QImage image = shown.image();
    QCOMPARE(image.pixel(11 * 5 + 5, 11 * 30 + 5), stepColor(double(map->weight(30, 5)) / kLargest));
    QCOMPARE(image.pixel(11 * 20 + 5, 11 * 30), qRgb(0xe0, 0x7b, 0x1f));
    QCOMPARE(image.pixel(11 * 5, 11 * 20 + 5), qRgb(0xe0, 0x7b, 0x1f));
  }

  void outputsHaveTheirOwnColumnsAndThisHeadsSliceIsFramed() {
    const auto map = std::make_shared<support::TestMap>(40, core::HeadId{core::Layer(0), core::Head(1)});
    Shown shown(map);
    shown.view.setStage(core::Stage::Output);
    QCOMPARE(shown.view.geometry().columns().cells, 8);
    shown.image();
    QCOMPARE(shown.view.valueAt({39, 7}), std::optional(map->value(core::Stage::Output, 39, 7)));
    QVERIFY(shown.view.isVisible({0, 7}));
    shown.view.setStage(core::Stage::Reassembled);
    QCOMPARE(shown.view.geometry().columns().cells, 24);
    const QImage image = shown.image();
    QCOMPARE(image.pixel(8 * 20, 200), qRgb(0xe0, 0x7b, 0x1f));  // 480 / 24 = 20 pixels a column
  }

  void theCellUnderTheCursorIsExactWherePixelsAreBlocks() {
    const auto map = std::make_shared<support::TestMap>(1600);
    Shown shown(map, {400, 400});
    shown.view.setHovered(Cell{1403, 702});
    QVERIFY(!shown.image().isNull());
    QCOMPARE(shown.view.valueAt({1403, 702}), std::optional(map->weight(1403, 702)));
    QVERIFY(!shown.view.isVisible({702, 1403}));
  }

  void anotherHeadKeepsZoomAndPinAndAnotherCaptureFits() {
    const int run = 0;
    Shown shown(std::make_shared<support::TestMap>(40, core::HeadId{}, &run));
    shown.wheel({100, 100}, 3);
    shown.view.setPinned(Cell{9, 3});
    const widgets::AxisMapping rows = shown.view.geometry().rows();
    shown.view.setSource(std::make_shared<support::TestMap>(40, core::HeadId{core::Layer(0), core::Head(2)}, &run));
    QCOMPARE(shown.view.geometry().rows(), rows);
    shown.view.setSource(std::make_shared<support::TestMap>(50));
    QVERIFY(support::isFitted(shown.view.geometry()));
    QCOMPARE(shown.view.geometry().rows().cells, 50);
  }

  void withoutAMapNothingIsUnderTheCursor() {
    JobRunner jobs;
    HeatmapView view(jobs);
    view.resize(300, 300);
    QSignalSpy pins(&view, &HeatmapView::pinRequested);
    QTest::mouseClick(&view, Qt::LeftButton, {}, {100, 100});
    for (const Qt::Key key : {Qt::Key_Left, Qt::Key_Home, Qt::Key_Plus, Qt::Key_Escape}) QTest::keyClick(&view, key);
    QVERIFY(!view.grab().isNull());
    QVERIFY(view.pixelLegend().isEmpty());
    for (const auto& pin : pins) QVERIFY(!pin.first().value<std::optional<Cell>>().has_value());
  }

  void aMapThatCanNotBeComputedSaysWhyOnce() {
    JobRunner jobs;
    HeatmapView view(jobs);
    QSignalSpy failed(&view, &HeatmapView::failed);
    view.resize(200, 200);
    view.setSource(std::make_shared<support::FailingMap>());
    QVERIFY(!view.hasFailed());
    QVERIFY(QTest::qWaitFor([&] { return view.grab(), view.hasFailed(); }));
    for (int again = 0; again < 3; ++again) view.grab();
    QVERIFY(jobs.isIdle());
    QCOMPARE(failed.size(), 1);
    QCOMPARE(failed.first().first().toString(), QString("This map needs 9 GiB."));
    QVERIFY(!view.isExact());
    view.setSource(std::make_shared<support::TestMap>(50));
    QVERIFY(!view.hasFailed());
    QVERIFY(QTest::qWaitFor([&] { return view.grab(), view.isExact(); }));
  }

  void anotherScreensPixelsAreSeenWithoutAResize() {
    JobRunner jobs;
    OnAnyScreen view(jobs);
    view.resize(250, 250);
    view.setSource(std::make_shared<support::TestMap>(100));
    const auto paint = [&view] {
      QImage image(250, 250, QImage::Format_RGB32);
      view.render(&image);
    };
    paint();
    QCOMPARE(view.geometry().columns().pixels, 250);
    view.ratio = 2;
    paint();
    QCOMPARE(view.geometry().columns().pixels, 500);
    QCOMPARE(view.geometry().rows().pixels, 500);
    QCOMPARE(view.pixelLegend(), QString("5 × 5 pixels a cell"));
  }

  void aPartThatIsTypedFillsTheView() {
    Shown shown(std::make_shared<support::TestMap>(300), {480, 400});
    shown.view.showPart({{290, 300}, {0, 240}});
    const widgets::HeatmapGeometry& geometry = shown.view.geometry();
    QCOMPARE(geometry.rows().visibleCells(), (core::PositionRange{290, 300}));
    QCOMPARE(geometry.columns().visibleCells(), (core::PositionRange{0, 240}));
    QCOMPARE(geometry.rows().scale, 40.0);
    QCOMPARE(geometry.columns().scale, 2.0);
    const QImage image = shown.image();
    const auto map = std::make_shared<support::TestMap>(300);
    for (int cell = 0; cell < 240; ++cell)
      QCOMPARE(image.pixel(2 * cell + 1, 5 * 40 + 20), stepColor(double(map->weight(295, cell)) / kLargest));
    shown.view.fit();
    QCOMPARE(geometry.rows().scale, geometry.columns().scale);
  }

  void cellsMayFillThePanel() {
    Shown shown(std::make_shared<support::TestMap>(10), {480, 200});
    shown.view.setCellShape(widgets::CellShape::Free);
    QCOMPARE(shown.view.geometry().columns().scale, 48.0);
    QCOMPARE(shown.view.geometry().rows().scale, 20.0);
  }

  void aZoomedMapShowsTheWholeInACornerAndAClickThereGoesThere() {
    Shown shown(std::make_shared<support::TestMap>(2000), {500, 500});
    const QImage whole = shown.image();
    const QPoint corner(500 - 8 - 64, 8 + 64);
    support::moveMouse(shown.view, corner);
    QVERIFY(shown.hovered);
    shown.view.oneToOne();
    shown.image();
    support::moveMouse(shown.view, corner + QPoint(1, 1));
    QVERIFY2(!shown.hovered, "the cells under the small map are not meant");
    QTest::mousePress(&shown.view, Qt::LeftButton, {}, QPoint(500 - 8 - 128 + 32, 8 + 96));
    QTest::mouseRelease(&shown.view, Qt::LeftButton, {}, QPoint(500 - 8 - 128 + 32, 8 + 96));
    const core::PositionRange rows = shown.view.geometry().rows().visibleCells();
    const core::PositionRange columns = shown.view.geometry().columns().visibleCells();
    QVERIFY(std::abs((rows.begin + rows.end) / 2 - 1500) <= 16);
    QVERIFY(std::abs((columns.begin + columns.end) / 2 - 500) <= 16);
    QVERIFY2(!shown.pinned, "a click on the small map pins nothing");
  }

  void hiddenKeysAreSkippedByEveryReduction() {
    const auto map = std::make_shared<support::TestMap>(600);
    map->setHidden(core::KeySet({0, 1, 300}));
    Shown shown(map, {300, 300});
    const QImage image = shown.image();
    QVERIFY(!image.isNull());
    // 1 pixel = 2 x 2 cells: the first pixel column is all hidden, that of 300 and 301 is of the other one.
    QCOMPARE(image.pixel(0, 200), widgets::patternAt(widgets::NoValue::Hidden, widgets::kLightHatch, 0, 200));
    float largest = 0;
    for (int row = 400; row < 402; ++row) largest = std::max(largest, map->weight(row, 301));
    QCOMPARE(image.pixel(150, 200), stepColor(double(largest) / kLargest));
    QVERIFY(shown.view.isHidden({400, 300}));
  }

  void afterThousandsOfStepsTheFrameIsTheOneThatAFreshViewPaints() {
    const auto map = std::make_shared<support::TestMap>(1500);
    Shown shown(map, {420, 360});
    shown.image();
    std::uint32_t state = 12345;
    const auto random = [&state](int count) {
      state = state * 1664525 + 1013904223;
      return static_cast<int>((state >> 8) % static_cast<std::uint32_t>(count));
    };
    const int steps =
        qEnvironmentVariableIntValue("HEADSCOPE_STEPS") > 0 ? qEnvironmentVariableIntValue("HEADSCOPE_STEPS") : 600;
    for (int i = 0; i < steps; ++i) {
      const QPoint at(random(420), random(360));
      switch (random(6)) {
        case 0: shown.wheel(at, random(2) == 0 ? 1 : -1); break;
        case 1:
        case 2: {
          QTest::mousePress(&shown.view, Qt::LeftButton, {}, at);
          for (int step = 1; step < 6; ++step)
            support::moveMouse(shown.view, at + QPoint(step * (random(23) - 11), step * (random(23) - 11)),
                               Qt::LeftButton);
          QTest::mouseRelease(&shown.view, Qt::LeftButton, {}, at);
          break;
        }
        case 3: QTest::keyClick(&shown.view, random(2) == 0 ? Qt::Key_Down : Qt::Key_Right); break;
        case 4: support::moveMouse(shown.view, at); break;
        case 5:
          if (random(8) == 0) shown.view.fit();
          if (random(8) == 0) shown.view.showPart({{100, 100 + random(1300)}, {50, 60 + random(1300)}});
          break;
      }
      shown.view.grab();
      if (i % 50 == 49) {
        const QImage moved = shown.image();
        QVERIFY(!moved.isNull());
        shown.view.setColours({.colormap = ColormapName::Grey});
        shown.view.setColours({});  // forgets the frame, so that all of it is painted anew
        QCOMPARE(shown.image(), moved);
      }
    }
  }
};

HEADSCOPE_QTEST_MAIN(HeatmapViewTest)
#include "heatmap_view_test.moc"
