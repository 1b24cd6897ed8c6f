// The grid of heads: thumbnails, selection by mouse and keys.
#include "widgets/heatmap/head_grid.h"

#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <cmath>
#include <limits>
#include <map>

#include "tests/support/qt_test.h"
#include "tests/support/wait.h"
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

const core::HeadMetric& metric(std::string_view shortName) {
  return *std::find_if(core::kHeadMetrics.begin(), core::kHeadMetrics.end(),
                       [&](const core::HeadMetric& m) { return m.shortName == shortName; });
}

widgets::HeadArrangement inOrder(std::vector<core::HeadId> heads, std::string_view by) {
  return {widgets::HeadArrangement::Form::InOrder, std::move(heads), &metric(by)};
}

/// A grid whose selection and pins follow its own signals, as the window's do.
struct Shown {
  explicit Shown(widgets::HeadGridModel heads, QSize size = {320, 300}) : grid(jobs) {
    grid.resize(size);
    grid.grab();  // lays out without a window
    grid.setModel(std::move(heads));
    grid.setColours({}, core::ValueRange{0, 1});
    QObject::connect(&grid, &HeadGrid::headSelected, &grid, [this](core::HeadId head) { grid.setSelected(head); });
    QObject::connect(&grid, &HeadGrid::pinToggled, &grid, [this](core::HeadId head) {
      if (std::erase(pins, head) == 0) pins.push_back(head);
      grid.setPinned(pins);
    });
    QObject::connect(&grid, &HeadGrid::pinsAdded, &grid, [this](const std::vector<core::HeadId>& more) {
      pins.insert(pins.end(), more.begin(), more.end());
      grid.setPinned(pins);
    });
    QObject::connect(&grid, &HeadGrid::pinsCleared, &grid, [this] {
      pins.clear();
      grid.setPinned(pins);
    });
  }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(&grid, key, modifiers); }
  void click(core::HeadId head, Qt::MouseButton button = Qt::LeftButton, Qt::KeyboardModifiers modifiers = {}) {
    const QPoint scrolled(0, grid.verticalScrollBar()->value());
    QTest::mouseClick(grid.viewport(), button, modifiers, grid.places().thumbnail(head).center() - scrolled);
  }
  bool isInSight(core::HeadId head) const {
    const QPoint scrolled(0, grid.verticalScrollBar()->value());
    return grid.viewport()->rect().contains(grid.places().thumbnail(head).translated(-scrolled));
  }
  /// Until all of it is computed and in its colours.
  void settle() {
    QVERIFY(support::waitFor([this] { return jobs.isIdle(); }));
    QVERIFY(support::waitFor([this] {
      grid.grab();
      return grid.isComplete();
    }));
  }
  widgets::JobRunner jobs;
  HeadGrid grid;
  std::vector<core::HeadId> pins;
};

std::vector<core::HeadId> orderOfThumbnails(HeadGrid& grid) {
  std::vector<core::HeadId> order;
  QObject::connect(&grid, &HeadGrid::thumbnailReady, &grid, [&](core::HeadId head) { order.push_back(head); });
  const bool isComplete = support::waitFor([&] { return grid.isComplete(); });
  return isComplete ? order : std::vector<core::HeadId>();
}

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

/// Each value is its row's share of the whole, so that 12,000 tokens cost little.
class Rows final : public core::MapSource {
 public:
  std::string identity() const override { return "rows"; }
  core::MapRect extent(core::Stage) const override { return {{0, kT}, {0, kT}}; }
  core::MapMask mask() const override { return core::AttentionMask(kT, {}, core::MaskKind::Bidirectional); }
  core::MapValues rectangle(core::Stage, const core::MapRect&, const core::Progress&) const override { return {}; }
  core::MapValues overview(core::Stage, const core::MapRect& rect, std::int64_t block, core::Reduction,
                           const core::Progress&) const override {
    ++parts;
    core::MapValues values{(rect.rows.size() + block - 1) / block, (rect.columns.size() + block - 1) / block, {}};
    for (core::Position row = rect.rows.begin; row < rect.rows.end; row += block)
      values.values.insert(values.values.end(), static_cast<std::size_t>(values.columns),
                           static_cast<float>(row) / static_cast<float>(kT));
    return values;
  }
  static constexpr std::int64_t kT = 12000;
  mutable std::atomic<int> parts = 0;
};

