// The tokenizers in GGUF files.
#include "core/checkpoint/gguf_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/gguf_file.h"
#include "core/checkpoint/tokenizer_file.h"
#include "core/error.h"
#include "core/tokenizer/split_rules.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/gguf_builder.h"
#include "tests/core/checkpoint/tokenizer_vectors.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

using support::bytesOf;
using support::GgufBuilder;
using support::GgufId;
using support::tinyLlamaWithTokenizer;

constexpr ErrorKind kCorrupt = ErrorKind::Corrupt, kUnsupported = ErrorKind::Unsupported;

std::string byteName(int byte) {
  char name[8];
  std::snprintf(name, sizeof name, "<0x%02X>", byte);
  return name;
}

/// SentencePiece over the letters a and b, with all bytes.
GgufBuilder withSentencePiece() {
  GgufBuilder gguf = support::tinyLlama();
  std::vector<std::string> tokens = {"<unk>", "<s>", "</s>"};
  std::vector<std::int32_t> types = {2, 3, 3};
  for (int byte = 0; byte < 256; ++byte) {
    tokens.push_back(byteName(byte));
    types.push_back(6);
  }
  for (const char* piece : {"\u2581ab", "ab", "\u2581a", "\u2581", "a", "b"}) {
    tokens.emplace_back(piece);
    types.push_back(1);
  }
  std::vector<float> scores(tokens.size(), 0);
  for (std::size_t i = 259; i < tokens.size(); ++i) scores[i] = -static_cast<float>(i - 259);
  gguf.setText("tokenizer.ggml.model", "llama");
  gguf.setTexts("tokenizer.ggml.tokens", tokens);
  gguf.setFloats("tokenizer.ggml.scores", scores);
  gguf.setInts("tokenizer.ggml.token_type", types);
  gguf.setWord("tokenizer.ggml.bos_token_id", 1);
  gguf.removeTensor("token_embd.weight");
  gguf.add("token_embd.weight", {8, tokens.size()});
  return gguf;
}

class GgufTokenizerTest : public testing::Test {
 protected:
  GgufMetadata metadata(const GgufBuilder& gguf) const {
    support::writeFile(m_folder / "m.gguf", gguf.build());
    return GgufFile(File(m_folder / "m.gguf")).metadata();
  }
  gguf::ReadTokenizer read(const GgufBuilder& gguf) const { return gguf::readTokenizer(metadata(gguf)); }
  Checkpoint open(const GgufBuilder& gguf) const {
    support::writeFile(m_folder / "m.gguf", gguf.build());
    return load(m_folder / "m.gguf", {}, Progress());
  }
  /// The tokenizer is refused with this sentence, and the weights open all the same.
  void expectWeightsAlone(const GgufBuilder& gguf, ErrorKind kind, std::vector<std::string> parts) const {
    parts.push_back("Choose another tokenizer file, or give token ids.");
    support::expectError(kind, parts, [&] { read(gguf); });
    const Checkpoint checkpoint = open(gguf);
    EXPECT_EQ(checkpoint.tokenizer, nullptr);
    for (const std::string& part : parts) EXPECT_THAT(checkpoint.info.noTokenizer, testing::HasSubstr(part));
    EXPECT_TRUE(std::any_of(checkpoint.info.report.begin(), checkpoint.info.report.end(), [](const ReportLine& line) {
      return line.topic == ReportLine::Topic::Warning &&
             line.text.starts_with("The tokenizer in the file can't be used. ");
    }));
  }

  support::TemporaryFolder m_folder;
};

using Ids = std::vector<TokenId>;

