// Opening, checking and changing models in the window.
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QStatusBar>
#include <QTextBrowser>
#include <filesystem>
#include <optional>

#include "tests/app/opened_window.h"
#include "widgets/panels/settings_form.h"

using support::kPatience;
using support::Opened;

class WindowModelTest : public support::QtTest {
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

  void Z13_VerifyingReadsTheFileAndSaysHowItIs() {
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

  void aModelDroppedWithItsTokenizerOpensWithIt() {
    Opened user;
    QVERIFY(user.settle());
    const std::filesystem::path model = app::bundledModel().toStdString();
    std::filesystem::copy_file(model, user.folder / "alone.pt");
    std::filesystem::copy_file(model.parent_path() / "meta.pkl", user.folder / "letters.PKL");
    QMimeData files;
    files.setUrls({QUrl::fromLocalFile(QString::fromStdString((user.folder / "letters.PKL").string())),
                   QUrl::fromLocalFile(QString::fromStdString((user.folder / "alone.pt").string())),
                   QUrl::fromLocalFile(app::bundledModel())});
    QDragEnterEvent enter({300, 300}, Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(user.window.get(), &enter);
    QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(user.window.get(), &drop);
    QCOMPARE(user.window->statusBar()->currentMessage(), QString("One model at a time: alone.pt is opened."));
    QTRY_VERIFY_WITH_TIMEOUT(user.window->workbench().path().endsWith("/alone.pt"), kPatience);
    QVERIFY(user.window->workbench().session()->hasTokenizer());
  }

  void samplesListsTheModelsThatArePresentAndOpensThem() {
    Opened user;
    QVERIFY(user.settle());
    const auto entries = [&] {
      QMenu* menu = user.action("Samples")->menu();
      Q_EMIT menu->aboutToShow();
      return menu->actions();
    };
    QCOMPARE(entries().first()->text(), QString("shakespeare-char"));
    const QString other = "SmolLM2-135M-Instruct.Q4_1";
    const bool isFetched = std::filesystem::exists(support::smollm2());
    QVERIFY(entries().size() >= 2);
    QCOMPARE(entries().last()->isEnabled(), isFetched);
    QVERIFY2(entries().last()->text() == (isFetched ? other : "SmolLM2-135M: fetched by scripts/setup --with-smollm2"),
             qPrintable(entries().last()->text()));
    entries().last()->trigger();
    if (!isFetched) QSKIP("SmolLM2 is not in this clone: scripts/setup --with-smollm2 fetches it");
    QTRY_VERIFY_WITH_TIMEOUT(user.window->windowTitle().contains(other), kPatience);
    QVERIFY(user.settle());
    QVERIFY(user.showsText("30 layers × 9 heads"));
    QCOMPARE(user.state().capture()->model().config.kvHeads, 3);
  }

  void noModelAtAllIsSaid() {
    Opened user;
    QVERIFY(user.settle());
    std::optional<core::ErrorKind> failed;
    connect(user.window.get(), &app::MainWindow::openFailed, this,
            [&failed](const core::Error& error) { failed = error.kind(); });
    user.window->openModel({});
    QVERIFY(failed == core::ErrorKind::NotFound);
    QVERIFY(user.window->findChild<QMessageBox*>());
  }

  void aPathIsRememberedAsTheFileThatItIs() {
    Opened user;
    QVERIFY(user.settle());
    const QString file = app::bundledModel();
    for (const QString& path : {QUrl::fromLocalFile(file).toString(), QDir::current().relativeFilePath(file)}) {
      QSignalSpy opened(&user.window->workbench(), &app::Workbench::opened);
      user.window->openModel(path);
      QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, kPatience);
      QCOMPARE(user.window->workbench().path(), file);
    }
    QCOMPARE(user.settings->recent(), QStringList{file});
  }

  void F1_ARecentFileThatIsGoneMayBeTakenFromTheList() {
    Opened user;
    QVERIFY(user.settle());
    user.settings->addRecent("/nowhere/gone.pt");
    QSignalSpy failed(user.window.get(), &app::MainWindow::openFailed);
    user.window->openModel("/nowhere/gone.pt");
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
    QVERIFY(user.settings->remembers("/nowhere/gone.pt"));
    QPushButton* remove = user.button("Remove from Recent Files");
    QVERIFY(remove);
    QTest::mouseClick(remove, Qt::LeftButton);
    QVERIFY(!user.settings->remembers("/nowhere/gone.pt"));
    QVERIFY(user.settings->remembers(app::bundledModel()));

    user.window->openModel("/nowhere/never-seen.pt");
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 2, kPatience);
    QTRY_VERIFY(!user.button("Remove from Recent Files"));  // the first dialog goes by the event loop
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

  void anotherGeluIsRunAtOnceAndMarked() {
    Opened user;
    QVERIFY(user.settle());
    QVERIFY(user.showsText("GELU erf"));
    QVERIFY(!user.showsText("differs from training"));
    user.action("Change Settings")->trigger();
    auto& box = *user.find<widgets::SettingsForm>().findChild<QComboBox*>();
    QCOMPARE(box.accessibleName(), QString("GELU"));
    QVERIFY(box.hasFocus());
    QTest::keyClick(&box, Qt::Key_Down);
    QTRY_VERIFY_WITH_TIMEOUT(user.state().capture()->facts().settings.gelu == core::Gelu::Tanh, kPatience);
    QVERIFY(user.showsText("differs from training: GELU tanh instead of erf"));
    QTest::keyClick(&box, Qt::Key_Up);
    QTRY_VERIFY_WITH_TIMEOUT(user.state().capture()->facts().settings.gelu == core::Gelu::Erf, kPatience);
    QVERIFY(!user.showsText("differs from training"));
  }

  void aBidirectionalMaskIsRunAtOnceAndMarked() {
    Opened user;
    QVERIFY(user.settle());
    QComboBox* box = nullptr;
    for (auto* found : user.find<widgets::SettingsForm>().findChildren<QComboBox*>())
      if (found->accessibleName() == "mask") box = found;
    QVERIFY(box);
    user.action("Change Settings")->trigger();
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Down);
    QTRY_VERIFY_WITH_TIMEOUT(user.state().capture()->facts().settings.mask == core::MaskKind::Bidirectional, kPatience);
    QVERIFY(user.settle());
    QVERIFY(user.showsText("differs from training: bidirectional mask instead of causal"));
    const core::AttentionMask mask = user.state().capture()->mask(core::Layer(0));
    QVERIFY(mask.visible(0, user.state().capture()->size() - 1));
    QTest::keyClick(box, Qt::Key_Up);
    QTRY_VERIFY_WITH_TIMEOUT(user.state().capture()->facts().settings.mask == core::MaskKind::Causal, kPatience);
    QVERIFY(!user.showsText("differs from training"));
  }

