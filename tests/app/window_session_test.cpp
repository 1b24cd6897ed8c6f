// How the window ends, and what it remembers.
#include <QElapsedTimer>
#include <QScreen>
#include <QSignalSpy>
#include <atomic>

#include "tests/app/opened_window.h"
#include "widgets/heatmap/head_grid.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/panels/inspector_panel.h"
#include "widgets/panels/token_strip.h"

using support::head;
using support::kPatience;
using support::Opened;
using widgets::PromptPanel;

class WindowSessionTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:
  void closingCancelsARun() {
    Opened user;
    QVERIFY(user.settle());
    std::atomic<bool> begun = false;
    std::atomic<bool> cancelled = false;
    user.window->jobs().submit<int>(
        "run", widgets::JobPriority::Interactive,
        [&](const core::Progress& progress) -> int {
          begun = true;
          try {
            while (true) progress.report(0.5, "without end");
          } catch (const core::Error& error) {
            cancelled = error.kind() == core::ErrorKind::Cancelled;
            throw;
          }
        },
        [](int) {}, [](const core::Error&) {});
    QTRY_VERIFY_WITH_TIMEOUT(begun, kPatience);
    QVERIFY(user.window->workbench().isRunning());
    QVERIFY(user.window->close());
    user.window.reset();
    QVERIFY(cancelled);
  }

  void closingWhileTheModelLoadsIsQuick() {
    Opened user;
    QVERIFY(user.window->workbench().isOpening());
    QElapsedTimer timer;
    timer.start();
    user.window.reset();
    QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
  }

  void theWindowFitsASmallScreen() {
    Opened user;
    QVERIFY(user.settle());
    const QSize least = user.window->minimumSizeHint();
    QVERIFY2(least.width() <= 1024 && least.height() <= 640,
             qPrintable(QString("%1 x %2").arg(least.width()).arg(least.height())));
  }

  void afterAPathThatCanNotBeOpenedTheBundledModelIsShown() {
    const support::TemporaryFolder folder;
    app::Settings settings(QString::fromStdString((folder / "settings.ini").string()));
    app::MainWindow window(settings);
    window.setPrompt("ROMEO:", PromptPanel::Entry::Text);
    QSignalSpy failed(&window, &app::MainWindow::openFailed);
    window.openModel("/nowhere/ckpt.pt");
    QTRY_VERIFY_WITH_TIMEOUT(window.state().capture(), kPatience);
    QCOMPARE(failed.size(), 1);
    QCOMPARE(window.state().capture()->size(), 6);
  }

  void widgetsGoBeforeTheStateThatTheyFollow() {
    Opened user;
    QVERIFY(user.settle());
    auto& view = user.find<widgets::HeatmapView>();
    QTest::mouseMove(&view, view.rect().center());
    QTRY_VERIFY(user.state().hovered());
    QStringList order;
    const auto note = [&order, this](QObject& object, const QString& name) {
      connect(&object, &QObject::destroyed, this, [&order, name] { order << name; });
    };
    note(user.state(), "state");
    note(user.window->jobs(), "worker");
    note(view, "map");
    note(user.find<widgets::HeadGrid>(), "heads");
    note(user.find<widgets::TokenStrip>(), "strip");
    note(user.find<widgets::InspectorPanel>(), "inspector");
    user.window.reset();
    QCOMPARE(order.size(), 6);
    for (const char* name : {"map", "heads", "strip", "inspector"})
      QVERIFY2(order.indexOf(name) < std::min(order.indexOf("state"), order.indexOf("worker")),
               qPrintable(order.join(' ')));
  }

  void theSessionIsRemembered() {
    Opened user("Remember me");
    QVERIFY(user.settle());
    user.state().setHead(head(4, 3));
    user.state().setScale(widgets::Scale::Log);
    user.window->close();
    const app::Settings again(user.file());
    QCOMPARE(again.prompt(), QString("Remember me"));
    QCOMPARE(again.model(), app::bundledModel());
    QCOMPARE(again.recent(), QStringList{app::bundledModel()});
    widgets::ViewState state;
    again.restoreView(state);
    QVERIFY(state.head() == head(4, 3));
    QVERIFY(state.colours().scale == widgets::Scale::Log);
  }

  void aSettingsFileWithNonsenseIsIgnored() {
    Opened user;
    support::writeFile(user.file().toStdString() + "2",
                       "[view]\nscale=99\nstage=-3\nappearance=dark\n[window]\ngeometry=abc\n[session]\nentry=7\n");
    const app::Settings settings(user.file() + "2");
    widgets::ViewState state;
    settings.restoreView(state);
    QVERIFY(state.colours().scale == widgets::Scale::SquareRoot);
    QVERIFY(state.stage() == core::Stage::Weights);
    QVERIFY(settings.appearance() == widgets::Appearance::System);
    QVERIFY(settings.entry() == PromptPanel::Entry::Text);
  }

  void aWindowRememberedOffTheScreenComesBackOntoIt() {
    Opened user;
    user.window->setGeometry(-4000, -3000, 900, 600);
    user.window->saveSession();
    user.makeWindow("ROMEO:");
    const QRect available = user.window->screen()->availableGeometry();
    QVERIFY(available.contains(user.window->geometry().topLeft()));
  }
};

HEADSCOPE_WINDOW_TEST_MAIN(WindowSessionTest)
#include "window_session_test.moc"
