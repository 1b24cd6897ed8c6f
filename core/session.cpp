#include "core/session.h"

#include <chrono>
#include <utility>

#include "core/attention/capture_data.h"
#include "core/attention/door.h"
#include "core/checkpoint/checkpoint.h"
#include "core/tokenizer/token_label.h"

namespace core {

namespace {

class OpenedModel final : public Session {
 public:
  OpenedModel(ModelInfo info, std::shared_ptr<const model::Model> model,
              std::shared_ptr<const tokenizer::Tokenizer> tokenizer)
      : m_info(std::move(info)), m_model(std::move(model)), m_tokenizer(std::move(tokenizer)) {}

  const ModelInfo& info() const override { return m_info; }
  bool hasTokenizer() const override { return m_tokenizer != nullptr; }

  std::vector<TokenText> prefix() const override {
    return m_tokenizer ? texts(m_tokenizer->prefix()) : std::vector<TokenText>();
  }

  PromptCheck check(std::string_view text, Prefix prefix) const override {
    PromptCheck check = checkText(text, m_tokenizer.get(), prefix, m_info.config);
    if (check.problem == PromptCheck::Problem::NoTokenizer) check.sentence += " " + m_info.noTokenizer;
    return check;
  }
  PromptCheck checkIds(std::string_view ids) const override { return core::checkIds(ids, m_info.config); }
  PromptCheck checkTokens(std::vector<TokenId> tokens) const override {
    return core::checkTokens(std::move(tokens), m_info.config);
  }

  std::vector<TokenText> texts(const std::vector<TokenId>& tokens) const override {
    std::vector<std::string> bytes;
    for (const TokenId token : tokens) bytes.push_back(m_tokenizer ? m_tokenizer->bytes(token) : std::string());
    return tokenizer::labelTokens(tokens, bytes);
  }

  std::shared_ptr<const Capture> run(const RunRequest& request, const Progress& progress) const override {
    const PromptCheck check = checkTokens(request.tokens);
    if (!check.canRun()) throw Error(kindOf(check.problem), check.sentence);
    RunSettings settings = settingsFor(m_info.config, request.overrides);
    return attention::atTheDoor("Running the prompt", [&] {
      const auto start = std::chrono::steady_clock::now();
      model::ForwardResult result = m_model->forward(request.tokens, settings, progress);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      RunFacts facts{.path = std::move(result.path),
                     .settings = settings,
                     .differences = differences(m_info.config, settings),
                     .seconds = seconds.count(),
                     .warnings = std::move(result.warnings)};
      return std::make_shared<const Capture>(
          std::make_unique<const Capture::Data>(Capture::Data{m_info, std::move(facts), texts(request.tokens), m_model,
                                                              std::move(result.layers), std::move(result.hidden)}));
    });
  }

 private:
  ModelInfo m_info;
  std::shared_ptr<const model::Model> m_model;
  std::shared_ptr<const tokenizer::Tokenizer> m_tokenizer;  // null when there is none
};

}  // namespace

std::shared_ptr<const Session> Session::open(const std::filesystem::path& path, const OpenOptions& options,
                                             const Progress& progress) {
  checkpoint::Checkpoint checkpoint =
      checkpoint::load(path, {options.tokenizer.value_or(std::filesystem::path())}, progress);
  return attention::atTheDoor("Opening " + path.string(), [&]() -> std::shared_ptr<const Session> {
    auto model = std::make_shared<const model::Model>(checkpoint.info.config, checkpoint.tensors);
    return std::make_shared<const OpenedModel>(std::move(checkpoint.info), std::move(model),
                                               std::move(checkpoint.tokenizer));
  });
}

}  // namespace core
