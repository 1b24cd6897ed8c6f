// Special tokens that a prompt spells, on cuts of upstream's models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/session.h"
#include "tests/support/files.h"

namespace core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Ids = std::vector<TokenId>;

std::shared_ptr<const Session> open(const char* cut) { return Session::open(support::data(cut), {}, Progress()); }

std::vector<std::string> labels(const std::vector<TokenText>& tokens) {
  std::vector<std::string> labels;
  for (const TokenText& token : tokens) labels.push_back(token.label);
  return labels;
}

// nanochat's tokenizer is a tiktoken.Encoding: encode(text, allowed_special="all") against encode_ordinary(text).
TEST(SessionSpecials, NanochatReadsTheirSpellingAsTextUnlessAskedForTokens) {
  for (const char* cut : {"nanochat-2025-10", "nanochat-2026-01", "nanochat-2026-07"}) {
    SCOPED_TRACE(cut);
    const auto session = open(cut);
    EXPECT_THAT(labels(session->specials()),
                ElementsAre("<|bos|>", "<|user_start|>", "<|user_end|>", "<|assistant_start|>", "<|assistant_end|>",
                            "<|python_start|>", "<|python_end|>", "<|output_start|>", "<|output_end|>"));
    const auto tokens = [&](std::string_view text, Prefix prefix, Specials specials) {
      const PromptCheck check = session->check(text, prefix, specials);
      EXPECT_TRUE(check.canRun()) << check.sentence;
      return check.tokens;
    };
    const std::string text = "<|user_start|>First a<|user_end|> a <|user_end|";
    EXPECT_EQ(tokens(text, Prefix::LeftOut, Specials::Tokens),
              (Ids{504, 70, 315, 297, 258, 505, 258, 32, 60, 124, 392, 273, 95, 472, 124}));
    EXPECT_EQ(tokens(text, Prefix::LeftOut, Specials::AsUpstream),
              (Ids{60,  124, 392, 273, 95,  297, 451, 124, 62, 70,  315, 297, 258, 60,  124,
                   392, 273, 95,  472, 124, 62,  258, 32,  60, 124, 392, 273, 95,  472, 124}));
    EXPECT_EQ(session->check(text, Prefix::LeftOut).tokens, tokens(text, Prefix::LeftOut, Specials::AsUpstream));
  }
}

TEST(SessionSpecials, TheFirstTokenOfTrainingComesBeforeATextAlsoWhenThatSpellsIt) {
  const auto session = open("nanochat-2026-01");
  EXPECT_EQ(session->check("<|bos|>First", Prefix::AsTrained, Specials::Tokens).tokens, (Ids{503, 503, 70, 315, 297}));
  EXPECT_EQ(session->check("<|bos|>First", Prefix::LeftOut, Specials::Tokens).tokens, (Ids{503, 70, 315, 297}));
  EXPECT_TRUE(session->check("<|bos|>", Prefix::LeftOut, Specials::Tokens).canRun()) << "the first token alone";
  EXPECT_EQ(session->check(" \n", Prefix::AsTrained, Specials::Tokens).problem, PromptCheck::Problem::Empty);
}

TEST(SessionSpecials, ATokenizerJsonReadsThemAsTokensAnyhow) {
  const auto session = open("hf-llama-bf16-sharded");
  EXPECT_THAT(session->specials(), IsEmpty());
  for (const Specials specials : {Specials::AsUpstream, Specials::Tokens}) {
    EXPECT_EQ(session->check("<|end_of_text|><|begin_of_text|>", Prefix::LeftOut, specials).tokens, (Ids{1, 0}));
  }
}

TEST(SessionSpecials, AModelOfCharactersHasNoneAndNamesTheLettersThatItLacks) {
  const auto session = Session::open(support::repository("models/shakespeare-char"), {}, Progress());
  EXPECT_THAT(session->specials(), IsEmpty());
  const PromptCheck check = session->check("<|endoftext|>", Prefix::AsTrained, Specials::Tokens);
  EXPECT_EQ(check.problem, PromptCheck::Problem::NotEncodable);
  EXPECT_THAT(check.sentence, HasSubstr("'<', '|', '>'"));
}

}  // namespace
}  // namespace core