TEST_F(GgufTokenizerTest, ByteLevelMergesAndSpecialsAndPrefix) {
  const Checkpoint checkpoint = open(tinyLlamaWithTokenizer());
  ASSERT_TRUE(checkpoint.tokenizer);
  const tokenizer::Tokenizer& tokenizer = *checkpoint.tokenizer;
  EXPECT_EQ(tokenizer.size(), 258);
  EXPECT_EQ(tokenizer.prefix(), Ids{257});
  EXPECT_EQ(tokenizer.encode("ab").ids, Ids{256});
  EXPECT_EQ(tokenizer.encode("<s>ba").ids, (Ids{257, 'b' - '!', 'a' - '!'}));
  EXPECT_EQ(tokenizer.bytes(256), "ab");
  EXPECT_EQ(tokenizer.bytes(257), "<s>");
  EXPECT_EQ(checkpoint.info.tokenizer, "byte-level BPE split as gpt-2, 258 tokens; <s> before the text (in the file)");
  const auto& report = checkpoint.info.report;
  EXPECT_TRUE(std::any_of(report.begin(), report.end(), [](const ReportLine& line) {
    return line.topic == ReportLine::Topic::Tokenizer &&
           line.text.ends_with("258 tokens; <s> before the text in the file");
  }));
}

TEST_F(GgufTokenizerTest, AddedTokensAreFoundAndByteTokensAreBytesInByteLevelBpe) {
  GgufBuilder gguf = tinyLlamaWithTokenizer();
  std::vector<std::int32_t> types(258, 1);
  types[0] = 6;    // "!", as a byte
  types[257] = 4;  // "<s>", as a user's
  gguf.setInts("tokenizer.ggml.token_type", types);
  EXPECT_EQ(read(gguf).tokenizer->encode("!<s>").ids, (Ids{0, 257}));
  types[257] = 5;
  gguf.setInts("tokenizer.ggml.token_type", types);
  EXPECT_EQ(read(gguf).tokenizer->encode("<s>").ids, (Ids{'<' - '!', 's' - '!', '>' - '!'}));
}

TEST_F(GgufTokenizerTest, BosIsPutBeforeATextAsTheFileSaysOrTheRuleIs) {
  GgufBuilder gguf = tinyLlamaWithTokenizer();
  gguf.setBool("tokenizer.ggml.add_bos_token", false);
  EXPECT_EQ(read(gguf).tokenizer->prefix(), Ids{});
  gguf.remove("tokenizer.ggml.add_bos_token");
  EXPECT_EQ(read(gguf).tokenizer->prefix(), Ids{});
  gguf.setText("tokenizer.ggml.pre", "llama-bpe");
  EXPECT_EQ(read(gguf).tokenizer->prefix(), Ids{257});
  gguf.remove("tokenizer.ggml.bos_token_id");
  EXPECT_EQ(read(gguf).tokenizer->prefix(), Ids{});
  gguf.setBool("tokenizer.ggml.add_bos_token", true);
  expectWeightsAlone(gguf, kCorrupt,
                     {"'tokenizer.ggml.add_bos_token' is true, but 'tokenizer.ggml.bos_token_id' names no token"});
  gguf.setWord("tokenizer.ggml.bos_token_id", 258);
  expectWeightsAlone(gguf, kCorrupt, {"'tokenizer.ggml.bos_token_id' is 258, but there are 258 tokens"});
}

TEST_F(GgufTokenizerTest, SentencePieceMergesByScoreAndFallsBackToBytes) {
  const Checkpoint checkpoint = open(withSentencePiece());
  ASSERT_TRUE(checkpoint.tokenizer);
  const tokenizer::Tokenizer& tokenizer = *checkpoint.tokenizer;
  EXPECT_EQ(tokenizer.prefix(), Ids{1});
  EXPECT_EQ(tokenizer.encode("ab").ids, Ids{259});
  EXPECT_EQ(tokenizer.encode("abab").ids, (Ids{259, 260}));
  EXPECT_EQ(tokenizer.encode("b").ids, (Ids{262, 264}));
  EXPECT_EQ(tokenizer.encode("a\n").ids, (Ids{261, 3 + '\n'}));
  EXPECT_EQ(tokenizer.encode("\u4f60").ids, (Ids{262, 3 + 0xe4, 3 + 0xbd, 3 + 0xa0}));
  EXPECT_EQ(tokenizer.encode("").ids, Ids{});
  EXPECT_EQ(tokenizer.bytes(259), " ab");
  EXPECT_EQ(tokenizer.bytes(3 + '\n'), "\n");
  EXPECT_EQ(tokenizer.bytes(1), "<s>");
  EXPECT_EQ(tokenizer.bytes(265), "");
  EXPECT_EQ(tokenizer.bytes(-1), "");
  EXPECT_EQ(tokenizer.bytes(std::numeric_limits<TokenId>::min()), "");
  // A spelled special token is text, unless the token is asked for.
  EXPECT_EQ(tokenizer.encode("<s>").ids.size(), 4U);
  EXPECT_EQ(tokenizer.encode("<s>", Specials::Tokens).ids, Ids{1});
  EXPECT_EQ(tokenizer.specials(), (Ids{1, 2}));
}

