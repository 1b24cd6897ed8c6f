// The panel around the map, with the bundled model: state in, state out.
#include "widgets/heatmap/map_panel.h"

#include <QLabel>
#include <QSignalSpy>
#include <QToolButton>

#include "core/session.h"
#include "tests/support/changed_model.h"
#include "tests/support/files.h"
#include "tests/support/qt_test.h"
#include "tests/widgets/heatmap/mouse.h"
#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/color_bar.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/heatmap/map_image.h"
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
      return panel.view().isExact();
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
    const QImage expected = widgets::renderMapImage(core::AttentionMap(shown.state.capture(), head),
                                                    core::Stage::Weights, Scale::Linear, ColormapName::Viridis, scale);
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
    QCOMPARE(shown.state.scale(), Scale::SquareRoot);
  }

  void signedStagesDivergeAndEachKindKeepsItsColours() {
    Shown shown;
    QCOMPARE(shown.state.colormap(), ColormapName::Viridis);
    shown.state.setStage(core::Stage::Scores);
    QCOMPARE(shown.state.colormap(), ColormapName::Diverging);
    shown.state.setStage(core::Stage::Weights);
    QCOMPARE(shown.state.colormap(), ColormapName::Viridis);
    shown.state.setColormap(ColormapName::Magma);
    shown.state.setStage(core::Stage::Output);
    QCOMPARE(shown.state.colormap(), ColormapName::Diverging);
    shown.state.setStage(core::Stage::Weights);
    QCOMPARE(shown.state.colormap(), ColormapName::Magma);
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
    bar.setColours(ColormapName::Viridis, Scale::SquareRoot, core::Stage::Weights, core::ValueRange{0, 0.8f});
    QCOMPARE(bar.tickText(1), QString("0.8"));
    QCOMPARE(bar.tickText(0.5), QString("0.2"));
    bar.setColours(ColormapName::Viridis, Scale::Log, core::Stage::Weights, core::ValueRange{0, 1});
    QCOMPARE(bar.tickText(0.75), QString("0.1"));
    bar.setColours(ColormapName::Diverging, Scale::Linear, core::Stage::Scores, core::ValueRange{-2, 5});
    QCOMPARE(bar.tickText(0), QString("-5"));
    QCOMPARE(bar.tickText(0.5), QString("0"));
    bar.setColours(ColormapName::Viridis, Scale::PerRow, core::Stage::Weights, core::ValueRange{0, 1});
    QCOMPARE(bar.tickText(1), QString("row max"));
  }
};

HEADSCOPE_QTEST_MAIN(MapPanelTest)
#include "map_panel_test.moc"
