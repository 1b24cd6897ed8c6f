#include "app/headless.h"

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>

#include "app/bench_command.h"
#include "app/capture_command.h"
#include "app/console.h"
#include "app/generate_command.h"
#include "app/info_json.h"
#include "app/info_text.h"
#include "app/prompt_file.h"
#include "app/step_choice.h"
#include "core/number_text.h"
#include "core/session.h"
#include "core/verify.h"
#ifdef HEADSCOPE_GUI
#include "app/render.h"
#endif

namespace app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kLargeFile = 1'000'000'000;

/// One headless command from start to end. `m_code` is what a failure of the present step ends the program with.
class Job {
 public:
  explicit Job(const Arguments& arguments) : m_arguments(arguments) {}

  int run() {
    try {
      switch (m_arguments.command) {
        case Command::Info: info(); break;
        case Command::Capture: capture(); break;
        case Command::Render: render(); break;
        case Command::Generate: generate(); break;
        case Command::Bench: bench(); break;
        case Command::Window: return kUsage;
      }
      // Results that nobody can read are a failure: a full disk behind a redirection.
      if (!std::cout.flush()) throw core::Error(core::ErrorKind::Io, "Cannot write the result to standard output.");
      return kOk;
    } catch (const core::Error& error) {
      printError(error);
      return error.kind() == core::ErrorKind::Cancelled ? kCancelled : m_code;
    } catch (const std::bad_alloc&) {
      printError(core::Error(core::ErrorKind::OutOfMemory, "Not enough memory; try a shorter prompt."));
      return m_code;
    }
  }

 private:
  void note(const std::string& sentence) {
    m_console.clear();
    std::cerr << "headscope: note: " << sentence << "\n";
  }

  std::ostream& out() {
    m_console.clear();
    return std::cout;
  }