TEST_F(GgufTokenizerTest, SpaceIsPutBeforeATextAsTheFileSays) {
  GgufBuilder gguf = withSentencePiece();
  gguf.setBool("tokenizer.ggml.add_space_prefix", false);
  EXPECT_EQ(read(gguf).tokenizer->encode("ab").ids, Ids{260});
  gguf.setBool("tokenizer.ggml.add_space_prefix", true);
  EXPECT_EQ(read(gguf).tokenizer->encode("ab").ids, Ids{259});
}

TEST_F(GgufTokenizerTest, SpacesAreKeptAsManyAsThereAre) {
  GgufBuilder gguf = withSentencePiece();
  gguf.setBool("tokenizer.ggml.add_space_prefix", false);
  EXPECT_EQ(read(gguf).tokenizer->encode("  a ").ids, (Ids{262, 261, 262}));
}

TEST_F(GgufTokenizerTest, WithoutBytePiecesACharacterIsUnknown) {
  GgufBuilder gguf = withSentencePiece();
  gguf.setTexts("tokenizer.ggml.tokens", {"<unk>", "<s>", "\u2581", "a"});
  gguf.setFloats("tokenizer.ggml.scores", {0, 0, -1, -2});
  gguf.setInts("tokenizer.ggml.token_type", {2, 3, 1, 1});
  EXPECT_EQ(read(gguf).tokenizer->encode("ax").ids, (Ids{2, 3, 0}));
}

TEST_F(GgufTokenizerTest, G14_UnknownSplitRuleOpensTheWeightsAlone) {
  GgufBuilder gguf = tinyLlamaWithTokenizer();
  gguf.setText("tokenizer.ggml.pre", "something-new");
  expectWeightsAlone(gguf, kUnsupported, {"m.gguf", "tokenizer.ggml.pre", "'something-new'", "smollm"});
}

TEST_F(GgufTokenizerTest, G14_OtherKindsOfTokenizersOpenTheWeightsAlone) {
  GgufBuilder gguf = tinyLlamaWithTokenizer();
  gguf.setText("tokenizer.ggml.model", "t5");
  expectWeightsAlone(gguf, kUnsupported, {"m.gguf", "tokenizer.ggml.model", "'t5'", "'gpt2'", "'llama'"});
  for (const std::string none : {"none", "no_vocab"}) {
    gguf.setText("tokenizer.ggml.model", none);
    expectWeightsAlone(gguf, ErrorKind::NotFound,
                       {"m.gguf", "the file has no tokenizer (tokenizer.ggml.model is '" + none + "')"});
  }
  gguf.remove("tokenizer.ggml.model");
  expectWeightsAlone(gguf, ErrorKind::NotFound,
                     {"m.gguf", "the file has no tokenizer (tokenizer.ggml.model is not there)"});
}

TEST_F(GgufTokenizerTest, G14_AbsentSplitRuleIsTheDefaultAndSaid) {
  GgufBuilder gguf = tinyLlamaWithTokenizer();
  gguf.remove("tokenizer.ggml.pre");
  const gguf::ReadTokenizer result = read(gguf);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_THAT(result.warnings[0], testing::HasSubstr("'tokenizer.ggml.pre' is not there"));
  EXPECT_THAT(result.tokenizer->description(), testing::HasSubstr("split as default"));
  const Checkpoint checkpoint = open(gguf);
  const auto& report = checkpoint.info.report;
  EXPECT_TRUE(std::any_of(report.begin(), report.end(), [&](const ReportLine& line) {
    return line.topic == ReportLine::Topic::Warning && line.text == result.warnings[0];
  }));
}

