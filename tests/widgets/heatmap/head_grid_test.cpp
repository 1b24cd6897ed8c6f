// The grid of heads: thumbnails, selection by mouse and keys.
#include "widgets/heatmap/head_grid.h"

#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <cmath>
#include <limits>

#include "tests/support/qt_test.h"
#include "tests/widgets/heatmap/test_map.h"
#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/colormap.h"
#include "widgets/heatmap/head_grid_marks.h"
#include "widgets/heatmap/map_painter.h"

namespace {

using widgets::HeadGrid;

core::HeadId id(int layer, int head) { return {core::Layer(layer), core::Head(head)}; }

widgets::HeadGridModel model(int layers, int heads, int kvHeads, std::int64_t tokens = 200) {
  return {layers, heads, kvHeads,
          [tokens](core::HeadId head) { return std::make_shared<support::TestMap>(tokens, head); }};
}

/// A grid whose selection follows its own signal, as the window's does.
struct Shown {
  explicit Shown(widgets::HeadGridModel heads, QSize size = {320, 300}) : grid(jobs) {
    grid.resize(size);
    grid.grab();  // lays out without a window
    grid.setModel(std::move(heads));
    QObject::connect(&grid, &HeadGrid::headSelected, &grid, [this](core::HeadId head) { grid.setSelected(head); });
  }
  widgets::JobRunner jobs;
  HeadGrid grid;
};

/// A model of 2 x 2 heads of 200 tokens, whose last head has rows that do not sum to 1.
widgets::HeadGridModel modelWithBrokenRows() {
  widgets::HeadGridModel heads = model(2, 2, 2);
  heads.source = [](core::HeadId head) {
    auto map = std::make_shared<support::TestMap>(200, head);
    if (head == id(1, 1)) map->setBrokenRows({12, 5, std::numeric_limits<float>::quiet_NaN()});
    return map;
  };
  return heads;
}

QPalette lightOrDark(bool dark) {
  return dark ? QPalette(QColor(0x1f, 0x24, 0x2b)) : QPalette(QColor(0xf2, 0xf4, 0xf8));
}

/// Source: WCAG 2.1, relative luminance and contrast ratio.
double contrast(const QColor& a, const QColor& b) {
  const auto luminance = [](const QColor& color) {
    const auto linear = [](double share) {
      return share <= 0.03928 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
  };
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

/// A grid on a screen whose pixels can become others.
class OnAnyScreen : public HeadGrid {
 public:
  using HeadGrid::HeadGrid;
  double ratio = 1;

 protected:
  int metric(PaintDeviceMetric which) const override {
    if (which == PdmDevicePixelRatioScaled) return static_cast<int>(ratio * devicePixelRatioFScale());
    return HeadGrid::metric(which);
  }
};

}  // namespace

class HeadGridTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:

  void thumbnailsComeInReadingOrder() {
    Shown shown(model(3, 4, 4));
    std::vector<core::HeadId> order;
    connect(&shown.grid, &HeadGrid::thumbnailReady, this, [&](core::HeadId head) { order.push_back(head); });
    QTRY_VERIFY(shown.grid.isComplete());
    QCOMPARE(order.size(), std::size_t{12});
    QVERIFY(std::is_sorted(order.begin(), order.end()));
  }

  void aThumbnailShowsItsHeadAndHatchesWhatIsMasked() {
    Shown shown(model(1, 2, 2));
    QVERIFY(shown.grid.thumbnail(id(0, 1)).isNull());
    QTRY_VERIFY(shown.grid.isComplete());
    const QImage first = shown.grid.thumbnail(id(0, 0));
    QCOMPARE(first.width(), shown.grid.places().thumbnailSize());
    QVERIFY(first != shown.grid.thumbnail(id(0, 1)));
    const int last = first.width() - 1;
    const QRgb corner = first.pixel(last, 0);
    QVERIFY(corner == widgets::kLightHatch.at(last, 0) || corner == widgets::kDarkHatch.at(last, 0));
  }

  void everyLayerIsHatchedByItsOwnWindow() {
    widgets::HeadGridModel heads = model(2, 1, 1);
    heads.source = [](core::HeadId head) {
      return std::make_shared<support::TestMap>(200, head, nullptr, core::Window{head.layer.value == 0 ? 20 : 400});
    };
    Shown shown(heads);
    QTRY_VERIFY(shown.grid.isComplete());
    const auto cornerIsHatched = [&](int layer) {
      const QImage image = shown.grid.thumbnail(id(layer, 0));
      const int last = image.height() - 1;  // the last query and the first key: 199 apart
      return image.pixel(0, last) == widgets::kLightHatch.at(0, last) ||
             image.pixel(0, last) == widgets::kDarkHatch.at(0, last);
    };
    QVERIFY(cornerIsHatched(0));
    QVERIFY(!cornerIsHatched(1));
  }

  void aNewModelStartsAgain() {
    Shown shown(model(6, 6, 6));
    shown.grid.setModel(model(2, 2, 1));
    QTRY_VERIFY(shown.grid.isComplete());
    QVERIFY(!shown.grid.thumbnail(id(1, 1)).isNull());
    QCOMPARE(shown.grid.places().groups(), 1);
  }

  void aClickSelects() {
    Shown shown(model(3, 4, 2));
    QSignalSpy selected(&shown.grid, &HeadGrid::headSelected);
    QTest::mouseClick(shown.grid.viewport(), Qt::LeftButton, {}, shown.grid.places().thumbnail(id(2, 3)).center());
    QCOMPARE(selected.count(), 1);
    QCOMPARE(shown.grid.selected(), id(2, 3));
    QTest::mouseClick(shown.grid.viewport(), Qt::LeftButton, {}, QPoint(1, 1));
    QCOMPARE(selected.count(), 1);
  }

  void arrowKeysSelectAndStopAtTheEdges() {
    Shown shown(model(3, 4, 4));
    const auto press = [&](Qt::Key key) { QTest::keyClick(&shown.grid, key); };
    press(Qt::Key_Right);
    press(Qt::Key_Down);
    QCOMPARE(shown.grid.selected(), id(1, 1));
    press(Qt::Key_End);
    press(Qt::Key_Right);
    QCOMPARE(shown.grid.selected(), id(1, 3));
    press(Qt::Key_Down);
    press(Qt::Key_Down);
    press(Qt::Key_Down);
    QCOMPARE(shown.grid.selected(), id(2, 3));
    press(Qt::Key_Home);
    press(Qt::Key_Left);
    press(Qt::Key_Up);
    QCOMPARE(shown.grid.selected(), id(1, 0));
  }

  void aSelectionOutOfSightIsScrolledTo() {
    Shown shown(model(48, 25, 25, 20));
    QCOMPARE(shown.grid.verticalScrollBar()->value(), 0);
    shown.grid.setSelected(id(47, 24));
    const QPoint scrolled(shown.grid.horizontalScrollBar()->value(), shown.grid.verticalScrollBar()->value());
    QVERIFY(shown.grid.viewport()->rect().contains(shown.grid.places().thumbnail(id(47, 24)).translated(-scrolled)));
    const QPoint centre = shown.grid.places().thumbnail(id(46, 23)).center() - scrolled;
    QTest::mouseClick(shown.grid.viewport(), Qt::LeftButton, {}, centre);
    QCOMPARE(shown.grid.selected(), id(46, 23));
  }

  void theSelectedHeadIsOutlined() {
    Shown shown(model(2, 2, 2));
    shown.grid.setSelected(id(1, 1));
    QTRY_VERIFY(shown.grid.isComplete());
    const QRect place = shown.grid.places().thumbnail(id(1, 1));
    const QColor outline = shown.grid.grab().toImage().pixelColor(place.center().x(), place.top() - 1);
    QVERIFY2(outline.red() > 190 && outline.blue() < 90, qPrintable(outline.name()));
  }

  void aHeadWithRowsThatDoNotSumToOneHasABadge() {
    for (const bool dark : {false, true}) {
      Shown shown(modelWithBrokenRows());
      shown.grid.setPalette(lightOrDark(dark));
      QTRY_VERIFY(shown.grid.isComplete());
      const QImage image = shown.grid.grab().toImage();
      const auto ofBadge = [&](core::HeadId head) {
        const QRect badge = shown.grid.places().badge(head);
        return image.pixelColor(badge.left() + 2, badge.center().y());
      };
      const QColor warning = widgets::warningColor(shown.grid.palette());
      QCOMPARE(ofBadge(id(1, 1)), warning);
      for (const core::HeadId head : {id(0, 0), id(0, 1), id(1, 0)}) QVERIFY(ofBadge(head) != warning);
      QVERIFY(contrast(warning, shown.grid.palette().color(QPalette::Base)) > 3);  // the mark on it
    }
  }

  void theTipAndTheDescriptionSayWhatTheBadgeMeans() {
    const QString sentence = "12 of 200 rows do not sum to 1: the first is query 5, its log-sum-exp is NaN.";
    Shown shown(modelWithBrokenRows());
    shown.grid.setSelected(id(1, 1));
    QCOMPARE(shown.grid.accessibleDescription(), QString("layer 1, head 1"));
    QTRY_VERIFY(shown.grid.isComplete());
    QCOMPARE(shown.grid.accessibleDescription(), QString("layer 1, head 1: 12 of 200 rows do not sum to 1"));
    QCOMPARE(shown.grid.toolTipOf(id(1, 0)), QString("Layer 1, head 0 (kv 0)"));
    QCOMPARE(shown.grid.toolTipOf(id(1, 1)), "Layer 1, head 1 (kv 1)\n" + sentence);

    shown.grid.setModel(model(2, 2, 2));
    QCOMPARE(shown.grid.accessibleDescription(), QString("layer 1, head 1"));
  }

  void theNumberReadsOnEveryColour() {
    for (const bool dark : {false, true}) {
      const QPalette palette = lightOrDark(dark);
      for (const float value : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}) {
        for (const auto name :
             {widgets::ColormapName::Viridis, widgets::ColormapName::Magma, widgets::ColormapName::Grey}) {
          const widgets::Colouring colours(name, widgets::Scale::Linear, {0, 1});
          QImage image(50, 50, QImage::Format_RGB32);
          image.fill(colours.color(value));
          QPainter painter(&image);
          widgets::paintNumber(painter, image.rect(), 7, palette);
          painter.end();
          const QColor ground = image.pixelColor(image.width() - 4, 8);  // between the digit and the edge
          QVERIFY2(contrast(ground, palette.color(QPalette::Text)) > 7, qPrintable(ground.name()));
        }
      }
    }
  }

