#include "tests/core/reference_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "core/attention_map.h"

namespace core {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void widen(double& worst, double difference) {
  worst = std::isnan(difference) ? kInfinity : std::max(worst, std::abs(difference));
}

void compareHead(const AttentionMap& map, const support::Reference& reference, std::int64_t left, Comparison& result) {
  const std::int64_t T = reference.size;
  const auto [layer, head] = map.head();
  const auto R = static_cast<std::int64_t>(reference.rows.size());
  MapValues block;
  for (std::int64_t row = 0; row < R; ++row) {
    const Position i = reference.rows[static_cast<std::size_t>(row)];
    if (R == T && row == 0) block = map.rectangle(Stage::Weights, {{0, T}, {0, T}});
    if (R < T) block = map.rectangle(Stage::Weights, {{i, i + 1}, {0, T}});
    double sum = 0;
    for (Position j = 0; j < T; ++j) {
      const float weight = block.at(R == T ? i : 0, j);
      sum += static_cast<double>(weight);
      widen(result.weight, static_cast<double>(weight - reference.weight(layer.value, head.value, row, j)));
      const bool visible = j <= i && i - j <= left;
      if (!visible && weight != 0.0F) ++result.unmasked;
      float& edge = result.edges[static_cast<std::size_t>(layer.value)];
      if (i - j == left) edge = std::max(edge, weight);
    }
    widen(result.rowSum, sum - 1);
  }
}

void compareLse(const Capture& capture, const support::Reference& reference, Comparison& result) {
  if (reference.lse.empty()) return;
  std::size_t n = 0;
  for (int l = 0; l < reference.layers; ++l)
    for (int h = 0; h < reference.heads; ++h)
      for (const float lse : capture.lse({Layer(l), Head(h)}))
        widen(result.lse, static_cast<double>(lse - reference.lse.at(n++)));
}

void compareLogits(const Capture& capture, const support::Reference& reference, Comparison& result) {
  const auto [low, high] = std::minmax_element(reference.logits.begin(), reference.logits.end());
  std::size_t n = 0;
  for (const Position row : reference.logitRows) {
    const std::vector<float> logits = capture.logits({row, row + 1});
    ASSERT_EQ(static_cast<std::int64_t>(logits.size()), reference.vocabulary);
    for (const float logit : logits)
      widen(result.logit, static_cast<double>((logit - reference.logits[n++]) / (*high - *low)));
  }
}

/// A token's text where a reference has it as its vocabulary spells it: with a letter for a space, or "<0x0A>".
std::string spelledOut(std::string text) {
  for (const std::string mark : {"\u0120", "\u2581"}) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) text.replace(at, mark.size(), " ");
  }
  const bool isByte = text.size() == 6 && text.starts_with("<0x");
  return isByte ? std::string(1, static_cast<char>(std::stoi(text.substr(3, 2), nullptr, 16))) : text;
}

void record(const char* what, double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", number);
  testing::Test::RecordProperty(what, text);
}

}  // namespace

Comparison compare(const std::shared_ptr<const Capture>& capture, const support::Reference& reference,
                   const Lefts& lefts) {
  Comparison result;
  result.edges.resize(lefts.size());
  for (int l = 0; l < reference.layers; ++l)
    for (int h = 0; h < reference.heads; ++h)
      compareHead(AttentionMap(capture, {Layer(l), Head(h)}), reference, lefts.at(static_cast<std::size_t>(l)), result);
  compareLse(*capture, reference, result);
  compareLogits(*capture, reference, result);
  return result;
}

void expectEqual(const std::shared_ptr<const Capture>& capture, const support::Reference& reference,
                 const Lefts& lefts, double weightTolerance) {
  ASSERT_EQ(capture->size(), reference.size);
  ASSERT_EQ(capture->model().config.layers, reference.layers);
  ASSERT_EQ(capture->model().config.heads, reference.heads);
  ASSERT_EQ(static_cast<std::int64_t>(lefts.size()), reference.layers);
  const Comparison result = compare(capture, reference, lefts);
  EXPECT_LE(result.weight, weightTolerance);
  EXPECT_LE(result.logit, 1e-4);
  EXPECT_LE(result.lse, 2e-5);
  EXPECT_LE(result.rowSum, 1e-5);
  EXPECT_EQ(result.unmasked, 0) << "cells that the mask hides have weight";
  for (std::size_t l = 0; l < lefts.size(); ++l) {
    if (lefts[l] >= reference.size) continue;
    EXPECT_GT(result.edges[l], 2 * weightTolerance) << "layer " << l << " does not look back as far as " << lefts[l];
  }
  record("worst_weight_difference", result.weight);
  record("worst_logit_difference", result.logit);
  record("worst_lse_difference", result.lse);
}

std::vector<TokenId> tokensOfPrompt(const Session& session, const support::Reference& reference) {
  const PromptCheck check = session.check(reference.prompt);
  EXPECT_TRUE(check.canRun()) << check.sentence;
  std::vector<TokenId> tokens = check.tokens;
  // A whole run may have stopped within its prompt.
  if (tokens.size() > reference.tokens.size()) tokens.resize(reference.tokens.size());
  EXPECT_EQ(tokens, reference.tokens);

  const PromptCheck bare = session.check(reference.prompt, Prefix::LeftOut);
  EXPECT_EQ(bare.tokens.size() + session.prefix().size(), check.tokens.size());
  EXPECT_TRUE(std::equal(bare.tokens.rbegin(), bare.tokens.rend(), check.tokens.rbegin()));

  const std::vector<TokenText> texts = session.texts(reference.tokens);
  for (std::size_t n = 0; n < reference.tokenTexts.size(); ++n) {
    const bool isText = reference.tokenTexts[n].find("\ufffd") == std::string::npos;
    if (isText) {
      EXPECT_EQ(texts[n].bytes, spelledOut(reference.tokenTexts[n])) << "token " << n;
    }
  }
  return reference.tokens;
}

}  // namespace core