TEST_F(GgufTokenizerTest, BrokenVocabulariesOpenTheWeightsAlone) {
  const auto refuse = [&](const std::function<void(GgufBuilder&)>& change, ErrorKind kind, const std::string& part) {
    GgufBuilder gguf = tinyLlamaWithTokenizer();
    change(gguf);
    expectWeightsAlone(gguf, kind, {"m.gguf", part});
  };
  refuse([](GgufBuilder& gguf) { gguf.remove("tokenizer.ggml.tokens"); }, kCorrupt,
         "'tokenizer.ggml.tokens' is not there");
  refuse([](GgufBuilder& gguf) { gguf.remove("tokenizer.ggml.merges"); }, kCorrupt,
         "'tokenizer.ggml.merges' is not there");
  refuse([](GgufBuilder& gguf) { gguf.setTexts("tokenizer.ggml.tokens", {}); }, kCorrupt,
         "tokenizer.ggml.tokens has no token");
  refuse([](GgufBuilder& gguf) { gguf.setInts("tokenizer.ggml.token_type", {1}); }, kCorrupt,
         "tokenizer.ggml.token_type has 1 item, but there are 258 tokens");
  refuse([](GgufBuilder& gguf) { gguf.setInts("tokenizer.ggml.token_type", std::vector<std::int32_t>(258, 7)); },
         kCorrupt, "is of the type 7; types go from 1 to 6");
  refuse([](GgufBuilder& gguf) { gguf.setInts("tokenizer.ggml.token_type", std::vector<std::int32_t>(258, 0)); },
         kCorrupt, "is of the type 0; types go from 1 to 6");
  refuse([](GgufBuilder& gguf) { gguf.setTexts("tokenizer.ggml.merges", {"ab"}); }, kCorrupt,
         "tokenizer.ggml.merges item 1: 'ab' is not two tokens");
  refuse(
      [](GgufBuilder& gguf) {
        gguf.setTexts("tokenizer.ggml.merges", {"a b", "a c"});
      },
      kCorrupt, "needs the token 'ac', which is not in the vocabulary");
  GgufBuilder tooMany = tinyLlamaWithTokenizer();
  tooMany.setTexts("tokenizer.ggml.tokens", std::vector<std::string>(400'001));
  EXPECT_THAT(open(tooMany).info.noTokenizer,
              testing::HasSubstr("'tokenizer.ggml.tokens' is a list of 400,001 items; the limit is 400,000"));
}

// Elements of another type than the reader takes: an array of bytes read as floats was a hole in other readers.
TEST_F(GgufTokenizerTest, MistypedListsOpenTheWeightsAlone) {
  GgufBuilder tokens = tinyLlamaWithTokenizer();
  tokens.setInts("tokenizer.ggml.tokens", {1, 2});
  const Checkpoint checkpoint = open(tokens);
  EXPECT_EQ(checkpoint.tokenizer, nullptr);
  EXPECT_THAT(checkpoint.info.noTokenizer,
              testing::HasSubstr("'tokenizer.ggml.tokens' is a list of i32, not a list of texts"));
  GgufBuilder scores = withSentencePiece();
  scores.set("tokenizer.ggml.scores", GgufId::List, bytesOf(0u) + bytesOf(std::uint64_t{265}) + std::string(265, '\0'));
  EXPECT_THAT(open(scores).info.noTokenizer,
              testing::HasSubstr("'tokenizer.ggml.scores' is a list of u8, not a list of f32"));
}

TEST_F(GgufTokenizerTest, PiecesThatSentencePieceDoesNotTakeOpenTheWeightsAlone) {
  const auto refuse = [&](std::vector<std::string> tokens, std::vector<std::int32_t> types, const std::string& part) {
    GgufBuilder gguf = withSentencePiece();
    gguf.setFloats("tokenizer.ggml.scores", std::vector<float>(tokens.size()));
    gguf.setTexts("tokenizer.ggml.tokens", tokens);
    gguf.setInts("tokenizer.ggml.token_type", types);
    expectWeightsAlone(gguf, kCorrupt, {"m.gguf", "SentencePiece", part});
  };
  refuse({"<unk>", "<s>", "a", "a"}, {2, 3, 1, 1}, "a is already defined");
  refuse({"<unk>", "<s>", "<un>"}, {2, 3, 2}, "unk");
  std::vector<std::string> tokens = {"<unk>"};
  std::vector<std::int32_t> types = {2};
  for (int byte = 0; byte < 256; ++byte) {
    tokens.push_back(byte == 65 ? "<0xZZ>" : byteName(byte));
    types.push_back(6);
  }
  refuse(tokens, types, "0xZZ");
  GgufBuilder few = withSentencePiece();
  few.setFloats("tokenizer.ggml.scores", {1, 2});
  expectWeightsAlone(few, kCorrupt, {"tokenizer.ggml.scores has 2 items, but there are 265 tokens"});
  GgufBuilder unknown = withSentencePiece();
  unknown.setInts("tokenizer.ggml.token_type", std::vector<std::int32_t>(265, 1));
  unknown.setWord("tokenizer.ggml.unknown_token_id", 265);
  expectWeightsAlone(unknown, kCorrupt, {"m.gguf", "SentencePiece", "unk"});
}

// What conversions leave out or spell otherwise than the library takes it.
TEST_F(GgufTokenizerTest, UnknownPieceMayBeNamedByItsIdAlone) {
  GgufBuilder gguf = withSentencePiece();
  gguf.setTexts("tokenizer.ggml.tokens", {"\u2581", "a", "<unk>", "<s>"});
  gguf.setFloats("tokenizer.ggml.scores", {-1, -2, 0, 0});
  gguf.setInts("tokenizer.ggml.token_type", {1, 1, 3, 3});
  gguf.setWord("tokenizer.ggml.unknown_token_id", 2);
  EXPECT_EQ(read(gguf).tokenizer->encode("ax").ids, (Ids{0, 1, 2}));
}

TEST_F(GgufTokenizerTest, UserDefinedPiecesMayHaveSpaces) {
  GgufBuilder gguf = withSentencePiece();
  gguf.setTexts("tokenizer.ggml.tokens", {"<unk>", "<s>", "\u2581", "a", "a b"});
  gguf.setFloats("tokenizer.ggml.scores", {0, 0, -1, -2, 0});
  gguf.setInts("tokenizer.ggml.token_type", {2, 3, 1, 1, 4});
  const auto tokenizer = read(gguf).tokenizer;
  EXPECT_EQ(tokenizer->encode("aa ba").ids, (Ids{2, 3, 4, 3}));
  EXPECT_EQ(tokenizer->bytes(4), "a b");
}

TEST_F(GgufTokenizerTest, EmptyPiecesAndSingleBytesAreNotUsed) {
  GgufBuilder gguf = withSentencePiece();
  gguf.setTexts("tokenizer.ggml.tokens", {"<unk>", "<s>", "\u2581", "a", "", "<0x0A>"});
  gguf.setFloats("tokenizer.ggml.scores", {0, 0, -1, -2, -3, -4});
  gguf.setInts("tokenizer.ggml.token_type", {2, 3, 1, 1, 1, 6});
  EXPECT_EQ(read(gguf).tokenizer->encode("a\na").ids, (Ids{2, 3, 0, 3}));
}

TEST_F(GgufTokenizerTest, ScoresThatAreAllTheSameAreAWarning) {
  GgufBuilder gguf = withSentencePiece();
  EXPECT_TRUE(read(gguf).warnings.empty());
  gguf.remove("tokenizer.ggml.scores");
  ASSERT_EQ(read(gguf).warnings.size(), 1U);
  EXPECT_THAT(read(gguf).warnings[0], testing::HasSubstr("All scores of the tokenizer are the same"));
}

TEST_F(GgufTokenizerTest, SentencePieceBeginsWithItsUsualBosWhereTheFileNamesNone) {
  GgufBuilder gguf = withSentencePiece();
  gguf.remove("tokenizer.ggml.bos_token_id");
  EXPECT_EQ(read(gguf).tokenizer->prefix(), Ids{1});
  gguf.set("tokenizer.ggml.bos_token_id", GgufId::I32, bytesOf(std::int32_t{-1}));
  EXPECT_EQ(read(gguf).tokenizer->prefix(), Ids{1});
  std::vector<std::int32_t> types(265, 1);
  types[0] = 2;
  gguf.setInts("tokenizer.ggml.token_type", types);
  EXPECT_EQ(read(gguf).tokenizer->prefix(), Ids{});
}

TEST_F(GgufTokenizerTest, ChosenTokenizerCountsInPlaceOfTheFilesOwn) {
  support::writeFile(m_folder / "m.gguf", tinyLlamaWithTokenizer().build());
  const auto other = support::data("hf-llama-bf16-sharded/tokenizer.json");
  const Checkpoint checkpoint = load(m_folder / "m.gguf", {other}, Progress());
  EXPECT_EQ(checkpoint.tokenizer->encode("hello").ids, checkpoint::readTokenizer(other)->encode("hello").ids);
  EXPECT_THAT(checkpoint.info.tokenizer, testing::HasSubstr("(tokenizer.json)"));
  support::expectError(ErrorKind::NotFound, {"absent.json"},
                       [&] { load(m_folder / "m.gguf", {m_folder / "absent.json"}, Progress()); });
}

// The ids of the folders that the files were converted from.
TEST(GgufTokenizerVectors, EveryFileGivesTheIdsOfUpstreamOnEveryLine) {
  HEADSCOPE_FIXTURE(path, "tokenizer-vectors.json");
  const nlohmann::json vectors = support::readJsonFile(path);
  for (const auto& [file, folder] : {std::pair("gguf-gpt2/gpt2.gguf", "hf-gpt2"),
                                     {"gguf-llama/llama.gguf", "hf-llama-gqa"},
                                     {"gguf-qwen2/qwen2.gguf", "hf-qwen2-bias"},
                                     {"gguf-qwen3/qwen3.gguf", "hf-qwen3-qknorm"}}) {
    SCOPED_TRACE(file);
    const GgufFile gguf(File(support::fixtures() / file));
    support::expectVectors(*gguf::readTokenizer(gguf.metadata()).tokenizer, vectors["lines"], vectors["ids"][folder],
                           735);
  }
}

TEST(GgufTokenizerVectors, SmolLm2GivesTheIdsOfTokenizersWithItsVocabulary) {
  HEADSCOPE_SMOLLM2(file);
  const nlohmann::json lines = support::readJsonFile(support::data("tokenizer/vectors.json"))["lines"];
  const nlohmann::json ids = support::readJsonFile(support::data("tokenizer/smollm2-vectors.json"))["ids"];
  const auto tokenizer = gguf::readTokenizer(GgufFile{File(file)}.metadata()).tokenizer;
  ASSERT_GE(lines.size(), 200U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // Not always the whole line: the vocabulary has no token for the bytes F1 and F2.
    EXPECT_EQ(tokenizer->encode(lines[i].get<std::string>()).ids, ids[i].get<Ids>())
        << "line " << i << ": " << lines[i];
  }
}

// What the sentencepiece package makes of the lines with the tokenizer.model that the file's pieces are from.
TEST(GgufTokenizerVectors, SentencePieceGivesTheIdsOfItsOwnPythonPackage) {
  const nlohmann::json lines = support::readJsonFile(support::data("tokenizer/vectors.json"))["lines"];
  const nlohmann::json ids = support::readJsonFile(support::data("tokenizer/sentencepiece-vectors.json"))["ids"];
  const GgufFile gguf(File(support::data("gguf-llama-spm/llama-spm.gguf")));
  support::expectVectors(*gguf::readTokenizer(gguf.metadata()).tokenizer, lines, ids, 200, " ");
}

}  // namespace
}  // namespace core::checkpoint
