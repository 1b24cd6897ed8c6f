#include "widgets/state/view_state.h"

#include <QSignalSpy>

#include "tests/support/qt_test.h"

using core::Head;
using core::HeadId;
using core::Layer;
using widgets::Cell;
using widgets::ViewState;

namespace {

/// Sets a capture of which only the address and the numbers matter; the state never looks into it.
void setNumbers(ViewState& state, int layers, int heads, std::int64_t tokens) {
  const auto owner = std::make_shared<int>();
  state.setCapture({owner, reinterpret_cast<const core::Capture*>(owner.get())}, {layers, heads, tokens});
}

HeadId head(int layer, int number) { return {Layer(layer), Head(number)}; }

}  // namespace

class ViewStateTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:
  void aSetterSignalsAChangeOnce() {
    ViewState state;
    setNumbers(state, 6, 6, 40);
    QSignalSpy heads(&state, &ViewState::headChanged);
    QSignalSpy stages(&state, &ViewState::stageChanged);
    QSignalSpy colours(&state, &ViewState::colouringChanged);
    QSignalSpy cells(&state, &ViewState::cellChanged);
    for (int again = 0; again < 2; ++again) {
      state.setHead(head(3, 2));
      state.setStage(core::Stage::Scores);
      state.setScale(widgets::Scale::Log);
      state.setColormap(widgets::ColormapName::Magma);
      state.setReduction(core::Reduction::Mean);
      state.setHovered(Cell{17, 4});
    }
    QCOMPARE(heads.size(), 1);
    QCOMPARE(stages.size(), 1);
    QCOMPARE(colours.size(), 3);
    QCOMPARE(cells.size(), 1);
  }

  void aHeadIsClampedToTheModel() {
    ViewState state;
    setNumbers(state, 4, 2, 10);
    state.setHead(head(9, 9));
    QVERIFY(state.head() == head(3, 1));
    state.setHead(head(-1, -5));
    QVERIFY(state.head() == head(0, 0));
  }

  void thePinnedCellIsShownWhileAnotherIsHovered() {
    ViewState state;
    setNumbers(state, 1, 1, 10);
    state.setHovered(Cell{5, 1});
    QCOMPARE(*state.cell() == (Cell{5, 1}), true);
    state.setPinned(Cell{7, 3});
    state.setHovered(Cell{2, 2});
    QVERIFY(*state.cell() == (Cell{7, 3}));
    state.setPinned(std::nullopt);
    QVERIFY(*state.cell() == (Cell{2, 2}));
  }

  void aNewCaptureKeepsHeadAndCellWhereItHasThem() {
    ViewState state;
    setNumbers(state, 6, 6, 40);
    state.setHead(head(5, 1));
    state.setPinned(Cell{30, 7});
    QSignalSpy captures(&state, &ViewState::captureChanged);
    QSignalSpy heads(&state, &ViewState::headChanged);
    QSignalSpy cells(&state, &ViewState::cellChanged);
    setNumbers(state, 6, 6, 31);
    QVERIFY(state.head() == head(5, 1));
    QVERIFY(*state.pinned() == (Cell{30, 7}));
    QCOMPARE(captures.size(), 1);
    QCOMPARE(heads.size() + cells.size(), 0);
  }

  void aSmallerCaptureClampsTheHeadAndDropsCellsOutsideIt() {
    ViewState state;
    setNumbers(state, 6, 6, 40);
    state.setHead(head(5, 1));
    state.setPinned(Cell{30, 7});
    state.setHovered(Cell{29, 7});
    QSignalSpy heads(&state, &ViewState::headChanged);
    QSignalSpy cells(&state, &ViewState::cellChanged);
    bool captureCameFirst = false;
    connect(&state, &ViewState::captureChanged, this, [&] { captureCameFirst = heads.isEmpty() && cells.isEmpty(); });
    setNumbers(state, 2, 8, 30);
    QVERIFY(state.head() == head(1, 1));
    QVERIFY(!state.pinned());
    QVERIFY(*state.hovered() == (Cell{29, 7}));
    QVERIFY(captureCameFirst);
    QCOMPARE(heads.size(), 1);
    QCOMPARE(cells.size(), 1);
  }

  void aCellOutsideTheCaptureIsNone() {
    ViewState state;
    state.setPinned(Cell{0, 0});
    QVERIFY(!state.pinned());
    setNumbers(state, 1, 1, 10);
    for (const Cell& outside : {Cell{10, 0}, Cell{0, 10}, Cell{-1, 0}, Cell{0, -1}}) {
      state.setPinned(Cell{9, 9});
      state.setHovered(Cell{9, 9});
      QVERIFY(state.pinned() && state.hovered());
      state.setPinned(outside);
      state.setHovered(outside);
      QVERIFY(!state.pinned());
      QVERIFY(!state.hovered());
    }
  }

  void noCaptureHasNoCells() {
    ViewState state;
    setNumbers(state, 1, 1, 1);
    state.setHovered(Cell{0, 0});
    state.setCapture(nullptr, {});
    QVERIFY(!state.cell());
  }
};

HEADSCOPE_QTEST_MAIN(ViewStateTest)
#include "view_state_test.moc"
