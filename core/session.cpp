#include "core/session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/attention/capture_data.h"
#include "core/attention/door.h"
#include "core/checkpoint/checkpoint.h"
#include "core/device.h"
#include "core/free_memory.h"
#include "core/memory_estimate.h"
#include "core/sampling.h"
#include "core/tokenizer/token_label.h"

namespace core {

namespace {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count(); }

 private:
  std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

class OpenedModel final : public Session {
 public:
  OpenedModel(ModelInfo info, std::shared_ptr<const model::Model> model,
              std::shared_ptr<const tokenizer::Tokenizer> tokenizer, Device device)
      : m_info(std::move(info)), m_model(std::move(model)), m_tokenizer(std::move(tokenizer)), m_device(device) {}

  const ModelInfo& info() const override { return m_info; }
  bool hasTokenizer() const override { return m_tokenizer != nullptr; }

  std::vector<TokenText> prefix() const override {
    return m_tokenizer ? texts(m_tokenizer->prefix()) : std::vector<TokenText>();
  }

  std::vector<TokenText> specials() const override {
    return m_tokenizer ? texts(m_tokenizer->specials()) : std::vector<TokenText>();
  }

  PromptCheck check(std::string_view text, Prefix prefix, Specials specials) const override {
    PromptCheck check = checkText(text, m_tokenizer.get(), prefix, specials, m_info.config);
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
    const RunSettings settings = requireRunnable(request, 0);
    return attention::atTheDoor("Running the prompt", [&] {
      const Stopwatch clock;
      model::ForwardResult result = m_model->forward(forwardRequest(request, settings), progress);
      return capture({.path = std::move(result.path),
                      .maskBytes = result.maskBytes,
                      .seconds = clock.seconds(),
                      .warnings = std::move(result.warnings)},
                     settings, request.tokens, std::move(result.layers), std::move(result.hidden));
    });
  }

  std::vector<float> lastLogits(const RunRequest& request, const Progress& progress) const override {
    const RunSettings settings = requireRunnable(request, 0);
    return attention::atTheDoor("Running the prompt", [&] {
      model::ForwardRequest forward = forwardRequest(request, settings);
      forward.keep = model::ForwardRequest::Keep::Nothing;
      return logitsOf(m_model->forward(forward, progress), settings);
    });
  }

  Generation generate(const RunRequest& request, std::int64_t count, const Sampling& sampling, const OnToken& onToken,
                      const Progress& progress) const override {
    const RunSettings settings = requireRunnable(request, count);
    if (settings.mask == MaskKind::Bidirectional) {
      throw Error(
          ErrorKind::Mismatch,
          "A bidirectional mask was asked for, but the next token would change all rows before it: generate text "
          "with the causal mask.");
    }
    Sampler sampler(sampling);
    return attention::atTheDoor("Generating text", [&] {
      const Stopwatch clock;
      const std::int64_t room = std::max<std::int64_t>(m_info.config.context - size(request.tokens), 0);
      Generation generation{.promptTokens = size(request.tokens)};
      std::vector<TokenId> tokens = request.tokens;
      model::KvCache cache(m_info.config, size(tokens) + std::min(count, room));
      model::ForwardRequest forward = forwardRequest(request, settings);
      forward.cache = &cache;
      const double promptShare =
          static_cast<double>(size(tokens)) / static_cast<double>(size(tokens) + std::min(count, room));
      model::ForwardResult pass = m_model->forward(forward, progress.part(0, promptShare));
      const Progress decoding = progress.part(promptShare, 1);
      RunFacts facts{.path = pass.path, .maskBytes = pass.maskBytes, .warnings = pass.warnings};
      for (std::int64_t n = 0; n < std::min(count, room); ++n) {
        decoding.report(static_cast<double>(n) / static_cast<double>(std::min(count, room)), "generating");
        const std::vector<TokenId> next{sampler.choose(logitsOf(pass, settings))};
        tokens.push_back(next.front());
        if (onToken) onToken(texts(next).front());
        pass = m_model->forward(
            {.tokens = next, .settings = settings, .path = request.path, .type = request.type, .cache = &cache}, {});
        for (const std::string& warning : pass.warnings) note(facts.warnings, warning);
      }
      if (count > room) {
        generation.stop = Generation::Stop::ContextEnd;
        generation.sentence = contextEnd(room);
      }
      std::vector<model::LayerRecord> layers;
      for (std::size_t n = 0; n < static_cast<std::size_t>(m_info.config.layers); ++n) {
        const model::LayerRecord layer = cache.layer(n);
        layers.push_back({layer.q.cpu(), layer.k.cpu(), layer.v.cpu(), layer.lse.cpu()});
      }
      if (tokens.size() > request.tokens.size()) facts.path += "; then token by token with a KV cache";
      facts.seconds = clock.seconds();
      generation.capture = capture(std::move(facts), settings, tokens, std::move(layers), cache.hidden());
      return generation;
    });
  }

