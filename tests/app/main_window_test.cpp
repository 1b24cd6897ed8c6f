// A whole user path on the bundled model, offscreen.
#include "app/main_window.h"

#include <QComboBox>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QSignalSpy>
#include <QStatusBar>
#include <algorithm>
#include <map>
#include <memory>

#include "app/application.h"
#include "app/bundled_model.h"
#include "tests/support/files.h"
#include "tests/support/qt_test.h"
#include "widgets/heatmap/head_grid.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/panels/prompt_panel.h"
#include "widgets/panels/token_strip.h"

using core::Head;
using core::HeadId;
using core::Layer;
using widgets::Cell;
using widgets::PromptPanel;

namespace {

constexpr int kPatience = 60'000;  // milliseconds; for machines under load

/// A window with settings of its own and the bundled model, run on a prompt.
class Opened {
 public:
  explicit Opened(const QString& prompt = "ROMEO:\nWhat light", bool fresh = true) {
    if (fresh) settings = std::make_unique<app::Settings>(file());
    makeWindow(prompt);
  }

  void makeWindow(const QString& prompt) {
    window.reset();
    window = std::make_unique<app::MainWindow>(*settings);
    window->fitToScreen();
    window->setPrompt(prompt, PromptPanel::Entry::Text);
    window->show();
    window
        ->activateWindow();  // keys of menus need an active window; without a window manager none becomes so by itself
    window->openModel(app::bundledModel());
  }

  QString file() const { return QString::fromStdString((folder / "settings.ini").string()); }
  bool settle() const {
    return QTest::qWaitFor([this] { return window->isSettled(); }, kPatience);
  }
  template <class Widget>
  Widget& find() const {
    return *window->findChild<Widget*>();
  }
  QPlainTextEdit& edit() const { return find<QPlainTextEdit>(); }
  widgets::ViewState& state() const { return window->state(); }

  /// Types as a person does, and waits for the check.
  void type(const QString& text) const {
    edit().setFocus();
    edit().selectAll();
    QSignalSpy checked(&find<PromptPanel>(), &PromptPanel::checked);
    const bool hasKeys = std::all_of(text.begin(), text.end(), [](QChar c) { return c >= ' ' && c < QChar(0x7f); });
    if (text.isEmpty())
      QTest::keyClick(&edit(), Qt::Key_Delete);
    else if (hasKeys && text.size() < 100)
      QTest::keyClicks(&edit(), text);
    else
      edit().insertPlainText(text);  // as a paste does
    const bool came = QTest::qWaitFor(
        [&] { return !checked.isEmpty() && find<PromptPanel>().check() && find<PromptPanel>().text() == text; },
        kPatience);
    QVERIFY(came);
  }

  QAction* action(const QString& text) const {
    for (QAction* candidate : window->findChildren<QAction*>())
      if (QString(candidate->text()).remove('&') == text) return candidate;
    return nullptr;
  }
  QPushButton* button(const QString& text) const {
    for (QPushButton* candidate : window->findChildren<QPushButton*>())
      if (candidate->text().startsWith(text)) return candidate;
    return nullptr;
  }
  bool showsText(const QString& text) const {
    for (const QLabel* label : window->findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(text)) return true;
    return false;
  }

  support::TemporaryFolder folder;
  std::unique_ptr<app::Settings> settings;
  std::unique_ptr<app::MainWindow> window;
};

HeadId head(int layer, int number) { return {Layer(layer), Head(number)}; }

}  // namespace

class MainWindowTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:
  void theWindowIsThereBeforeTheModelIs() {
    Opened user;
    QVERIFY(user.window->isVisible());
    QVERIFY(!user.state().capture());
    QVERIFY(user.showsText("opening ckpt.pt"));
    QVERIFY(user.settle());
    QVERIFY(user.showsText("6 layers × 6 heads"));
    QVERIFY(user.window->windowTitle().contains("shakespeare-char"));
  }

  void typingAndRunningShowsThePromptOfThatMoment() {
    Opened user;
    QVERIFY(user.settle());
    user.type("JULIET:");
    QVERIFY(user.showsText("7 / 256 tokens"));
    QTest::keyClick(&user.edit(), Qt::Key_Return, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(user.state().capture()->size(), 7, kPatience);
    QVERIFY(user.settle());
    QCOMPARE(user.state().capture()->tokens().front().label, std::string("J"));
    QVERIFY(user.showsText("7 tokens"));  // the status bar
    QCOMPARE(user.find<PromptPanel>().text(), QString("JULIET:"));
  }

  void noBreakSpacesAndLineEndsAreKeptAsTyped() {
    Opened user;
    QVERIFY(user.settle());
    user.type(QString("a") + QChar(0xa0) + "b\nc");
    QCOMPARE(user.find<PromptPanel>().text(), QString("a") + QChar(0xa0) + "b\nc");
    QTest::keyClick(&user.edit(), Qt::Key_Return, Qt::ShiftModifier);
    QVERIFY(!user.find<PromptPanel>().text().contains(QChar(0x2028)));
  }

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

  void reloadReadsTheFileAndRunsThePromptAgain() {
    Opened user;
    QVERIFY(user.settle());
    const auto session = user.window->workbench().session();
    const auto capture = user.state().capture();
    user.action("Reload")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(user.window->workbench().session() != session, kPatience);
    QVERIFY(user.settle());
    QVERIFY(user.state().capture() != capture);
    QCOMPARE(user.state().capture()->size(), capture->size());
  }

  void verifyingReadsTheFileAndSaysHowItIs() {
    Opened user;
    QVERIFY(user.settle());
    QSignalSpy verified(&user.window->workbench(), &app::Workbench::verified);
    user.action("Verify Checksums")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(verified.size(), 1, kPatience);
    QVERIFY(verified.first().first().value<core::Verification>().bytes > 10'873'344);  // the weights, and more

    QFile file(QString::fromStdString(user.window->workbench().session()->info().path.string()));
    std::string bytes = support::readFile(file.fileName().toStdString());
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    support::writeFile(user.folder / "damaged.pt", bytes);
    user.window->openModel(QString::fromStdString((user.folder / "damaged.pt").string()));
    QTRY_COMPARE_WITH_TIMEOUT(user.window->workbench().session()->info().name, std::string("damaged"), kPatience);
    user.action("Verify Checksums")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(user.window->findChild<QMessageBox*>(), kPatience);
    const QString sentence = user.window->findChild<QMessageBox*>()->text();
    QVERIFY2(sentence.contains("damaged.pt") && sentence.contains("checksum"), qPrintable(sentence));
  }

  void aWrongFileIsExplainedAndWhatWasOpenStays() {
    Opened user;
    QVERIFY(user.settle());
    const auto session = user.window->workbench().session();
    const auto capture = user.state().capture();
    support::writeFile(user.folder / "letter.pt", "Dear model,\nthis is not one.\n");
    user.window->openModel(QString::fromStdString((user.folder / "letter.pt").string()));
    QTRY_VERIFY_WITH_TIMEOUT(user.window->findChild<QMessageBox*>(), kPatience);
    auto* box = user.window->findChild<QMessageBox*>();
    QVERIFY2(box->text().contains("letter.pt"), qPrintable(box->text()));
    QVERIFY(!box->detailedText().isEmpty());
    box->close();
    QVERIFY(user.window->workbench().session() == session);
    QVERIFY(user.state().capture() == capture);
    QVERIFY(user.showsText("6 layers × 6 heads"));
  }

  void aPromptThatIsTooLongIsNeverCutSilently() {
    Opened user;
    QVERIFY(user.settle());
    QString text;
    while (text.size() < 300) text += "To be, or not to be ";
    text.resize(300);
    user.type(text);
    QVERIFY(user.showsText("300 tokens"));
    QVERIFY(user.showsText("300 / 256 tokens"));
    QVERIFY(!user.button("Run")->isEnabled());
    QCOMPARE(user.find<PromptPanel>().text(), text);

    QTest::mouseClick(user.button("Use last 256"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(user.button("Run")->isEnabled(), kPatience);
    QCOMPARE(user.find<PromptPanel>().text(), text.right(256));
    user.edit().undo();
    QTRY_VERIFY_WITH_TIMEOUT(!user.button("Run")->isEnabled(), kPatience);
    QCOMPARE(user.find<PromptPanel>().text(), text);
    QTest::mouseClick(user.button("Use first 256"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(user.button("Run")->isEnabled(), kPatience);
    QCOMPARE(user.find<PromptPanel>().text(), text.left(256));
  }

  void lettersWithoutATokenAreNamed() {
    Opened user;
    QVERIFY(user.settle());
    user.type("café 5 €");
    for (const char* letter : {"é", "5", "€"}) QVERIFY2(user.showsText(QString("'%1'").arg(letter)), letter);
    QVERIFY(!user.button("Run")->isEnabled());
    QCOMPARE(user.find<PromptPanel>().text(), QString("café 5 €"));
  }

  void anEmptyPromptCanNotRunAndOneTokenCan() {
    Opened user;
    QVERIFY(user.settle());
    user.type("");
    QVERIFY(!user.button("Run")->isEnabled());
    QVERIFY(user.showsText("The prompt is empty"));
    user.type("A");
    QTest::mouseClick(user.button("Run"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(user.state().capture()->size(), 1, kPatience);
    QVERIFY(user.settle());
  }

  void tokenIdsAreTheTextsTokensAndRunAsGiven() {
    Opened user("Ay");
    QVERIFY(user.settle());
    const auto& tokens = user.state().capture()->tokens();
    user.action("Prompt as Token Ids")->trigger();
    QCOMPARE(user.find<PromptPanel>().text(), QString("%1, %2").arg(tokens[0].id).arg(tokens[1].id));
    user.type("0, 64, 65");
    QVERIFY(!user.button("Run")->isEnabled());
    QVERIFY(user.showsText("from 0 to 64"));
    user.type("0, 64, 1");
    QTest::mouseClick(user.button("Run"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(user.state().capture()->size(), 3, kPatience);
    user.action("Prompt as Token Ids")->trigger();
    QCOMPARE(user.find<PromptPanel>().text(), QString("Ay"));
  }

  void anotherGeluIsRunAtOnceAndMarked() {
    Opened user;
    QVERIFY(user.settle());
    QVERIFY(!user.showsText("differs from checkpoint"));
    user.action("GELU tanh")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(user.state().capture()->facts().gelu == core::Gelu::Tanh, kPatience);
    QVERIFY(user.showsText("differs from checkpoint"));
    user.action("GELU erf")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(user.state().capture()->facts().gelu == core::Gelu::Erf, kPatience);
    QVERIFY(!user.showsText("differs from checkpoint"));
  }

  void aDroppedFileOpens() {
    Opened user;
    QVERIFY(user.settle());
    const auto session = user.window->workbench().session();
    QMimeData files;
    files.setUrls({QUrl::fromLocalFile(app::bundledModel())});
    QDragEnterEvent enter({300, 300}, Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(user.window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(user.window.get(), &drop);
    QTRY_VERIFY_WITH_TIMEOUT(user.window->workbench().session() != session, kPatience);
  }

  void closingDuringARunIsQuick() {
    Opened user(QString(256, 'a'));
    QVERIFY(user.settle());
    user.find<PromptPanel>().run();
    QTRY_VERIFY_WITH_TIMEOUT(user.window->workbench().isRunning(), kPatience);
    QElapsedTimer timer;
    timer.start();
    QVERIFY(user.window->close());
    user.window.reset();
    QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
  }

  void closingWhileTheModelLoadsIsQuick() {
    Opened user;
    QVERIFY(user.window->workbench().isOpening());
    QElapsedTimer timer;
    timer.start();
    user.window.reset();
    QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
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
    QVERIFY(state.scale() == widgets::Scale::Log);
  }

  void aSettingsFileWithNonsenseIsIgnored() {
    Opened user;
    support::writeFile(user.file().toStdString() + "2",
                       "[view]\nscale=99\nstage=-3\nappearance=dark\n[window]\ngeometry=abc\n[session]\nentry=7\n");
    const app::Settings settings(user.file() + "2");
    widgets::ViewState state;
    settings.restoreView(state);
    QVERIFY(state.scale() == widgets::Scale::SquareRoot);
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

  void recentFilesThatAreGoneAreNotListed() {
    Opened user;
    support::writeFile(user.folder / "here.pt", "x");
    const QString here = QString::fromStdString((user.folder / "here.pt").string());
    user.settings->addRecent(here);
    user.settings->addRecent("/nowhere/gone.pt");
    QVERIFY(user.settings->recent().contains(here));
    QVERIFY(!user.settings->recent().contains("/nowhere/gone.pt"));
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

int main(int argc, char** argv) {
  app::Application application(argc, argv);
  MainWindowTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "main_window_test.moc"
