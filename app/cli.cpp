#include "app/cli.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <utility>

#include "app/colour_words.h"
#include "app/index_list.h"

namespace app {

namespace {

#ifdef HEADSCOPE_GUI
constexpr bool kHasWindow = true;
#else
constexpr bool kHasWindow = false;
#endif

/// An option whose value is one of a few words. A mistake is answered with all of them.
template <class Target, class Value>
CLI::Option* addChoice(CLI::App& command, const char* name, Target& target,
                       std::vector<std::pair<std::string, Value>> choices, const char* text) {
  std::string words;
  for (const auto& [word, value] : choices) words.append(words.empty() ? "" : "|").append(word);
  return command
      .add_option_function<std::string>(
          name,
          [=, &target](const std::string& given) {
            for (const auto& [word, value] : choices) {
              if (word != given) continue;
              target = value;
              return;
            }
            throw CLI::ValidationError(name, "'" + given + "' is not one of " + words);
          },
          text)
      ->type_name(words);
}

/// A table of words as addChoice() takes it.
template <class Value, std::size_t count>
std::vector<std::pair<std::string, Value>> choices(const std::array<std::pair<const char*, Value>, count>& table) {
  return {table.begin(), table.end()};
}

/// An optional number; CLI11's own message for a word that is none says enough.
template <class Value>
CLI::Option* addNumber(CLI::App& command, const char* name, std::optional<Value>& target, const std::string& text) {
  return command.add_option(name, target, text)->type_name("N");
}

CLI::Option* addStep(CLI::App& command, Arguments& arguments) {
  return addNumber(command, "--step", arguments.step, "Of a folder that holds several steps of training, this one");
}

void addModel(CLI::App& command, Arguments& arguments) {
  command.add_option("PATH", arguments.model, "The checkpoint: a file, or the folder that holds it")
      ->required()
      ->type_name("");
  addStep(command, arguments);
  command
      .add_option("--tokenizer", arguments.tokenizer,
                  "The model's tokenizer file, when it is not beside the checkpoint")
      ->type_name("FILE");
}

void addJson(CLI::App& command, Arguments& arguments) {
  command.add_flag_callback(
      "--json", [&] { arguments.format = OutputFormat::Json; }, "Print JSON with stable keys");
}

CLI::Option* addNoBos(CLI::App& command, Arguments& arguments) {
  return command.add_flag_callback(
      "--no-bos", [&] { arguments.prefix = core::Prefix::LeftOut; },
      "Leave out the token that training began every text with");
}

void addPrompt(CLI::App& command, Arguments& arguments) {
  const char* group = "Prompt (one of these)";
  CLI::Option* text = command.add_option("--prompt", arguments.prompt, "The text, exactly as given");
  text->type_name("TEXT")->group(group);
  CLI::Option* file = command.add_option("--prompt-file", arguments.promptFile, "The bytes of a file, nothing trimmed");
  file->type_name("FILE")->group(group);
  CLI::Option* tokens = command.add_option("--tokens", arguments.tokens, "Token ids, run exactly as given: 1,2,3");
  tokens->type_name("IDS")->group(group);
  addNoBos(command, arguments)->excludes(tokens);
  command.final_callback([&arguments] {
    const int given = arguments.prompt.has_value() + arguments.promptFile.has_value() + arguments.tokens.has_value();
    if (given == 1) return;
    throw CLI::ValidationError(std::string(given == 0 ? "There is no prompt" : "There is more than one prompt") +
                               "; give one of --prompt TEXT, --prompt-file FILE, --tokens IDS");
  });
}

/// Settings of the run that are one number, otherwise than training had them.
struct NumberRow {
  const char* name;
  std::optional<double> core::Overrides::*value;
  const char* text;
};

constexpr NumberRow kNumbers[] = {
    {"--qk-multiplier", &core::Overrides::qkMultiplier, "nanochat: q and k are multiplied by it after their norm"},
    {"--rope-base", &core::Overrides::ropeBase, "Where positions are rotary: the base of their frequencies"},
    {"--soft-cap", &core::Overrides::softCap, "nanochat: logits = N * tanh(logits / N); 0: no cap"},
};

void addOverrides(CLI::App& command, Arguments& arguments) {
  const std::string group = "Settings of the run (without them: as trained; `headscope info` shows how that is)";
  core::Overrides& overrides = arguments.overrides;
  addChoice<std::optional<core::Gelu>, core::Gelu>(
      command, "--gelu", overrides.gelu, {{"erf", core::Gelu::Erf}, {"tanh", core::Gelu::Tanh}},
      "The activation of nanoGPT and GPT-2, where the checkpoint does not tell")
      ->group(group);
  for (const NumberRow& row : kNumbers) addNumber(command, row.name, overrides.*row.value, row.text)->group(group);
  command
      .add_option("--pattern", overrides.pattern,
                  "Windows by letters, S short and L long, repeated over the layers: SSSL; the last layer is always L")
      ->type_name("TEXT")
      ->group(group);
  addNumber(command, "--short-window", overrides.shortWindow, "How many tokens back an S layer looks")->group(group);
}

void addOutput(CLI::App& command, Arguments& arguments) {
  command.add_option("-o,--output", arguments.output, "The file to write")->required()->type_name("FILE");
  command.add_flag_callback(
      "--force", [&] { arguments.existing = core::Existing::Replace; }, "Overwrite the file when it exists");
}

void addIndexes(CLI::App& command, const char* name, std::vector<int>& indexes, const char* text) {
  command
      .add_option_function<std::string>(
          name,
          [&indexes, name](const std::string& list) {
            const auto parsed = parseIndexList(list);
            if (!parsed) throw CLI::ValidationError(name, "'" + list + "' is not a list such as 0,2 or 1-3");
            indexes = *parsed;
          },
          text)
      ->type_name("LIST");
}

void addInfo(CLI::App& command, Arguments& arguments) {
  addModel(command, arguments);
  addJson(command, arguments);
  command.add_flag_callback(
      "--verify", [&] { arguments.checksums = Checksums::Verify; },
      "Read the whole file and refuse it when a checksum is wrong (exit code 3)");
}

void addCapture(CLI::App& command, Arguments& arguments) {
  addModel(command, arguments);
  addPrompt(command, arguments);
  addOverrides(command, arguments);
  addOutput(command, arguments);
  addIndexes(command, "--layers", arguments.layers, "Only these layers, counted from 0: 0,2 or 1-3");
  addIndexes(command, "--heads", arguments.heads, "Only these heads of each layer");
  using Logits = core::NpzOptions::Logits;
  addChoice<Logits, Logits>(command, "--logits", arguments.logits, {{"all", Logits::All}, {"last", Logits::Last}},
                            "Of all tokens (T, V), the default, or of the last one (V)");
  addJson(command, arguments);
}

void addRender(CLI::App& command, Arguments& arguments) {
  addModel(command, arguments);
  addPrompt(command, arguments);
  addOverrides(command, arguments);
  command.add_option("--layer", arguments.layer, "The layer, counted from 0")->required();
  command.add_option("--head", arguments.head, "The head, counted from 0")->required();
  using core::Stage;
  addChoice<Stage, Stage>(command, "--stage", arguments.stage,
                          {{"scores", Stage::Scores},
                           {"masked", Stage::MaskedScores},
                           {"weights", Stage::Weights},
                           {"output", Stage::Output},
                           {"reassembled", Stage::Reassembled}},
                          "What to draw; weights without it");
  addChoice(command, "--scale", arguments.scale, choices(kScaleWords),
            "From value to colour; linear without it, row: each row by its own largest");
  addChoice(command, "--colormap", arguments.colormap, choices(kColormapWords), "The colours; viridis without it");
  command.add_option("--cell", arguments.cell, "Side of a cell in pixels; without it the picture is about 1000 wide")
      ->check(CLI::Range(1, 256))
      ->type_name("PIXELS");
  addOutput(command, arguments);
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

constexpr CommandRow kCommands[] = {
    {Command::Info, false, "info", "Show what a checkpoint holds: family, sizes, tokenizer, what loading did",
     "Examples:\n"
     "  headscope info out-shakespeare-char/ckpt.pt\n"
     "  headscope info ~/.cache/nanochat/base_checkpoints/d20 --step 21400\n"
     "  headscope info --json ckpt.pt | python3 -c 'import json,sys; print(json.load(sys.stdin)[\"layers\"])'\n",
     addInfo},
    {Command::Capture, false, "capture", "Run a prompt and write every head's attention as .npz",
     "The file holds attn (layers, heads, T, T), token_ids (T) and logits (T, V). Row = query, column = key.\n"
     "With --layers or --heads it also holds the arrays layers and heads: their true numbers.\n\n"
     "Examples:\n"
     "  headscope capture ckpt.pt --prompt 'ROMEO:' -o run.npz\n"
     "  headscope capture d20 --step 21400 --prompt 'Once upon' --pattern L --rope-base 10000 -o run.npz\n"
     "  headscope capture ckpt.pt --prompt-file act1.txt --layers 0,2 --heads 1-3 --logits last -o run.npz\n"
     "  python3 -c 'import numpy as np; d = np.load(\"run.npz\"); print(d[\"attn\"].shape)'\n",
     addCapture},
    {Command::Render, true, "render", "Run a prompt and draw one head's map as .png",
     "Examples:\n"
     "  headscope render ckpt.pt --prompt 'ROMEO:' --layer 2 --head 3 -o map.png\n"
     "  headscope render ckpt.pt --tokens 1,2,3 --layer 0 --head 0 --stage scores --colormap diverging --cell 16 -o "
     "map.png\n",
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
  CLI::Option* text = program.add_option("--prompt", arguments.prompt, "The text to run at once")->type_name("TEXT");
  CLI::Option* file = program.add_option("--prompt-file", arguments.promptFile, "The same, from a file");
  file->type_name("FILE")->excludes(text);
  CLI::Option* tokens = program.add_option("--tokens", arguments.tokens, "The same, as token ids: 1,2,3");
  tokens->type_name("IDS")->excludes(text)->excludes(file);
  addNoBos(program, arguments)->excludes(tokens);
  addOverrides(program, arguments);
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
    if (!kHasWindow && program.get_subcommands().empty())
      throw CLI::ValidationError("This build has no window; give a command");
  } catch (const CLI::ParseError& mistake) {
    if (mistake.get_exit_code() == 0) return {std::nullopt, program.exit(mistake)};  // help and version
    return {std::nullopt, printMistake(program, mistake)};
  }
  return {arguments, kOk};
}

}  // namespace app
