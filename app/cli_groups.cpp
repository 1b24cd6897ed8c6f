#include "app/cli_groups.h"

#include <array>
#include <string>
#include <utility>

#include "app/byte_size.h"
#include "app/capture_command.h"
#include "app/cli_options.h"
#include "app/index_list.h"

namespace app {

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

namespace {

/// How a text becomes tokens; ids run exactly as given.
std::array<CLI::Option*, 2> addTextOptions(CLI::App& command, Arguments& arguments) {
  return {command.add_flag_callback(
              "--no-bos", [&] { arguments.prefix = core::Prefix::LeftOut; },
              "Leave out the token that training began every text with"),
          command.add_flag_callback(
              "--special-tokens", [&] { arguments.specials = core::Specials::Tokens; },
              "Where the text spells a special token, such as <|endoftext|> or <|bos|>, it is that token. Without it "
              "that is text for nanoGPT, nanochat and SentencePiece, as for their own code; with the tokenizer of a "
              "Hugging Face folder, and byte-level BPE in a GGUF file, it is always the token")};
}

}  // namespace

void addPrompt(CLI::App& command, Arguments& arguments) {
  const char* group = "Prompt (one of these)";
  CLI::Option* text = command.add_option("--prompt", arguments.prompt, "The text, exactly as given");
  text->type_name("TEXT")->group(group);
  CLI::Option* file = command.add_option("--prompt-file", arguments.promptFile, "The bytes of a file, nothing trimmed");
  file->type_name("FILE")->group(group);
  CLI::Option* tokens = command.add_option("--tokens", arguments.tokens, "Token ids, run exactly as given: 1,2,3");
  tokens->type_name("IDS")->group(group);
  CLI::Option* tokensFile = command.add_option("--tokens-file", arguments.tokensFile,
                                               "Token ids of a file, separated by commas or white space");
  tokensFile->type_name("FILE")->group(group);
  for (CLI::Option* option : addTextOptions(command, arguments)) option->excludes(tokens)->excludes(tokensFile);
}

void requirePrompt(CLI::App& command, Arguments& arguments) {
  addPrompt(command, arguments);
  command.final_callback([&arguments] {
    const int given = arguments.prompt.has_value() + arguments.promptFile.has_value() + arguments.tokens.has_value() +
                      arguments.tokensFile.has_value();
    if (given == 1) return;
    throw CLI::ValidationError(std::string(given == 0 ? "There is no prompt" : "There is more than one prompt") +
                               "; give one of --prompt TEXT, --prompt-file FILE, --tokens IDS, --tokens-file FILE");
  });
}

namespace {

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

}  // namespace

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
  command
      .add_option_function<std::string>(
          "--windows",
          [&overrides](const std::string& list) {
            try {
              overrides.windows = core::widthsOf(list);
            } catch (const core::Error& error) {
              throw CLI::ValidationError("--windows", error.what());
            }
          },
          "Instead of a pattern: how many tokens back each layer looks, all for no limit, 0 for the query alone: "
          "16,16,all,0; or one width for all layers: 128")
      ->type_name("LIST")
      ->group(group);
  using core::MaskKind;
  addChoice<std::optional<MaskKind>, MaskKind>(
      command, "--mask", overrides.mask, {{"causal", MaskKind::Causal}, {"bidirectional", MaskKind::Bidirectional}},
      "Which keys a query may see: those before it, or those after it too")
      ->group(group);
}

void addMemoryBudget(CLI::App& command, Arguments& arguments) {
  addParsed(command, "--memory-budget", arguments.memoryBudget, parseByteSize, "a size such as 512M or 4G",
            "Refuse a run that would take more; with B, K, M or G (1K = 1024 bytes). Without it: what is free")
      ->type_name("SIZE");
}

void addPath(CLI::App& command, Arguments& arguments) {
  using core::AttentionPath;
  addChoice<AttentionPath, AttentionPath>(
      command, "--path", arguments.path, {{"manual", AttentionPath::Manual}, {"flash", AttentionPath::Flash}},
      "How attention is computed: step by step, the default, or by a kernel that never holds T x T");
  addMemoryBudget(command, arguments);
}

