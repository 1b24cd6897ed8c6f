// Split rules by the names of GGUF files, against Hugging Face's tokenizers.
#include "core/tokenizer/split_rules.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/files.h"

namespace core::tokenizer {
namespace {

nlohmann::json read(const std::string& file) { return nlohmann::json::parse(support::readFile(support::data(file))); }

TEST(SplitRules, CutLinesIntoThePiecesOfTheirTokenizers) {
  const nlohmann::json lines = read("tokenizer/vectors.json")["lines"];
  const nlohmann::json rules = read("tokenizer/split-rules.json")["lengths"];
  ASSERT_EQ(rules.size(), 7U);
  for (const auto& [name, lengths] : rules.items()) {
    SCOPED_TRACE(name);
    const SplitRule* rule = splitRuleNamed(name);
    ASSERT_NE(rule, nullptr);
    const Pretokenizer pretokenizer = pretokenizerOf(*rule);
    ASSERT_EQ(lengths.size(), lines.size());
    ASSERT_GE(lines.size(), 200U);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::vector<std::size_t> pieces;
      pretokenizer.split(lines[i].get<std::string>(), [&](std::string_view piece) { pieces.push_back(piece.size()); });
      EXPECT_EQ(pieces, lengths[i].get<std::vector<std::size_t>>()) << "line " << i << ": " << lines[i];
    }
  }
}

// A row of the table is reached by each of its names, and no name stands in two rows.
TEST(SplitRules, EveryNameFindsItsRule) {
  const std::string names = splitRuleNames();
  std::size_t found = 0;
  for (std::size_t at = 0; at < names.size(); ++found) {
    const std::size_t end = std::min(names.find(", ", at), names.size());
    const SplitRule* rule = splitRuleNamed(names.substr(at, end - at));
    ASSERT_NE(rule, nullptr) << names.substr(at, end - at);
    at = end + 2;
  }
  EXPECT_EQ(found, 31U);
  EXPECT_EQ(splitRuleNamed("llama3"), splitRuleNamed("llama-bpe"));
  EXPECT_EQ(splitRuleNamed("starcoder"), splitRuleNamed("smollm"));
  EXPECT_EQ(splitRuleNamed(""), nullptr);
  EXPECT_EQ(splitRuleNamed("GPT-2"), nullptr);
}

TEST(SplitRules, WhatComesWithARule) {
  EXPECT_EQ(splitRuleNamed("llama-bpe")->wholePieces, WholePieces::LookedUp);
  EXPECT_EQ(splitRuleNamed("dbrx")->wholePieces, WholePieces::Merged);
  EXPECT_TRUE(splitRuleNamed("llama-bpe")->beginsWithBos);
  EXPECT_TRUE(splitRuleNamed("tekken")->beginsWithBos);
  EXPECT_FALSE(splitRuleNamed("qwen2")->beginsWithBos);
  EXPECT_EQ(splitRuleNamed("qwen2")->normalForm, NormalForm::Nfc);
  EXPECT_EQ(splitRuleNamed("deepseek-r1-qwen")->normalForm, std::nullopt);
}

}  // namespace
}  // namespace core::tokenizer