  void print(const Json& json) { out() << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n"; }

  /// Asks only whether to go on: for work that prints as it goes.
  core::Progress quietProgress() {
    return core::Progress([this](double, std::string_view) {
      m_console.checkCancelled();
      return true;
    });
  }

  std::filesystem::path model() {
    m_code = kCannotLoad;
    const std::vector<core::Openable> offers = core::openable(m_arguments.model.string());
    m_code = kUsage;
    return chooseStep(m_arguments.model, offers, m_arguments.step);
  }

  std::shared_ptr<const core::Session> open(const std::filesystem::path& path) {
    m_code = kCannotLoad;
    return core::Session::open(path, {m_arguments.tokenizer, m_arguments.device}, m_console.progress());
  }

  /// For a command that runs: settings that the model can't have are a mistake on the command line.
  std::shared_ptr<const core::Session> openToRun() {
    auto session = open(model());
    m_code = kUsage;
    core::settingsFor(session->info().config, m_arguments.overrides);
    return session;
  }

  std::vector<core::TokenId> promptTokens(const core::Session& session) {
    m_code = kCannotRun;
    core::PromptCheck check;
    if (m_arguments.tokens || m_arguments.tokensFile) {
      check = session.checkIds(m_arguments.tokens ? *m_arguments.tokens
                                                  : readPromptFile(*m_arguments.tokensFile, m_console.progress()));
    } else {
      check = session.check(
          m_arguments.promptFile ? readPromptFile(*m_arguments.promptFile, m_console.progress()) : *m_arguments.prompt,
          m_arguments.prefix.value_or(core::Prefix::AsTrained), m_arguments.specials);
    }
    if (!check.canRun()) throw core::Error(core::kindOf(check.problem), check.sentence);
    if (!check.notice.empty()) note(check.notice);
    return check.tokens;
  }

  core::RunRequest request(std::vector<core::TokenId> tokens) const {
    return {.tokens = std::move(tokens),
            .overrides = m_arguments.overrides,
            .path = m_arguments.path,
            .memoryBudget = m_arguments.memoryBudget};
  }

  std::shared_ptr<const core::Capture> runPrompt(const core::Session& session, std::vector<core::TokenId> tokens) {
    m_code = kCannotRun;
    auto result = session.run(request(std::move(tokens)), m_console.progress());
    noteFacts(result->facts());
    return result;
  }

  void noteFacts(const core::RunFacts& facts) {
    for (const std::string& difference : facts.differences) note("differs from training: " + difference);
    for (const std::string& warning : facts.warnings) std::cerr << "headscope: warning: " << warning << "\n";
  }

  /// Said before the model is opened, so that nobody waits for a result that has no place.
  void checkOutput() {
    m_code = kCannotWrite;
    core::OutputFile::check(m_arguments.output, m_arguments.existing);
  }

  void info() {
    const std::filesystem::path path = model();
    m_code = kCannotLoad;
    if (m_arguments.checksums == Checksums::Verify) {
      const core::Verification verified = core::verifyChecksums(path, m_console.progress());
      if (!verified.note.empty()) note(verified.note);
    }
    const auto session = open(path);
    const core::ModelInfo& info = session->info();
    m_code = kCannotWrite;
    out() << (m_arguments.format == OutputFormat::Json ? infoJson(info) : infoText(info));
  }

  void capture() {
    m_code = kCannotWrite;
    checkOutputFiles(m_arguments);
    const auto session = openToRun();
    std::vector<core::TokenId> tokens = promptTokens(*session);
    requireRoom(session->info().config, static_cast<std::int64_t>(tokens.size()));
    const auto result = runPrompt(*session, std::move(tokens));
    const core::Exported file = write(result);
    if (m_arguments.format == OutputFormat::Text) {
      out() << exportedText(file) << "\n";
      return;
    }
    Json json{{"schema", 1}};
    json.update(exportedJson(file));
    json["run"] = runJson(*result);
    print(json);
  }

  /// Whether the model has what is asked for and the disk room for it, before the run.
  void requireRoom(const core::ModelConfig& config, std::int64_t T) {
    m_code = kUsage;
    const std::uint64_t needed =
        core::exportBytes(config, core::settingsFor(config, m_arguments.overrides), T, exportOptions(m_arguments));
    m_code = kCannotWrite;
    const core::OutputFile probe(m_arguments.output, m_arguments.existing, needed);
    if (needed > kLargeFile) {
      note("the file will take at least " + core::bytesText(static_cast<std::int64_t>(needed)) +
           "; --rows, --cols, --layers and --heads choose less");
    }
  }

  core::Exported write(const std::shared_ptr<const core::Capture>& result) {
    m_code = kCannotWrite;
    return core::exportCapture(result, m_arguments.output, exportOptions(m_arguments), m_console.progress());
  }

  void generate() {
    const bool writes = !m_arguments.output.empty();
    const bool printsText = m_arguments.format == OutputFormat::Text;
    m_code = kCannotWrite;
    if (writes) checkOutputFiles(m_arguments);
    const auto session = openToRun();
    if (core::settingsFor(session->info().config, m_arguments.overrides).mask == core::MaskKind::Bidirectional) {
      throw core::Error(core::ErrorKind::Mismatch,
                        "With a bidirectional mask a token looks at those after it, which text that is being generated "
                        "does not have yet. Leave --mask out.");
    }
    const std::vector<core::TokenId> prompt = promptTokens(*session);
    const core::ModelConfig& config = session->info().config;
    const auto T = static_cast<std::int64_t>(prompt.size());
    if (writes) requireRoom(config, std::min(T + m_arguments.count, std::max(T, config.context)));

    m_code = kCannotRun;
    m_console.clear();
    GeneratedText text(printsText ? &std::cout : nullptr,
                       session->hasTokenizer() ? GeneratedText::Shown::AsText : GeneratedText::Shown::AsTokens);
    core::Generation generation;
    try {
      generation = session->generate(
          request(prompt), m_arguments.count, m_arguments.sampling,
          [&](const core::TokenText& token) { text.add(token); }, printsText ? quietProgress() : m_console.progress());
    } catch (const core::Error& error) {
      text.end();
      if (!printsText && error.kind() == core::ErrorKind::Cancelled)
        printGeneration(text.json(prompt, m_arguments.sampling, "cancelled"), {}, nullptr);
      throw;
    }
    text.end();
    if (generation.stop == core::Generation::Stop::ContextEnd) note(generation.sentence);
    noteFacts(generation.capture->facts());
    Json file = Json::object();
    if (writes) {
      const core::Exported exported = write(generation.capture);
      if (printsText) note(exportedText(exported));
      file = exportedJson(exported);
    }
    if (!printsText)
      printGeneration(text.json(prompt, m_arguments.sampling, word(generation.stop)), file,
                      runJson(*generation.capture));
  }

  void printGeneration(const Json& text, const Json& file, const Json& run) {
    Json json{{"schema", 1}};
    json.update(text);
    if (!file.is_null()) json.update(file);
    json["run"] = run;
    print(json);
  }

  void bench() {
    m_code = kUsage;
    if (m_arguments.bench.threads) core::useThreads(*m_arguments.bench.threads);
    if (m_arguments.model.empty()) {
      printBench(benchShapes(m_arguments, m_console.progress()));
      return;
    }
    const auto session = openToRun();
    const core::ModelConfig& config = session->info().config;
    if (m_arguments.bench.layer) core::requireHead(config, {core::Layer(*m_arguments.bench.layer), core::Head(0)});
    std::vector<core::TokenId> tokens = givesPrompt() ? promptTokens(*session) : fillerTokens(config);
    if (!givesPrompt()) {
      note("no prompt is given: " + grouped(static_cast<std::int64_t>(tokens.size())) + " tokens, the ids 0 to " +
           grouped(std::min<std::int64_t>(config.vocabulary, static_cast<std::int64_t>(tokens.size())) - 1) +
           " over and over, of a context of " + grouped(config.context));
    }
    m_code = kCannotRun;
    if (m_arguments.bench.work == BenchWork::Verify) {
      printVerification(verifyModel(*session, request(std::move(tokens)), m_arguments, m_console.progress()));
    } else {
      printBench(benchModel(*session, request(std::move(tokens)), m_arguments, m_console.progress()));
    }
  }

  bool givesPrompt() const {
    return m_arguments.prompt || m_arguments.promptFile || m_arguments.tokens || m_arguments.tokensFile;
  }

  void printBench(const core::SpeedReport& report) {
    out() << benchResult(report, m_arguments.format);
    m_code = kCannotRun;
    const auto ran = [](const core::SpeedRow& row) { return row.ran(); };
    if (std::any_of(report.rows.begin(), report.rows.end(), ran)) return;
    throw core::Error(core::ErrorKind::Unsupported,
                      "Nothing ran; each row says why. The first: " + report.rows.front().refusal);
  }

  void printVerification(const std::vector<core::PathCheck>& checks) {
    out() << verifyResult(checks, m_arguments.format);
    for (const core::PathCheck& check : checks) {
      if (check.passed()) continue;
      throw core::Error(core::ErrorKind::Mismatch, std::string("Manual and flash differ in ") + word(check.type) +
                                                       " by more than the tolerance; the rows say in which layers.");
    }
  }

  Json runJson(const core::Capture& result) const {
    const core::RunFacts& facts = result.facts();
    Json json{{"model", result.model().path.string()},
              {"tokens", result.size()},
              {"path", facts.path},
              {"mask_bytes", facts.maskBytes}};
    json.update(settingsJson(result.model().config, facts.settings));
    json.update({{"differences", facts.differences}, {"seconds", facts.seconds}, {"warnings", facts.warnings}});
    return json;
  }

  void render() {
#ifdef HEADSCOPE_GUI
    checkOutput();
    const auto session = openToRun();
    std::vector<core::TokenId> tokens = promptTokens(*session);
    m_code = kUsage;
    requireMaps(session->info().config, static_cast<std::int64_t>(tokens.size()), m_arguments.render);
    const auto result = runPrompt(*session, std::move(tokens));
    const Picture picture = renderPicture(result, m_arguments, m_console.progress());
    if (!picture.notice.empty()) note(picture.notice);
    m_code = kCannotWrite;
    savePicture(picture, m_arguments.output, m_arguments.existing, m_console.progress());
    if (m_arguments.format == OutputFormat::Json) {
      print(pictureJson(picture, *result));
    } else {
      out() << m_arguments.output.string() << ": " << picture.what << ", " << picture.width << " x " << picture.height
            << " " << picture.unit << (picture.cell > 0 ? ", " + std::to_string(picture.cell) + " a cell" : "") << "\n";
    }
#endif
  }

#ifdef HEADSCOPE_GUI
  Json pictureJson(const Picture& picture, const core::Capture& result) const {
    const RenderArguments& render = m_arguments.render;
    Json json{{"schema", 1},
              {"file", m_arguments.output.string()},
              {"width", picture.width},
              {"height", picture.height},
              {"unit", picture.unit},
              {"layer", render.layer},
              {"heads", render.heads}};
    if (render.heads.size() == 1) json["head"] = render.heads.front();
    if (picture.cell > 0) json["cell"] = picture.cell;
    json["run"] = runJson(result);
    return json;
  }
#endif

  const Arguments& m_arguments;
  Console m_console;
  int m_code = kCannotLoad;
};

}  // namespace

void printError(const core::Error& error) {
  std::cerr << "headscope: " << core::name(error.kind()) << ": " << error.what() << "\n";
  if (!error.details().empty()) std::cerr << "  " << error.details() << "\n";
}

int runHeadless(const Arguments& arguments) { return Job(arguments).run(); }

}  // namespace app
