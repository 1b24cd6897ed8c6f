// The panel around the map, with the bundled model: state in, state out.
#include "widgets/heatmap/map_panel.h"

#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QToolButton>

#include "core/attention_map.h"
#include "core/session.h"
#include "tests/support/changed_model.h"
#include "tests/support/files.h"
#include "tests/support/qt_test.h"
#include "tests/widgets/heatmap/mouse.h"
#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/color_bar.h"
#include "widgets/heatmap/heatmap_overlay.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/heatmap/map_image.h"
#include "widgets/heatmap/map_pane.h"
#include "widgets/heatmap/row_profile.h"
#include "widgets/heatmap/search_bar.h"
#include "widgets/heatmap/token_axis.h"

namespace {

using widgets::Cell;
using widgets::ColormapName;
using widgets::Scale;

std::shared_ptr<const core::Capture> run(const std::string& prompt) {
  static const auto session = core::Session::open(support::repository("models/shakespeare-char"), {}, core::Progress());
  return session->run({session->check(prompt).tokens, {}}, core::Progress());
}

struct Shown {
  Shown() : panel(state, jobs) {
    panel.resize(800, 600);
    state.setCapture(run("ROMEO: what say you\n"));
    settle();
  }
  void settle() {
    QVERIFY(QTest::qWaitFor([this] {
      panel.grab();
      return panel.isExact();
    }));
  }
  QStringList texts() const {
    QStringList found;
    for (const QLabel* label : panel.findChildren<QLabel*>()) found.append(label->text());
    return found;
  }
  void press(const QString& text) {
    for (QToolButton* button : panel.findChildren<QToolButton*>()) {
      if (button->text() == text) return button->click();
    }
    QFAIL(qPrintable("there is no button " + text));
  }

  widgets::JobRunner jobs;
  widgets::ViewState state;
  widgets::MapPanel panel;
};

}  // namespace

class MapPanelTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:

  void theTitleNamesTheHead() {
    Shown shown;
    shown.state.setHead({core::Layer(3), core::Head(2)});
    QVERIFY(shown.texts().contains("Layer 3, head 2"));
    QVERIFY(shown.texts().contains("(kv 2)"));
  }

  void theTitleSaysWhenRowsDoNotSumToOne() {
    const support::TemporaryFolder folder;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    support::writeChangedModel("hf-qwen2-bias", {{"model.layers.1.self_attn.q_proj.bias", 3 * 8, 1, nan}},
                               folder.path());
    const auto damaged = core::Session::open(folder.path(), {}, core::Progress());
    Shown shown;
    const auto isSaid = [&](const QString& text) {
      for (const QLabel* label : shown.panel.findChildren<QLabel*>())
        if (label->text() == text && label->isVisibleTo(&shown.panel))
          return label->palette().color(label->foregroundRole()) == widgets::warningColor(label->palette());
      return false;
    };
    shown.state.setCapture(damaged->run({{1, 2, 3, 4, 5}, {}}, core::Progress()));
    shown.state.setHead({core::Layer(1), core::Head(2)});
    QVERIFY(!isSaid("5 of 5 rows do not sum to 1"));
    shown.state.setHead({core::Layer(1), core::Head(3)});
    QVERIFY(isSaid("5 of 5 rows do not sum to 1"));
    shown.state.setHead({core::Layer(1), core::Head(4)});
    QVERIFY(!isSaid("5 of 5 rows do not sum to 1"));
  }

  void theMapIsThatOfTheHead() {
    Shown shown;
    const core::HeadId head{core::Layer(4), core::Head(1)};
    shown.state.setHead(head);
    shown.settle();
    widgets::HeatmapView& view = shown.panel.view();
    const int scale = static_cast<int>(view.geometry().rows().scale);
    const QImage image = view.grab().toImage().convertToFormat(QImage::Format_RGB32);
    const QImage expected =
        widgets::renderMapImage(core::AttentionMap(shown.state.capture(), head), core::Stage::Weights,
                                {.colormap = widgets::ColormapName::Viridis, .scale = widgets::Scale::Linear}, scale);
    QVERIFY(scale >= 3);
    QCOMPARE(image.copy(expected.rect()), expected);
  }

  void buttonsSetStageAndScale() {
    Shown shown;
    shown.press("scores");
    QCOMPARE(shown.state.stage(), core::Stage::Scores);
    shown.press("re-assembled");
    QCOMPARE(shown.state.stage(), core::Stage::Reassembled);
    shown.press("√");
    QCOMPARE(shown.state.colours().scale, Scale::SquareRoot);
  }

  void signedStagesDivergeAndEachKindKeepsItsColours() {
    Shown shown;
    QCOMPARE(shown.state.colours().colormap, ColormapName::Viridis);
    shown.state.setStage(core::Stage::Scores);
    QCOMPARE(shown.state.colours().colormap, ColormapName::Diverging);
    shown.state.setStage(core::Stage::Weights);
    QCOMPARE(shown.state.colours().colormap, ColormapName::Viridis);
    shown.state.setColormap(ColormapName::Magma);
    shown.state.setStage(core::Stage::Output);
    QCOMPARE(shown.state.colours().colormap, ColormapName::Diverging);
    shown.state.setStage(core::Stage::Weights);
    QCOMPARE(shown.state.colours().colormap, ColormapName::Magma);
  }

  void hoveringAndPinningGoThroughTheState() {
    Shown shown;
    const widgets::AxisMapping& rows = shown.panel.view().geometry().rows();
    const int scale = static_cast<int>(rows.scale);
    const QPoint at(2 * scale + scale / 2, 7 * scale + scale / 2);
    support::moveMouse(shown.panel.view(), at);
    QCOMPARE(shown.state.hovered(), std::optional(Cell{7, 2}));
    QTest::mouseClick(&shown.panel.view(), Qt::LeftButton, {}, at);
    QCOMPARE(shown.state.pinned(), std::optional(Cell{7, 2}));
    QTest::keyClick(&shown.panel.view(), Qt::Key_Escape);
    QVERIFY(!shown.state.pinned().has_value());
  }

  void theSentenceTellsTheValueOrThatItIsMasked() {
    Shown shown;
    QSignalSpy sentences(&shown.panel, &widgets::MapPanel::readoutChanged);
    shown.state.setHovered(Cell{0, 0});
    QCOMPARE(shown.panel.readout(), QString("query 0, key 0: weight 1"));
    QCOMPARE(sentences.last().first().toString(), shown.panel.readout());
    shown.state.setHovered(Cell{0, 5});
    QCOMPARE(shown.panel.readout(), QString("query 0, key 5: masked"));
    shown.state.setHovered(std::nullopt);
    QVERIFY(shown.panel.readout().isEmpty());
  }

  void keysStepThroughHeadsAndStopAtTheEnds() {
    Shown shown;
    QTest::keyClick(&shown.panel.view(), Qt::Key_BracketRight);
    QTest::keyClick(&shown.panel.view(), Qt::Key_PageDown);
    QCOMPARE(shown.state.head(), (core::HeadId{core::Layer(1), core::Head(1)}));
    for (int i = 0; i < 20; ++i) QTest::keyClick(&shown.panel.view(), Qt::Key_BracketLeft);
    QCOMPARE(shown.state.head(), (core::HeadId{core::Layer(0), core::Head(1)}));
  }

  void inAnOutputACellIsADimensionAndNoKey() {
    Shown shown;
    shown.state.setStage(core::Stage::Output);
    shown.settle();
    support::moveMouse(shown.panel.view(), {5, 5});
    QVERIFY(shown.state.hovered() == (Cell{0, 0}));  // the row's query, at its own key
    QVERIFY2(shown.panel.readout().startsWith("query 0, dimension 0: y "), qPrintable(shown.panel.readout()));
    QTest::mouseClick(&shown.panel.view(), Qt::LeftButton, {}, {5, 5});
    QVERIFY(!shown.state.pinned().has_value());
  }

  void aNewCaptureReplacesAxesAndShapes() {
    Shown shown;
    shown.state.setCapture(run("JULIET"));
    shown.settle();
    QCOMPARE(shown.panel.view().geometry().rows().cells, 6);
    const QStringList texts = shown.texts();
    QVERIFY(std::any_of(texts.begin(), texts.end(), [](const QString& text) { return text.contains("(6, 6, 6)"); }));
  }

  void oneTokenIsAMapOfOneCell() {
    Shown shown;
    shown.state.setCapture(run("A"));
    shown.settle();
    QCOMPARE(shown.panel.view().valueAt({0, 0}), std::optional(1.0f));
  }

  void anEmptyStateIsAnEmptyPanel() {
    widgets::JobRunner jobs;
    widgets::ViewState state;
    widgets::MapPanel panel(state, jobs);
    panel.resize(700, 500);
    QVERIFY(!panel.grab().isNull());
    QVERIFY(panel.readout().isEmpty());
    QTest::keyClick(&panel.view(), Qt::Key_PageDown);
  }

  void ticksOfTheColourBarAreValues() {
    widgets::ColorBar bar;
    QVERIFY(bar.tickText(1).isEmpty());
    bar.setColours({.colormap = ColormapName::Viridis, .scale = Scale::SquareRoot}, core::Stage::Weights,
                   core::ValueRange{0, 0.8f}, nullptr);
    QCOMPARE(bar.tickText(1), QString("0.8"));
    QCOMPARE(bar.tickText(0.5), QString("0.2"));
    bar.setColours({.colormap = ColormapName::Viridis, .scale = Scale::Log}, core::Stage::Weights,
                   core::ValueRange{0, 1}, nullptr);
    QCOMPARE(bar.tickText(0.75), QString("0.1"));
    bar.setColours({.colormap = ColormapName::Diverging, .scale = Scale::Linear}, core::Stage::Scores,
                   core::ValueRange{-2, 5}, nullptr);
    QCOMPARE(bar.tickText(0), QString("-5"));
    QCOMPARE(bar.tickText(0.5), QString("0"));
    bar.setColours({.colormap = ColormapName::Viridis, .scale = Scale::PerRow}, core::Stage::Weights,
                   core::ValueRange{0, 1}, nullptr);
    QCOMPARE(bar.tickText(1), QString("row max"));
  }

  void pinnedHeadsStandSideBySideWithOneZoomCursorAndRange() {
    Shown shown;
    shown.state.setHead({core::Layer(1), core::Head(0)});
    shown.state.togglePinned({core::Layer(4), core::Head(3)});
    shown.state.setHiddenKeys(core::KeySet({0}));
    shown.settle();
    QCOMPARE(shown.panel.paneCount(), std::size_t{2});
    widgets::HeatmapView& first = shown.panel.pane(0).view();
    widgets::HeatmapView& second = shown.panel.pane(1).view();
    first.zoomIn();
    QCOMPARE(second.geometry().rows().scale, first.geometry().rows().scale);
    QCOMPARE(second.geometry().columns().offset, first.geometry().columns().offset);
    second.fit();
    QVERIFY(first.geometry().isFitted());
    shown.settle();
    QVERIFY(first.ownRange()->high != second.ownRange()->high);
    QCOMPARE(first.colorRange()->high, std::max(first.ownRange()->high, second.ownRange()->high));
    QCOMPARE(second.colorRange()->high, first.colorRange()->high);
    shown.state.setPinned(Cell{7, 3});
    const core::AttentionMap a(shown.state.capture(), {core::Layer(1), core::Head(0)});
    const core::AttentionMap b(shown.state.capture(), {core::Layer(4), core::Head(3)});
    const core::MapRect cell{{7, 8}, {3, 4}};
    const auto text = [&](const core::AttentionMap& map) {
      return widgets::shortNumber(static_cast<double>(map.rectangle(core::Stage::Weights, cell).values[0]));
    };
    QCOMPARE(shown.panel.readout(), "query 7, key 3: weight " + text(a) + " | " + text(b));
    shown.state.setPinnedHeads({});
    QCOMPARE(shown.panel.paneCount(), std::size_t{1});
  }

  void hiddenKeysAreNotDrawnAndTheirMassIsSaid() {
    Shown shown;
    const core::HeadId head{core::Layer(2), core::Head(1)};
    shown.state.setHead(head);
    shown.state.setHiddenKeys(core::KeySet({0}));
    shown.settle();
    const core::AttentionMap map(shown.state.capture(), head);
    const core::MapValues column = map.rectangle(core::Stage::Weights, {{0, shown.state.capture()->size()}, {0, 1}});
    double sum = 0;
    for (const float value : column.values) sum += static_cast<double>(value);
    const QString expected = QString("Key 0 is hidden: it holds %1 % of this map's attention.")
                                 .arg(100 * sum / static_cast<double>(column.rows), 0, 'f', 1);
    QTRY_COMPARE(shown.panel.hiddenSentence(), expected);
    QVERIFY(shown.texts().contains(expected));
    const QImage image = shown.panel.view().grab().toImage().convertToFormat(QImage::Format_RGB32);
    const int scale = static_cast<int>(shown.panel.view().geometry().rows().scale);
    for (int y = 0; y < 5 * scale; ++y)
      QCOMPARE(image.pixel(1, y), widgets::patternAt(widgets::NoValue::Hidden, widgets::kLightHatch, 1, y));
    // The number is there all the same.
    shown.state.setPinned(Cell{5, 0});
    QTRY_VERIFY(shown.panel.readout().contains("(hidden)"));
  }

  void theMeanIsOfTheSelectedHeadAndThePinnedOnes() {
    Shown shown;
    shown.state.setHead({core::Layer(0), core::Head(0)});
    shown.state.setPinnedHeads({{core::Layer(3), core::Head(2)}, {core::Layer(5), core::Head(5)}});
    shown.state.setShown(widgets::Shown::Mean);
    shown.settle();
    QCOMPARE(shown.panel.paneCount(), std::size_t{1});
    QVERIFY(shown.texts().contains("Mean of 3 heads"));
    QVERIFY(shown.texts().contains("(0·0, 3·2, 5·5)"));
    double sum = 0;
    for (const core::HeadId head : {core::HeadId{core::Layer(0), core::Head(0)},
                                    {core::Layer(3), core::Head(2)},
                                    {core::Layer(5), core::Head(5)}})
      sum += static_cast<double>(
          core::AttentionMap(shown.state.capture(), head).rectangle(core::Stage::Weights, {{9, 10}, {2, 3}}).values[0]);
    QTRY_VERIFY(shown.panel.view().valueAt({9, 2}));
    QVERIFY(std::abs(static_cast<double>(*shown.panel.view().valueAt({9, 2})) - sum / 3) < 1e-6);
  }

  void aDifferenceIsDivergingAndSaysTheTotalVariationOfARow() {
    Shown shown;
    shown.state.setHead({core::Layer(1), core::Head(1)});
    shown.state.setDifference({.layer = core::Layer(2), .head = core::Head(4), .stage = {}});
    shown.state.setShown(widgets::Shown::Difference);
    shown.settle();
    QVERIFY(shown.texts().contains("Layer 1, head 1 − layer 2, head 4"));
    QCOMPARE(shown.state.colours().colormap, ColormapName::Diverging);
    const core::MapRect row{{12, 13}, {0, shown.state.capture()->size()}};
    const core::MapValues a =
        core::AttentionMap(shown.state.capture(), {core::Layer(1), core::Head(1)}).rectangle(core::Stage::Weights, row);
    const core::MapValues b =
        core::AttentionMap(shown.state.capture(), {core::Layer(2), core::Head(4)}).rectangle(core::Stage::Weights, row);
    double variation = 0;
    for (std::size_t i = 0; i < a.values.size(); ++i)
      variation += std::abs(static_cast<double>(a.values[i]) - static_cast<double>(b.values[i])) / 2;
    QTRY_VERIFY(shown.panel.pane(0).profile().valueOf(12));
    QVERIFY(std::abs(static_cast<double>(*shown.panel.pane(0).profile().valueOf(12)) - variation) < 1e-6);
    shown.state.setPinned(Cell{12, 4});
    QVERIFY2(
        shown.panel.readout().contains("difference") && shown.panel.readout().contains("total variation of the row"),
        qPrintable(shown.panel.readout()));
    shown.state.setShown(widgets::Shown::Heads);
    QCOMPARE(shown.state.colours().colormap, ColormapName::Viridis);
  }

  void runsOfOtherLengthsAreNotComparedAndTheReasonIsSaid() {
    Shown shown;
    shown.state.keepCapture();
    shown.state.setDifference({.ofKeptRun = true, .layer = core::Layer(0), .head = core::Head(0), .stage = {}});
    shown.state.setShown(widgets::Shown::Difference);
    shown.settle();
    shown.state.setCapture(run("ROMEO: what\n"));
    QVERIFY(shown.panel.hasFailed());
    const QStringList texts = shown.texts();
    QVERIFY(std::any_of(texts.begin(), texts.end(), [](const QString& text) {
      return text.contains("A map of 12 x 12 cells can't be compared with one of 20 x 20");
    }));
    shown.state.setCapture(run("JULIE: what say you\n"));
    shown.settle();
    QVERIFY(!shown.panel.hasFailed());
  }

  void wordsAreAddedUpAndTheCursorGoesByTokens() {
    Shown shown;
    shown.state.setUnit(widgets::Unit::Words);
    shown.settle();
    // "ROMEO" ":" " what" " say" " you" "⏎"
    QCOMPARE(shown.panel.units().labels(),
             (QStringList{"0 · ROMEO", "1 · :", "2 · ␣what", "3 · ␣say", "4 · ␣you", "5 · ⏎"}));
    QCOMPARE(shown.panel.view().geometry().rows().cells, 6);
    shown.state.setPinned(Cell{9, 2});  // "a" of what, "M" of ROMEO
    QTRY_VERIFY2(shown.panel.readout().startsWith("query word 2, key word 0: weight"),
                 qPrintable(shown.panel.readout()));
    double sum = 0;
    const core::MapValues block = core::AttentionMap(shown.state.capture(), shown.state.head())
                                      .rectangle(core::Stage::Weights, {{6, 11}, {0, 5}});
    for (const float value : block.values) sum += static_cast<double>(value);
    QVERIFY(std::abs(static_cast<double>(*shown.panel.view().valueAt({2, 0})) - sum / 5) < 1e-6);
    // Scores can't be added up: they are shown by token.
    shown.state.setStage(core::Stage::Scores);
    QCOMPARE(shown.panel.view().geometry().rows().cells, 20);
    shown.state.setStage(core::Stage::Weights);
    shown.state.setUnit(widgets::Unit::Tokens);
    QCOMPARE(shown.panel.view().geometry().rows().cells, 20);
  }

  void aSearchMarksCountsAndGoesFromMatchToMatch() {
    Shown shown;
    auto& field = *shown.panel.search().findChild<QLineEdit*>();
    const auto says = [&](const QString& text) { return shown.texts().contains(text); };
    QTest::keyClicks(&field, "a");
    QVERIFY(says("2 matches"));
    QCOMPARE(shown.state.matches(), core::KeySet({9, 13}));
    QTest::keyClicks(&field, "y");
    QVERIFY(says("1 match"));
    QTest::keyClicks(&field, "z");
    QVERIFY(says("no match"));
    QVERIFY(shown.state.matches().empty());
    field.setText("a");
    QTest::keyClick(&field, Qt::Key_Return);
    QCOMPARE(shown.state.pinned()->query, 9);
    QVERIFY(says("1 of 2"));
    QTest::keyClick(&field, Qt::Key_Return);
    QCOMPARE(shown.state.pinned()->query, 13);
    QTest::keyClick(&field, Qt::Key_Return);
    QCOMPARE(shown.state.pinned()->query, 9);
    QTest::keyClick(&field, Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(shown.state.pinned()->query, 13);
    QTest::keyClick(&field, Qt::Key_Escape);
    QVERIFY(shown.state.matches().empty());
  }

  void draggingTheBarChoosesTheRangeAndADoubleClickBringsItBack() {
    Shown shown;
    auto& bar = *shown.panel.findChild<widgets::ColorBar*>();
    const QRectF place = bar.bar();
    const QPoint top(static_cast<int>(place.center().x()), static_cast<int>(place.top()) + 2);
    const QPoint quarter(top.x(), static_cast<int>(place.bottom() - place.height() / 4));
    QTest::mousePress(&bar, Qt::LeftButton, {}, top);
    QTest::mouseMove(&bar, quarter);
    QTest::mouseRelease(&bar, Qt::LeftButton, {}, quarter);
    QVERIFY(shown.state.colours().range);
    QCOMPARE(shown.state.colours().range->low, 0.F);
    QVERIFY(std::abs(shown.state.colours().range->high - 0.25F) < 0.01F);
    shown.settle();
    // The first weight, 1, is above the range now, and looks so.
    const QImage image = shown.panel.view().grab().toImage().convertToFormat(QImage::Format_RGB32);
    QCOMPARE(image.pixel(2, 2), widgets::specialColours(ColormapName::Viridis).above);
    QTest::mouseDClick(&bar, Qt::LeftButton, {}, quarter);
    QVERIFY(!shown.state.colours().range);
  }

  void percentilesSpreadTheColours() {
    Shown shown;
    shown.press("percentile");
    shown.settle();
    QVERIFY(shown.panel.ranks());
    const QImage image = shown.panel.view().grab().toImage().convertToFormat(QImage::Format_RGB32);
    const int scale = static_cast<int>(shown.panel.view().geometry().rows().scale);
    int bright = 0;
    for (int row = 0; row < 20; ++row)
      for (int column = 0; column <= row; ++column) {
        const widgets::Rgb color = image.pixel(column * scale + 1, row * scale + 1);
        const auto& table = widgets::colormapTable(ColormapName::Viridis);
        if (std::find(table.begin() + 128, table.end(), color) != table.end()) ++bright;
      }
    // Half of the 210 values lie above the middle of the colour map.
    QVERIFY2(std::abs(bright - 105) <= 3, qPrintable(QString::number(bright)));
  }
};

HEADSCOPE_QTEST_MAIN(MapPanelTest)
#include "map_panel_test.moc"
