// Token by token with a KV cache against one run over all tokens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/attention_map.h"
#include "core/session.h"
#include "tests/support/files.h"
#include "tests/support/reference.h"

namespace core {
namespace {

std::shared_ptr<const Session> bundled() {
  static const auto session = Session::open(support::repository("models/shakespeare-char"), {}, {});
  return session;
}

double worst(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t n = 0; n < std::min(a.size(), b.size()); ++n)
    most = std::max(most, std::abs(static_cast<double>(a[n]) - static_cast<double>(b[n])));
  return most;
}

/// Weights, lse and logits of all rows within 1e-5; logits relative to their range.
void expectSame(const std::shared_ptr<const Capture>& grown, const std::shared_ptr<const Capture>& whole) {
  ASSERT_EQ(grown->size(), whole->size());
  const std::int64_t T = whole->size();
  const ModelConfig& config = whole->model().config;
  for (int l = 0; l < config.layers; ++l) {
    for (int h = 0; h < config.heads; ++h) {
      const HeadId head{Layer(l), Head(h)};
      const MapRect square{{0, T}, {0, T}};
      EXPECT_LE(worst(AttentionMap(grown, head).rectangle(Stage::Weights, square).values,
                      AttentionMap(whole, head).rectangle(Stage::Weights, square).values),
                1e-5)
          << l << ", " << h;
      EXPECT_LE(worst(grown->lse(head), whole->lse(head)), 5e-5);  // of numbers up to some tens
    }
  }
  const std::vector<float> logits = whole->logits({0, T});
  const auto [low, high] = std::minmax_element(logits.begin(), logits.end());
  EXPECT_LE(worst(grown->logits({0, T}), logits) / static_cast<double>(*high - *low), 1e-5);
}

std::vector<TokenId> idsOf(const Capture& capture) {
  std::vector<TokenId> ids;
  for (const TokenText& token : capture.tokens()) ids.push_back(token.id);
  return ids;
}

struct Family {
  std::string folder;
  std::int64_t shortWindow;  ///< given to the run, so that decoding goes past it
};

void PrintTo(const Family& family, std::ostream* out) { *out << family.folder << ", S window " << family.shortWindow; }

class Decoding : public testing::TestWithParam<Family> {};

TEST_P(Decoding, RowsEqualThoseOfTheWholePassPastTheWindowToo) {
  const auto session = Session::open(support::data(GetParam().folder), {}, {});
  const auto reference = support::readReference(support::data(GetParam().folder));
  ASSERT_GE(reference.tokens.size(), 6U);
  const std::vector<TokenId> prompt(reference.tokens.begin(), reference.tokens.begin() + 6);
  RunRequest request{prompt, {}};
  if (GetParam().shortWindow >= 0) {
    request.overrides.pattern = "SL";
    request.overrides.shortWindow = GetParam().shortWindow;
  }
  for (const AttentionPath path : {AttentionPath::Manual, AttentionPath::Flash}) {
    request.path = path;
    request.tokens = prompt;
    const Generation generation = session->generate(request, 20, {.temperature = 1.5}, {}, {});
    EXPECT_EQ(generation.stop, Generation::Stop::Count);
    EXPECT_EQ(generation.promptTokens, 6);
    ASSERT_EQ(generation.capture->size(), 26);
    request.tokens = idsOf(*generation.capture);
    expectSame(generation.capture, session->run(request, {}));
  }
}

std::string nameOf(const testing::TestParamInfo<Family>& info) {
  std::string name = info.param.folder + (info.param.shortWindow < 0 ? "" : "_window");
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Families, Decoding,
                         testing::Values(Family{"nanochat-2025-10", -1}, Family{"nanochat-2026-01", 5},
                                         Family{"nanochat-2026-07", -1}, Family{"nanochat-2026-07", 7},
                                         Family{"hf-gpt2", -1}, Family{"hf-llama-gqa", 3},
                                         Family{"hf-mistral-window", -1}, Family{"hf-qwen2-bias", -1},
                                         Family{"hf-qwen3-qknorm", 0}),
                         nameOf);

TEST(Generation, FiftyGreedyTokensAreTheSameTextByEitherPath) {
  RunRequest request{bundled()->check("ROMEO:\nWhat light").tokens, {}};
  std::string text;
  const OnToken onToken = [&](const TokenText& token) { text += token.bytes; };
  const Generation manual = bundled()->generate(request, 50, {}, onToken, {});
  EXPECT_EQ(text.size(), 50U);
  request.path = AttentionPath::Flash;
  const Generation flash = bundled()->generate(request, 50, {}, {}, {});
  EXPECT_EQ(idsOf(*manual.capture), idsOf(*flash.capture));
  EXPECT_THAT(flash.capture->facts().path, testing::HasSubstr("flash"));
  EXPECT_THAT(manual.capture->facts().path, testing::HasSubstr("manual"));

  // Greedy: each token is the likeliest one of the whole pass over those before it.
  const std::vector<TokenId> ids = idsOf(*manual.capture);
  const auto whole = bundled()->run({ids, {}}, {});
  for (std::int64_t n = manual.promptTokens; n < whole->size(); ++n) {
    const std::vector<float> logits = whole->logits({n - 1, n});
    EXPECT_EQ(std::max_element(logits.begin(), logits.end()) - logits.begin(), ids[static_cast<std::size_t>(n)]) << n;
  }
}

TEST(Generation, EachChosenTokenIsToldAndItsRowIsInTheCapture) {
  std::vector<TokenId> told;
  const auto prompt = bundled()->check("KING").tokens;
  const Generation generation = bundled()->generate({prompt, {}}, 8, {.temperature = 0.8, .topK = 10, .seed = 5},
                                                    [&](const TokenText& t) { told.push_back(t.id); }, {});
  std::vector<TokenId> expected = prompt;
  expected.insert(expected.end(), told.begin(), told.end());
  EXPECT_EQ(told.size(), 8U);
  EXPECT_EQ(idsOf(*generation.capture), expected);
  EXPECT_TRUE(generation.sentence.empty());
  EXPECT_EQ(bundled()->generate({prompt, {}}, 0, {}, {}, {}).capture->size(), 4);
}

TEST(Generation, StopsWhenTheContextIsFullAndSaysSo) {
  const std::vector<TokenId> prompt(250, 1);
  const Generation generation = bundled()->generate({prompt, {}}, 50, {}, {}, {});
  EXPECT_EQ(generation.stop, Generation::Stop::ContextEnd);
  EXPECT_EQ(generation.capture->size(), 256);
  EXPECT_THAT(generation.sentence, testing::HasSubstr("6 tokens"));
  EXPECT_THAT(generation.sentence, testing::HasSubstr("256"));
  EXPECT_EQ(bundled()->generate({prompt, {}}, 6, {}, {}, {}).stop, Generation::Stop::Count);
}

TEST(Generation, CancelsAndRefusesWhatMeansNothing) {
  const RunRequest request{bundled()->check("KING").tokens, {}};
  int reports = 0;
  const Progress stop([&](double, std::string_view) { return ++reports < 3; });
  EXPECT_THROW(bundled()->generate(request, 50, {}, {}, stop), Error);
  EXPECT_THROW(bundled()->generate(request, -1, {}, {}, {}), Error);
  EXPECT_THROW(bundled()->generate(request, 5, {.temperature = -1}, {}, {}), Error);
  EXPECT_THROW(bundled()->generate({{}, {}}, 5, {}, {}, {}), Error);
}

}  // namespace
}  // namespace core
