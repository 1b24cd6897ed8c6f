#include "app/window_app.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <QApplication>
#include <QFileInfo>
#include <QIcon>
#include <QImageWriter>
#include <QSaveFile>
#include <QSocketNotifier>
#include <QTemporaryDir>
#include <QTimer>
#include <cstdio>
#include <memory>

#include "app/application.h"
#include "app/bundled_model.h"
#include "app/cli.h"
#include "app/display.h"
#include "app/headless.h"
#include "app/main_window.h"
#include "app/settings.h"
#include "widgets/panels/look.h"

// A resource in a static library is registered only by this call, which must stand outside of namespaces.
static void registerResources() { Q_INIT_RESOURCE(resources); }

namespace app {

namespace {

int signalEvent = -1;  // written by a signal handler, which can reach nothing else

extern "C" void onSignal(int) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(signalEvent, &one, sizeof one);
}

/// SIGINT and SIGTERM close the window as its button does: state is saved, the worker joined, exit 0.
void closeOnSignals(MainWindow& window) {
  signalEvent = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  auto* notifier = new QSocketNotifier(signalEvent, QSocketNotifier::Read, &window);
  QObject::connect(notifier, &QSocketNotifier::activated, &window, [&window, notifier] {
    notifier->setEnabled(false);
    window.close();
    QCoreApplication::exit(kOk);  // also when a dialog is open
  });
  struct sigaction action {};
  action.sa_handler = onSignal;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);  // a second signal ends the program at once
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

/// Qt's offscreen platform says of itself on every start what it can't do; nobody can act on it.
void quietOffscreen(QtMsgType type, const QMessageLogContext& context, const QString& message) {
  if (message.startsWith("This plugin does not support")) return;
  std::fprintf(stderr, "%s\n", qPrintable(qFormatLogMessage(type, context, message)));
}

void takeScreenshot(MainWindow& window, const QString& path) {
  const auto save = [&window, path] {
    QSaveFile file(path);
    const bool opened = file.open(QIODevice::WriteOnly);
    QImageWriter writer(&file, "png");
    if (opened && writer.write(window.grab().toImage()) && file.commit()) return QCoreApplication::exit(kOk);
    printError({core::ErrorKind::Io, path.toStdString() + " can't be written: " + file.errorString().toStdString() +
                                         ". Choose another place or free some space."});
    QCoreApplication::exit(kCannotWrite);
  };
  QObject::connect(&window, &MainWindow::settled, &window, save, Qt::SingleShotConnection);
  QObject::connect(&window, &MainWindow::openFailed, &window, [](const core::Error& error) {
    printError(error);
    QCoreApplication::exit(kCannotLoad);
  });
  QObject::connect(&window, &MainWindow::cannotRun, &window, [](const QString& sentence) {
    std::fprintf(stderr, "headscope: the prompt can't run: %s\n", qPrintable(sentence));
    QCoreApplication::exit(kCannotRun);
  });
}

void start(MainWindow& window, const Settings& settings, const WindowOptions& options) {
  QString model = QString::fromStdString(options.model.string());
  QString tokenizer = QString::fromStdString(options.tokenizer.string());
  QString prompt = bundledPrompt();
  auto entry = widgets::PromptPanel::Entry::Text;
  settings.restoreView(window.state());
  if (model.isEmpty() && QFileInfo::exists(settings.model())) {
    model = settings.model();
    tokenizer = settings.tokenizer();
  }
  if (!settings.prompt().isEmpty()) {
    prompt = settings.prompt();
    entry = settings.entry();
  }
  if (options.prompt) {
    prompt = QString::fromStdString(*options.prompt);
    entry = widgets::PromptPanel::Entry::Text;
  }
  if (options.tokens) {
    prompt = QString::fromStdString(*options.tokens);
    entry = widgets::PromptPanel::Entry::Ids;
  }
  window.setPrompt(prompt, entry);
  window.openModel(model.isEmpty() ? bundledModel() : model, tokenizer);
}

}  // namespace

int runWindow(int& argc, char** argv, const WindowOptions& options) {
  if (const auto problem = displayProblem()) {
    if (options.screenshot.empty()) {
      std::fprintf(stderr, "headscope: %s\n", problem->c_str());
      return kUsage;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qInstallMessageHandler(quietOffscreen);
  }
  registerResources();
  Application::setOrganizationName("Headscope");
  Application::setApplicationName("Headscope");
  Application::setApplicationVersion(HEADSCOPE_VERSION);
  Application::setDesktopFileName("headscope");
  Application application(argc, argv);
  Application::setStyle(widgets::makeStyle());
  Application::setWindowIcon(QIcon(":/icons/headscope.svg"));

  // A screenshot shows what the command line says: it starts from nothing remembered and leaves nothing behind.
  const QTemporaryDir scratch;
  const bool remembers = options.screenshot.empty();
  const auto settings =
      remembers ? std::make_unique<Settings>() : std::make_unique<Settings>(scratch.filePath("settings.ini"));
  widgets::apply(settings->appearance());
  MainWindow window(*settings);
  closeOnSignals(window);
  if (!options.screenshot.empty()) takeScreenshot(window, QString::fromStdString(options.screenshot.string()));
  if (remembers) window.fitToScreen();  // a screenshot needs no screen
  window.show();
  // After the first picture: the window is there before the model is.
  QTimer::singleShot(0, &window, [&] { start(window, *settings, options); });
  return Application::exec();
}

}  // namespace app
