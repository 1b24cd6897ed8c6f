#include "app/cli.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <string>

#include "app/bench_options.h"
#include "app/cli_groups.h"
#include "app/cli_options.h"
#include "app/render_options.h"

namespace app {

namespace {

#ifdef HEADSCOPE_GUI
constexpr bool kHasWindow = true;
#else
constexpr bool kHasWindow = false;
#endif

void addInfo(CLI::App& command, Arguments& arguments) {
  addModel(command, arguments);
  addJson(command, arguments);
  command.add_flag_callback(
      "--verify", [&] { arguments.checksums = Checksums::Verify; },
      "Read the whole file and refuse it when a checksum is wrong (exit code 3)");
}

void addCapture(CLI::App& command, Arguments& arguments) {
  addModel(command, arguments);
  requirePrompt(command, arguments);
  addOverrides(command, arguments);
  addPath(command, arguments);
  addSelection(command, arguments, addOutput(command, arguments)->required());
  addJson(command, arguments);
}

void addGenerate(CLI::App& command, Arguments& arguments) {
  addModel(command, arguments);
  requirePrompt(command, arguments);
  command.add_option("-n,--count", arguments.count, "How many tokens; 50 without it")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}))
      ->type_name("N");
  core::Sampling& sampling = arguments.sampling;
  const char* group = "How a token is chosen (without them: always the likeliest, so that every run is the same)";
  CLI::Option* temperature = command.add_option_function<double>(
      "--temperature",
      [&sampling](double given) {
        if (!std::isfinite(given) || given < 0)
          throw CLI::ValidationError("--temperature", "it must be a finite number of at least 0");
        sampling.temperature = given;
      },
      "By chance, from softmax(logits / N); 0: always the likeliest");
  temperature->type_name("N")->group(group);
  command.add_option("--top-k", sampling.topK, "Only the N likeliest tokens may come; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->needs(temperature)
      ->type_name("N")
      ->group(group);
  command.add_option("--seed", sampling.seed, "Another number, another text; 1 without it")
      ->check(CLI::NonNegativeNumber)
      ->needs(temperature)
      ->type_name("N")
      ->group(group);
  addOverrides(command, arguments);
  addPath(command, arguments);
  addSelection(command, arguments,
               addOutput(command, arguments, "Also write prompt and text as `headscope capture` does"));
  addJson(command, arguments);
}

struct CommandRow {
  Command command;
  bool needsWindow;  ///< made of Qt parts that a build may leave out
  const char* name;
  const char* summary;
  const char* examples;
  void (*addOptions)(CLI::App&, Arguments&);
};

const CommandRow kCommands[] = {
    {Command::Info, false, "info", "Show what a checkpoint holds: family, sizes, tokenizer, what loading did",
     "Examples:\n"
     "  headscope info out-shakespeare-char/ckpt.pt\n"
     "  headscope info ~/.cache/nanochat/base_checkpoints/d20 --step 21400\n"
     "  headscope info --json ckpt.pt | python3 -c 'import json,sys; print(json.load(sys.stdin)[\"layers\"])'\n",
     addInfo},
    {Command::Capture, false, "capture",
     "Run a prompt and write every head's attention: .npz, .npy, .safetensors, .csv",
     "The ending of the output says what is written. Row = query, column = key.\n"
     "  .npz          attn (layers, heads, T, T), token_ids and tokens (T), logits (T, V), meta (a text of JSON)\n"
     "  .safetensors  the same numbers; the texts are in its __metadata__\n"
     "  .npy          attn alone: (T, T) of one head, (heads, T, T) of one layer; meta in a .json beside it\n"
     "  .csv          a line for each cell that the mask shows; meta in a .json beside it\n"
     "With --layers or --heads there are also the arrays layers and heads: their true numbers; with --rows or --cols\n"
     "the arrays rows and cols, and attn is (layers, heads, rows, cols).\n\n"
     "Examples:\n"
     "  headscope capture ckpt.pt --prompt 'ROMEO:' -o run.npz\n"
     "  headscope capture d20 --step 21400 --prompt 'Once upon' --pattern L --rope-base 10000 -o run.npz\n"
     "  headscope capture ckpt.pt --prompt-file act1.txt --layers 0,2 --heads 1-3 --logits last -o run.npz\n"
     "  headscope capture d20 --tokens-file ids.txt --path flash --rows 0,127,8192 --cols 0:4096 --logits last -o "
     "run.npz\n"
     "  headscope capture ckpt.pt --prompt 'ROMEO:' --mask bidirectional --windows 16,16,all,all,0,all -o run.npz\n"
     "  headscope capture ckpt.pt --prompt 'ROMEO:' --layers 2 --heads 3 --csv-form matrix -o head.csv\n"
     "  python3 -c 'import numpy as np; d = np.load(\"run.npz\"); print(d[\"attn\"].shape)'\n",
     addCapture},
    {Command::Generate, false, "generate", "Let the model go on with a prompt and print its text",
     "The text goes to standard output as it comes. It ends at the model's context, and says so.\n\n"
     "Examples:\n"
     "  headscope generate ckpt.pt --prompt 'ROMEO:' -n 100\n"
     "  headscope generate ckpt.pt --prompt 'ROMEO:' --temperature 0.8 --top-k 40 --seed 7\n"
     "  headscope generate ckpt.pt --prompt 'ROMEO:' --layers 0 -o run.npz    # and what its heads looked at\n",
     addGenerate},
    {Command::Bench, false, "bench", "Time attention by each kernel, and a model's forward pass by both paths",
     kBenchExamples, addBench},
    {Command::Render, true, "render", "Run a prompt and draw heads' maps as .png, .svg or .pdf", kRenderExamples,
     addRender},
};

