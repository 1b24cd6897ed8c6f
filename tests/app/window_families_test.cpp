// Several steps, settings of the run and the first token in the window, on the cut of nanochat with pattern SSSL.
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDropEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <filesystem>

#include "tests/app/nanochat_steps.h"
#include "tests/app/opened_window.h"
#include "widgets/panels/layer_table.h"
#include "widgets/panels/model_line.h"
#include "widgets/panels/model_panel.h"
#include "widgets/panels/settings_form.h"

using support::kPatience;
using support::Opened;
using widgets::PromptPanel;

namespace {

QString text(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

QString nanochat() { return text(support::data("nanochat-2026-01")); }

/// A window in which that model is opened and run.
struct OpenedNanochat : Opened {
  OpenedNanochat() : Opened("First Citizen:") {
    QVERIFY(settle());
    open({nanochat(), {}, {}});
  }
  void open(const app::Workbench::Opening& what) {
    QSignalSpy opened(&window->workbench(), &app::Workbench::opened);
    window->open(what);
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, kPatience);
    QVERIFY(settle());
  }
  QLineEdit& field(const QString& name) const {
    for (auto* edit : window->findChildren<QLineEdit*>())
      if (edit->accessibleName() == name) return *edit;
    return *find<QComboBox>().lineEdit();
  }
  QLineEdit& pattern() const {
    for (auto* box : window->findChildren<QComboBox*>())
      if (box->accessibleName() == "pattern") return *box->lineEdit();
    qFatal("there is no pattern");
  }
  /// Types into a field and waits for the run that Return starts.
  void enter(QLineEdit& edit, const QString& value) const {
    const auto before = state().capture();
    edit.clear();
    QTest::keyClicks(&edit, value);
    QTest::keyClick(&edit, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(state().capture() && state().capture() != before, kPatience);
    QVERIFY(settle());
  }
  const core::RunFacts& facts() const { return state().capture()->facts(); }
};

void drop(QWidget& window, const QList<QUrl>& urls) {
  QMimeData files;
  files.setUrls(urls);
  QDragEnterEvent enter({300, 300}, Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&window, &enter);
  QVERIFY(enter.isAccepted());
  QDropEvent dropped(QPointF(300, 300), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&window, &dropped);
}

}  // namespace

class WindowFamiliesTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:
  // --- opening

