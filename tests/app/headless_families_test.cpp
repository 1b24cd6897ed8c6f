// Steps, what training began a text with, and settings of the run, headless: on the cut of nanochat with pattern SSSL.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/app/headless.h"
#include "tests/app/nanochat_steps.h"
#include "tests/support/npz.h"
#include "tests/support/reference.h"

namespace {

namespace fs = std::filesystem;
using support::Headless;
using support::ProcessResult;
using support::Words;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HeadlessFamilies : public Headless {
 protected:
  Words nanochat(const Words& more) const {
    Words words{"capture", support::data("nanochat-2026-01").string(), "-o", m_output, "--force", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  nlohmann::json ran(const Words& more) const {
    const ProcessResult result = run(nanochat(more));
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out)["run"];
  }
  std::vector<float> attention() const { return support::readNpz(m_output).at("attn").floats; }
};

// --- steps

TEST_F(HeadlessFamilies, F2_SeveralStepsAreListedAndCode2) {
  const support::TemporaryFolder folder;
  const fs::path models = support::nanochatSteps(folder / "set");
  for (const fs::path& place : {models, models.parent_path(), folder / "set"}) {
    EXPECT_THAT(refusal({"info", place.string()}, 2, "Mismatch: " + place.string() + ": 2 checkpoints"),
                AllOf(HasSubstr("--step 100"), HasSubstr("--step 20"), HasSubstr("model_000020.pt")));
  }
  refusal({"capture", models.string(), "--prompt", "a", "-o", m_output}, 2, "Mismatch: ");
  EXPECT_THAT(
      refusal({"info", models.string(), "--step", "50"}, 2, "Mismatch: " + models.string() + ": there is no step 50"),
      AllOf(HasSubstr("--step 100"), HasSubstr("--step 20")));
}

TEST_F(HeadlessFamilies, F2_AStepIsOpened) {
  const support::TemporaryFolder folder;
  const fs::path models = support::nanochatSteps(folder / "set");
  for (const Words& words : {Words{"info", models.string(), "--step", "20", "--json"},
                             Words{"info", "--json", (models / "model_000020.pt").string()},
                             Words{"info", "--json", (models / "meta_000020.json").string()}}) {
    const ProcessResult result = run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    EXPECT_EQ(json["family"], "nanochat");
    EXPECT_THAT(json["path"].get<std::string>(), HasSubstr("000020"));
  }
}

// --- what is known of a model

TEST_F(HeadlessFamilies, InfoSaysTheWindowsAndWhereTheyComeFrom) {
  const ProcessResult result = run({"info", "--json", support::data("nanochat-2026-01").string()});
  EXPECT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["windows"], (std::vector{128, 128, 128, 256}));
  EXPECT_EQ(json["window_pattern"], "SSSL");
  EXPECT_THAT(json["window_origin"].get<std::string>(), HasSubstr("window_pattern"));
  EXPECT_EQ(json["gelu"], nullptr);
  EXPECT_EQ(json["mlp"], "relu_squared");
  EXPECT_EQ(json["qk_multiplier"], 1);
  EXPECT_EQ(json["rope_base"], 10000);
  EXPECT_EQ(json["soft_cap"], 15);
  EXPECT_EQ(json["longest_prompt"], 2560);
}

// --- the prompt

TEST_F(HeadlessFamilies, ATextBeginsWithBosUnlessThatIsLeftOut) {
  ran({"--prompt", "First"});
  const auto with = support::readNpz(m_output).at("token_ids").integers;
  const auto reference = support::readReference(support::data("nanochat-2026-01"));
  ASSERT_EQ(with.size(), 4u);  // <|bos|> F ir st
  EXPECT_TRUE(std::equal(with.begin(), with.end(), reference.tokens.begin()));
  ran({"--prompt", "First", "--no-bos"});
  EXPECT_THAT(support::readNpz(m_output).at("token_ids").integers, ElementsAre(with[1], with[2], with[3]));
  ran({"--tokens", "1,2,3"});
  EXPECT_THAT(support::readNpz(m_output).at("token_ids").integers, ElementsAre(1, 2, 3));
}

TEST_F(HeadlessFamilies, R6_TheSpellingOfASpecialTokenIsTextUnlessTokensAreAskedFor) {
  refusal({"bench", "--special-tokens"}, 2, "--special-tokens: is for a model");
  const std::string text = "<|user_start|>First";
  const support::TemporaryFolder folder;
  support::writeFile(folder / "prompt.txt", text);
  const auto ids = [&](const Words& more) {
    ran(more);
    return support::readNpz(m_output).at("token_ids").integers;
  };
  EXPECT_THAT(ids({"--prompt", text, "--special-tokens"}), ElementsAre(503, 504, 70, 315, 297));
  EXPECT_THAT(ids({"--prompt-file", folder / "prompt.txt", "--special-tokens", "--no-bos"}),
              ElementsAre(504, 70, 315, 297));
  EXPECT_GT(ids({"--prompt", text}).size(), 10u);

  const std::string model = support::data("nanochat-2026-01").string();
  const ProcessResult generated =
      run({"generate", model, "--prompt", "<|bos|>", "--no-bos", "--special-tokens", "-n", "1", "--json"});
  EXPECT_EQ(generated.code, 0) << generated.err;
  EXPECT_EQ(nlohmann::json::parse(generated.out)["prompt_tokens"], (std::vector{503}));
  const ProcessResult timed =
      run({"bench", model, "--prompt", text, "--special-tokens", "--runs", "1", "--kernels", "manual", "--json"});
  EXPECT_EQ(timed.code, 0) << timed.err;
  EXPECT_EQ(nlohmann::json::parse(timed.out)["rows"][0]["T"], 5);
}

TEST_F(HeadlessFamilies, APromptThatIsLongerThanTrainingSawRunsWithANotice) {
  std::string tokens = "1";
  for (int i = 1; i < 257; ++i) tokens += ",1";
  const ProcessResult result = run(nanochat({"--tokens", tokens, "--layers", "0", "--heads", "0", "--logits", "last"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(testing::StartsWith("headscope: note: "), HasSubstr("257"), HasSubstr("256")));
}

// --- settings of the run

TEST_F(HeadlessFamilies, ARunAsTrainedDiffersInNothing) {
  const auto json = ran({"--prompt", "First"});
  EXPECT_THAT(json["differences"], IsEmpty());
  EXPECT_EQ(json["windows"], (std::vector{128, 128, 128, 256}));
  EXPECT_EQ(json["gelu"], nullptr);
}

TEST_F(HeadlessFamilies, EachSettingChangesTheNumbersAndIsSaid) {
  ran({"--prompt", "First Citizen"});
  const std::vector<float> trained = attention();
  struct Row {
    Words words;
    const char* key;
    nlohmann::json value;
    const char* difference;
  };
  for (const Row& row : {Row{{"--qk-multiplier", "1.2"}, "qk_multiplier", 1.2, "QK multiplier 1.2 instead of 1"},
                         Row{{"--rope-base", "500"}, "rope_base", 500, "RoPE base 500 instead of 10000"},
                         Row{{"--short-window", "2"}, "windows", {2, 2, 2, 256}, "S window 2 instead of 128"},
                         Row{{"--pattern", "ls", "--short-window", "0"},
                             "windows",
                             {256, 0, 256, 256},
                             "windows LSLL instead of SSSL; S window 0 instead of 128"}}) {
    Words words{"--prompt", "First Citizen"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    const auto json = ran(words);
    EXPECT_EQ(json[row.key], row.value) << row.key;
    std::string told;
    for (const auto& difference : json["differences"]) told += difference.get<std::string>() + "; ";
    EXPECT_EQ(told, std::string(row.difference) + "; ");
    const std::vector<float> changed = attention();
    ASSERT_EQ(changed.size(), trained.size());
    float largest = 0;
    for (std::size_t i = 0; i < changed.size(); ++i) largest = std::max(largest, std::abs(changed[i] - trained[i]));
    EXPECT_GT(largest, 1e-3f) << row.key;
  }
}

TEST_F(HeadlessFamilies, TheSoftCapChangesTheLogitsAlone) {
  ran({"--prompt", "First"});
  const auto trained = support::readNpz(m_output);
  EXPECT_EQ(ran({"--prompt", "First", "--soft-cap", "0"})["soft_cap"], nullptr);
  const auto without = support::readNpz(m_output);
  EXPECT_EQ(without.at("attn").floats, trained.at("attn").floats);
  const std::vector<float>& capped = trained.at("logits").floats;
  const std::vector<float>& plain = without.at("logits").floats;
  ASSERT_EQ(capped.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i)
    ASSERT_NEAR(capped[i], 15.0f * std::tanh(plain[i] / 15.0f), 1e-3f) << i;
}

TEST_F(HeadlessFamilies, C14_SettingsThatCanNotBeAreCode2WithTheReason) {
  const Words start{"capture", support::data("nanochat-2026-01").string(), "-o", m_output, "--prompt", "a"};
  const auto with = [&](const Words& more) {
    Words words = start;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  EXPECT_THAT(refusal(with({"--pattern", "SSX"}), 2, "Mismatch: "), AllOf(HasSubstr("'X'"), HasSubstr("3")));
  refusal(with({"--pattern", ""}), 2, "Mismatch: ");
  EXPECT_THAT(refusal(with({"--gelu", "tanh"}), 2, "Mismatch: "), HasSubstr("GELU"));
  refusal(with({"--qk-multiplier", "0"}), 2, "Mismatch: ");
  refusal(with({"--rope-base", "1"}), 2, "Mismatch: ");
  refusal(with({"--soft-cap", "nan"}), 2, "Mismatch: ");
  EXPECT_THAT(refusal(capture({"--prompt", "a", "--rope-base", "500"}), 2, "Mismatch: "), HasSubstr("nanoGPT"));
}

}  // namespace
