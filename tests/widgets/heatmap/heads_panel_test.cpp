// The panel of all heads, with the bundled model: state in, state out, and the numbers of the heads.
#include "widgets/heatmap/heads_panel.h"

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QToolButton>
#include <algorithm>

#include "core/attention_map.h"
#include "core/session.h"
#include "tests/support/files.h"
#include "tests/support/qt_test.h"
#include "tests/support/wait.h"
#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/colour_table.h"
#include "widgets/heatmap/head_grid.h"

namespace {

using widgets::HeadGrid;
using widgets::HeadsPanel;

core::HeadId id(int layer, int head) { return {core::Layer(layer), core::Head(head)}; }

std::shared_ptr<const core::Capture> run(const std::string& prompt) {
  static const auto session = core::Session::open(support::repository("models/shakespeare-char"), {}, core::Progress());
  return session->run({session->check(prompt).tokens, {}}, core::Progress());
}

const core::HeadMetric& metric(std::string_view shortName) {
  return *std::find_if(core::kHeadMetrics.begin(), core::kHeadMetrics.end(),
                       [&](const core::HeadMetric& m) { return m.shortName == shortName; });
}

/// Asked of the capture itself, one head at a time.
double valueOf(const std::shared_ptr<const core::Capture>& capture, core::HeadId head, std::string_view shortName) {
  return metric(shortName).of(core::headMetrics(std::make_shared<core::AttentionMap>(capture, head))).value();
}

struct Shown {
  explicit Shown(std::shared_ptr<const core::Capture> capture = run("ROMEO: what say you, my lord?\n"))
      : panel(state, jobs) {
    panel.resize(320, 460);
    panel.grab();  // lays out without a window
    state.setCapture(capture);
    settle();
  }
  void settle() {
    QVERIFY(support::waitFor([this] { return jobs.isIdle(); }));
    QVERIFY(support::waitFor([this] {
      panel.grab();
      return panel.isComplete() && jobs.isIdle();
    }));
  }
  HeadGrid& grid() { return panel.grid(); }
  std::vector<core::HeadId> heads() {
    std::vector<core::HeadId> heads;
    for (std::size_t place = 0; place < grid().places().count(); ++place) heads.push_back(grid().places().head(place));
    return heads;
  }
  QAction& action(const QString& text) {
    for (QAction* action : panel.findChildren<QAction*>())
      if (action->text().remove('&') == text) return *action;
    qFatal("there is no action %s", qPrintable(text));
  }
  bool saysAnywhere(const QString& text) {
    const QList<QLabel*> labels = panel.findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel* label) { return label->text() == text && label->isVisibleTo(&panel); });
  }

  widgets::JobRunner jobs;
  widgets::ViewState state;
  HeadsPanel panel;
};

}  // namespace

class HeadsPanelTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:

  void itShowsAllHeadsOfTheCapture() {
    Shown shown;
    QCOMPARE(shown.heads().size(), std::size_t{36});
    const std::vector<core::HeadId> heads = shown.heads();
    QVERIFY(std::is_sorted(heads.begin(), heads.end()));
    QVERIFY(shown.saysAnywhere("36 heads"));
    for (const core::HeadId head : heads) QVERIFY(!shown.grid().thumbnail(head).isNull());
  }

  void withoutACaptureThereAreNoHeads() {
    Shown shown;
    shown.state.setCapture(nullptr);
    shown.settle();
    QVERIFY(shown.heads().empty());
    QTest::keyClick(&shown.grid(), Qt::Key_Right);
  }

  void selectionAndPinsGoBothWays() {
    Shown shown;
    shown.state.setHead(id(3, 2));
    QCOMPARE(shown.grid().selected(), id(3, 2));
    QTest::keyClick(&shown.grid(), Qt::Key_Right);
    QCOMPARE(shown.state.head(), id(3, 3));
    QTest::keyClick(&shown.grid(), Qt::Key_P);
    QCOMPARE(shown.state.pinnedHeads(), std::vector{id(3, 3)});
    QVERIFY(shown.grid().toolTipOf(id(3, 3)).startsWith("Layer 3, head 3 (kv 3), pinned\n"));
    shown.state.setPinnedHeads({});
    QVERIFY(!shown.grid().toolTipOf(id(3, 3)).contains("pinned"));
  }

  void pinningARangeKeepsWhatIsPinned() {
    Shown shown;
    shown.state.setPinnedHeads({id(5, 5), id(2, 2)});
    shown.state.setHead(id(2, 1));
    QTest::mouseClick(shown.grid().viewport(), Qt::LeftButton, Qt::ShiftModifier,
                      shown.grid().places().thumbnail(id(2, 3)).center());
    QCOMPARE(shown.state.pinnedHeads(), (std::vector{id(5, 5), id(2, 2), id(2, 1), id(2, 3)}));
    QCOMPARE(shown.state.head(), id(2, 1));
  }

  void theNumbersOfAllHeadsAreRead() {
    const auto capture = run("ROMEO: what say you, my lord?\n");
    Shown shown(capture);
    for (const core::HeadId head : shown.heads()) {
      const core::HeadMetrics* metrics = shown.panel.metrics(head);
      QVERIFY(metrics);
      QCOMPARE(metrics->entropy, valueOf(capture, head, "entropy"));
    }
    const QString tip = shown.grid().toolTipOf(id(2, 3));
    QVERIFY2(tip.contains(QString("\nentropy %1 nats\n").arg(valueOf(capture, id(2, 3), "entropy"), 0, 'f', 2)),
             qPrintable(tip));
    QVERIFY2(tip.contains("\nprevious token "), qPrintable(tip));
    QVERIFY2(!tip.contains("window edge"), qPrintable(tip));
  }

  void hiddenKeysChangeTheSmallMapsAndNotTheNumbers() {
    Shown shown;
    const core::HeadMetrics* before = shown.panel.metrics(id(1, 1));
    shown.grid().setColours({}, core::ValueRange{0, 1});
    const QImage map = shown.grid().thumbnail(id(1, 1));
    shown.state.setHiddenKeys(core::KeySet({0}));
    QCOMPARE(shown.panel.metrics(id(1, 1)), before);
    QVERIFY(shown.grid().thumbnail(id(1, 1)).isNull());
    shown.settle();
    QVERIFY(shown.grid().thumbnail(id(1, 1)) != map);
  }

  void otherMapsOfTheSameRunLeaveTheSmallOnesAlone() {
    Shown shown;
    shown.state.setUnit(widgets::Unit::Words);
    shown.state.setShown(widgets::Shown::Mean);
    QVERIFY(!shown.grid().thumbnail(id(0, 0)).isNull());
  }

  void aNewCaptureIsReadAnew() {
    Shown shown;
    shown.panel.orderBy(&metric("first"));
    const auto other = run("JULIET: o, then, dear saint, let lips do what hands do\n");
    shown.state.setCapture(other);
    QVERIFY(!shown.panel.metrics(id(0, 0)));
    shown.settle();
    QCOMPARE(shown.panel.metrics(id(4, 4))->firstKey, valueOf(other, id(4, 4), "first"));
    QCOMPARE(shown.panel.order(), &metric("first"));
    QCOMPARE(shown.heads().size(), std::size_t{36});
  }

  void headsAreOrderedByANumberAndTheSameAgainTurnsRound() {
    const auto capture = run("ROMEO: what say you, my lord?\n");
    Shown shown(capture);
    QToolButton* button = nullptr;
    for (QToolButton* one : shown.panel.findChildren<QToolButton*>())
      if (one->text().startsWith("order")) button = one;
    QVERIFY(button);
    QCOMPARE(button->text(), QString("order: as is"));
    for (const core::HeadMetric& one : core::kHeadMetrics) {
      if (one.shortName == "edge") continue;  // no windows here
      shown.panel.orderBy(&one);
      std::vector<double> values;
      for (const core::HeadId head : shown.heads()) values.push_back(valueOf(capture, head, one.shortName));
      QVERIFY2(std::is_sorted(values.rbegin(), values.rend()), one.shortName.data());
      QCOMPARE(button->text(), "by " + QString::fromUtf8(one.shortName.data()));
    }
    const std::vector<core::HeadId> largestFirst = shown.heads();
    shown.action("Turn Round").trigger();
    std::vector<double> values;
    for (const core::HeadId head : shown.heads()) values.push_back(valueOf(capture, head, "first"));
    QVERIFY(std::is_sorted(values.begin(), values.end()));
    shown.action("By First key").trigger();
    QCOMPARE(shown.heads(), largestFirst);
    shown.action("As Is").trigger();
    QCOMPARE(button->text(), QString("order: as is"));
    QVERIFY(!shown.action("Turn Round").isEnabled());
    const std::vector<core::HeadId> heads = shown.heads();
    QVERIFY(std::is_sorted(heads.begin(), heads.end()));
  }

  void oneLayerIsShownAndFollowsTheSelectedHead() {
    Shown shown;
    shown.state.setHead(id(3, 0));
    shown.action("Only This Layer").trigger();
    QCOMPARE(shown.heads().size(), std::size_t{6});
    QVERIFY(shown.saysAnywhere("6 of 36 heads"));
    for (const core::HeadId head : shown.heads()) QCOMPARE(head.layer, core::Layer(3));
    shown.state.setHead(id(4, 5));
    for (const core::HeadId head : shown.heads()) QCOMPARE(head.layer, core::Layer(4));
    shown.action("All").trigger();
    QCOMPARE(shown.heads().size(), std::size_t{36});
    shown.action("2").trigger();
    QCOMPARE(shown.heads().front(), id(2, 0));
  }

  void aFilterLeavesTheHeadsThatPassAndSaysHowMany() {
    const auto capture = run("ROMEO: what say you, my lord?\n");
    Shown shown(capture);
    std::vector<core::HeadId> expected;
    for (const core::HeadId head : shown.heads())
      if (valueOf(capture, head, "previous") > 0.3) expected.push_back(head);
    QVERIFY(!expected.empty() && expected.size() < 36);
    auto& edit = *shown.panel.findChild<QLineEdit*>();
    QTest::keyClicks(&edit, "previous > 0.3");
    QCOMPARE(shown.heads(), expected);
    QVERIFY(shown.saysAnywhere(QString("%1 of 36 heads").arg(expected.size())));
    QVERIFY(shown.panel.problem().isEmpty());
    QTest::keyClick(&edit, Qt::Key_Escape);
    QVERIFY(edit.text().isEmpty());
    QCOMPARE(shown.heads().size(), std::size_t{36});
  }

  void aFilterThatMeansNothingIsExplainedAndShowsAll() {
    Shown shown;
    shown.panel.setFilter("previous > much");
    QCOMPARE(shown.heads().size(), std::size_t{36});
    QVERIFY(shown.saysAnywhere("“much” is no number: previous > 0.3"));
    shown.panel.setFilter("previous > 0.3");
    QVERIFY(!shown.saysAnywhere("“much” is no number: previous > 0.3"));
  }

  void noHeadThatPassesIsSaid() {
    Shown shown;
    const QImage before = shown.grid().grab().toImage();
    shown.panel.setFilter("previous > 2");
    QVERIFY(shown.heads().empty());
    QVERIFY(shown.saysAnywhere("0 of 36 heads"));
    QVERIFY(shown.grid().grab().toImage() != before);
    for (const Qt::Key key : {Qt::Key_Right, Qt::Key_End, Qt::Key_PageDown}) QTest::keyClick(&shown.grid(), key);
    QCOMPARE(shown.state.head(), id(0, 0));
  }

  void keysMoveInTheOrderThatIsShown() {
    Shown shown;
    shown.panel.orderBy(&metric("distance"));
    const std::vector<core::HeadId> heads = shown.heads();
    shown.state.setHead(heads[3]);
    QTest::keyClick(&shown.grid(), Qt::Key_Right);
    QCOMPARE(shown.state.head(), heads[4]);
    QTest::keyClick(&shown.grid(), Qt::Key_Home);
    QCOMPARE(shown.state.head(), heads.front());
    QTest::keyClick(&shown.grid(), Qt::Key_End);
    QCOMPARE(shown.state.head(), heads.back());
    shown.panel.setFilter("distance > 5");
    QVERIFY(shown.heads().size() < 36);
    shown.state.setHead(heads.back());  // is not among them
    QTest::keyClick(&shown.grid(), Qt::Key_Down);
    QCOMPARE(shown.state.head(), shown.heads().front());
  }

  void screenReadersHearSelectionPinAndNumber() {
    const auto capture = run("ROMEO: what say you, my lord?\n");
    Shown shown(capture);
    shown.state.setHead(id(2, 3));
    const QString entropy = QString::number(valueOf(capture, id(2, 3), "entropy"), 'f', 2);
    QCOMPARE(shown.grid().accessibleDescription(), QString("layer 2, head 3, entropy %1 nats").arg(entropy));
    shown.state.togglePinned(id(2, 3));
    QCOMPARE(shown.grid().accessibleDescription(), QString("layer 2, head 3, pinned, entropy %1 nats").arg(entropy));
    shown.panel.orderBy(&metric("self"));
    const auto place = shown.grid().places().placeOf(id(2, 3)).value() + 1;
    QCOMPARE(shown.grid().accessibleDescription(), QString("layer 2, head 3, pinned, self %1, %2 of 36")
                                                       .arg(valueOf(capture, id(2, 3), "self"), 0, 'f', 2)
                                                       .arg(place));
    shown.panel.setFilter("self > 2");
    QVERIFY(shown.grid().accessibleDescription().endsWith(", not among the 0 shown"));
  }

  void everyPartHasAnAccessibleNameAndIsReachedByTab() {
    Shown shown;
    shown.panel.orderBy(&metric("self"));
    for (const QToolButton* button : shown.panel.findChildren<QToolButton*>()) {
      if (button->parent() != &shown.panel) continue;  // inside the line edit
      QVERIFY(!button->text().isEmpty() || !button->accessibleName().isEmpty());
      QVERIFY(button->focusPolicy() & Qt::TabFocus);
      QVERIFY(!button->toolTip().isEmpty());
    }
    QVERIFY(!shown.panel.findChild<QLineEdit*>()->accessibleName().isEmpty());
    QVERIFY(shown.grid().focusPolicy() & Qt::TabFocus);
  }

  void everyActionHasAKeyOfItsOwnButTheSingleLayers() {
    Shown shown;
    QStringList keys;
    for (const QAction* action : shown.panel.findChildren<QAction*>()) {
      if (action->menu() || action->isSeparator() || action->text().isEmpty()) continue;
      bool isNumber = false;
      action->text().toInt(&isNumber);
      if (isNumber || action->text() == "All") continue;
      QVERIFY2(!action->shortcut().isEmpty(), qPrintable(action->text()));
      QVERIFY2(!keys.contains(action->shortcut().toString()), qPrintable(action->text()));
      keys << action->shortcut().toString();
    }
    QVERIFY(keys.size() > 12);
  }

  void allHeadsOfALayerArePinnedFromTheMenu() {
    Shown shown;
    shown.state.setHead(id(4, 2));
    shown.action("Pin All Heads of the Layer").trigger();
    QCOMPARE(shown.state.pinnedHeads().size(), std::size_t{6});
    QVERIFY(shown.state.isPinned(id(4, 0)) && shown.state.isPinned(id(4, 5)));
  }

  void smallMapsKeepTheColoursOfWeightsWhileAnotherStageIsShown() {
    Shown shown;
    shown.panel.setColours(core::ValueRange{0, 1}, nullptr);
    shown.settle();
    const QImage weights = shown.grid().thumbnail(id(2, 2));
    shown.state.setStage(core::Stage::Scores);
    shown.state.setColormap(widgets::ColormapName::Diverging);
    shown.panel.setColours(core::ValueRange{-9, 9}, nullptr);
    QCOMPARE(shown.grid().thumbnail(id(2, 2)), weights);
    shown.state.setStage(core::Stage::Weights);
    shown.state.setColormap(widgets::ColormapName::Grey);
    shown.panel.setColours(core::ValueRange{0, 1}, nullptr);
    QVERIFY(shown.grid().thumbnail(id(2, 2)) != weights);
  }

  void numbersAreReadBeforeTheSmallMapsWhenSomethingIsOrderedByThem() {
    widgets::JobRunner jobs;
    widgets::ViewState state;
    HeadsPanel panel(state, jobs);
    panel.resize(320, 460);
    panel.grab();
    panel.orderBy(&metric("entropy"));
    state.setCapture(run("ROMEO: what say you, my lord?\n"));
    QVERIFY(jobs.isBusy("heads.numbers"));
    QVERIFY(panel.countText().contains("measuring"));
    QTRY_VERIFY(panel.isComplete());
    QCOMPARE(panel.countText(), QString("36 heads"));
  }

  void theJobsOfAPanelThatGoesAreCancelled() {
    widgets::JobRunner jobs;
    widgets::ViewState state;
    {
      HeadsPanel panel(state, jobs);
      state.setCapture(run("ROMEO: what say you, my lord?\n"));
    }
    QTRY_VERIFY(jobs.isIdle());
  }

  void theOtherOrderOfDestructionIsFineToo() {
    auto jobs = std::make_unique<widgets::JobRunner>();
    widgets::ViewState state;
    HeadsPanel panel(state, *jobs);
    state.setCapture(run("ROMEO: what say you, my lord?\n"));
    jobs.reset();
    panel.grab();
  }
};

HEADSCOPE_QTEST_MAIN(HeadsPanelTest)
#include "heads_panel_test.moc"