bool isHatched(QRgb pixel, int x, int y) {
  return pixel == widgets::patternAt(widgets::NoValue::Masked, widgets::kLightHatch, x, y) ||
         pixel == widgets::patternAt(widgets::NoValue::Masked, widgets::kDarkHatch, x, y);
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
    const std::vector<core::HeadId> order = orderOfThumbnails(shown.grid);
    QCOMPARE(order.size(), std::size_t{12});
    QVERIFY(std::is_sorted(order.begin(), order.end()));
  }

  void aThumbnailShowsItsHeadAndHatchesWhatIsMasked() {
    Shown shown(model(1, 2, 2));
    QVERIFY(shown.grid.thumbnail(id(0, 1)).isNull());
    QVERIFY(support::waitFor([&] { return shown.grid.isComplete(); }));
    const QImage first = shown.grid.thumbnail(id(0, 0));
    QCOMPARE(first.width(), shown.grid.places().thumbnailSize());
    QVERIFY(first != shown.grid.thumbnail(id(0, 1)));
    const int last = first.width() - 1;
    const QRgb corner = first.pixel(last, 0);
    QVERIFY(isHatched(corner, last, 0));
  }

  void everyLayerIsHatchedByItsOwnWindow() {
    widgets::HeadGridModel heads = model(2, 1, 1);
    heads.source = [](core::HeadId head) {
      return std::make_shared<support::TestMap>(200, head, nullptr, core::Window{head.layer.value == 0 ? 20 : 400});
    };
    Shown shown(heads);
    QVERIFY(support::waitFor([&] { return shown.grid.isComplete(); }));
    const auto cornerIsHatched = [&](int layer) {
      const QImage image = shown.grid.thumbnail(id(layer, 0));
      const int last = image.height() - 1;  // the last query and the first key: 199 apart
      return isHatched(image.pixel(0, last), 0, last);
    };
    QVERIFY(cornerIsHatched(0));
    QVERIFY(!cornerIsHatched(1));
  }

  void aNewModelStartsAgain() {
    Shown shown(model(6, 6, 6));
    shown.grid.setModel(model(2, 2, 1));
    QVERIFY(support::waitFor([&] { return shown.grid.isComplete(); }));
    QVERIFY(!shown.grid.thumbnail(id(1, 1)).isNull());
    QCOMPARE(shown.grid.places().frames().size(), std::size_t{2});
  }

  void aClickSelects() {
    Shown shown(model(3, 4, 2));
    QSignalSpy selected(&shown.grid, &HeadGrid::headSelected);
    shown.click(id(2, 3));
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
    QVERIFY(shown.isInSight(id(47, 24)));
    shown.click(id(47, 23));
    QCOMPARE(shown.grid.selected(), id(47, 23));
  }

  void theSelectedHeadIsOutlined() {
    Shown shown(model(2, 2, 2));
    shown.grid.setSelected(id(1, 1));
    QVERIFY(support::waitFor([&] { return shown.grid.isComplete(); }));
    const QRect place = shown.grid.places().thumbnail(id(1, 1));
    const QColor outline = shown.grid.grab().toImage().pixelColor(place.center().x(), place.top() - 1);
    QVERIFY2(outline.red() > 190 && outline.blue() < 90, qPrintable(outline.name()));
  }

  void aHeadWithRowsThatDoNotSumToOneHasABadge() {
    for (const bool dark : {false, true}) {
      Shown shown(modelWithBrokenRows());
      shown.grid.setPalette(lightOrDark(dark));
      QVERIFY(support::waitFor([&] { return shown.grid.isComplete(); }));
      const QImage image = shown.grid.grab().toImage();
      const auto ofBadge = [&](core::HeadId head) {
        const QRect badge = shown.grid.places().badge(shown.grid.places().placeOf(head).value());
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
    shown.settle();
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
          widgets::paintLabel(painter, image.rect(), QStringLiteral("7"), palette);
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

  void everyPixelIsTheLargestWeightOfTheBlocksUnderIt() {
    const widgets::Colouring colours(widgets::ColormapName::Viridis, widgets::Scale::Linear, {0, 1});
    // Crisp cells; blocks of 3 and of 7 cells that are larger than a pixel; blocks that are smaller than one.
    for (const auto& [T, layers] : {std::pair(36, 1), std::pair(144, 1), std::pair(430, 1), std::pair(144, 6)}) {
      Shown shown(model(layers, 6, 6, T), {layers == 1 ? 900 : 320, 300});
      QVERIFY(support::waitFor([&] { return shown.grid.isComplete(); }));
      const QImage image = shown.grid.thumbnail(id(0, 2));
      const int size = image.width();
      QCOMPARE(size, layers == 1 ? 72 : shown.grid.places().thumbnailSize());
      const support::TestMap map(T, id(0, 2));
      const int block = (T + 63) / 64;
      const int blocks = (T + block - 1) / block;
      const double pixelsABlock = static_cast<double>(size) * block / T;
      const auto cellsUnder = [&](int pixel) {
        int first = static_cast<int>((pixel + 0.5) / pixelsABlock), end = first + 1;
        if (pixelsABlock < 1) {
          first = static_cast<int>(pixel / pixelsABlock);
          end = pixel + 1 == size ? blocks : std::max(first + 1, static_cast<int>((pixel + 1) / pixelsABlock));
        }
        return std::pair(first * block, std::min(T, end * block));
      };
      for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) {
          float largest = -1;
          for (int i = cellsUnder(y).first; i < cellsUnder(y).second; ++i)
            for (int j = cellsUnder(x).first; j < std::min(i + 1, cellsUnder(x).second); ++j)
              largest = std::max(largest, map.weight(i, j));
          const QRgb pixel = image.pixel(x, y);
          const bool isRight = largest < 0 ? isHatched(pixel, x, y) : pixel == colours.color(largest);
          if (!isRight) QFAIL(qPrintable(QString("T %1, pixel %2, %3").arg(T).arg(x).arg(y)));
        }
      }
    }
  }

  void aLongHeadIsComputedInPartsThatMakeTheWhole() {
    const auto map = std::make_shared<Rows>();
    Shown shown({1, 1, 1, [map](core::HeadId) { return map; }});
    shown.grid.setColours({}, core::ValueRange{0, 1});
    QVERIFY(support::waitFor([&] { return shown.grid.isComplete(); }));
    QVERIFY(map->parts > 1);
    const QImage image = shown.grid.thumbnail(id(0, 0));
    const widgets::Colouring colours(widgets::ColormapName::Viridis, widgets::Scale::Linear, {0, 1});
    QCOMPARE(image.pixel(5, 0), colours.color(0));
    QCOMPARE(image.pixel(5, 71), colours.color(static_cast<float>(11844) / 12000));  // the last block of 188 rows
  }

  void aHeadThatFailsStaysAWaitingOne() {
    widgets::HeadGridModel heads = model(1, 3, 3);
    heads.source = [](core::HeadId head) -> std::shared_ptr<const core::MapSource> {
      if (head == id(0, 1)) return std::make_shared<support::FailingMap>();
      return std::make_shared<support::TestMap>(200, head);
    };
    Shown shown(heads);
    shown.settle();
    QVERIFY(shown.grid.thumbnail(id(0, 1)).isNull());
    QVERIFY(!shown.grid.thumbnail(id(0, 2)).isNull());
    const QColor ground = shown.grid.grab().toImage().pixelColor(shown.grid.places().thumbnail(id(0, 1)).center());
    QCOMPARE(ground.rgb(),
             widgets::isDark(shown.grid.palette()) ? widgets::kDarkHatch.ground : widgets::kLightHatch.ground);
  }

  void whatIsInSightIsComputedFirst() {
    Shown shown(model(48, 6, 6, 20));
    shown.grid.setSelected(id(40, 3));  // scrolls there
    const std::vector<core::HeadId> order = orderOfThumbnails(shown.grid);
    QCOMPARE(order.size(), std::size_t{288});
    QVERIFY(order.front() == id(0, 0));  // began before
    const auto isSeen = [&](core::HeadId head) {
      const QPoint scrolled(0, shown.grid.verticalScrollBar()->value());
      return shown.grid.viewport()->rect().intersects(shown.grid.places().thumbnail(head).translated(-scrolled));
    };
    const auto unseen = std::find_if_not(order.begin() + 1, order.end(), isSeen);
    QVERIFY(unseen - order.begin() > 24);
    QVERIFY(std::none_of(unseen, order.end(), isSeen));
    QVERIFY(std::is_sorted(unseen, order.end()));
  }

  void aNewerModelsThumbnailsAreTheOnlyOnes() {
    Shown shown(model(4, 4, 4));
    std::vector<core::HeadId> order;
    connect(&shown.grid, &HeadGrid::thumbnailReady, this, [&](core::HeadId head) { order.push_back(head); });
    QTRY_VERIFY(!order.empty());
    order.clear();
    shown.grid.setModel(model(1, 2, 2));
    QVERIFY(support::waitFor([&] { return shown.grid.isComplete(); }));
    QCOMPARE(order, (std::vector{id(0, 0), id(0, 1)}));
  }

  void imagesOfAThousandHeadsAreMadeOfTheOnesInAndNearSightAlone() {
    Shown shown(model(48, 25, 25, 20));
    shown.settle();
    const std::size_t atTheTop = shown.grid.imagesKept();
    QVERIFY(atTheTop > 20 && atTheTop < 200);
    for (int layer = 1; layer < 48; ++layer) {
      shown.grid.setSelected(id(layer, 12));
      shown.settle();
    }
    QVERIFY2(shown.grid.imagesKept() < 3 * atTheTop, qPrintable(QString::number(shown.grid.imagesKept())));
    QVERIFY(!shown.grid.thumbnail(id(0, 0)).isNull());
  }

  void otherColoursAreShownOnceTheyAreThere() {
    Shown shown(model(48, 25, 25, 20), {1600, 1100});
    shown.grid.setColours({}, core::ValueRange{0, 1});
    shown.settle();
    const QImage viridis = shown.grid.grab().toImage();
    widgets::ColourChoice grey;
    grey.colormap = widgets::ColormapName::Grey;
    shown.grid.setColours(grey, core::ValueRange{0, 1});
    shown.settle();
    const QImage changed = shown.grid.grab().toImage();
    for (int layer = 0; layer < 48; ++layer) {
      if (!shown.isInSight(id(layer, 24))) continue;
      const QPoint pixel = shown.grid.places().thumbnail(id(layer, 24)).bottomLeft() + QPoint(3, -3);
      QVERIFY(changed.pixel(pixel) != viridis.pixel(pixel));
      QVERIFY(qAbs(changed.pixelColor(pixel).red() - changed.pixelColor(pixel).blue()) < 3);
    }
  }

  void oneHeadIsAGridToo() {
    Shown shown(model(1, 1, 1, 1));
    shown.settle();
    QVERIFY(!shown.grid.thumbnail(id(0, 0)).isNull());
    for (const Qt::Key key : {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down, Qt::Key_Home, Qt::Key_End,
                              Qt::Key_PageUp, Qt::Key_PageDown})
      shown.press(key);
    QCOMPARE(shown.grid.selected(), id(0, 0));
    shown.press(Qt::Key_P);
    QCOMPARE(shown.pins, std::vector{id(0, 0)});
  }

  void pageKeysMoveByAScreenAndControlHomeAndEndToTheEnds() {
    Shown shown(model(48, 6, 6, 20));
    shown.press(Qt::Key_End, Qt::ControlModifier);
    QCOMPARE(shown.grid.selected(), id(47, 5));
    shown.press(Qt::Key_PageUp);
    const int page = 47 - shown.grid.selected().layer.value;
    QVERIFY(page > 2 && page < 12);
    QVERIFY(shown.isInSight(shown.grid.selected()));
    shown.press(Qt::Key_PageDown);
    QCOMPARE(shown.grid.selected(), id(47, 5));
    shown.press(Qt::Key_Home, Qt::ControlModifier);
    QCOMPARE(shown.grid.selected(), id(0, 0));
  }

  void arrowsGoThroughTheLinesOfALayer() {
    Shown shown(model(2, 25, 25, 20));
    for (int i = 0; i < 24; ++i) shown.press(Qt::Key_Right);
    QCOMPARE(shown.grid.selected(), id(0, 24));
    shown.press(Qt::Key_Right);
    QCOMPARE(shown.grid.selected(), id(0, 24));
    shown.press(Qt::Key_Down);
    QCOMPARE(shown.grid.selected().layer, core::Layer(1));
    shown.press(Qt::Key_Up);
    QCOMPARE(shown.grid.selected().layer, core::Layer(0));
  }

  void itsKeysComeBeforeThoseOfTheMenus() {
    // A window has Home, PgUp and PgDown for the map: as long as the grid has the focus they are the grid's.
    Shown shown(model(3, 3, 3));
    const auto isTaken = [&](Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
      QKeyEvent event(QEvent::ShortcutOverride, key, modifiers);
      event.ignore();
      QCoreApplication::sendEvent(&shown.grid, &event);
      return event.isAccepted();
    };
    for (const Qt::Key key : {Qt::Key_Home, Qt::Key_End, Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_Left, Qt::Key_Down})
      QVERIFY(isTaken(key));
    QVERIFY(!isTaken(Qt::Key_H));
    QVERIFY(!isTaken(Qt::Key_Home, Qt::AltModifier));
  }

  void pinsComeByControlMiddleClickAndKey() {
    Shown shown(model(3, 4, 4));
    QSignalSpy selected(&shown.grid, &HeadGrid::headSelected);
    shown.click(id(1, 2), Qt::LeftButton, Qt::ControlModifier);
    QCOMPARE(shown.pins, std::vector{id(1, 2)});
    shown.click(id(2, 0), Qt::MiddleButton);
    QCOMPARE(shown.pins, (std::vector{id(1, 2), id(2, 0)}));
    shown.click(id(1, 2), Qt::MiddleButton);
    QCOMPARE(shown.pins, std::vector{id(2, 0)});
    shown.press(Qt::Key_P);
    QCOMPARE(shown.pins, (std::vector{id(2, 0), id(0, 0)}));
    QCOMPARE(selected.count(), 0);
  }

  void shiftClickPinsARangeOfARow() {
    Shown shown(model(3, 6, 6));
    shown.grid.setSelected(id(1, 4));
    shown.click(id(1, 2), Qt::LeftButton, Qt::ShiftModifier);
    QCOMPARE(shown.pins, (std::vector{id(1, 2), id(1, 3), id(1, 4)}));
    shown.pins.clear();
    shown.click(id(2, 5), Qt::LeftButton, Qt::ShiftModifier);  // another row
    QCOMPARE(shown.pins, std::vector{id(2, 5)});
  }

  void pinnedHeadsAreFramedInTheSecondAccent() {
    Shown shown(model(2, 2, 2));
    shown.pins = {id(0, 1), id(1, 1)};
    shown.grid.setPinned(shown.pins);
    shown.grid.setSelected(id(1, 1));
    shown.settle();
    const QImage image = shown.grid.grab().toImage();
    const auto atTop = [&](core::HeadId head, int y) {
      const QRect place = shown.grid.places().thumbnail(head);
      return image.pixelColor(place.center().x(), place.top() + y);
    };
    const auto isNear = [](const QColor& a, const QColor& b) {
      return qAbs(a.red() - b.red()) + qAbs(a.green() - b.green()) + qAbs(a.blue() - b.blue()) < 60;
    };
    QVERIFY(isNear(atTop(id(0, 1), -1), widgets::kActionAccent));
    QVERIFY(isNear(atTop(id(1, 1), -1), widgets::kShownAccent));
    QVERIFY(isNear(atTop(id(1, 1), 1), widgets::kActionAccent));
    QVERIFY(!isNear(atTop(id(0, 0), -1), widgets::kActionAccent));
  }

  void theMenuOfAHeadPinsItOrItsLayer() {
    Shown shown(model(3, 4, 4));
    const auto choose = [&](core::HeadId head, int action) {
      QMenu* const menu = shown.grid.makeMenu(head);
      QAction* const chosen = menu->actions().at(action);
      const QString text = chosen->text();
      chosen->trigger();
      delete menu;
      return text;
    };
    QCOMPARE(choose(id(1, 2), 0), QString("Pin Head 1·2"));
    QCOMPARE(choose(id(1, 2), 0), QString("Unpin Head 1·2"));
    QVERIFY(shown.pins.empty());
    QCOMPARE(choose(id(2, 2), 1), QString("Pin All Heads of Layer 2"));
    QCOMPARE(shown.pins, (std::vector{id(2, 0), id(2, 1), id(2, 2), id(2, 3)}));
    QCOMPARE(choose(id(0, 0), 2), QString("Unpin All Heads"));
    QVERIFY(shown.pins.empty());
  }

  void theMenuOpensByMouseOnAHeadAndByKeyOnTheSelectedOne() {
    if (QGuiApplication::platformName() == "offscreen") QSKIP("the offscreen platform warns of menus");
    Shown shown(model(3, 4, 4));
    shown.grid.setSelected(id(2, 1));
    const auto menuOf = [&](QContextMenuEvent::Reason reason, const QPoint& at) {
      QContextMenuEvent event(reason, at, shown.grid.viewport()->mapToGlobal(at));
      QCoreApplication::sendEvent(shown.grid.viewport(), &event);
      const QList<QMenu*> menus = shown.grid.findChildren<QMenu*>();
      const QString text = menus.isEmpty() ? QString() : menus.front()->actions().front()->text();
      qDeleteAll(menus);
      return text;
    };
    QCOMPARE(menuOf(QContextMenuEvent::Mouse, shown.grid.places().thumbnail(id(1, 3)).center()),
             QString("Pin Head 1·3"));
    QCOMPARE(menuOf(QContextMenuEvent::Mouse, {1, 1}), QString());
    QCOMPARE(menuOf(QContextMenuEvent::Keyboard, {1, 1}), QString("Pin Head 2·1"));
  }

  void headsInOrderHaveTheirNamesAndNumbers() {
    std::map<core::HeadId, core::HeadMetrics> known;
    known[id(2, 1)].firstKey = 0.75;
    widgets::HeadGridModel heads = model(3, 4, 2);
    heads.metrics = [&](core::HeadId head) { return known.contains(head) ? &known[head] : nullptr; };
    Shown shown(heads);
    shown.settle();
    shown.grid.arrange(inOrder({id(2, 1), id(0, 3)}, "first"));
    const QImage waiting = shown.grid.grab().toImage();
    QCOMPARE(shown.grid.places().count(), std::size_t{2});
    QVERIFY(shown.grid.places().frames().empty());
    shown.grid.setSelected(id(2, 1));
    QCOMPARE(shown.grid.accessibleDescription(), QString("layer 2, head 1, first key 0.75, 1 of 2"));
    shown.grid.setSelected(id(0, 3));
    QCOMPARE(shown.grid.accessibleDescription(), QString("layer 0, head 3, 2 of 2"));
    shown.grid.setSelected(id(0, 0));
    QCOMPARE(shown.grid.accessibleDescription(), QString("layer 0, head 0, not among the 2 shown"));
    known[id(0, 3)].firstKey = 0.5;
    shown.grid.showMetrics(id(0, 3));
    const QImage there = shown.grid.grab().toImage();
    const QRect text = shown.grid.places().text(1);
    QVERIFY(there.copy(text) != waiting.copy(text));
    shown.click(id(0, 3));
    QCOMPARE(shown.grid.selected(), id(0, 3));
  }

  void theTipTellsAllNumbers() {
    core::HeadMetrics metrics;
    metrics.entropy = 2.309;
    metrics.meanDistance = 31.84;
    metrics.windowEdge = 0.126;
    widgets::HeadGridModel heads = model(2, 4, 2);
    heads.metrics = [&](core::HeadId) { return &metrics; };
    Shown shown(heads);
    const QStringList lines = shown.grid.toolTipOf(id(1, 3)).split('\n');
    QCOMPARE(lines.front(), QString("Layer 1, head 3 (kv 1)"));
    QVERIFY(lines.contains("entropy 2.31 nats"));
    QVERIFY(lines.contains("distance 31.8 tokens"));
    QVERIFY(lines.contains("window edge 0.13"));
    QCOMPARE(lines.filter("previous").size(), qsizetype{0});  // it has no such number
  }

  void whatTheMarksMeanIsSaidWhereThereIsRoom() {
    Shown roomy(model(2, 2, 2), {320, 400});
    roomy.settle();
    const QImage image = roomy.grid.grab().toImage();
    const int end = roomy.grid.places().size().height();
    int written = 0;
    for (int y = end + 4; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x) written += image.pixel(x, y) != image.pixel(0, image.height() - 1);
    QVERIFY(written > 100);
    Shown full(model(2, 2, 2), {320, end + 10});
    full.settle();
    const QImage without = full.grid.grab().toImage();
    for (int x = 0; x < without.width(); ++x)
      for (int y = end + 2; y < without.height(); ++y) QCOMPARE(without.pixel(x, y), without.pixel(0, end + 2));
  }

  void theLettersOfTheWindowsStandBesideTheLayers() {
    Shown plain(model(2, 4, 4));
    widgets::HeadGridModel heads = model(2, 4, 4);
    heads.letters = "SL";
    Shown lettered(heads);
    const QRect label = lettered.grid.places().labels().front().place;
    QVERIFY(label.width() > plain.grid.places().labels().front().place.width());
    const QRect letter(label.right() - 9, label.top(), 10, label.height());
    const QImage image = lettered.grid.grab().toImage().copy(letter);
    const QRgb ground = image.pixel(0, 0);
    bool isDrawn = false;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x) isDrawn |= image.pixel(x, y) != ground;
    QVERIFY(isDrawn);
  }

  void theScrollBarComesAndGoesWithTheHeightAlone() {
    // A layout that just fits without the bar and, made narrower by it, fits with it too.
    Shown shown(model(6, 6, 6, 20));
    for (int height = 260; height < 420; ++height) {
      shown.grid.resize(320, height);
      shown.grid.grab();
      const bool fits = shown.grid.places().size().height() <= height;
      QVERIFY(shown.grid.verticalScrollBar()->maximum() > 0 || fits);
    }
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