 private:
  static std::int64_t size(const std::vector<TokenId>& tokens) { return static_cast<std::int64_t>(tokens.size()); }

  /// The settings that run. Errors: as Session::run() before anything is computed.
  RunSettings requireRunnable(const RunRequest& request, std::int64_t further) const {
    const PromptCheck check = checkTokens(request.tokens);
    if (!check.canRun()) throw Error(kindOf(check.problem), check.sentence);
    if (further < 0) {
      throw Error(ErrorKind::Mismatch,
                  "To generate " + std::to_string(further) + " tokens was asked for; give a number of at least 0.");
    }
    RunSettings settings = settingsFor(m_info.config, request.overrides);
    const std::int64_t longest = std::max(size(request.tokens), m_info.config.context);
    const std::int64_t tokens = further < longest ? std::min(size(request.tokens) + further, longest) : longest;
    requireMemory(m_info.config, tokens, request.memoryBudget ? *request.memoryBudget : free());
    return settings;
  }

  /// On a GPU what is kept goes to the CPU's memory and the rest to its own: both must have room.
  std::int64_t free() const {
    const auto gpu = m_device == Device::Cuda ? gpuFacts() : std::nullopt;
    return gpu ? std::min(gpu->freeBytes, freeMemory()) : freeMemory();
  }

  static model::ForwardRequest forwardRequest(const RunRequest& request, const RunSettings& settings) {
    return {.tokens = request.tokens, .settings = settings, .path = request.path, .type = request.type};
  }

  std::vector<float> logitsOf(const model::ForwardResult& pass, const RunSettings& settings) const {
    const at::Tensor logits = m_model->logits(pass.hidden.slice(0, -1), settings).cpu().contiguous();  // (1, V)
    const float* begin = logits.const_data_ptr<float>();
    return {begin, begin + logits.numel()};
  }

  std::shared_ptr<const Capture> capture(RunFacts facts, const RunSettings& settings,
                                         const std::vector<TokenId>& tokens, std::vector<model::LayerRecord> layers,
                                         at::Tensor hidden) const {
    facts.settings = settings;
    facts.differences = differences(m_info.config, settings);
    return std::make_shared<const Capture>(std::make_unique<const Capture::Data>(
        Capture::Data{m_info, std::move(facts), texts(tokens), m_model, std::move(layers), std::move(hidden)}));
  }

  std::string contextEnd(std::int64_t room) const {
    return "Stopped after " + std::to_string(room) + (room == 1 ? " token" : " tokens") + ": the context of " +
           std::to_string(m_info.config.context) + " tokens is full.";
  }

  static void note(std::vector<std::string>& warnings, const std::string& warning) {
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
  }

  ModelInfo m_info;
  std::shared_ptr<const model::Model> m_model;
  std::shared_ptr<const tokenizer::Tokenizer> m_tokenizer;  // null when there is none
  Device m_device;
};

}  // namespace

std::shared_ptr<const Session> Session::open(const std::filesystem::path& path, const OpenOptions& options,
                                             const Progress& progress) {
  const bool onGpu = options.device == Device::Cuda;
  if (const auto why = onGpu ? whyNoCuda() : std::nullopt) throw Error(ErrorKind::Unsupported, *why);
  checkpoint::Checkpoint checkpoint =
      checkpoint::load(path, {options.tokenizer.value_or(std::filesystem::path())}, progress);
  return attention::atTheDoor("Opening " + path.string(), [&]() -> std::shared_ptr<const Session> {
    if (onGpu) checkpoint.info.device = gpuFacts() ? gpuFacts()->name : "CUDA";
    auto model = std::make_shared<const model::Model>(checkpoint.info.config, checkpoint.tensors,
                                                      onGpu ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU));
    return std::make_shared<const OpenedModel>(std::move(checkpoint.info), std::move(model),
                                               std::move(checkpoint.tokenizer), options.device);
  });
}

}  // namespace core
