#include "app/window_app.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <QApplication>
#include <QFileInfo>
#include <QIcon>
#include <QSocketNotifier>
#include <QTemporaryDir>
#include <QTimer>
#include <cstdio>
#include <memory>

#include "app/application.h"
#include "app/cli.h"
#include "app/display.h"
#include "app/headless.h"
#include "app/main_window.h"
#include "app/picture_file.h"
#include "app/samples.h"
#include "app/settings.h"
#include "app/step_choice.h"
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

void takeScreenshot(MainWindow& window, const std::filesystem::path& path, core::Existing existing) {
  // The first end counts: after a failure the window settles too.
  auto* ends = new QObject(&window);
  const auto exit = [&window, ends](int code) {
    QObject::disconnect(&window, nullptr, ends, nullptr);
    QCoreApplication::exit(code);
  };
  const auto cannot = [exit](const char* what, const QString& sentence) {
    std::fprintf(stderr, "headscope: %s: %s\n", what, qPrintable(sentence));
    exit(kCannotRun);
  };
  QObject::connect(&window, &MainWindow::settled, ends, [&window, path, existing, exit] {
    try {
      savePng(window.grab().toImage(), path, existing);
      exit(kOk);
    } catch (const core::Error& error) {
      printError(error);
      exit(kCannotWrite);
    }
  });
  QObject::connect(&window, &MainWindow::openFailed, ends, [exit](const core::Error& error) {
    printError(error);
    exit(kCannotLoad);
  });
  QObject::connect(&window, &MainWindow::cannotRun, ends,
                   [cannot](const QString& sentence) { cannot("the prompt can't run", sentence); });
  QObject::connect(&window, &MainWindow::mapFailed, ends,
                   [cannot](const QString& sentence) { cannot("the map can't be drawn", sentence); });
}

/// Whether the window shows the prompt exactly. Qt's text is Unicode with one kind of line end: bytes that are no UTF-8
/// and the line ends of Windows would become other tokens than were given.
bool enterPrompt(MainWindow& window, const Settings& settings, const WindowOptions& options) {
  QString prompt = bundledPrompt();
  using Entry = widgets::PromptPanel::Entry;
  auto entry = Entry::Text;
  // What is remembered of the last prompt is not of one that is given now.
  const core::Prefix usual = options.prompt ? core::Prefix::AsTrained : settings.prefix();
  if (!settings.prompt().isEmpty()) {
    prompt = settings.prompt();
    entry = settings.entry();
  }
  if (options.prompt) {
    prompt = QString::fromStdString(*options.prompt);
    entry = Entry::Text;
  }
  if (options.tokens) {
    prompt = QString::fromStdString(*options.tokens);
    entry = Entry::Ids;
  }
  if (options.specials == core::Specials::Tokens && entry == Entry::Text) entry = Entry::TextWithSpecials;
  window.setPrompt(prompt, entry, options.prefix.value_or(usual));
  return !options.prompt || window.prompt().toStdString() == *options.prompt;
}

void start(MainWindow& window, const Settings& settings, const WindowOptions& options,
           const std::filesystem::path& given) {
  QString model = QString::fromStdString(given.string());
  QString tokenizer = QString::fromStdString(options.tokenizer.string());
  settings.restoreView(window.state());
  window.workbench().setMemoryBudget(options.memoryBudget);
  if (model.isEmpty() && QFileInfo::exists(settings.model())) {
    model = settings.model();
    tokenizer = settings.tokenizer();
  }
  window.open({model.isEmpty() ? bundledModel() : model, tokenizer, options.overrides});
}

}  // namespace

int runWindow(int& argc, char** argv, const WindowOptions& options) {
  if (const auto problem = displayProblem()) {
    if (options.screenshot.empty()) {
      std::fprintf(stderr, "headscope: %s\n", problem->c_str());
      return kUsage;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  if (qEnvironmentVariable("QT_QPA_PLATFORM").startsWith("offscreen")) qInstallMessageHandler(quietOffscreen);
  if (!options.screenshot.empty()) {
    // Said before the model is opened, so that nobody waits for a picture that has no place.
    try {
      core::OutputFile::check(options.screenshot, options.existing);
    } catch (const core::Error& error) {
      printError(error);
      return kCannotWrite;
    }
  }
  std::filesystem::path model = options.model;
  // A picture can't wait for an answer, and a step that is not there is a mistake on the command line.
  if (!model.empty() && (options.step || !options.screenshot.empty())) {
    int code = kCannotLoad;
    try {
      const std::vector<core::Openable> offers = core::openable(model.string());
      code = kUsage;
      model = chooseStep(model, offers, options.step);
    } catch (const core::Error& error) {
      printError(error);
      return code;
    }
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
  if (!enterPrompt(window, *settings, options)) {
    printError({core::ErrorKind::Unsupported,
                "The prompt has bytes that the window's editor can't hold (line ends of Windows, or no UTF-8). Use "
                "`headscope render` or `headscope capture`, which run it exactly, or give its --tokens."});
    return kCannotRun;
  }
  closeOnSignals(window);
  if (!options.screenshot.empty()) takeScreenshot(window, options.screenshot, options.existing);
  if (remembers) window.fitToScreen();  // a screenshot needs no screen
  window.show();
  // After the first picture: the window is there before the model is.
  QTimer::singleShot(0, &window, [&] { start(window, *settings, options, model); });
  return Application::exec();
}

}  // namespace app
