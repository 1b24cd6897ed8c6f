// Masks, windows, rows and columns of `headscope capture`: every cell beside the rule, written literally.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/app/headless.h"
#include "tests/support/npz.h"
#include "tests/support/python.h"

namespace {

using support::Headless;
using support::ProcessResult;
using support::Words;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kLayers = 6, kHeads = 6, T = 24;
const std::string kPrompt = "First Citizen:\nBefore we";  // 24 characters, each a token

class HeadlessMasks : public Headless {
 protected:
  /// The whole command's JSON, its file in m_output.
  nlohmann::json captured(Words more, const Words& prompt = {"--prompt", kPrompt}) const {
    more.insert(more.end(), prompt.begin(), prompt.end());
    more.insert(more.end(), {"--force", "--json"});
    const ProcessResult result = run(capture(more));
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
  std::vector<float> attention() const { return support::readNpz(m_output).at("attn").floats; }
};

/// Expects that a weight is exactly 0 where the rule hides the cell, above 0 elsewhere, and that rows sum to 1.
template <class Rule>
void expectRule(const std::vector<float>& attention, Rule sees) {
  ASSERT_EQ(attention.size(), std::size_t{kLayers} * kHeads * T * T);
  const float* p = attention.data();
  for (int layer = 0; layer < kLayers; ++layer) {
    for (int row = 0; row < kHeads * T; ++row, p += T) {
      const int i = row % T;
      double sum = 0;
      for (int j = 0; j < T; ++j) {
        sum += static_cast<double>(p[j]);
        ASSERT_EQ(p[j] > 0.0f, sees(layer, i, j)) << "layer " << layer << " query " << i << " key " << j;
        ASSERT_GE(p[j], 0.0f);
      }
      ASSERT_NEAR(sum, 1.0, 1e-5) << "layer " << layer << " query " << i;
    }
  }
}

TEST_F(HeadlessMasks, ACausalRunSeesTheKeysBeforeTheQuery) {
  const auto json = captured({});
  EXPECT_EQ(json["run"]["mask"], "causal");
  EXPECT_EQ(json["run"]["window_origin"], "trained without windows");
  EXPECT_THAT(json["run"]["differences"], IsEmpty());
  expectRule(attention(), [](int, int i, int j) { return j <= i; });
}

TEST_F(HeadlessMasks, ABidirectionalRunSeesAllKeysAndIsMarked) {
  const auto json = captured({"--mask", "bidirectional"});
  EXPECT_EQ(json["run"]["mask"], "bidirectional");
  EXPECT_EQ(json["run"]["differences"], (std::vector{"bidirectional mask instead of causal"}));
  expectRule(attention(), [](int, int, int) { return true; });
}

TEST_F(HeadlessMasks, EachLayerHasItsWidth) {
  const int widths[kLayers] = {4, 0, T, 1, 23, 22};
  const auto json = captured({"--windows", "4,0,all,1,23,22"});
  EXPECT_EQ(json["run"]["windows"], nlohmann::json::parse("[4, 0, null, 1, 23, 22]"));
  EXPECT_EQ(json["run"]["window_origin"], "chosen for this run");
  EXPECT_EQ(json["run"]["differences"], (std::vector{"windows 4, 0, all, 1, 23, 22 instead of LLLLLL"}));
  expectRule(attention(), [&](int layer, int i, int j) { return j <= i && i - j <= widths[layer]; });
}

TEST_F(HeadlessMasks, OneWidthIsOfAllLayersAndOnBothSidesOfABidirectionalQuery) {
  captured({"--windows", "3", "--mask", "bidirectional"});
  expectRule(attention(), [](int, int i, int j) { return std::abs(i - j) <= 3; });
}

TEST_F(HeadlessMasks, OfTheQueryAloneIsTheIdentity) {
  captured({"--windows", "0"});
  expectRule(attention(), [](int, int i, int j) { return i == j; });
}

TEST_F(HeadlessMasks, APatternOfAModelWithoutOneTakesAShareOfTheContextAndSaysSo) {
  const auto json = captured({"--pattern", "sl"});
  EXPECT_EQ(json["run"]["windows"], nlohmann::json::parse("[128, null, 128, null, 128, null]"));
  EXPECT_EQ(json["run"]["window_origin"],
            "chosen for this run; S is a quarter of the context, up to a multiple of 128");
}

TEST_F(HeadlessMasks, TheFlashPathGivesTheSameMaps) {
  for (const Words& more : {Words{}, {"--mask", "bidirectional"}, {"--windows", "4,0,all,1,23,7"}}) {
    captured(more);
    const std::vector<float> manual = attention();
    Words words = more;
    words.insert(words.end(), {"--path", "flash"});
    EXPECT_THAT(captured(words)["run"]["path"].get<std::string>(), HasSubstr("flash"));
    const std::vector<float> flash = attention();
    ASSERT_EQ(flash.size(), manual.size());
    float largest = 0;
    for (std::size_t n = 0; n < flash.size(); ++n) largest = std::max(largest, std::abs(flash[n] - manual[n]));
    EXPECT_LE(largest, 1e-5f);
  }
}

TEST_F(HeadlessMasks, WindowsThatCanNotBeAreCode2WithTheReason) {
  const auto refused = [&](const Words& more, const std::string& beginning) {
    Words words{"--prompt", "a"};
    words.insert(words.end(), more.begin(), more.end());
    return refusal(capture(words), 2, beginning);
  };
  EXPECT_THAT(refused({"--windows", "1,2"}, "Mismatch: "), AllOf(HasSubstr("2 widths"), HasSubstr("6 layers")));
  EXPECT_THAT(refused({"--windows", "257"}, "Mismatch: "), AllOf(HasSubstr("257"), HasSubstr("256")));
  EXPECT_THAT(refused({"--windows", "1", "--pattern", "S"}, "Mismatch: "), HasSubstr("pattern"));
  EXPECT_THAT(refused({"--windows", "1,x"}, ""), HasSubstr("Width 2 of the windows is \"x\""));
  EXPECT_THAT(refused({"--windows", "-1"}, ""), HasSubstr("\"-1\""));
  EXPECT_THAT(refused({"--mask", "both"}, ""), HasSubstr("causal|bidirectional"));
  EXPECT_THAT(refused({"--pattern", "S L"}, "Mismatch: "), HasSubstr("' ' as letter 2"));
}

// --- rows and columns

TEST_F(HeadlessMasks, RowsAndColumnsAreThatPartOfTheWholeMap) {
  captured({"--layers", "1,5"});
  const std::vector<float> whole = attention();
  const auto json = captured({"--layers", "1,5", "--rows", "23,0,5-7", "--cols", "2:11"});
  EXPECT_EQ(json["arrays"]["attn"], (std::vector{2, kHeads, 5, 9}));
  EXPECT_EQ(json["arrays"]["rows"], std::vector{5});
  EXPECT_EQ(json["arrays"]["cols"], std::vector{9});
  const auto arrays = support::readNpz(m_output);
  EXPECT_THAT(arrays.at("rows").integers, ElementsAre(23, 0, 5, 6, 7));
  EXPECT_THAT(arrays.at("cols").integers, ElementsAre(2, 3, 4, 5, 6, 7, 8, 9, 10));
  const std::vector<float>& part = arrays.at("attn").floats;
  ASSERT_EQ(part.size(), 2u * kHeads * 5 * 9);
  const int rows[] = {23, 0, 5, 6, 7};
  for (int head = 0; head < 2 * kHeads; ++head) {
    for (int r = 0; r < 5; ++r) {
      for (int c = 0; c < 9; ++c) {
        const auto at = static_cast<std::size_t>((head * 5 + r) * 9 + c);
        const auto from = static_cast<std::size_t>((head * T + rows[r]) * T + c + 2);
        ASSERT_NEAR(part[at], whole[from], 1e-6f) << head << " " << rows[r] << " " << c + 2;
      }
    }
  }
}

TEST_F(HeadlessMasks, RowsAloneHaveAllColumns) {
  const auto json = captured({"--rows", "3", "--logits", "last"});
  EXPECT_EQ(json["arrays"]["attn"], (std::vector{kLayers, kHeads, 1, T}));
  const auto python = support::pythonWithNumpy();
  if (!python) GTEST_SKIP() << "there is no Python with numpy";
  EXPECT_EQ(support::runPython(*python,
                               "import sys, numpy\n"
                               "d = numpy.load(sys.argv[1], allow_pickle=False)\n"
                               "print(d['attn'].shape, d['rows'].tolist(), len(d['cols']), d['logits'].shape)",
                               m_output),
            "(6, 6, 1, 24) [3] 24 (65,)\n");
}

TEST_F(HeadlessMasks, RowsAndColumnsThatAreNotThereAreCode2) {
  for (const auto& [option, list] : {std::pair{"--rows", "24"}, {"--cols", "0:25"}})
    EXPECT_THAT(refusal(capture({"--prompt", kPrompt, option, list}), 2, "Mismatch: "), HasSubstr("24")) << option;
  for (const auto& [option, list] :
       {std::pair{"--rows", "x"}, {"--rows", "5-1"}, {"--cols", "5"}, {"--cols", "5:5"}, {"--cols", "0-4"}})
    EXPECT_THAT(refusal(capture({"--prompt", kPrompt, option, list}), 2, ""), HasSubstr("--help")) << list;
}

// --- prompts and budgets

TEST_F(HeadlessMasks, TokensOfAFileAreThoseOfTheCommandLine) {
  captured({}, {"--tokens", "18,47,56,57,58"});
  const std::vector<float> expected = attention();
  for (const char* text : {"18,47,56,57,58", " 18 47\n56,\n57 58\r\n"}) {
    support::writeFile(m_streams / "ids", text);
    captured({}, {"--tokens-file", (m_streams / "ids").string()});
    EXPECT_THAT(support::readNpz(m_output).at("token_ids").integers, ElementsAre(18, 47, 56, 57, 58));
    EXPECT_EQ(attention(), expected);
  }
}

TEST_F(HeadlessMasks, R7_AFileOfTokensIsCheckedAsTheyAre) {
  const auto refused = [&](const std::string& text) {
    support::writeFile(m_streams / "ids", text);
    return refusal(capture({"--tokens-file", (m_streams / "ids").string()}), 4, "");
  };
  for (const char* id : {"-1", "65", "abc", "100000000000000000000"})
    EXPECT_THAT(refused("1 " + std::string(id)), AllOf(HasSubstr("Token 2"), HasSubstr(id), HasSubstr("0 to 64")));
  EXPECT_THAT(refused("1,,2"), HasSubstr("Token 2"));
  EXPECT_THAT(refused(" \n"), HasSubstr("no tokens"));
  std::string tooMany = "1";
  for (int i = 1; i < 257; ++i) tooMany += "\n1";
  EXPECT_THAT(refused(tooMany), AllOf(HasSubstr("257"), HasSubstr("256")));
  refusal(capture({"--tokens-file", "/nonexistent/ids"}), 4, "NotFound: ");
  EXPECT_THAT(refusal(capture({"--tokens-file", "/dev/null", "--tokens", "1"}), 2, ""),
              HasSubstr("more than one prompt"));
  refusal(capture({"--tokens-file", "/dev/null", "--no-bos"}), 2, "");
}

TEST_F(HeadlessMasks, R9_ARunAboveTheBudgetIsRefusedBeforeItRuns) {
  EXPECT_THAT(refusal(capture({"--prompt", kPrompt, "--memory-budget", "1K"}), 4, "OutOfMemory: "),
              HasSubstr("24 tokens"));
  for (const char* size : {"4", "-1G", "0G", "1.5G", "lots"})
    EXPECT_THAT(
        refusal({"capture", m_model, "-o", (m_folder / "no.npz").string(), "--prompt", "a", "--memory-budget", size}, 2,
                ""),
        HasSubstr("512M"));
  captured({"--memory-budget", "1G"});
}

}  // namespace
