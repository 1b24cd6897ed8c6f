#include "core/capture_meta.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base64.h"

namespace core {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kApp = "Headscope " HEADSCOPE_VERSION;

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// UTF-8, with U+FFFD for what is none.
std::string asUtf8(const std::string& text) { return Json::parse(dumped(Json(text))).get<std::string>(); }

Json fileBytes(const std::filesystem::path& path) {
  std::error_code error;
  const bool isFile = std::filesystem::is_regular_file(path, error);
  const auto bytes = isFile ? std::filesystem::file_size(path, error) : 0;
  return !isFile || error ? Json() : Json(bytes);
}

std::optional<std::string> promptOf(const Capture& capture) {
  std::string text;
  for (const TokenText& token : capture.tokens()) {
    if (token.bytes.empty()) return std::nullopt;
    text += token.bytes;
  }
  return text;
}

Json modelJson(const ModelInfo& info) {
  const ModelConfig& config = info.config;
  return {{"name", info.name},
          {"path", info.path.string()},
          {"family", config.family},
          {"version", config.version.empty() ? Json() : Json(config.version)},
          {"layers", config.layers},
          {"heads", config.heads},
          {"kv_heads", config.kvHeads},
          {"head_size", config.headSize},
          {"embedding", config.embedding},
          {"context", config.context},
          {"vocabulary", config.vocabulary},
          {"parameters", info.parameters},
          {"stored_type", info.storedType},
          {"file_bytes", fileBytes(info.path)}};
}

}  // namespace

std::string captureMeta(const Capture& capture, const ExportPlan& plan) {
  const ModelInfo& info = capture.model();
  const RunFacts& facts = capture.facts();
  const auto prompt = promptOf(capture);
  Json labels = Json::array(), ids = Json::array(), bytes = Json::array(), windows = Json::array();
  for (const TokenText& token : capture.tokens()) {
    labels.push_back(token.label);
    ids.push_back(token.id);
    bytes.push_back(toBase64(token.bytes));
  }
  for (const Window window : facts.settings.windows) windows.push_back(window.limited() ? Json(window.left) : Json());
  return dumped({{"schema", 1},
                 {"kind", "capture"},
                 {"app", kApp},
                 {"model", modelJson(info)},
                 {"prompt", prompt ? Json(*prompt) : Json()},
                 {"tokens", std::move(labels)},
                 {"token_ids", std::move(ids)},
                 {"token_bytes", std::move(bytes)},
                 {"mask", word(facts.settings.mask)},
                 {"windows", std::move(windows)},
                 {"differences", facts.differences},
                 {"path", facts.path},
                 {"device", info.device},
                 {"dtype", "float32"},
                 {"seconds", facts.seconds},
                 {"warnings", facts.warnings},
                 {"layers", numbersOf(plan.layers)},
                 {"heads", numbersOf(plan.heads)},
                 {"rows", plan.someCells ? Json(plan.rows) : Json()},
                 {"columns", plan.someCells ? Json{plan.columns.begin, plan.columns.end} : Json()}});
}

std::string mapMeta(const std::vector<std::pair<std::string, std::string>>& lines) {
  Json json{{"schema", 1}, {"kind", "map"}, {"app", kApp}};
  for (const auto& [key, value] : lines) json.emplace(key, value);
  return dumped(json);
}

std::map<std::string, std::string> captureTexts(const Capture& capture, const std::string& meta) {
  const ModelInfo& info = capture.model();
  const Json bytes = fileBytes(info.path);
  std::map<std::string, std::string> texts{{"meta", meta},
                                           {"app", kApp},
                                           {"model", asUtf8(info.name)},
                                           {"model_file", asUtf8(info.path.filename().string())}};
  if (!bytes.is_null()) texts["model_bytes"] = bytes.dump();
  if (const auto prompt = promptOf(capture)) texts["prompt"] = asUtf8(*prompt);
  return texts;
}

}  // namespace core
