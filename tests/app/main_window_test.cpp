// Looking at heads and maps in the window, on the bundled model.
#include <QMenu>
#include <QMessageBox>
#include <QTimer>
#include <map>

#include "tests/app/opened_window.h"
#include "tests/widgets/heatmap/test_map.h"
#include "widgets/heatmap/head_grid.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/panels/token_strip.h"

using support::head;
using support::kPatience;
using support::Opened;
using widgets::Cell;

class MainWindowTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:
  void headsArePickedByMouseAndByKeys() {
    Opened user;
    QVERIFY(user.settle());
    QSignalSpy heads(&user.state(), &widgets::ViewState::headChanged);
    user.find<widgets::HeadGrid>().setFocus();
    QTest::keyClick(&user.find<widgets::HeadGrid>(), Qt::Key_Down);
    QVERIFY(user.state().head() == head(1, 0));
    user.action("Next Head")->trigger();
    user.action("Next Layer")->trigger();
    QVERIFY(user.state().head() == head(2, 1));
    user.action("Previous Layer")->trigger();
    user.action("Previous Head")->trigger();
    QVERIFY(user.state().head() == head(1, 0));
    QVERIFY(user.find<widgets::HeadGrid>().selected() == head(1, 0));
    QVERIFY(user.showsText("Layer 1, head 0"));
    QCOMPARE(heads.size(), 5);
  }

  void aClickOnTheMapPinsAndEscReleases() {
    Opened user;
    QVERIFY(user.settle());
    auto& view = user.find<widgets::HeatmapView>();
    const auto& geometry = view.geometry();
    const QPoint place(static_cast<int>(geometry.columns().pixelOf(2.5)),
                       static_cast<int>(geometry.rows().pixelOf(9.5)));
    QTest::mouseClick(&view, Qt::LeftButton, {}, place);
    QVERIFY(user.state().pinned().has_value());
    QVERIFY(*user.state().pinned() == (Cell{9, 2}));
    QVERIFY(user.settle());
    QVERIFY(user.showsText("Query 9 "));
    QVERIFY(user.showsText("key 2 "));
    QVERIFY(user.action("Release Pin")->isEnabled());
    user.action("Release Pin")->trigger();
    QVERIFY(!user.state().pinned());
  }

  void aClickOnATokenOfTheStripPinsItsRow() {
    Opened user;
    QVERIFY(user.settle());
    auto& strip = user.find<widgets::TokenStrip>();
    QTest::mouseClick(strip.viewport(), Qt::LeftButton, {}, strip.chipRect(5).center());
    QVERIFY(user.state().pinned().has_value());
    QCOMPARE(user.state().pinned()->query, 5);
    QTest::mouseClick(strip.viewport(), Qt::LeftButton, {}, strip.chipRect(5).center());
    QVERIFY(!user.state().pinned());
  }

  void theMenuZooms() {
    Opened user;
    QVERIFY(user.settle());
    auto& view = user.find<widgets::HeatmapView>();
    const double fitted = view.geometry().columns().scale;
    user.action("Zoom In")->trigger();
    QVERIFY(view.geometry().columns().scale > fitted);
    user.action("1:1")->trigger();
    QCOMPARE(view.geometry().columns().scale, 1.0);
    user.action("Fit")->trigger();
    QCOMPARE(view.geometry().columns().scale, fitted);
  }

  void everyStageIsShown() {
    Opened user;
    QVERIFY(user.settle());
    for (const char* stage : {"scores", "masked", "output"}) {
      QVERIFY2(user.action(stage), stage);
      user.action(stage)->trigger();
      QVERIFY2(user.settle(), stage);
    }
    QVERIFY(user.state().stage() == core::Stage::Output);
  }

  void aMapThatCanNotBeComputedSettlesAndSaysWhy() {
    Opened user;
    QVERIFY(user.settle());
    QSignalSpy failed(user.window.get(), &app::MainWindow::mapFailed);
    user.find<widgets::HeatmapView>().setSource(std::make_shared<support::FailingMap>());
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
    QCOMPARE(failed.first().first().toString(), QString("This map needs 9 GiB."));
    QVERIFY(user.settle());
  }

  void keysAreUniqueAndEveryActionIsExplained() {
    Opened user;
    std::map<QString, QStringList> owners;
    for (const QAction* action : user.window->findChildren<QAction*>()) {
      if (action->isSeparator() || action->menu() || action->text().isEmpty()) continue;
      for (const QKeySequence& key : action->shortcuts()) owners[key.toString()] << action->text();
    }
    QVERIFY(owners.size() > 40);
    for (const auto& [key, texts] : owners) {
      // Esc cancels while something runs and releases the pin otherwise; never both are enabled.
      if (key != "Esc") QVERIFY2(texts.size() == 1, qPrintable(key + ": " + texts.join(", ")));
    }
    QVERIFY(!(user.action("Cancel")->isEnabled() && user.action("Release Pin")->isEnabled()));
  }

  void anExceptionInASlotIsShownAndTheProgramGoesOn() {
    QTimer::singleShot(0, this, [] { throw std::runtime_error("index 7"); });
    const auto box = [] {
      for (QWidget* widget : QApplication::topLevelWidgets())
        if (auto* found = qobject_cast<QMessageBox*>(widget)) return found;
      return static_cast<QMessageBox*>(nullptr);
    };
    QTRY_VERIFY(box());
    QVERIFY(box()->detailedText().contains("index 7"));
    box()->close();
  }
};

HEADSCOPE_WINDOW_TEST_MAIN(MainWindowTest)
#include "main_window_test.moc"
