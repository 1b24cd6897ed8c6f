#include "app/headless.h"

#include <exception>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>

#include "app/console.h"
#include "app/info_json.h"
#include "app/info_text.h"
#include "app/prompt_file.h"
#include "app/step_choice.h"
#include "core/session.h"
#include "core/verify.h"
#ifdef HEADSCOPE_GUI
#include "app/render.h"
#endif

namespace app {

namespace {

using Json = nlohmann::ordered_json;

void print(const Json& json) { std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n"; }

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
  static void note(const std::string& sentence) { std::cerr << "headscope: note: " << sentence << "\n"; }

  std::filesystem::path model() {
    m_code = kCannotLoad;
    const std::vector<core::Openable> offers = core::openable(m_arguments.model.string());
    m_code = kUsage;
    return chooseStep(m_arguments.model, offers, m_arguments.step);
  }

  std::shared_ptr<const core::Session> open(const std::filesystem::path& path) {
    m_code = kCannotLoad;
    return core::Session::open(path, {m_arguments.tokenizer}, m_console.progress());
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
    if (m_arguments.tokens) {
      check = session.checkIds(*m_arguments.tokens);
    } else {
      check = session.check(
          m_arguments.promptFile ? readPromptFile(*m_arguments.promptFile, m_console.progress()) : *m_arguments.prompt,
          m_arguments.prefix.value_or(core::Prefix::AsTrained));
    }
    if (!check.canRun()) throw core::Error(core::kindOf(check.problem), check.sentence);
    if (!check.notice.empty()) note(check.notice);
    return check.tokens;
  }

  std::shared_ptr<const core::Capture> runPrompt(const core::Session& session, std::vector<core::TokenId> tokens) {
    m_code = kCannotRun;
    auto result = session.run({std::move(tokens), m_arguments.overrides}, m_console.progress());
    for (const std::string& difference : result->facts().differences) note("differs from training: " + difference);
    for (const std::string& warning : result->facts().warnings) std::cerr << "headscope: warning: " << warning << "\n";
    return result;
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
    std::cout << (m_arguments.format == OutputFormat::Json ? infoJson(info) : infoText(info));
  }

  void capture() {
    checkOutput();
    const auto session = openToRun();
    std::vector<core::TokenId> tokens = promptTokens(*session);

    core::NpzOptions options;
    for (const int layer : m_arguments.layers) options.layers.emplace_back(layer);
    for (const int head : m_arguments.heads) options.heads.emplace_back(head);
    options.logits = m_arguments.logits;
    options.existing = m_arguments.existing;
    m_code = kUsage;
    const core::ModelConfig& config = session->info().config;
    const auto T = static_cast<std::int64_t>(tokens.size());
    const std::uint64_t needed = core::npzBytes(config, T, options);
    m_code = kCannotWrite;
    { const core::OutputFile probe(m_arguments.output, m_arguments.existing, needed); }  // is there room for it?

    const auto result = runPrompt(*session, std::move(tokens));
    m_code = kCannotWrite;
    const std::uint64_t written = core::exportNpz(result, m_arguments.output, options, m_console.progress());

    const auto count = [](std::size_t asked, int all) { return asked == 0 ? all : static_cast<int>(asked); };
    const bool all = options.logits == core::NpzOptions::Logits::All;
    Json arrays{
        {"attn", {count(options.layers.size(), config.layers), count(options.heads.size(), config.heads), T, T}},
        {"token_ids", {T}},
        {"logits", all ? Json{T, config.vocabulary} : Json{config.vocabulary}}};
    if (!options.layers.empty() || !options.heads.empty()) {
      arrays["layers"] = {arrays["attn"][0]};
      arrays["heads"] = {arrays["attn"][1]};
    }
    printCapture(*result, arrays, written);
  }

  void printCapture(const core::Capture& result, const Json& arrays, std::uint64_t bytes) {
    if (m_arguments.format == OutputFormat::Json) {
      print({{"schema", 1},
             {"file", m_arguments.output.string()},
             {"arrays", arrays},
             {"bytes", bytes},
             {"run", runJson(result)}});
      return;
    }
    std::cout << m_arguments.output.string() << ": ";
    for (const auto& [name, shape] : arrays.items()) std::cout << name << " " << shape.dump() << ", ";
    std::cout << grouped(static_cast<std::int64_t>(bytes)) << " bytes\n";
  }

  Json runJson(const core::Capture& result) const {
    const core::RunFacts& facts = result.facts();
    Json json{{"model", result.model().path.string()}, {"tokens", result.size()}, {"path", facts.path}};
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
    core::requireHead(session->info().config, {core::Layer(m_arguments.layer), core::Head(m_arguments.head)});
    const auto result = runPrompt(*session, std::move(tokens));
    const Picture picture = renderPicture(result, m_arguments);
    m_console.checkCancelled();

    m_code = kCannotWrite;
    core::OutputFile file(m_arguments.output, m_arguments.existing, picture.png.size());
    file.append(std::as_bytes(std::span(picture.png)));
    file.commit();
    if (m_arguments.format == OutputFormat::Json) {
      print({{"schema", 1},
             {"file", m_arguments.output.string()},
             {"width", picture.width},
             {"height", picture.height},
             {"cell", picture.cell},
             {"layer", m_arguments.layer},
             {"head", m_arguments.head},
             {"run", runJson(*result)}});
    } else {
      std::cout << m_arguments.output.string() << ": layer " << m_arguments.layer << ", head " << m_arguments.head
                << ", " << picture.width << " x " << picture.height << " pixels, " << picture.cell << " a cell\n";
    }
#endif
  }

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
