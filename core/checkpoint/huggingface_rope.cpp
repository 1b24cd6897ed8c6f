#include "core/checkpoint/huggingface_rope.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/checkpoint/config_json.h"
#include "core/checkpoint/contains.h"
#include "core/checkpoint/printable.h"

namespace core::checkpoint::huggingface {

namespace {

constexpr double kBase = 10000;

struct RuleName {
  std::string_view name;
  RopeScaling::Rule rule;
};
constexpr RuleName kRules[] = {
    {"default", RopeScaling::Rule::None}, {"linear", RopeScaling::Rule::Linear}, {"llama3", RopeScaling::Rule::Llama3}};

constexpr std::string_view kAlwaysRead[] = {"rope_type", "type", "rope_theta", "partial_rotary_factor"};
constexpr std::string_view kLlama3Reads[] = {"factor", "low_freq_factor", "high_freq_factor",
                                             "original_max_position_embeddings"};

bool isRead(std::string_view key, RopeScaling::Rule rule) {
  if (contains(kAlwaysRead, key)) return true;
  return rule == RopeScaling::Rule::Linear ? key == "factor"
                                           : rule == RopeScaling::Rule::Llama3 && contains(kLlama3Reads, key);
}

/// The object under a key, or null where it is absent, null or empty, which transformers takes for the same.
const Json* objectAt(const Keys& config, std::string_view key) {
  const Json* value = config.findSet(key);
  if (value == nullptr) return nullptr;
  if (!value->is_object()) config.mismatch(fmt::format("{} is {}, not an object", inQuotes(key), shown(*value)));
  return value->empty() ? nullptr : value;
}

/// Two keys may say the same; when they don't, transformers 4 and 5 disagree on which one counts.
const Json* agreed(const Keys& a, std::string_view keyOfA, const Keys& b, std::string_view keyOfB) {
  const Json* first = a.find(keyOfA);
  const Json* second = b.find(keyOfB);
  if (first != nullptr && second != nullptr && *first != *second) {
    b.mismatch(fmt::format("{} is {}, but {} elsewhere is {}", inQuotes(keyOfB), shown(*second), inQuotes(keyOfA),
                           shown(*first)));
  }
  return first != nullptr ? first : second;
}

RopeScaling::Rule readRule(const Keys& config, const Keys& rope) {
  const Json* value = agreed(rope, "rope_type", rope, "type");
  if (value == nullptr) {
    if (const Json* factor = rope.findSet("factor"); factor != nullptr && *factor != 1)
      rope.mismatch(fmt::format("it has the factor {}, but no 'rope_type' that says what is scaled", shown(*factor)));
    return RopeScaling::Rule::None;
  }
  for (const RuleName& known : kRules) {
    if (value->is_string() && value->get_ref<const std::string&>() == known.name) return known.rule;
  }
  config.unsupported(
      fmt::format("the RoPE rule (rope_type) is {}; built are 'default', 'linear' and 'llama3'", shown(*value)),
      "Open a model with one of these.");
}

/// Errors: Unsupported where only a part of the head turns.
void requireWholeHead(const Keys& config, const Keys& rope) {
  for (const Keys* keys : {&config, &rope}) {
    const Json* part = keys->findSet("partial_rotary_factor");
    if (part != nullptr && *part != 1) {
      keys->unsupported(
          fmt::format("'partial_rotary_factor' is {}: RoPE that turns a part of the head is not built", shown(*part)),
          "Open a model that turns the whole head.");
    }
  }
}

std::int64_t originalContext(const Keys& config, const Keys& rope, std::int64_t context) {
  constexpr std::string_view kKey = "original_max_position_embeddings";
  if (agreed(config, kKey, rope, kKey) == nullptr) return context;
  return rope.find(kKey) != nullptr ? rope.size(kKey) : config.size(kKey);
}

RopeScaling readScaling(const Keys& config, const Keys& rope, RopeScaling::Rule rule, std::int64_t context) {
  RopeScaling scaling;
  scaling.rule = rule;
  if (rule != RopeScaling::Rule::None) scaling.factor = rope.positive("factor");
  if (rule != RopeScaling::Rule::Llama3) return scaling;
  scaling.lowFrequency = rope.positive("low_freq_factor");
  scaling.highFrequency = rope.positive("high_freq_factor");
  scaling.originalContext = originalContext(config, rope, context);
  if (!(scaling.highFrequency > scaling.lowFrequency)) {
    rope.mismatch(fmt::format("'high_freq_factor' {} must be above 'low_freq_factor' {}", scaling.highFrequency,
                              scaling.lowFrequency));
  }
  return scaling;
}

}  // namespace

void readRope(Keys& config, ModelConfig& numbers, std::vector<std::string>& ignored) {
  static const Json kNone = Json::object();
  const Json* old = objectAt(config, "rope_scaling");
  const Json* parameters = objectAt(config, "rope_parameters");
  if (old != nullptr && parameters != nullptr && *old != *parameters)
    config.mismatch("'rope_scaling' and 'rope_parameters' are both there and differ");
  const std::string name = old != nullptr ? "rope_scaling" : "rope_parameters";
  const Json& object = old != nullptr ? *old : parameters != nullptr ? *parameters : kNone;
  const Keys rope(object, fmt::format("{}: {}", config.where(), name));

  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      rope.unsupported(fmt::format("{} is an object: RoPE of its own for some layers is not built", inQuotes(key)),
                       "Open a model with one RoPE for all layers.");
    }
  }
  requireWholeHead(config, rope);
  const RopeScaling::Rule rule = readRule(config, rope);
  agreed(config, "rope_theta", rope, "rope_theta");
  numbers.trained.ropeBase =
      rope.find("rope_theta") != nullptr ? rope.positive("rope_theta") : config.positive("rope_theta", kBase);
  numbers.ropeScaling = readScaling(config, rope, rule, numbers.context);
  for (const auto& [key, value] : object.items()) {
    if (!isRead(key, rule)) ignored.push_back(fmt::format("{}.{}", name, key));
  }
}

}  // namespace core::checkpoint::huggingface
