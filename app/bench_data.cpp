#include "app/bench_data.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "core/speed_crossing.h"

namespace app {

namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json orNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json textOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json windowJson(core::Window window) { return window.limited() ? Json(window.left) : Json(); }

Json windowsJson(const std::vector<core::Window>& windows) {
  Json json = Json::array();
  for (const core::Window window : windows) json.push_back(windowJson(window));
  return json;
}

Json machineJson(const core::MachineFacts& machine) {
  return {{"processor", machine.processor},
          {"threads", machine.threads},
          {"device", machine.device},
          {"torch", machine.torch},
          {"build", machine.build}};
}

/// What a row is of.
Json shapeJson(const core::SpeedRow& row) {
  const core::AttentionShape& shape = row.shape;
  return {{"scope", word(row.scope)},
          {"kernel", word(row.kernel)},
          {"kernel_name", row.kernelName},
          {"device", word(row.device)},
          {"dtype", word(shape.type)},
          {"B", shape.B},
          {"H", shape.H},
          {"Hkv", shape.Hkv},
          {"T", shape.T},
          {"D", shape.D},
          {"windows", windowsJson(row.windows)},
          {"mask", word(shape.mask)},
          {"refusal", textOrNull(row.refusal)}};
}

/// What was measured: all null where nothing ran.
Json measuredJson(const core::SpeedReport& report, const core::SpeedRow& row) {
  const core::Quartiles quartiles = row.timing.quartiles();
  const bool alone = row.scope == core::SpeedScope::Attention;
  const std::optional<core::OutputDifference>& difference = row.difference;
  Json json{{"cold_seconds", row.timing.cold},
            {"median_seconds", quartiles.median},
            {"q1_seconds", quartiles.q1},
            {"q3_seconds", quartiles.q3},
            {"runs", row.timing.samples.size()},
            {"warm_up", row.timing.warmUp},
            {"clock", row.timing.clock},
            {"peak_bytes", row.peakBytes},
            {"mask_bytes", alone ? Json(row.maskBytes) : Json()},
            {"full_mask", alone ? Json(row.wholeMask()) : Json()},
            {"flop", row.flop},
            {"flop_per_second", orNull(row.rate())},
            {"ratio_to_manual", orNull(timesManual(report, row))},
            {"difference", difference ? Json(difference->absolute) : Json()},
            {"difference_relative", difference ? Json(difference->relative) : Json()},
            {"attention_share", orNull(row.attentionShare)},
            {"note", textOrNull(row.timing.note)},
            {"outside_of_clock", textOrNull(row.outside)}};
  if (!row.ran()) {
    for (auto& value : json) value = nullptr;
  }
  return json;
}

Json crossingJson(const core::Crossing& crossing) {
  return {{"dtype", word(crossing.shape.type)},     {"window", windowJson(crossing.shape.window)},
          {"slower_at", orNull(crossing.slowerAt)}, {"faster_from", orNull(crossing.fasterFrom)},
          {"tokens", orNull(crossing.tokens)},      {"sentence", crossing.sentence}};
}

Json agreementJson(const core::Agreement& agreement) {
  return {{"difference", agreement.difference}, {"tolerance", agreement.tolerance}, {"largest", agreement.largest}};
}

Json layerJson(const core::LayerCheck& layer) {
  return {{"layer", layer.layer.value},
          {"output", agreementJson(layer.output)},
          {"lse", layer.lse ? agreementJson(*layer.lse) : Json()},
          {"passed", layer.passed()}};
}

std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

/// A field as CSV has it: texts in quotes, null empty.
std::string field(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.is_array() ? "\"" + value.dump() + "\"" : value.dump();
  std::string text = "\"";
  for (const char c : value.get<std::string>()) text.append(c == '"' ? "\"\"" : std::string(1, c));
  return text + "\"";
}

/// Objects of the same keys as lines.
std::string csv(const std::vector<Json>& rows) {
  std::string names, lines;
  for (const Json& row : rows) {
    std::string line;
    const bool first = lines.empty();
    for (const auto& [key, value] : row.items()) {
      if (first) names.append(names.empty() ? "" : ",").append(key);
      line.append(line.empty() ? "" : ",").append(field(value));
    }
    lines.append(line).append("\n");
  }
  return names + "\n" + lines;
}

}  // namespace

std::string benchJson(const core::SpeedReport& report) {
  Json rows = Json::array();
  for (const core::SpeedRow& row : report.rows) {
    Json json = shapeJson(row);
    json.update(measuredJson(report, row));
    json["samples_seconds"] = row.timing.samples;
    rows.push_back(std::move(json));
  }
  Json crossed = Json::array();
  for (const core::Crossing& crossing : crossings(report)) crossed.push_back(crossingJson(crossing));
  return dumped({{"schema", 1},
                 {"machine", machineJson(report.machine)},
                 {"inputs", report.inputs},
                 {"notes", report.notes},
                 {"rows", rows},
                 {"crossings", crossed}});
}

std::string benchCsv(const core::SpeedReport& report) {
  std::vector<Json> rows;
  for (const core::SpeedRow& row : report.rows) {
    rows.push_back(shapeJson(row));
    rows.back().update(measuredJson(report, row));
  }
  return csv(rows);
}

std::string verifyJson(const std::vector<core::PathCheck>& checks) {
  Json json{{"schema", 1}, {"checks", Json::array()}};
  for (const core::PathCheck& check : checks) {
    Json layers = Json::array();
    for (const core::LayerCheck& layer : check.layers) layers.push_back(layerJson(layer));
    json["checks"].push_back(
        {{"device", word(check.device)}, {"dtype", word(check.type)}, {"passed", check.passed()}, {"layers", layers}});
  }
  return dumped(json);
}

std::string verifyCsv(const std::vector<core::PathCheck>& checks) {
  std::vector<Json> rows;
  for (const core::PathCheck& check : checks) {
    for (const core::LayerCheck& layer : check.layers) {
      rows.push_back({{"device", word(check.device)},
                      {"dtype", word(check.type)},
                      {"layer", layer.layer.value},
                      {"difference", layer.output.difference},
                      {"tolerance", layer.output.tolerance},
                      {"lse_difference", layer.lse ? Json(layer.lse->difference) : Json()},
                      {"lse_tolerance", layer.lse ? Json(layer.lse->tolerance) : Json()},
                      {"passed", layer.passed()}});
    }
  }
  return csv(rows);
}

}  // namespace app