  void widthsOfTheLayersAreRunAndSaid() {
    Opened user;
    QVERIFY(user.settle());
    core::Overrides overrides;
    overrides.windows = std::vector<core::Window>{{0}, {2}, {}, {5}, {}, {1}};
    user.window->workbench().setOverrides(overrides);
    QTRY_VERIFY_WITH_TIMEOUT(!user.state().capture()->facts().differences.empty(), kPatience);
    QVERIFY(user.settle());
    QVERIFY(user.showsText("windows 0, 2, all, 5, all, 1 instead of LLLLLL"));
    user.action("Change Settings")->trigger();
    QTRY_VERIFY(user.showsText("Origin: chosen for this run."));
  }

  void R9_ARunAboveTheMemoryBudgetIsExplainedAndTheLastResultStays() {
    Opened user;
    QVERIFY(user.settle());
    const auto capture = user.state().capture();
    QSignalSpy failed(user.window.get(), &app::MainWindow::cannotRun);
    user.window->workbench().setMemoryBudget(1);
    QTest::mouseClick(user.button("Run"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
    auto* box = user.window->findChild<QMessageBox*>();
    QVERIFY(box);
    QVERIFY2(box->text().contains("of memory"), qPrintable(box->text()));
    box->close();
    QVERIFY(user.state().capture() == capture);
    user.window->workbench().setMemoryBudget(std::nullopt);
    QTest::mouseClick(user.button("Run"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(user.state().capture() != capture, kPatience);
    QVERIFY(user.settle());
  }

  void theLoadReportSaysHowTheModelIsRun() {
    Opened user;
    QVERIFY(user.settle());
    user.action("Load Report")->trigger();
    auto* report = user.window->findChild<QTextBrowser*>();
    QVERIFY(report);
    const QString text = report->toPlainText();
    for (const char* part : {"GELU", "windows", "family"}) QVERIFY2(text.contains(part), qPrintable(text));
  }
};

HEADSCOPE_WINDOW_TEST_MAIN(WindowModelTest)
#include "window_model_test.moc"
