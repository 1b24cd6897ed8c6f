// Claims of configs: sizes that no tensor of the file bears out.
#include "tests/core/checkpoint/claims.h"
#include "tests/core/checkpoint/huggingface_folder.h"
#include "tests/core/checkpoint/nanochat_folder.h"
#include "tests/support/files.h"

namespace support {

namespace fs = std::filesystem;
using core::ErrorKind;
using nlohmann::json;

namespace {

using Write = std::function<Claim::Files(const fs::path&)>;

Write nanogpt(const std::string& key, std::int64_t value) {
  return [=](const fs::path& folder) -> Claim::Files {
    ModelBuilder model;
    model.setArgument(key, pickle::integer(value));
    writeFile(folder / "ckpt.pt", model.build());
    return {folder / "ckpt.pt", {}};
  };
}

Write nanochat(const std::string& key, std::int64_t value) {
  return [=](const fs::path& folder) -> Claim::Files {
    NanochatFolder model(NanochatVersion::March14);
    model.meta["model_config"][key] = value;
    return {model.write(folder / "d3"), {}};
  };
}

Write llama(const json& changes) {
  return [=](const fs::path& folder) -> Claim::Files {
    HuggingfaceFolder model("llama");
    model.config.update(changes);
    model.writeSafetensors(folder);
    return {folder, {}};
  };
}

constexpr std::int64_t k2To24 = 1 << 24;

}  // namespace

std::vector<Claim> configClaims() {
  constexpr auto kMismatch = ErrorKind::Mismatch;
  return {
      {"C1_nanogptLayersAboveTheLimit", nanogpt("n_layer", k2To24), kMismatch, {"'n_layer'", "16,777,216", "10,000"}},
      {"C1_nanogptLayersUpToTheLimit", nanogpt("n_layer", 10'000), kMismatch, {"10000", "1 layer"}},
      {"C1_nanogptWidth", nanogpt("n_embd", k2To24), kMismatch, {"16777216"}},
      {"C1_nanogptContext", nanogpt("block_size", k2To24), kMismatch, {"'transformer.wpe.weight'", "(16777216, 4)"}},
      {"C3_nanogptVocabulary", nanogpt("vocab_size", k2To24), kMismatch, {"'transformer.wte.weight'", "(16777216, 4)"}},
      {"C1_nanochatLayersAboveTheLimit", nanochat("n_layer", k2To24), kMismatch, {"'n_layer'", "16777216"}},
      {"C1_nanochatLayersUpToTheLimit", nanochat("n_layer", 10'000), kMismatch, {"10000", "3 layers"}},
      {"C1_nanochatContextOpens", nanochat("sequence_len", 1 << 20), std::nullopt, {}},
      {"C3_nanochatVocabulary",
       nanochat("vocab_size", k2To24),
       kMismatch,
       {"'transformer.wte.weight'", "(16777216, 24)"}},
      {"C1_llamaLayersAboveTheLimit",
       llama({{"num_hidden_layers", k2To24}}),
       kMismatch,
       {"'num_hidden_layers'", "16,777,216"}},
      {"C1_llamaLayersUpToTheLimit", llama({{"num_hidden_layers", 10'000}}), kMismatch, {"10000", "2 layers"}},
      {"C1_llamaInnerWidth", llama({{"intermediate_size", k2To24}}), kMismatch, {"(16777216, 8)"}},
      {"C1_llamaHeads",
       llama({{"num_attention_heads", k2To24}, {"num_key_value_heads", k2To24}, {"head_dim", 2}}),
       kMismatch,
       {"16777216"}},
      {"C1_llamaContextOpens", llama({{"max_position_embeddings", k2To24}}), std::nullopt, {}},
      {"C3_llamaVocabulary",
       llama({{"vocab_size", k2To24}}),
       kMismatch,
       {"'model.embed_tokens.weight'", "(16777216, 8)"}},
  };
}

}  // namespace support
