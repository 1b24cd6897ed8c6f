// Which way to go: a headless command or the window.
#include "app/cli.h"
#include "app/headless.h"
#include "app/prompt_file.h"
#include "app/thread_limit.h"
#ifdef HEADSCOPE_GUI
#include "app/window_app.h"
#endif

namespace {

#ifdef HEADSCOPE_GUI
int openWindow(int argc, char** argv, const app::Arguments& arguments) {
  app::WindowOptions options;
  options.model = arguments.model;
  options.tokenizer = arguments.tokenizer.value_or(std::filesystem::path());
  options.prompt = arguments.prompt;
  options.tokens = arguments.tokens;
  options.step = arguments.step;
  options.prefix = arguments.prefix;
  options.specials = arguments.specials;
  options.overrides = arguments.overrides;
  options.memoryBudget = arguments.memoryBudget;
  options.screenshot = arguments.screenshot;
  options.existing = arguments.existing;
  try {
    if (arguments.promptFile) options.prompt = app::readPromptFile(*arguments.promptFile, {});
    if (arguments.tokensFile) options.tokens = app::readPromptFile(*arguments.tokensFile, {});
  } catch (const core::Error& error) {
    app::printError(error);
    return app::kCannotRun;
  }
  return app::runWindow(argc, argv, options);
}
#endif

}  // namespace

int main(int argc, char** argv) {
  app::limitThreads(argv);
  const app::ParsedArguments parsed = app::parseArguments(argc, argv);
  if (!parsed.arguments) return parsed.exitCode;
#ifdef HEADSCOPE_GUI
  if (parsed.arguments->command == app::Command::Window) return openWindow(argc, argv, *parsed.arguments);
#endif
  return app::runHeadless(*parsed.arguments);
}
