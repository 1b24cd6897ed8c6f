#include "app/info_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/info_json.h"
#include "core/number_text.h"
#include "core/overrides.h"

namespace app {

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

/// Two columns, the first as wide as its widest entry.
std::string aligned(const Rows& rows) {
  std::size_t width = 0;
  for (const auto& [label, value] : rows) width = std::max(width, label.size());
  std::string text;
  for (const auto& [label, value] : rows) {
    text.append("  ").append(label).append(width + 2 - label.size(), ' ').append(value).append("\n");
  }
  return text;
}

std::string positions(const core::ModelConfig& config) {
  if (config.positions == core::Positions::Learned) return "learned";
  const core::RopeScaling& scaling = config.ropeScaling;
  const std::string rope = "RoPE, base " + core::numberText(config.trained.ropeBase);
  switch (scaling.rule) {
    case core::RopeScaling::Rule::None: return rope;
    case core::RopeScaling::Rule::Linear: return rope + ", linear scaling by " + core::numberText(scaling.factor);
    case core::RopeScaling::Rule::Llama3:
      return rope + ", llama3 scaling by " + core::numberText(scaling.factor) + " from " +
             grouped(scaling.originalContext) + " tokens";
    case core::RopeScaling::Rule::Factors: return rope + ", scaled by the factors in the file";
  }
  return rope;
}

std::string qkNorm(const core::ModelConfig& config) {
  switch (config.qkNorm) {
    case core::QkNorm::None: return "none";
    case core::QkNorm::Weighted: return "RMSNorm with weights, before RoPE";
    case core::QkNorm::Unit:
      return "RMSNorm without weights, after RoPE, times " + core::numberText(config.trained.qkMultiplier);
  }
  return {};
}

std::string mlp(const core::ModelConfig& config) {
  const std::string width = ", " + grouped(config.inner) + " wide";
  switch (config.mlp) {
    case core::Mlp::Gelu: return (config.trained.gelu == core::Gelu::Erf ? "GELU (erf)" : "GELU (tanh)") + width;
    case core::Mlp::SwiGlu: return "SwiGLU" + width;
    case core::Mlp::ReluSquared: return "ReLU squared" + width;
  }
  return {};
}

std::string biases(const core::Biases& biases) {
  const std::pair<bool, const char*> parts[] = {
      {biases.qkv, "q, k, v"}, {biases.out, "attention output"}, {biases.mlp, "MLP"}, {biases.norm, "norms"}};
  std::string list;
  for (const auto& [has, part] : parts)
    if (has) list.append(list.empty() ? "" : ", ").append(part);
  return list.empty() ? "none" : list;
}

std::string context(const core::ModelConfig& config) {
  const std::string trained = grouped(config.context) + " tokens";
  if (config.longestPrompt <= config.context) return trained;
  return trained + "; runs up to " + grouped(config.longestPrompt);
}

std::string vocabulary(const core::ModelConfig& config) {
  if (config.vocabularyRows <= config.vocabulary) return grouped(config.vocabulary);
  return grouped(config.vocabulary) + ", padded to " + grouped(config.vocabularyRows) + " rows";
}

std::string windowText(core::Window window) {
  return window.limited() ? "i - j <= " + grouped(window.left) + " (" + grouped(window.left + 1) + " keys)"
                          : "every key up to the query";
}

/// The layers' letters, what they mean, and who says so; of a model whose layers all look at everything, what S would
/// mean in a run.
Rows windows(const core::ModelConfig& config) {
  const std::vector<core::Window>& windows = config.trained.windows;
  if (std::none_of(windows.begin(), windows.end(), [](core::Window window) { return window.limited(); })) {
    const core::Window shortWindow = config.windowRule.shortWindow;
    Rows rows{{"windows", "none: every layer sees " + windowText({})}};
    if (shortWindow.limited())
      rows.push_back({"S in a run", windowText(shortWindow) + ": " + core::shortWindowOrigin(config)});
    return rows;
  }
  std::string letters;
  for (const core::Window window : windows) letters += core::letterOf(window, config.windowRule);
  Rows rows{{"windows", letters}};
  for (const char letter : {'S', 'L'}) {
    const auto found = letters.find(letter);
    if (found == std::string::npos) continue;
    const core::Window window = windows[found];
    rows.push_back({std::string("window ") + letter, windowText(window)});
  }
  if (!config.windowRule.origin.empty()) rows.push_back({"window from", config.windowRule.origin});
  return rows;
}

}  // namespace

std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0 && digits[i - 1] != '-') text += ',';
    text += digits[i];
  }
  return text;
}

std::string infoText(const core::ModelInfo& info) {
  const core::ModelConfig& config = info.config;
  const std::string heads = std::to_string(config.heads) + " of size " + std::to_string(config.headSize);
  const std::string shared =
      ", on " + std::to_string(config.kvHeads) + (config.kvHeads == 1 ? " key/value head" : " key/value heads");
  Rows rows{
      {"file", info.path.string()},
      {"family", config.version.empty() ? config.family : config.family + ", " + config.version},
      {"layers", std::to_string(config.layers)},
      {"heads", config.kvHeads == config.heads ? heads : heads + shared},
      {"embedding", grouped(config.embedding)},
      {"context", context(config)},
      {"vocabulary", vocabulary(config)},
      {"norm", (config.norm == core::Norm::LayerNorm ? "LayerNorm, epsilon " : "RMSNorm, epsilon ") +
                   core::numberText(config.normEpsilon)},
      {"positions", positions(config)},
      {"QK norm", qkNorm(config)},
      {"MLP", mlp(config)},
      {"biases", biases(config.biases)},
      {"output head", config.tiedHead ? "tied to the embedding" : "of its own"},
  };
  if (core::overridesInUse(config).softCap)
    rows.push_back({"soft cap", config.trained.softCap > 0 ? core::numberText(config.trained.softCap) : "none"});
  for (auto& row : windows(config)) rows.push_back(std::move(row));
  rows.push_back({"parameters", grouped(info.parameters)});
  rows.push_back({"weights", info.storedType + ", " + grouped(info.bytesRead) + " bytes read"});
  rows.push_back({"tokenizer", info.tokenizer.empty() ? "none: give prompts as --tokens, or a file with --tokenizer"
                                                      : info.tokenizer});
  rows.push_back({"device", info.device});
  const std::string about = info.name + "\n" + aligned(rows);
  if (info.report.empty()) return about;
  Rows report;
  for (const core::ReportLine& line : info.report) report.emplace_back(name(line.topic), line.text);
  return about + "load report\n" + aligned(report);
}

}  // namespace app
