// What a session says and does, on the bundled, really trained model.
#include "core/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/attention_map.h"
#include "tests/support/changed_model.h"
#include "tests/support/files.h"

namespace core {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const Session> bundled() {
  static const auto session = Session::open(support::repository("models/shakespeare-char"), {}, Progress());
  return session;
}

TEST(Session, BundledModelSaysWhatItIs) {
  const ModelInfo& info = bundled()->info();
  EXPECT_EQ(info.name, "shakespeare-char");
  EXPECT_EQ(info.config.family, "nanoGPT");
  EXPECT_EQ(info.config.layers, 6);
  EXPECT_EQ(info.config.heads, 6);
  EXPECT_EQ(info.config.kvHeads, 6);
  EXPECT_EQ(info.config.headSize, 32);
  EXPECT_EQ(info.config.embedding, 192);
  EXPECT_EQ(info.config.context, 256);
  EXPECT_EQ(info.config.vocabulary, 65);
  EXPECT_FALSE(info.config.biases.qkv);
  EXPECT_TRUE(info.config.tiedHead);
  EXPECT_EQ(info.storedType, "fp32");
  EXPECT_TRUE(bundled()->hasTokenizer());
}

TEST(Session, OneTokenGivesAMapOfOneCellWithWeightOne) {
  const auto capture = bundled()->run({bundled()->check("K").tokens, {}}, Progress());
  const AttentionMap map(capture, {Layer(5), Head(5)});
  const MapValues weights = map.rectangle(Stage::Weights, {{0, 1}, {0, 1}});
  EXPECT_EQ(weights.rows, 1);
  EXPECT_EQ(weights.columns, 1);
  EXPECT_FLOAT_EQ(weights.at(0, 0), 1);
}

TEST(Session, LogitsOfABlockOfRowsAreThoseOfTheWhole) {
  const auto capture = bundled()->run({bundled()->check("First Citizen:").tokens, {}}, Progress());
  const auto V = static_cast<std::size_t>(capture->model().config.vocabulary);
  const std::vector<float> all = capture->logits({0, capture->size()});
  const std::vector<float> some = capture->logits({5, 8});
  ASSERT_EQ(some.size(), 3 * V);
  for (std::size_t n = 0; n < some.size(); ++n) EXPECT_NEAR(some[n], all[5 * V + n], 1e-5);
  EXPECT_THROW(capture->logits({5, capture->size() + 1}), Error);
}

TEST(Session, TanhGeluChangesTheMapsALittleAndSaysSo) {
  const auto tokens = bundled()->check("KING RICHARD:\nWhat say you, my lord?").tokens;
  const auto erf = bundled()->run({tokens, {}}, Progress());
  const auto tanh = bundled()->run({tokens, {.gelu = Gelu::Tanh}}, Progress());
  EXPECT_EQ(erf->facts().settings.gelu, Gelu::Erf);
  EXPECT_EQ(tanh->facts().settings.gelu, Gelu::Tanh);
  const auto T = erf->size();
  const HeadId last{Layer(5), Head(0)};
  const MapValues a = AttentionMap(erf, last).rectangle(Stage::Weights, {{0, T}, {0, T}});
  const MapValues b = AttentionMap(tanh, last).rectangle(Stage::Weights, {{0, T}, {0, T}});
  float difference = 0;
  for (std::size_t n = 0; n < a.values.size(); ++n)
    difference = std::max(difference, std::abs(a.values[n] - b.values[n]));
  EXPECT_GT(difference, 1e-6F);
  EXPECT_LT(difference, 1e-2F);
}

TEST(Session, PromptLongerThanTheContextIsRefusedWithBothNumbersAndNothingIsCut) {
  const PromptCheck check = bundled()->check(std::string(300, 'a'));
  EXPECT_EQ(check.problem, PromptCheck::Problem::TooLong);
  EXPECT_EQ(check.tokens.size(), 300U);
  EXPECT_THAT(check.sentence, HasSubstr("300"));
  EXPECT_THAT(check.sentence, HasSubstr("256"));
  try {
    bundled()->run({check.tokens, {}}, Progress());
    FAIL() << "the run was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::TooLarge);
    EXPECT_EQ(error.what(), check.sentence);
  }
}

TEST(Session, EmptyPromptAndWhiteSpaceAreRefusedWithTheReason) {
  EXPECT_EQ(bundled()->check("").problem, PromptCheck::Problem::Empty);
  EXPECT_THAT(bundled()->check("").sentence, HasSubstr("empty"));
  EXPECT_EQ(bundled()->check(" \n ").problem, PromptCheck::Problem::Empty);
  EXPECT_THAT(bundled()->check(" \n ").sentence, HasSubstr("white space"));
}

TEST(Session, LettersOutsideTheVocabularyAreListed) {
  const PromptCheck check = bundled()->check("caf\u00e9 \u4f60\u597d caf\u00e9");
  EXPECT_EQ(check.problem, PromptCheck::Problem::NotEncodable);
  EXPECT_THAT(check.sentence, HasSubstr("3 letters"));
  EXPECT_THAT(check.sentence, HasSubstr("'\u00e9', '\u4f60', '\u597d'"));
  EXPECT_THAT(check.sentence, HasSubstr("65 characters"));
}

TEST(Session, TokenIdsRunExactlyAsGiven) {
  const PromptCheck check = bundled()->checkIds(" 1,2\n3 ,64 ");
  EXPECT_TRUE(check.canRun()) << check.sentence;
  EXPECT_EQ(check.tokens, (std::vector<TokenId>{1, 2, 3, 64}));
}

TEST(Session, TokenIdsOutsideTheVocabularyAreRefusedWithTheRange) {
  for (const std::string bad : {"-1", "65", "abc", "100000000000000000000", "1.5", "0x3"}) {
    const PromptCheck check = bundled()->checkIds("7, " + bad);
    EXPECT_EQ(check.problem, PromptCheck::Problem::NotATokenId) << bad;
    EXPECT_THAT(check.sentence, HasSubstr("from 0 to 64"));
    EXPECT_THAT(check.sentence, HasSubstr("Token 2"));
    EXPECT_THAT(check.sentence, HasSubstr(bad));
  }
  EXPECT_EQ(bundled()->checkIds(" \n").problem, PromptCheck::Problem::Empty);
}

TEST(Session, AMissingTokenIdIsAMistakeNotSkipped) {
  for (const std::string bad : {"1,,2", "1, ,2", "1,2,", ",1", " , "}) {
    EXPECT_EQ(bundled()->checkIds(bad).problem, PromptCheck::Problem::NotATokenId) << bad;
  }
  EXPECT_THAT(bundled()->checkIds("1,,2").sentence, HasSubstr("Token 2 is \"\""));
}

TEST(Session, RunReportsEveryLayerAndStopsAtOnceWhenAskedTo) {
  const auto tokens = bundled()->check("What say you").tokens;
  std::vector<std::string> stages;
  double last = -1;
  bundled()->run({tokens, {}}, Progress([&](double fraction, std::string_view stage) {
                   EXPECT_GE(fraction, last);
                   last = fraction;
                   stages.emplace_back(stage);
                   return true;
                 }));
  EXPECT_EQ(last, 1);
  EXPECT_EQ(std::count(stages.begin(), stages.end(), "layer 6 of 6"), 1);

  int asked = 0;
  try {
    bundled()->run({tokens, {}}, Progress([&](double, std::string_view) { return ++asked < 3; }));
    FAIL() << "the run was not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
  }
  EXPECT_EQ(asked, 3);
}

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// A model of 3 layers and 8 heads of 8 dimensions with other weights.
std::shared_ptr<const Session> damaged(const std::vector<support::WeightChange>& changes) {
  const support::TemporaryFolder folder;
  support::writeChangedModel("hf-qwen2-bias", changes, folder.path());
  return Session::open(folder.path(), {}, Progress());
}

/// Rows whose weights, added up, are not 1.
std::vector<Position> rowsThatDoNotSumToOne(const std::shared_ptr<const Capture>& capture, HeadId head) {
  const AttentionMap map(capture, head);
  const MapValues weights = map.rectangle(Stage::Weights, map.extent(Stage::Weights));
  std::vector<Position> rows;
  for (Position row = 0; row < weights.rows; ++row) {
    double sum = 0;
    for (Position column = 0; column < weights.columns; ++column) sum += static_cast<double>(weights.at(row, column));
    if (!(std::abs(sum - 1) < 1e-4)) rows.push_back(row);
  }
  return rows;
}

void expectBroken(const std::shared_ptr<const Capture>& capture, HeadId head, const std::vector<Position>& expected) {
  const BrokenRows broken = capture->brokenRows(head);
  EXPECT_EQ(rowsThatDoNotSumToOne(capture, head), expected) << head.layer.value << ", " << head.head.value;
  EXPECT_EQ(broken.count, std::ssize(expected)) << head.layer.value << ", " << head.head.value;
  if (expected.empty()) return;
  EXPECT_EQ(broken.first, expected.front());
  EXPECT_TRUE(std::isnan(broken.lse));
}

TEST(Session, RowsThatDoNotSumToOneAreTheHeadsWhoseScoresAreNaN) {
  const auto session = damaged({{"model.layers.1.self_attn.q_proj.bias", 3 * 8, 1, kNaN}});  // head 3 of layer 1
  for (const AttentionPath path : {AttentionPath::Manual, AttentionPath::Flash}) {
    const auto capture = session->run({.tokens = {1, 2, 3, 4, 5}, .path = path}, Progress());
    for (int layer = 0; layer < 3; ++layer) {
      for (int head = 0; head < 8; ++head) {
        const bool broken =
            (layer == 1 && head == 3) || (layer == 2 && path == AttentionPath::Manual);  // flash gives 0 for y
        expectBroken(capture, {Layer(layer), Head(head)},
                     broken ? std::vector<Position>{0, 1, 2, 3, 4} : std::vector<Position>{});
      }
    }
  }
  const auto whole = damaged({})->run({.tokens = {1, 2, 3, 4, 5}}, Progress());
  expectBroken(whole, {Layer(2), Head(7)}, {});
}

TEST(Session, ATokenThatIsNaNBreaksTheRowsThatSeeIt) {
  const auto session = damaged({{"model.embed_tokens.weight", 9 * 64, 1, kNaN}});
  RunRequest request{.tokens = {1, 2, 3, 9, 4, 5}};
  const auto causal = session->run(request, Progress());
  request.overrides.mask = MaskKind::Bidirectional;
  const auto bidirectional = session->run(request, Progress());
  for (int head = 0; head < 8; ++head) {
    expectBroken(causal, {Layer(0), Head(head)}, {3, 4, 5});
    expectBroken(bidirectional, {Layer(0), Head(head)}, {0, 1, 2, 3, 4, 5});
  }
}

TEST(Session, ARowWhoseScoresAreAllMinusInfinityDoesNotSumToOne) {
  // The query of the only token times its key is beyond float32: 8 times -1e60.
  const auto session = damaged(
      {{"model.layers.0.self_attn.q_proj.bias", 0, 8, 1e30f}, {"model.layers.0.self_attn.k_proj.bias", 0, 8, -1e30f}});
  for (const AttentionPath path : {AttentionPath::Manual, AttentionPath::Flash}) {
    const auto capture = session->run({.tokens = {1}, .path = path}, Progress());
    EXPECT_EQ(capture->brokenRows({Layer(0), Head(0)}).count, 1) << capture->facts().path;
    EXPECT_EQ(rowsThatDoNotSumToOne(capture, {Layer(0), Head(0)}), (std::vector<Position>{0})) << capture->facts().path;
  }
}

TEST(Session, MissingFileIsNotFoundByName) {
  try {
    Session::open("no/such/ckpt.pt", {}, Progress());
    FAIL() << "it opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::NotFound);
    EXPECT_THAT(error.what(), HasSubstr("no/such/ckpt.pt"));
  }
}

}  // namespace
}  // namespace core
