#include "core/checkpoint/huggingface_tokenizer.h"

#include <fmt/format.h>

#include "core/checkpoint/family_weights.h"
#include "core/checkpoint/huggingface_files.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/tokenizer_choice.h"
#include "core/tokenizer/byte_bpe.h"

namespace core::checkpoint::huggingface {

namespace fs = std::filesystem;

namespace {

/// Where a tokenizer of this family may be; empty when there is none that is read. Another family's vocab.json has
/// another split rule, which it does not tell.
fs::path tokenizerIn(const fs::path& folder, const ModelConfig& config) {
  if (has(folder, "tokenizer.json")) return folder / "tokenizer.json";
  const bool isGpt2 = config.positions == Positions::Learned;
  return isGpt2 && has(folder, "vocab.json") && has(folder, "merges.txt") ? folder / "vocab.json" : fs::path();
}

std::string lookedFor(const fs::path& folder) {
  std::string text = fmt::format("tokenizer.json in {}", folder.string());
  if (has(folder, "tokenizer.model"))
    text += ", only a tokenizer.model, a SentencePiece model, which is not read";
  else if (has(folder, "vocab.json"))
    text += ", only a vocab.json, which does not tell how a text is split";
  return text;
}

}  // namespace

void addTokenizer(Checkpoint& checkpoint, const fs::path& folder, const LoadOptions& options) {
  ModelInfo& info = checkpoint.info;
  const fs::path path = tokenizerIn(folder, info.config);
  const bool isGpt2 =
      info.config.positions == Positions::Learned && info.config.vocabulary == tokenizer::kGpt2Vocabulary;
  if (options.tokenizer.empty() && path.empty() && isGpt2 && !has(folder, "vocab.json") &&
      !has(folder, "tokenizer.model")) {
    useTokenizer(checkpoint, tokenizer::gpt2Tokenizer(), "", SpareIds::Padding);
    say(info, ReportLine::Topic::Tokenizer,
        "GPT-2 byte-level BPE: there is no tokenizer in the folder, and the vocabulary is GPT-2's");
    return;
  }
  chooseTokenizer(checkpoint, options, path, lookedFor(folder), SpareIds::Padding);
}

}  // namespace core::checkpoint::huggingface
