// The map on a screen of two device pixels a logical one.
#include "tests/support/qt_test.h"
#include "tests/widgets/heatmap/test_map.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/heatmap/map_image.h"

class HeatmapHidpiTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:

  void cellsAreDevicePixelsAndTheCursorFindsThem() {
    const auto map = std::make_shared<support::TestMap>(100);
    widgets::JobRunner jobs;
    widgets::HeatmapView view(jobs);
    QCOMPARE(view.devicePixelRatioF(), 2.0);
    view.resize(250, 250);  // 500 device pixels, 5 a cell
    view.setSource(map);
    QImage image;
    QVERIFY(QTest::qWaitFor([&] {
      image = view.grab().toImage().convertToFormat(QImage::Format_RGB32);
      return view.isExact();
    }));
    image.setDevicePixelRatio(1);
    QCOMPARE(view.pixelLegend(), QString("5 × 5 pixels a cell"));
    QCOMPARE(image,
             widgets::renderMapImage(*map, core::Stage::Weights,
                                     {.colormap = widgets::ColormapName::Viridis, .scale = widgets::Scale::Linear}, 5));

    std::optional<widgets::Cell> pinned;
    connect(&view, &widgets::HeatmapView::pinRequested, this,
            [&](std::optional<widgets::Cell> cell) { pinned = cell; });
    QTest::mouseClick(&view, Qt::LeftButton, {}, {100, 200});
    QCOMPARE(pinned, std::optional(widgets::Cell{80, 40}));
  }
};

int main(int argc, char** argv) {
  qputenv("QT_SCALE_FACTOR", "2");
  QApplication application(argc, argv);
  HeatmapHidpiTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "heatmap_hidpi_test.moc"