  void F2_SeveralStepsAreAskedForAndARefusalKeepsWhatWasOpen() {
    Opened user;
    QVERIFY(user.settle());
    const std::filesystem::path models = support::nanochatSteps(user.folder / "set");
    const auto session = user.window->workbench().session();
    const auto capture = user.state().capture();
    user.window->openModel(text(models));
    QTRY_VERIFY_WITH_TIMEOUT(user.window->findChild<QListWidget*>(), kPatience);
    auto* list = user.window->findChild<QListWidget*>();
    QCOMPARE(list->count(), 2);
    QVERIFY(list->item(0)->text().contains("100") && list->item(1)->text().contains("20"));
    QVERIFY(!user.showsText("opening d4"));
    QTest::keyClick(list, Qt::Key_Escape);
    QTRY_VERIFY(!user.window->findChild<QListWidget*>());
    QVERIFY(user.window->workbench().session() == session);
    QVERIFY(user.state().capture() == capture);

    user.window->openModel(text(models));
    QTRY_VERIFY_WITH_TIMEOUT(user.window->findChild<QListWidget*>(), kPatience);
    list = user.window->findChild<QListWidget*>();
    QTest::keyClick(list, Qt::Key_Down);
    QTest::keyClick(list, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(user.window->workbench().session() != session, kPatience);
    QVERIFY(user.window->workbench().path().endsWith("model_000020.pt"));
    QVERIFY(user.settle());
    user.action("Reload")->trigger();  // the step that is open, without a question
    const auto chosen = user.window->workbench().session();
    QTRY_VERIFY_WITH_TIMEOUT(user.window->workbench().session() != chosen, kPatience);
    QVERIFY(user.window->workbench().path().endsWith("model_000020.pt"));
    QVERIFY(!user.window->findChild<QListWidget*>());
  }

  void F2_ARefusalInAWindowWithoutAModelShowsTheBundledOne() {
    const support::TemporaryFolder folder;
    const std::filesystem::path models = support::nanochatSteps(folder / "set");
    app::Settings settings(text(folder / "settings.ini"));
    app::MainWindow window(settings);
    window.setPrompt("ROMEO:", PromptPanel::Entry::Text);
    window.show();
    window.openModel(text(models));
    QTRY_VERIFY_WITH_TIMEOUT(window.findChild<QListWidget*>(), kPatience);
    QTest::keyClick(window.findChild<QListWidget*>(), Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().capture(), kPatience);
    QCOMPARE(window.workbench().path(), app::bundledModel());
  }

  void F16_FilesThatBelongTogetherOpenAsOne() {
    Opened user;
    QVERIFY(user.settle());
    const std::filesystem::path models = support::nanochatSteps(user.folder / "set");
    QSignalSpy opened(&user.window->workbench(), &app::Workbench::opened);
    drop(*user.window, {QUrl::fromLocalFile(text(models / "meta_000020.json")),
                        QUrl::fromLocalFile(text(models / "model_000020.pt"))});
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, kPatience);
    QVERIFY(user.window->workbench().path().endsWith("model_000020.pt"));

    QList<QUrl> folder;
    for (const auto& entry : std::filesystem::directory_iterator(support::data("hf-llama-bf16-sharded")))
      folder << QUrl::fromLocalFile(text(entry.path()));
    drop(*user.window, folder);
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 2, kPatience);
    QCOMPARE(user.window->workbench().session()->info().config.family, std::string("Llama"));
  }

  void T4_AModelWithoutATokenizerRunsTokenIds() {
    Opened user;
    QVERIFY(user.settle());
    user.window->setPrompt("1, 2, 3", PromptPanel::Entry::Ids);
    user.window->openModel(text(support::data("hf-llama-gqa")));
    QTRY_VERIFY_WITH_TIMEOUT(user.window->workbench().path().endsWith("hf-llama-gqa"), kPatience);
    QVERIFY(user.settle());
    QCOMPARE(user.state().capture()->size(), 3);
    QVERIFY(!user.window->workbench().session()->hasTokenizer());
    user.window->setPrompt("abc", PromptPanel::Entry::Text);
    QTRY_VERIFY_WITH_TIMEOUT(user.find<PromptPanel>().check(), kPatience);
    QVERIFY(user.button("Choose tokenizer")->isVisible());
  }

  // --- the model panel

  void theModelIsSaidWithItsVersionAndWindows() {
    const OpenedNanochat user;
    QVERIFY(user.find<widgets::ModelLine>().details().startsWith("nanochat · "));
    user.action("Change Settings")->trigger();
    QTRY_VERIFY(user.find<widgets::ModelPanel>().isVisible());
    QVERIFY(user.showsText("window_pattern"));
    auto& table = user.find<widgets::LayerTable>();
    QCOMPARE(table.rowCount(), 4);
    QCOMPARE(table.item(0, 0)->text() + table.item(3, 0)->text(), QString("0 S3 L"));
    QCOMPARE(table.item(0, 1)->text(), QString("i − j ≤ 128"));
    QVERIFY(user.showsText("RoPE base of every layer: 10000"));
    QCOMPARE(table.item(0, 3)->text(), QString::number(user.state().capture()->size()));
  }

  void aSettingIsRunAtOnceAndMarkedUntilItIsAsTrained() {
    const OpenedNanochat user;
    QVERIFY(user.facts().differences.empty());
    QVERIFY(!user.showsText("differs from training"));
    user.enter(user.field("S window"), "2");
    QCOMPARE(user.facts().settings.windows.front().left, 2);
    QVERIFY(user.showsText("differs from training: S window 2"));
    QCOMPARE(user.find<widgets::LayerTable>().item(0, 3)->text(), QString("3"));
    user.enter(user.field("RoPE base"), "500");
    QCOMPARE(user.facts().settings.ropeBase, 500.0);
    QCOMPARE(user.facts().differences.size(), std::size_t{2});
    user.action("As Trained")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(user.facts().differences.empty(), kPatience);
    QVERIFY(!user.showsText("differs from training"));
    QCOMPARE(user.field("S window").text(), QString());
  }

  void aPatternIsRunAtOnce() {
    const OpenedNanochat user;
    user.enter(user.pattern(), "L");
    for (const core::Window window : user.facts().settings.windows) QCOMPARE(window.left, 256);
    QVERIFY(user.showsText("windows LLLL instead of SSSL"));
  }

  void settingsGoWithTheModel() {
    OpenedNanochat user;
    user.enter(user.field("RoPE base"), "500");
    user.open({app::bundledModel(), {}, {}});
    QVERIFY(user.window->workbench().overrides() == core::Overrides());
    QVERIFY(user.facts().differences.empty());
    QVERIFY(!user.showsText("differs from training"));
    user.open({nanochat(), {}, {}});
    QCOMPARE(user.facts().settings.ropeBase, 10000.0);
    QCOMPARE(user.field("RoPE base").text(), QString());
  }

  void settingsMayComeWithTheModel() {
    OpenedNanochat user;
    core::Overrides overrides;
    overrides.qkMultiplier = 1.5;
    user.open({nanochat(), {}, overrides});
    QCOMPARE(user.facts().settings.qkMultiplier, 1.5);
    QCOMPARE(user.field("QK multiplier").text(), QString("1.5"));
  }

  void aWindowIsDrawnAndSaid() {
    const OpenedNanochat user;
    user.enter(user.field("S window"), "2");
    user.state().setHead(support::head(0, 0));
    user.state().setPinned(widgets::Cell{6, 1});
    QVERIFY(user.settle());
    QVERIFY(user.showsText("its window begins at key 4"));
  }

  // --- the first token

  void aTextBeginsWithBosUnlessThatIsLeftOut() {
    const OpenedNanochat user;
    auto* box = user.find<PromptPanel>().findChild<QCheckBox*>();
    QVERIFY(box->isVisible() && box->isChecked());
    QVERIFY(box->text().contains("<|bos|>"));
    const std::int64_t with = user.state().capture()->size();
    QCOMPARE(user.state().capture()->tokens().front().label, std::string("<|bos|>"));
    QAction* action = user.action("Begin with <|bos|>");
    QVERIFY(action && action->isEnabled() && action->isChecked());
    action->trigger();
    QVERIFY(!box->isChecked());
    QTest::mouseClick(user.button("Run"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(user.state().capture()->size(), with - 1, kPatience);
    QCOMPARE(user.state().capture()->tokens().front().label, std::string("F"));
    box->click();
    QVERIFY(action->isChecked());
    user.window->saveSession();
    QVERIFY(user.settings->prefix() == core::Prefix::AsTrained);
    user.find<PromptPanel>().setPrefix(core::Prefix::LeftOut);
    user.window->saveSession();
    QVERIFY(app::Settings(user.file()).prefix() == core::Prefix::LeftOut);
  }

  void aModelWithoutAFirstTokenHasNoChoice() {
    Opened user;
    QVERIFY(user.settle());
    QVERIFY(!user.find<PromptPanel>().findChild<QCheckBox*>()->isVisible());
    QVERIFY(!user.action("Begin as Training Did")->isEnabled());
  }
};

HEADSCOPE_WINDOW_TEST_MAIN(WindowFamiliesTest)
#include "window_families_test.moc"
