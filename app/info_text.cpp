#include "app/info_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace app {

namespace {

using Topic = core::ReportLine::Topic;

const char* name(Topic topic) {
  switch (topic) {
    case Topic::Family: return "family";
    case Topic::Version: return "version";
    case Topic::Read: return "read";
    case Topic::Ignored: return "ignored";
    case Topic::Patched: return "patched";
    case Topic::Prefix: return "prefix";
    case Topic::Tokenizer: return "tokenizer";
    case Topic::Warning: return "warning";
  }
  return "";
}

/// Two columns, the first as wide as its widest entry.
std::string aligned(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t width = 0;
  for (const auto& [label, value] : rows) width = std::max(width, label.size());
  std::string text;
  for (const auto& [label, value] : rows) {
    text.append("  ").append(label).append(width + 2 - label.size(), ' ').append(value).append("\n");
  }
  return text;
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
  const std::string shared = ", on " + std::to_string(config.kvHeads) + " key/value heads";
  std::string text = info.name + "\n";
  text += aligned({
      {"file", info.path.string()},
      {"family", config.family},
      {"layers", std::to_string(config.layers)},
      {"heads", config.kvHeads == config.heads ? heads : heads + shared},
      {"embedding", grouped(config.embedding)},
      {"context", grouped(config.context) + " tokens"},
      {"vocabulary", grouped(config.vocabulary)},
      {"activation", config.gelu == core::Gelu::Erf ? "GELU (erf)" : "GELU (tanh)"},
      {"biases", config.hasBias ? "yes" : "no"},
      {"output head", config.tiedHead ? "tied to the embedding" : "of its own"},
      {"parameters", grouped(info.parameters)},
      {"weights", info.storedType + ", " + grouped(info.bytesRead) + " bytes read"},
      {"tokenizer",
       info.tokenizer.empty() ? "none: give prompts as --tokens, or a file with --tokenizer" : info.tokenizer},
      {"device", info.device},
  });
  if (info.report.empty()) return text;
  std::vector<std::pair<std::string, std::string>> report;
  for (const core::ReportLine& line : info.report) report.emplace_back(name(line.topic), line.text);
  return text + "load report\n" + aligned(report);
}

std::string infoJson(const core::ModelInfo& info) {
  const core::ModelConfig& config = info.config;
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  for (const core::ReportLine& line : info.report) report.push_back({{"topic", name(line.topic)}, {"text", line.text}});
  nlohmann::ordered_json json{
      {"schema", 1},
      {"name", info.name},
      {"path", info.path.string()},
      {"family", config.family},
      {"layers", config.layers},
      {"heads", config.heads},
      {"kv_heads", config.kvHeads},
      {"head_size", config.headSize},
      {"embedding", config.embedding},
      {"context", config.context},
      {"vocabulary", config.vocabulary},
      {"norm_epsilon", config.normEpsilon},
      {"gelu", config.gelu == core::Gelu::Erf ? "erf" : "tanh"},
      {"bias", config.hasBias},
      {"tied_head", config.tiedHead},
      {"parameters", info.parameters},
      {"stored_type", info.storedType},
      {"bytes_read", info.bytesRead},
      {"tokenizer", info.tokenizer.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(info.tokenizer)},
      {"device", info.device},
      {"report", report},
  };
  // A path may hold any bytes; what is not UTF-8 is replaced.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace app