CLI::Option* addOutput(CLI::App& command, Arguments& arguments, const char* text) {
  CLI::Option* output = command.add_option("-o,--output", arguments.output, text);
  command
      .add_flag_callback(
          "--force", [&] { arguments.existing = core::Existing::Replace; }, "Overwrite the file when it exists")
      ->needs(output);
  return output->type_name("FILE");
}

namespace {

void addCsv(CLI::App& command, Arguments& arguments, CLI::Option* output) {
  using Csv = core::CsvOptions;
  const auto given = [&arguments](const char* name) { arguments.csvGiven.emplace_back(name); };
  const auto add = [&](CLI::Option* option) {
    (output->get_required() ? option : option->needs(output))->group("What a table (.csv) looks like");
  };
  add(command
          .add_option_function<std::string>(
              "--csv-form",
              [&arguments, given](const std::string& word) {
                if (word != "long" && word != "matrix")
                  throw CLI::ValidationError("--csv-form", "'" + word + "' is not one of long|matrix");
                arguments.csv.form = word == "long" ? Csv::Form::Long : Csv::Form::Matrix;
                given("--csv-form");
              },
              "A line a cell (layer, head, query, key, their tokens, weight), the default, or one head as a matrix")
          ->type_name("long|matrix"));
  add(command.add_flag_callback(
      "--csv-bom",
      [&arguments, given] {
        arguments.csv.mark = Csv::ByteOrderMark::Written;
        given("--csv-bom");
      },
      "Begin with a byte-order mark, which older Excel needs to read UTF-8"));
  add(command.add_flag_callback(
      "--csv-guard-formulas",
      [&arguments, given] {
        arguments.csv.formulas = Csv::Formulas::Guarded;
        given("--csv-guard-formulas");
      },
      "Put ' before tokens that begin with = + - @, so that no spreadsheet takes them for formulas"));
}

}  // namespace

void addSelection(CLI::App& command, Arguments& arguments, CLI::Option* output) {
  const char* group = "What is written (without them: everything)";
  const char* like = "a list such as 0,2 or 1-3";
  const auto layers = [](const std::string& list) { return parseIndexList(list); };
  const auto rows = [](const std::string& list) { return parsePositions(list); };
  using Logits = core::CaptureExport::Logits;
  for (CLI::Option* option :
       {addParsed(command, "--layers", arguments.layers, layers, like, "Only these layers, counted from 0: 0,2 or 1-3")
            ->type_name("LIST"),
        addParsed(command, "--heads", arguments.heads, layers, like, "Only these heads of each layer")
            ->type_name("LIST"),
        addParsed(command, "--rows", arguments.rows, rows, like, "Only these rows (queries), counted from 0")
            ->type_name("LIST"),
        addParsed(command, "--cols", arguments.columns, parsePositionRange,
                  "a range such as 0:128, the end after the "
                  "beginning",
                  "Only the columns (keys) from A to B, without B itself")
            ->type_name("A:B"),
        addChoice<std::optional<Logits>, Logits>(
            command, "--logits", arguments.logits,
            {{"all", Logits::All}, {"last", Logits::Last}, {"none", Logits::None}},
            "In .npz and .safetensors: of all tokens (T, V), the default, of the last one (V), or none")})
    (output->get_required() ? option : option->needs(output))->group(group);
  addCsv(command, arguments, output);
}

void requireFittingOutput(const Arguments& arguments) {
  const bool writesCapture = arguments.command == Command::Capture || arguments.command == Command::Generate;
  if (!writesCapture || arguments.output.empty()) return;
  const auto format = outputFormat(arguments.output);
  if (!format) {
    throw CLI::ValidationError("--output", arguments.output.string() + " tells no format; name it with the ending " +
                                               core::exportExtensions());
  }
  if (*format != core::ExportFormat::Csv && !arguments.csvGiven.empty()) {
    throw CLI::ValidationError(arguments.csvGiven.front(),
                               "only a table has it, and " + arguments.output.string() + " is none; name it .csv");
  }
  const bool hasLogits = *format == core::ExportFormat::Npz || *format == core::ExportFormat::Safetensors;
  if (arguments.logits && !hasLogits) {
    throw CLI::ValidationError("--logits", std::string(core::extensionOf(*format)) +
                                               " holds attention alone; name the output .npz or .safetensors");
  }
}

}  // namespace app
