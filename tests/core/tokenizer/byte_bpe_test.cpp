#include "core/tokenizer/byte_bpe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "core/tokenizer/utf8.h"
#include "tests/support/files.h"

namespace core::tokenizer {
namespace {

using Ids = std::vector<TokenId>;

Ids encode(std::string_view text) { return gpt2Tokenizer()->encode(text).ids; }

std::string decode(const Ids& ids) {
  std::string text;
  for (const TokenId id : ids) text += gpt2Tokenizer()->bytes(id);
  return text;
}

void expectVectors(const nlohmann::json& lines, const nlohmann::json& ids, std::size_t atLeast) {
  ASSERT_EQ(lines.size(), ids.size());
  ASSERT_GE(lines.size(), atLeast);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = lines[i].get<std::string>();
    EXPECT_EQ(encode(line), ids[i].get<Ids>()) << "line " << i << ": " << line;
    EXPECT_EQ(decode(encode(line)), line) << "line " << i;
  }
}

TEST(Gpt2Tokenizer, GivesTheIdsOfUpstreamOnTheHardLinesInTheRepository) {
  const auto vectors = nlohmann::json::parse(support::readFile(support::data("tokenizer/gpt2-vectors.json")));
  expectVectors(vectors["lines"], vectors["ids"], 60);
}

TEST(Gpt2Tokenizer, GivesTheIdsOfTiktokenOnEveryLine) {
  HEADSCOPE_FIXTURE(path, "tokenizer-vectors.json");
  const auto vectors = nlohmann::json::parse(support::readFile(path));
  expectVectors(vectors["lines"], vectors["ids"]["gpt2-tokenizer"], 735);
}

// The tokenizers library reads the spelling of a special token as that token; we read it as text.
TEST(Gpt2Tokenizer, GivesTheIdsOfTokenizersOnEveryLineThatSpellsNoSpecialToken) {
  HEADSCOPE_FIXTURE(path, "tokenizer-vectors.json");
  auto vectors = nlohmann::json::parse(support::readFile(path));
  nlohmann::json lines, ids;
  for (std::size_t i = 0; i < vectors["lines"].size(); ++i) {
    if (vectors["lines"][i].get<std::string>().find("<|endoftext|>") != std::string::npos) continue;
    lines.push_back(vectors["lines"][i]);
    ids.push_back(vectors["ids"]["hf-gpt2"][i]);
  }
  expectVectors(lines, ids, 730);
}

TEST(Gpt2Tokenizer, HasTheTokensOfTheEncoderThatWasPublished) {
  HEADSCOPE_FIXTURE(path, "gpt2-tokenizer/encoder.json");
  const auto encoder = nlohmann::json::parse(support::readFile(path));
  ASSERT_EQ(encoder.size(), 50257u);
  ASSERT_EQ(gpt2Tokenizer()->size(), 50257);
  // encoder.json spells bytes in GPT-2's alphabet: printable Latin-1 as itself, the n-th other byte as U+0100 + n.
  std::string spelling[256];
  char32_t next = 0x100;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool itself = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE);
    appendUtf8(spelling[byte], itself ? byte : next++);
  }
  for (const auto& [letters, id] : encoder.items()) {
    std::string ours;
    for (const char byte : gpt2Tokenizer()->bytes(id.get<TokenId>()))
      ours += spelling[static_cast<unsigned char>(byte)];
    ASSERT_EQ(ours, letters) << "id " << id;
  }
}

TEST(Gpt2Tokenizer, ReadsTheSpellingOfASpecialTokenAsText) {
  EXPECT_EQ(encode("<|endoftext|>"), (Ids{27, 91, 437, 1659, 5239, 91, 29}));
  EXPECT_EQ(gpt2Tokenizer()->bytes(50256), "<|endoftext|>");
}

TEST(Gpt2Tokenizer, HasNoBytesForIdsOutsideItsTable) {
  EXPECT_EQ(gpt2Tokenizer()->bytes(-1), "");
  EXPECT_EQ(gpt2Tokenizer()->bytes(50257), "");
  EXPECT_EQ(gpt2Tokenizer()->bytes(50303), "");
  EXPECT_EQ(gpt2Tokenizer()->bytes(std::numeric_limits<TokenId>::max()), "");
  EXPECT_EQ(gpt2Tokenizer()->bytes(std::numeric_limits<TokenId>::min()), "");
}

TEST(Gpt2Tokenizer, KeepsEveryByteOfTextThatIsNotUtf8) {
  for (const std::string& text : {std::string("\xFF"), std::string("a\x80 b\xC3"), std::string("\xED\xA0\x80 x"),
                                  std::string("\xC0\xAF\xF5 word \xE4\xBD"), std::string("\0\xFE\0", 3)}) {
    EXPECT_EQ(decode(encode(text)), text);
    EXPECT_TRUE(gpt2Tokenizer()->encode(text).notEncodable.empty());
  }
  // A lone byte is a piece like U+FFFD would be: the words on its sides keep their tokens (" world" is 995).
  EXPECT_EQ(encode("Hello\xFF world"), (Ids{15496, 187, 995}));
}

TEST(Gpt2Tokenizer, TakesAnyBytesAndGivesThemBack) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string text(static_cast<std::size_t>(random() % 200), '\0');
    for (char& c : text) c = static_cast<char>(random() % (round % 2 == 0 ? 256 : 64));
    ASSERT_EQ(decode(encode(text)), text);
  }
}

// The halves stand on lines of their own, which no piece crosses.
TEST(Gpt2Tokenizer, GivesAMegabyteTheIdsOfItsHalves) {
  for (const std::string_view piece : {"a", " ", " \t", "\xFF", "don't stop, 42 times ", "你好"}) {
    std::string half = "y";
    while (half.size() < (512u << 10)) half += piece;
    half += "z\n";
    Ids twice = encode(half);
    const std::size_t size = twice.size();
    twice.resize(2 * size);
    std::copy_n(twice.begin(), size, twice.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_EQ(encode(half + half), twice) << piece;
    ASSERT_EQ(decode(twice), half + half) << piece;
  }
}

}  // namespace
}  // namespace core::tokenizer
