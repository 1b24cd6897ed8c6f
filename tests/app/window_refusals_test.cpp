// What a window says of a file that can't be opened, and the way out that it offers.
#include <QMessageBox>
#include <filesystem>

#include "tests/app/nanochat_steps.h"
#include "tests/app/opened_window.h"

using support::kPatience;
using support::Opened;

namespace {

using namespace std::string_literals;

QString text(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

/// The kinds of what could not be opened.
struct Failures {
  explicit Failures(const app::MainWindow& window) {
    QObject::connect(&window, &app::MainWindow::openFailed, &window,
                     [list = kinds](const core::Error& error) { list->push_back(error.kind()); });
  }
  std::shared_ptr<std::vector<core::ErrorKind>> kinds = std::make_shared<std::vector<core::ErrorKind>>();
};

/// A torch archive whose pickle is {'state': {}, 'param_groups': []}, as an optimizer's state is.
std::string optimizerState() {
  const std::string pickle = "\x80\x02}(X\x05\0\0\0state}X\x0c\0\0\0param_groups]u."s;
  const auto number = [](std::size_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xff);
    return text;
  };
  const std::string name = "o/data.pkl";
  const std::string facts = number(0, 8) + number(0, 4) + number(pickle.size(), 4) + number(pickle.size(), 4) +
                            number(name.size(), 2) + number(0, 2);  // flags, method, time, date; crc; sizes; lengths
  const std::string local = "PK\x03\x04" + number(0, 2) + facts + name + pickle;
  const std::string entry = "PK\x01\x02" + number(0, 4) + facts + number(0, 14) + name;
  return local + entry + "PK\x05\x06" + number(0, 4) + number(1, 2) + number(1, 2) + number(entry.size(), 4) +
         number(local.size(), 4) + number(0, 2);
}

}  // namespace

class WindowRefusalsTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:
  void F14_TheModelStaysWhenItsFileIsDeletedAndReloadingSaysSo() {
    Opened user;
    QVERIFY(user.settle());
    const std::filesystem::path model = user.folder / "alone.pt";
    std::filesystem::copy_file(app::bundledModel().toStdString(), model);
    user.window->openModel(text(model));
    QTRY_VERIFY_WITH_TIMEOUT(user.window->workbench().path().endsWith("/alone.pt"), kPatience);
    std::filesystem::remove(model);
    user.window->setPrompt("0, 1, 2, 3, 4", widgets::PromptPanel::Entry::Ids);
    QTRY_VERIFY_WITH_TIMEOUT(user.button("Run")->isEnabled(), kPatience);
    QTest::mouseClick(user.button("Run"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(user.state().capture() && user.state().capture()->size() == 5, kPatience);
    QVERIFY(user.settle());

    const auto capture = user.state().capture();
    const Failures failures(*user.window);
    user.action("Reload")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(failures.kinds->size(), std::size_t{1}, kPatience);
    QVERIFY(failures.kinds->front() == core::ErrorKind::NotFound);
    auto* box = user.window->findChild<QMessageBox*>();
    QVERIFY2(box->text().contains(text(model)), qPrintable(box->text()));
    box->close();
    QVERIFY(user.state().capture() == capture);
    QVERIFY(user.showsText("6 layers × 6 heads"));
  }

  // A link that leads to itself stands for a disk that does not answer.
  void F15_AFileThatCouldNotBeReadMayBeTriedAgain() {
    Opened user;
    QVERIFY(user.settle());
    const std::filesystem::path model = user.folder / "later.pt";
    std::filesystem::create_symlink(model, model);
    const Failures failures(*user.window);
    user.window->openModel(text(model));
    QTRY_COMPARE_WITH_TIMEOUT(failures.kinds->size(), std::size_t{1}, kPatience);
    QVERIFY(failures.kinds->front() == core::ErrorKind::Io);
    QVERIFY(user.window->findChild<QMessageBox*>()->text().contains("errno"));
    QPushButton* again = user.button("Try Again");
    QVERIFY(again);
    std::filesystem::remove(model);
    std::filesystem::copy_file(app::bundledModel().toStdString(), model);
    QTest::mouseClick(again, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(user.window->workbench().path().endsWith("/later.pt"), kPatience);
    QCOMPARE(failures.kinds->size(), std::size_t{1});
  }

  void C15_AnOptimizersStateOffersItsModelInOneClick() {
    Opened user;
    QVERIFY(user.settle());
    const std::filesystem::path models = support::nanochatSteps(user.folder / "set");
    support::writeFile(models / "optim_000020_rank0.pt", optimizerState());
    const Failures failures(*user.window);
    user.window->openModel(text(models / "optim_000020_rank0.pt"));
    QTRY_COMPARE_WITH_TIMEOUT(failures.kinds->size(), std::size_t{1}, kPatience);
    const QString sentence = user.window->findChild<QMessageBox*>()->text();
    QVERIFY2(sentence.contains("optimizer") && sentence.contains("'model_000020.pt'"), qPrintable(sentence));
    QPushButton* open = user.button("Open model_000020.pt");
    QVERIFY(open);
    QTest::mouseClick(open, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(user.window->workbench().path().endsWith("/model_000020.pt"), kPatience);
  }

  void C15_WithoutTheModelBesideItThereIsNoButton() {
    Opened user;
    QVERIFY(user.settle());
    support::writeFile(user.folder / "optim_000020_rank0.pt", optimizerState());
    const Failures failures(*user.window);
    user.window->openModel(text(user.folder / "optim_000020_rank0.pt"));
    QTRY_COMPARE_WITH_TIMEOUT(failures.kinds->size(), std::size_t{1}, kPatience);
    QVERIFY(!user.button("Open model_"));
    QVERIFY(!user.button("Try Again"));
  }
};

HEADSCOPE_WINDOW_TEST_MAIN(WindowRefusalsTest)
#include "window_refusals_test.moc"
