// Windows by pattern, and what a run changes against training.
#include "core/overrides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"

namespace core {
namespace {

using testing::AllOf;
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
  config.longestPrompt = 5120;
  config.positions = Positions::Rotary;
  config.qkNorm = QkNorm::Unit;
  config.mlp = Mlp::ReluSquared;
  config.windowRule = rule();
  config.trained = {.qkMultiplier = 1.2, .ropeBase = 100000, .softCap = 15, .windows = windowsOf("SSSL", 4, rule())};
  return config;
}

/// As a GPT-2 of that many layers and a context of 64: trained without windows.
ModelConfig gpt2(int layers = 3) {
  ModelConfig config;
  config.family = "GPT-2";
  config.layers = layers;
  config.context = config.longestPrompt = 64;
  config.windowRule.shortWindow = {16};
  config.trained.windows.resize(static_cast<std::size_t>(layers));
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

std::string listRefusal(std::string_view list) {
  try {
    widthsOf(list);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Mismatch);
    return error.what();
  }
  return "accepted";
}

TEST(WindowWidths, AreReadFromALooselyWrittenList) {
  EXPECT_THAT(widthsOf("128"), ElementsAre(Window{128}));
  EXPECT_THAT(widthsOf("128,128,all,0"), ElementsAre(Window{128}, Window{128}, Window{}, Window{0}));
  EXPECT_THAT(widthsOf(" 4 , ALL\t0 "), ElementsAre(Window{4}, Window{}, Window{0}));
  EXPECT_EQ(widthsText(widthsOf("128 128 All 0")), "128, 128, all, 0");
}

TEST(WindowWidths, AWordThatIsNoWidthIsNamedWithItsPlace) {
  EXPECT_THAT(listRefusal("1,-2"), HasSubstr("Width 2 of the windows is \"-2\""));
  EXPECT_THAT(listRefusal("1,,2"), HasSubstr("Width 2 of the windows is \"\""));
  EXPECT_THAT(listRefusal("1,"), HasSubstr("Width 2 of the windows is \"\""));
  EXPECT_THAT(listRefusal(""), HasSubstr("Width 1"));
  EXPECT_THAT(listRefusal("4 S"), HasSubstr("Width 2 of the windows is \"S\""));
  EXPECT_THAT(listRefusal("1.5"), HasSubstr("\"1.5\""));
  EXPECT_THAT(listRefusal("9223372036854775807"), HasSubstr("9223372036854775807"));
  EXPECT_THAT(listRefusal("100000000000000000000"), HasSubstr("100000000000000000000"));
}

TEST(WindowWidths, ATextIsMeantForThemByItsDigits) {
  for (const char* text : {"128", "4, 4", "all", "ALL", "all, all", "S4"}) EXPECT_TRUE(isListOfWidths(text)) << text;
  for (const char* text : {"", "SSSL", "sl", "S L", "allL"}) EXPECT_FALSE(isListOfWidths(text)) << text;
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
  Overrides overrides;
  overrides.pattern = "S";
  const RunSettings settings = settingsFor(gpt2(), overrides);
  EXPECT_THAT(settings.windows, ElementsAre(Window{16}, Window{16}, Window{}));
  EXPECT_THAT(differences(gpt2(), settings), ElementsAre("windows SSL instead of LLL", "S window 16"));
  overrides.pattern = "slslslsl";  // longer than there are layers
  EXPECT_THAT(settingsFor(gpt2(), overrides).windows, ElementsAre(Window{16}, Window{}, Window{}));
}

TEST(Overrides, AnyModelRunsUnderAWidthForEachLayer) {
  const RunSettings settings = settingsFor(gpt2(), {.windows = widthsOf("4, 0, all")});
  EXPECT_THAT(settings.windows, ElementsAre(Window{4}, Window{0}, Window{}));
  EXPECT_THAT(differences(gpt2(), settings), ElementsAre("windows 4, 0, all instead of LLL"));
  const RunSettings chat = settingsFor(nanochat(), {.windows = widthsOf("4,128,all,0")});
  EXPECT_THAT(differences(nanochat(), chat), ElementsAre("windows 4, 128, all, 0 instead of SSSL"));
}

TEST(Overrides, OneWidthIsOfEveryLayer) {
  const RunSettings settings = settingsFor(gpt2(), {.windows = widthsOf("0")});
  EXPECT_THAT(settings.windows, ElementsAre(Window{0}, Window{0}, Window{0}));
  EXPECT_THAT(differences(gpt2(), settings), ElementsAre("windows SSS instead of LLL", "S window 0"));
}

TEST(Overrides, WidthsThatLettersTellAreToldByLetters) {
  const RunSettings settings = settingsFor(nanochat(), {.windows = widthsOf("64,512,64,512")});
  EXPECT_THAT(differences(nanochat(), settings),
              ElementsAre("windows SLSL instead of SSSL", "S window 64 instead of 128"));
}

TEST(Overrides, WidthsAsTrainedAreNoDifference) {
  EXPECT_THAT(differences(nanochat(), settingsFor(nanochat(), {.windows = widthsOf("128,128,128,512")})), IsEmpty());
  // 64 tokens: the last looks 63 back.
  EXPECT_THAT(differences(gpt2(), settingsFor(gpt2(), {.windows = widthsOf("all,64,63")})), IsEmpty());
  EXPECT_THAT(differences(gpt2(), settingsFor(gpt2(), {.windows = widthsOf("all,64,62")})),
              ElementsAre("windows LLS instead of LLL", "S window 62"));
  // A prompt of nanochat may be longer than its context, so that no limit is more than the context.
  EXPECT_THAT(differences(nanochat(), settingsFor(nanochat(), {.windows = widthsOf("128,128,128,all")})),
              ElementsAre("windows 128, 128, 128, all instead of SSSL"));
}

TEST(Overrides, WidthsThatCanNotBeAreRefusedWithTheReason) {
  EXPECT_THAT(refusal(gpt2(), {.windows = widthsOf("1,2")}), HasSubstr("2 widths of windows were asked for, but the "
                                                                       "model has 3 layers"));
  EXPECT_THAT(refusal(gpt2(), {.windows = std::vector<Window>()}), HasSubstr("0 widths"));
  EXPECT_THAT(refusal(gpt2(), {.windows = widthsOf("1,2,65")}),
              AllOf(HasSubstr("layer 2 of 65 keys"), HasSubstr("to the context's 64")));
  EXPECT_THAT(refusal(gpt2(), {.windows = widthsOf("65")}), HasSubstr("A window of 65 keys"));
  EXPECT_THAT(refusal(gpt2(), {.windows = std::vector{Window{-1}}}), HasSubstr("A window of -1 keys"));
  EXPECT_THAT(refusal(gpt2(), {.pattern = "S", .windows = widthsOf("1")}), HasSubstr("by a pattern too"));
  EXPECT_THAT(refusal(gpt2(), {.shortWindow = 3, .windows = widthsOf("1")}), HasSubstr("by an S window too"));
}

TEST(Overrides, ACausalModelMayBeRunWithABidirectionalMask) {
  const RunSettings settings = settingsFor(gpt2(), {.mask = MaskKind::Bidirectional});
  EXPECT_EQ(settings.mask, MaskKind::Bidirectional);
  EXPECT_THAT(differences(gpt2(), settings), ElementsAre("bidirectional mask instead of causal"));
  EXPECT_THAT(differences(gpt2(), settingsFor(gpt2(), {.mask = MaskKind::Causal})), IsEmpty());
}

TEST(WindowOrigin, IsTheCheckpointsWhileWindowsAreAsTrained) {
  ModelConfig chat = nanochat();
  chat.windowRule.origin = "window_pattern SSSL";
  EXPECT_EQ(windowOrigin(chat, settingsFor(chat, {})), "window_pattern SSSL");
  EXPECT_EQ(windowOrigin(chat, settingsFor(chat, {.ropeBase = 500})), "window_pattern SSSL");
  EXPECT_EQ(windowOrigin(chat, settingsFor(chat, {.pattern = "SSSL"})), "window_pattern SSSL");
  EXPECT_EQ(windowOrigin(chat, settingsFor(chat, {.pattern = "SL"})), "chosen for this run");
  EXPECT_EQ(windowOrigin(chat, settingsFor(chat, {.shortWindow = 4})), "chosen for this run");
  EXPECT_EQ(windowOrigin(chat, settingsFor(chat, {.windows = widthsOf("7")})), "chosen for this run");
  EXPECT_EQ(windowOrigin(gpt2(), settingsFor(gpt2(), {})), "trained without windows");
  EXPECT_EQ(windowOrigin(gpt2(), settingsFor(gpt2(), {.pattern = "S"})), "chosen for this run");
}

TEST(WindowOrigin, AShareThatStandsInForARuleIsSaid) {
  ModelConfig config = gpt2();
  config.context = config.longestPrompt = 2048;
  config.windowRule.shortWindow = {512};
  EXPECT_EQ(windowOrigin(config, settingsFor(config, {.pattern = "SL"})),
            "chosen for this run; S is a quarter of the context, up to a multiple of 128");
  EXPECT_EQ(windowOrigin(config, settingsFor(config, {.pattern = "SL", .shortWindow = 9})), "chosen for this run");
  EXPECT_EQ(shortWindowOrigin(config), "a quarter of the context, up to a multiple of 128");
  ModelConfig chat = nanochat();  // its S is a quarter too, but by a rule of its own
  chat.windowRule.origin = "window_pattern SSSL";
  EXPECT_EQ(shortWindowOrigin(chat), "window_pattern SSSL");
}

TEST(Overrides, WhatTheModelHasNoUseForIsRefused) {
  Overrides base;
  base.ropeBase = 10000;
  EXPECT_THAT(refusal(gpt2(), base), HasSubstr("a GPT-2 model has none"));
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
  EXPECT_THAT(refusal(gpt2(), {.shortWindow = 7}), HasSubstr("no layer is an S layer"));
  EXPECT_THAT(refusal(nanochat(), {.pattern = "L", .shortWindow = 7}), HasSubstr("no layer is an S layer"));
  EXPECT_EQ(refusal(gpt2(), {.pattern = "SL", .shortWindow = 7}), "accepted");
}

}  // namespace
}  // namespace core
