// A config.json of Hugging Face's models, or a meta_<step>.json of nanochat's.
#include <algorithm>
#include <array>

#include "core/checkpoint/huggingface_config.h"
#include "core/checkpoint/nanochat_config.h"
#include "core/error.h"
#include "tests/fuzz/fuzz.h"

namespace {

using core::checkpoint::Json;
using core::checkpoint::StoredTensor;

/// The tensors that tell nanochat's version: those of March 2026, or none.
class NamedTensors : public core::checkpoint::TensorStore {
 public:
  explicit NamedTensors(std::vector<std::string> names) : m_names(std::move(names)) {}
  const std::vector<std::string>& names() const override { return m_names; }
  std::string fileOf(const std::string& /*name*/) const override { return "model"; }
  std::uint64_t fileBytes() const override { return 0; }
  StoredTensor describe(const std::string& name) const override {
    return {.shape = {name == "transformer.wte.weight" ? 128 : 2, 12}};
  }
  core::checkpoint::Reading read(const std::map<std::string, std::string>& /*wanted*/,
                                 const core::Progress& /*progress*/) const override {
    return {};
  }

 private:
  std::vector<std::string> m_names;
};

void requireAgreement(const core::ModelConfig& config) {
  fuzz::require(config.layers > 0 && config.heads > 0 && config.kvHeads > 0 && config.headSize > 0,
                "sizes are positive");
  fuzz::require(config.embedding > 0 && config.inner > 0 && config.vocabulary > 0, "widths are positive");
  fuzz::require(config.context > 0 && config.longestPrompt > 0, "contexts are positive");
  fuzz::require(config.heads % config.kvHeads == 0, "as many heads for each key/value head");
  fuzz::require(config.vocabularyRows >= config.vocabulary, "a token has a row");
  const auto& windows = config.trained.windows;
  fuzz::require(windows.size() == static_cast<std::size_t>(config.layers), "a layer has a window");
}

void readNanochat(const Json& json) {
  static const NamedTensors kOld({});
  static const NamedTensors kNew(
      {"transformer.wte.weight", "value_embeds.1.ve_gate.weight", "resid_lambdas", "smear_gate.weight"});
  for (const NamedTensors* tensors : {&kOld, &kNew}) {
    try {
      requireAgreement(core::checkpoint::nanochat::readConfig(json, "input", *tensors).numbers);
    } catch (const core::Error&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Json json = core::checkpoint::parseJson(fuzz::textOf(data, size), "input", core::checkpoint::kConfigJson);
    if (json.is_object() && json.contains("model_config")) readNanochat(json);
    requireAgreement(core::checkpoint::huggingface::readConfig(json, "input").numbers);
  } catch (const core::Error&) {
  }
  return 0;
}