  void anotherScreensPixelsAreDrawnAnew() {
    // Drawn small on a screen of two device pixels a logical one, the blocks of two pixels blend into others.
    const auto paint = [](HeadGrid& grid) {
      QImage image(grid.viewport()->size(), QImage::Format_RGB32);
      image.fill(Qt::white);
      grid.viewport()->render(&image);
      return image;
    };
    widgets::JobRunner jobs;
    OnAnyScreen moved(jobs), there(jobs);
    there.ratio = 2;
    for (OnAnyScreen* grid : {&moved, &there}) {
      grid->resize(320, 300);
      grid->grab();
      grid->setModel(model(2, 2, 2));
      QTRY_VERIFY(grid->isComplete());
    }
    const QImage before = paint(moved);
    moved.ratio = 2;
    const QImage after = paint(moved);
    QVERIFY(after != before);
    QCOMPARE(after, paint(there));
  }

  void anEmptyGridTakesKeysAndClicks() {
    widgets::JobRunner jobs;
    HeadGrid grid(jobs);
    grid.resize(300, 300);
    QVERIFY(!grid.grab().isNull());
    QTest::keyClick(&grid, Qt::Key_Right);
    QTest::mouseClick(grid.viewport(), Qt::LeftButton, {}, {50, 50});
    QCOMPARE(grid.selected(), id(0, 0));
  }
};

HEADSCOPE_QTEST_MAIN(HeadGridTest)
#include "head_grid_test.moc"
