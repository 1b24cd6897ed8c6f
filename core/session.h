// The door to an opened model: check a prompt, run it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention_kernel.h"
#include "core/capture.h"
#include "core/generation.h"
#include "core/ids.h"
#include "core/model_info.h"
#include "core/overrides.h"
#include "core/progress.h"
#include "core/prompt_check.h"
#include "core/specials.h"
#include "core/token_text.h"

namespace core {

struct OpenOptions {
  std::optional<std::filesystem::path> tokenizer = std::nullopt;  ///< a tokenizer file chosen by hand
  Device device = Device::Cpu;                                    ///< where the model runs
};

struct RunRequest {
  std::vector<TokenId> tokens;
  Overrides overrides = {};
  AttentionPath path = AttentionPath::Manual;
  DType type = DType::Float32;                              ///< of q, k and v in attention; all else is float32
  std::optional<std::int64_t> memoryBudget = std::nullopt;  ///< bytes; nullopt: what the system has free
};

/// An opened model, immutable; every member function may be called from any thread, run() from one at a time.
class Session {
 public:
  /// Reads the checkpoint: only the storages that the model needs. Of several steps in a folder one must be named
  /// (core/openable.h).
  /// Errors: every kind of core/error.h, with the file and the item in the sentence.
  static std::shared_ptr<const Session> open(const std::filesystem::path& path, const OpenOptions& options,
                                             const Progress& progress);
  virtual ~Session() = default;

  virtual const ModelInfo& info() const = 0;
  virtual bool hasTokenizer() const = 0;

  /// What upstream puts before every text: "<|bos|>", or nothing.
  virtual std::vector<TokenText> prefix() const = 0;

  /// The special tokens whose spelling in a text is text by upstream's default, as nanochat's "<|bos|>" is.
  virtual std::vector<TokenText> specials() const = 0;

  /// The text as the model's tokens. UTF-8; nothing is trimmed or cut. Never throws for what a user can type.
  virtual PromptCheck check(std::string_view text, Prefix prefix = Prefix::AsTrained,
                            Specials specials = Specials::AsUpstream) const = 0;
  /// Token ids as given: "1, 2, 3", separated by commas or white space.
  virtual PromptCheck checkIds(std::string_view ids) const = 0;
  virtual PromptCheck checkTokens(std::vector<TokenId> tokens) const = 0;

  /// What each token stands for; "#17" labels where there is no tokenizer.
  virtual std::vector<TokenText> texts(const std::vector<TokenId>& tokens) const = 0;

  /// Runs the prompt layer by layer and keeps what attention_map.h needs.
  /// Errors: TooLarge / Mismatch when the prompt can't run (see PromptCheck) or an override doesn't fit (settingsFor),
  /// OutOfMemory (before the run when memory_estimate.h foresees it), Cancelled.
  virtual std::shared_ptr<const Capture> run(const RunRequest& request, const Progress& progress) const = 0;

  /// The same forward pass without keeping anything. Shape: (V), logits of the last position. Errors: as run().
  virtual std::vector<float> lastLogits(const RunRequest& request, const Progress& progress) const = 0;

  /// Runs the prompt, then `count` further tokens, each chosen from the logits of the one before. Stops at the end of
  /// the context, and says so. Errors: as run(); Mismatch for a temperature or a K below 0.
  virtual Generation generate(const RunRequest& request, std::int64_t count, const Sampling& sampling,
                              const OnToken& onToken, const Progress& progress) const = 0;
};

}  // namespace core
