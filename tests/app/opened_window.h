// A user of the window: opens the bundled model, types, finds menus and buttons.
#pragma once

#include <QAction>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <algorithm>
#include <memory>

#include "app/application.h"
#include "app/main_window.h"
#include "app/samples.h"
#include "tests/support/files.h"
#include "tests/support/qt_test.h"
#include "widgets/panels/prompt_panel.h"

namespace support {

inline constexpr int kPatience = 60'000;  // milliseconds; for machines under load

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
    window->setPrompt(prompt, widgets::PromptPanel::Entry::Text);
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
    QSignalSpy checked(&find<widgets::PromptPanel>(), &widgets::PromptPanel::checked);
    const bool hasKeys = std::all_of(text.begin(), text.end(), [](QChar c) { return c >= ' ' && c < QChar(0x7f); });
    if (text.isEmpty())
      QTest::keyClick(&edit(), Qt::Key_Delete);
    else if (hasKeys && text.size() < 100)
      QTest::keyClicks(&edit(), text);
    else
      edit().insertPlainText(text);  // as a paste does
    const bool came = QTest::qWaitFor(
        [&] {
          return !checked.isEmpty() && find<widgets::PromptPanel>().check() &&
                 find<widgets::PromptPanel>().text() == text;
        },
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

inline core::HeadId head(int layer, int number) { return {core::Layer(layer), core::Head(number)}; }

}  // namespace support

/// Runs the QtTest TestClass as the whole program, with the exception handling of the real one.
#define HEADSCOPE_WINDOW_TEST_MAIN(TestClass) \
  int main(int argc, char** argv) {           \
    app::Application application(argc, argv); \
    TestClass test;                           \
    return QTest::qExec(&test, argc, argv);   \
  }
