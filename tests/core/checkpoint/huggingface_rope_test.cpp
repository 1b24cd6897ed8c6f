#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/checkpoint/huggingface_config.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/huggingface_folder.h"

namespace core::checkpoint::huggingface {
namespace {

using nlohmann::json;
using Rule = RopeScaling::Rule;

const char* const kFile = "/x/config.json";

/// A Llama of context 16 whose RoPE keys are these.
json withRope(const json& keys) {
  json config = support::HuggingfaceFolder("llama").config;
  config.erase("rope_theta");
  if (!keys.is_null()) config.update(keys);
  return config;
}

ModelConfig read(const json& keys) { return readConfig(withRope(keys), kFile).numbers; }

void refuse(ErrorKind kind, const std::vector<std::string>& parts, const json& keys) {
  support::expectError(kind, parts, [&] { readConfig(withRope(keys), kFile); });
}

const json kLlama3 = {{"rope_type", "llama3"},
                      {"factor", 8.0},
                      {"low_freq_factor", 1.0},
                      {"high_freq_factor", 4.0},
                      {"original_max_position_embeddings", 8}};

json changed(json object, const char* key, const json& value) {
  object[key] = value;
  return object;
}
json lacking(json object, const char* key) {
  object.erase(key);
  return object;
}

TEST(HuggingfaceRope, BaseStandsBesideTheScalingOrInTheParameters) {
  EXPECT_EQ(read({{"rope_theta", 500000}}).trained.ropeBase, 500000);
  EXPECT_EQ(read({{"rope_parameters", {{"rope_theta", 1e6}, {"rope_type", "default"}}}}).trained.ropeBase, 1e6);
  EXPECT_EQ(read({{"rope_scaling", nullptr}}).trained.ropeBase, 10000);
  EXPECT_EQ(read({{"rope_scaling", json::object()}, {"rope_theta", 3.5}}).trained.ropeBase, 3.5);
}

TEST(HuggingfaceRope, DefaultRuleScalesNothing) {
  EXPECT_EQ(read({}).ropeScaling.rule, Rule::None);
  EXPECT_EQ(read({{"rope_parameters", {{"rope_type", "default"}}}}).ropeScaling.rule, Rule::None);
  EXPECT_EQ(read({{"rope_parameters", {{"rope_theta", 1e4}}}}).ropeScaling.rule, Rule::None);
}

TEST(HuggingfaceRope, LinearIsReadInBothSpellings) {
  for (const json& keys :
       {json{{"rope_scaling", {{"type", "linear"}, {"factor", 2.5}}}, {"rope_theta", 5e5}},
        json{{"rope_scaling", {{"rope_type", "linear"}, {"factor", 2.5}}}, {"rope_theta", 5e5}},
        json{{"rope_parameters", {{"rope_type", "linear"}, {"factor", 2.5}, {"rope_theta", 5e5}}}}}) {
    const ModelConfig config = read(keys);
    EXPECT_EQ(config.ropeScaling.rule, Rule::Linear);
    EXPECT_EQ(config.ropeScaling.factor, 2.5);
    EXPECT_EQ(config.trained.ropeBase, 5e5);
  }
}

TEST(HuggingfaceRope, Llama3IsReadInBothSpellings) {
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const RopeScaling scaling = read({{key, kLlama3}}).ropeScaling;
    EXPECT_EQ(scaling.rule, Rule::Llama3);
    EXPECT_EQ(scaling.factor, 8);
    EXPECT_EQ(scaling.lowFrequency, 1);
    EXPECT_EQ(scaling.highFrequency, 4);
    EXPECT_EQ(scaling.originalContext, 8);
  }
}

TEST(HuggingfaceRope, OriginalContextIsInTheRuleElseBesideItElseTheContext) {
  constexpr const char* kKey = "original_max_position_embeddings";
  EXPECT_EQ(read({{"rope_scaling", lacking(kLlama3, kKey)}, {kKey, 12}}).ropeScaling.originalContext, 12);
  EXPECT_EQ(read({{"rope_scaling", lacking(kLlama3, kKey)}}).ropeScaling.originalContext, 16);
  refuse(ErrorKind::Mismatch, {kKey, "is 8", "is 12"}, {{"rope_scaling", kLlama3}, {kKey, 12}});
}

TEST(HuggingfaceRope, OtherRulesAreRefusedByName) {
  for (const char* rule : {"dynamic", "yarn", "longrope", "su", "ntk", "proportional", "mrope"}) {
    for (const char* spelling : {"type", "rope_type"}) {
      refuse(ErrorKind::Unsupported, {"'" + std::string(rule) + "'", "'llama3'"},
             {{"rope_scaling", {{spelling, rule}, {"factor", 2.0}}}});
    }
  }
  refuse(ErrorKind::Unsupported, {"null"}, {{"rope_scaling", {{"rope_type", nullptr}, {"factor", 2.0}}}});
}

TEST(HuggingfaceRope, PartOfTheHeadOrOneOfEachKindOfLayerIsRefused) {
  refuse(ErrorKind::Unsupported, {"'partial_rotary_factor' is 0.5"},
         {{"rope_parameters", {{"rope_type", "default"}, {"partial_rotary_factor", 0.5}}}});
  refuse(ErrorKind::Unsupported, {"'full_attention'", "RoPE"},
         {{"rope_parameters", {{"full_attention", {{"rope_theta", 1e4}}}}}});
}

TEST(HuggingfaceRope, C1_NumbersThatAreMissingOrImpossibleAreNamed) {
  for (const char* key : {"factor", "low_freq_factor", "high_freq_factor"}) {
    refuse(ErrorKind::Mismatch, {"rope_scaling", "has no '" + std::string(key) + "'"},
           {{"rope_scaling", lacking(kLlama3, key)}});
    for (const json& wrong : {json(0), json(-1), json("8"), json(nullptr)})
      refuse(ErrorKind::Mismatch, {"rope_scaling", key, "above 0"}, {{"rope_scaling", changed(kLlama3, key, wrong)}});
  }
  refuse(ErrorKind::Mismatch, {"has no 'factor'"}, {{"rope_scaling", {{"type", "linear"}}}});
  refuse(ErrorKind::Mismatch, {"'high_freq_factor' 1", "'low_freq_factor' 1"},
         {{"rope_scaling", changed(kLlama3, "high_freq_factor", 1)}});
  refuse(ErrorKind::Mismatch, {"'original_max_position_embeddings'", "8.5"},
         {{"rope_scaling", changed(kLlama3, "original_max_position_embeddings", 8.5)}});
  refuse(ErrorKind::Mismatch, {"'rope_scaling'", "2.0"}, {{"rope_scaling", 2.0}});
}

TEST(HuggingfaceRope, SpellingsThatDisagreeAreAMismatchWithBoth) {
  refuse(ErrorKind::Mismatch, {"'rope_theta'", "10000.0", "500000.0"},
         {{"rope_theta", 5e5}, {"rope_parameters", {{"rope_theta", 1e4}}}});
  refuse(ErrorKind::Mismatch, {"'linear'", "'llama3'"},
         {{"rope_scaling", {{"type", "linear"}, {"rope_type", "llama3"}, {"factor", 2.0}}}});
  refuse(ErrorKind::Mismatch, {"'rope_scaling' and 'rope_parameters'"},
         {{"rope_scaling", kLlama3}, {"rope_parameters", {{"rope_type", "default"}}}});
  refuse(ErrorKind::Mismatch, {"factor 2.0", "'rope_type'"}, {{"rope_scaling", {{"factor", 2.0}}}});
}

TEST(HuggingfaceRope, KeysThatTheRuleDoesNotReadAreListed) {
  const json keys = {{"rope_scaling", {{"type", "linear"}, {"factor", 2.0}, {"beta_fast", 32}}}};
  EXPECT_THAT(readConfig(withRope(keys), kFile).ignored, testing::ElementsAre("rope_scaling.beta_fast"));
}

}  // namespace
}  // namespace core::checkpoint::huggingface
