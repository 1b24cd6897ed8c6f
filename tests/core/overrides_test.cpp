// Windows by pattern, and what a run changes against training.
#include "core/overrides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"

namespace core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

WindowRule rule() { return {.pattern = "SSSL", .shortWindow = {128}, .longWindow = {512}, .origin = ""}; }

/// As a nanochat model of four layers has it.
ModelConfig nanochat() {
  ModelConfig config;
  config.family = "nanochat";
  config.layers = 4;
  config.context = 512;
  config.positions = Positions::Rotary;
  config.qkNorm = QkNorm::Unit;
  config.mlp = Mlp::ReluSquared;
  config.windowRule = rule();
  config.trained = {.qkMultiplier = 1.2, .ropeBase = 100000, .softCap = 15, .windows = windowsOf("SSSL", 4, rule())};
  return config;
}

std::string refusal(const ModelConfig& config, const Overrides& overrides) {
  try {
    settingsFor(config, overrides);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Mismatch);
    return error.what();
  }
  return "accepted";
}

TEST(WindowPattern, LettersRepeatOverTheLayersAndTheLastIsLong) {
  const Window s{128};
  const Window l{512};
  EXPECT_THAT(windowsOf("SSSL", 4, rule()), ElementsAre(s, s, s, l));
  EXPECT_THAT(windowsOf("sl", 5, rule()), ElementsAre(s, l, s, l, l));
  EXPECT_THAT(windowsOf("S", 3, rule()), ElementsAre(s, s, l));
  EXPECT_THAT(windowsOf("L", 2, rule()), ElementsAre(l, l));
  EXPECT_THAT(windowsOf("SSSSSSL", 2, rule()), ElementsAre(s, l));
}

TEST(WindowPattern, OtherLettersAreNamedWithTheirPlace) {
  const auto sentence = [](std::string_view pattern) -> std::string {
    try {
      windowsOf(pattern, 4, rule());
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(sentence("SSXL"), HasSubstr("'X' as letter 3"));
  EXPECT_THAT(sentence("S L"), HasSubstr("' ' as letter 2"));
  EXPECT_THAT(sentence("\xc3\xa9"), HasSubstr("no letter as letter 1"));
  EXPECT_THAT(sentence(""), HasSubstr("empty"));
}

TEST(WindowPattern, ShareOfTheContextIsRoundedUpToAMultipleOf128) {
  EXPECT_EQ(shareOfContext(2048, 4).left, 512);
  EXPECT_EQ(shareOfContext(2048, 3).left, 768);  // 682.7
  EXPECT_EQ(shareOfContext(512, 4).left, 128);
  EXPECT_EQ(shareOfContext(256, 4).left, 128);  // 64
}

TEST(Overrides, WithoutAnyARunIsAsTrained) {
  const ModelConfig config = nanochat();
  EXPECT_THAT(differences(config, settingsFor(config, {})), IsEmpty());
}

TEST(Overrides, EachChangesItsSettingAndIsTold) {
  const ModelConfig config = nanochat();
  Overrides overrides;
  overrides.qkMultiplier = 1;
  overrides.ropeBase = 10000;
  overrides.softCap = 20;
  overrides.pattern = "L";
  const RunSettings settings = settingsFor(config, overrides);
  EXPECT_EQ(settings.qkMultiplier, 1);
  EXPECT_EQ(settings.ropeBase, 10000);
  EXPECT_EQ(settings.softCap, 20);
  EXPECT_THAT(differences(config, settings),
              ElementsAre("QK multiplier 1 instead of 1.2", "RoPE base 10000 instead of 100000",
                          "soft cap 20 instead of 15", "windows LLLL instead of SSSL"));
}

TEST(Overrides, ShortWindowAloneChangesTheLayersThatWereShort) {
  const ModelConfig config = nanochat();
  Overrides overrides;
  overrides.shortWindow = 5;
  const RunSettings settings = settingsFor(config, overrides);
  EXPECT_THAT(settings.windows, ElementsAre(Window{5}, Window{5}, Window{5}, Window{512}));
  EXPECT_THAT(differences(config, settings), ElementsAre("S window 5 instead of 128"));
}

TEST(Overrides, PatternAndShortWindowTogetherAreBothTold) {
  const ModelConfig config = nanochat();
  const RunSettings settings = settingsFor(config, {.pattern = "SL", .shortWindow = 64});
  EXPECT_THAT(settings.windows, ElementsAre(Window{64}, Window{512}, Window{64}, Window{512}));
  EXPECT_THAT(differences(config, settings), ElementsAre("windows SLSL instead of SSSL", "S window 64 instead of 128"));
}

TEST(Overrides, AnyModelRunsUnderAnyPattern) {
  ModelConfig gpt2;
  gpt2.layers = 3;
  gpt2.windowRule.shortWindow = {16};
  gpt2.trained.windows.resize(3);
  Overrides overrides;
  overrides.pattern = "S";
  const RunSettings settings = settingsFor(gpt2, overrides);
  EXPECT_THAT(settings.windows, ElementsAre(Window{16}, Window{16}, Window{}));
  EXPECT_THAT(differences(gpt2, settings), ElementsAre("windows SSL instead of LLL", "S window 16"));
}

TEST(Overrides, WhatTheModelHasNoUseForIsRefused) {
  ModelConfig gpt2;
  gpt2.family = "GPT-2";
  Overrides base;
  base.ropeBase = 10000;
  EXPECT_THAT(refusal(gpt2, base), HasSubstr("a GPT-2 model has none"));
  Overrides gelu;
  gelu.gelu = Gelu::Tanh;
  EXPECT_THAT(refusal(nanochat(), gelu), HasSubstr("no GELU"));
}

TEST(Overrides, NumbersOutOfRangeAreRefusedWithTheNumber) {
  Overrides overrides;
  for (const double value : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    overrides.qkMultiplier = value;
    EXPECT_THAT(refusal(nanochat(), overrides), HasSubstr("a finite number above 0"));
  }
  overrides = {};
  overrides.ropeBase = 1;
  EXPECT_THAT(refusal(nanochat(), overrides), HasSubstr("RoPE base of 1"));
  overrides = {};
  overrides.softCap = -0.5;
  EXPECT_THAT(refusal(nanochat(), overrides), HasSubstr("at least 0"));
  overrides = {};
  overrides.shortWindow = -1;
  EXPECT_THAT(refusal(nanochat(), overrides), HasSubstr("window of -1"));
  overrides.shortWindow = 513;
  EXPECT_THAT(refusal(nanochat(), overrides), HasSubstr("to the context's 512"));
}

TEST(Overrides, ShortWindowThatNoLayerHasIsRefusedNotIgnored) {
  ModelConfig gpt2;
  gpt2.layers = 3;
  gpt2.context = 64;
  gpt2.trained.windows.resize(3);
  EXPECT_THAT(refusal(gpt2, {.shortWindow = 7}), HasSubstr("no layer is an S layer"));
  EXPECT_THAT(refusal(nanochat(), {.pattern = "L", .shortWindow = 7}), HasSubstr("no layer is an S layer"));
  EXPECT_EQ(refusal(gpt2, {.pattern = "SL", .shortWindow = 7}), "accepted");
}

}  // namespace
}  // namespace core