constexpr const char* kCodes =
    "Exit codes: 0 done, 2 wrong usage, 3 the model can't be loaded, 4 the prompt can't run, 5 the file can't be "
    "written,\n"
    "130 cancelled (Ctrl+C). Results go to standard output, progress and errors to standard error.\n"
    "`headscope COMMAND --help` shows a command's options and examples.";

void addWindow(CLI::App& program, Arguments& arguments) {
  CLI::Option* model =
      program.add_option("PATH", arguments.model, "Checkpoint to open in the window; without it a small bundled model");
  model->type_name("");
  addStep(program, arguments)->needs(model);
  program.add_option("--tokenizer", arguments.tokenizer, "The model's tokenizer file")->type_name("FILE");
  addPrompt(program, arguments);
  const char* prompts[] = {"--prompt", "--prompt-file", "--tokens", "--tokens-file"};
  for (const char* prompt : prompts) {
    for (const char* other : prompts)
      if (prompt != other) program.get_option(prompt)->excludes(program.get_option(other));
  }
  addOverrides(program, arguments);
  addMemoryBudget(program, arguments);
  CLI::Option* screenshot = program.add_option("--screenshot", arguments.screenshot,
                                               "Draw the window after the first run into a .png and exit");
  screenshot->type_name("FILE");
  program
      .add_flag_callback(
          "--force", [&] { arguments.existing = core::Existing::Replace; }, "Overwrite the .png when it exists")
      ->needs(screenshot);
}

int printMistake(const CLI::App& program, const CLI::ParseError& mistake) {
  std::string command = "headscope";
  for (const CLI::App* sub : program.get_subcommands()) command += " " + sub->get_name();
  std::cerr << "headscope: " << mistake.what() << "\nSee `" << command << " --help`.\n";
  return kUsage;
}

}  // namespace

ParsedArguments parseArguments(int argc, const char* const* argv) {
  Arguments arguments;
  CLI::App program("Headscope shows what the attention heads of a small GPT look at.", "headscope");
  program.set_version_flag("--version", "headscope " HEADSCOPE_VERSION);
  program.require_subcommand(0, 1);
  if (kHasWindow) addWindow(program, arguments);
  std::string footer = "\n";
  if (kHasWindow)
    footer += "Without a command the window opens: `headscope`, `headscope ckpt.pt --prompt 'ROMEO:'`.\n\n";
  program.footer(footer + kCodes);

  for (const CommandRow& row : kCommands) {
    if (row.needsWindow && !kHasWindow) continue;
    CLI::App* command = program.add_subcommand(row.name, row.summary);
    command->footer(std::string("\n") + row.examples);
    command->preparse_callback([&arguments, &row](std::size_t) { arguments.command = row.command; });
    row.addOptions(*command, arguments);
  }
  try {
    program.parse(argc, argv);
    requireFittingOutput(arguments);
    requireFittingPicture(arguments);
    if (!kHasWindow && program.get_subcommands().empty())
      throw CLI::ValidationError("This build has no window; give a command");
  } catch (const CLI::ParseError& mistake) {
    if (mistake.get_exit_code() == 0) return {std::nullopt, program.exit(mistake)};  // help and version
    return {std::nullopt, printMistake(program, mistake)};
  }
  return {arguments, kOk};
}

}  // namespace app
