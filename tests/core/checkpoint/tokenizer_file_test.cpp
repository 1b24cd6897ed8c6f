// Tokenizer files are recognised by what is in them; what they make can be read by a person.
#include "core/checkpoint/tokenizer_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/checkpoint/vocab_merges.h"
#include "core/tokenizer/token_label.h"
#include "core/tokenizer/utf8.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

using Ids = std::vector<TokenId>;

const std::vector<std::string> kFiles = {"nanochat-2025-10/tokenizer/tokenizer.pkl",
                                         "hf-llama-bf16-sharded/tokenizer.json"};

class TokenizerFile : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& bytes) const { support::writeFile(m_folder / name, bytes); }
  void refuse(ErrorKind kind, std::vector<std::string> parts, const std::string& name) const {
    SCOPED_TRACE(name);
    support::expectError(kind, parts, [&] { readTokenizer(m_folder / name); });
  }
  support::TemporaryFolder m_folder;
};

TEST_F(TokenizerFile, F9_IsRecognisedByContentUnderAnyName) {
  for (const std::string& file : kFiles) {
    write("anything.bin", support::readFile(support::data(file)));
    EXPECT_EQ(readTokenizer(m_folder / "anything.bin")->encode("hello").ids,
              readTokenizer(support::data(file))->encode("hello").ids);
  }
}

TEST_F(TokenizerFile, HasThePrefixThatItsModelExpects) {
  EXPECT_EQ(readTokenizer(support::data(kFiles[0]))->prefix(), (Ids{503}));
  EXPECT_EQ(readTokenizer(support::data(kFiles[1]))->prefix(), (Ids{0}));
  EXPECT_EQ(readTokenizer(support::data(kFiles[1]))->bytes(0), "<|begin_of_text|>");
}

TEST_F(TokenizerFile, VocabularyAndMergesGoTogether) {
  write("vocab.json", R"({"a": 0, "b": 1, "ab": 2, "<|endoftext|>": 3, "Ġ": 4})");
  write("merges.txt", "#version: 0.2\r\na b\r\n\n");
  for (const char* name : {"vocab.json", "merges.txt"}) {
    const auto tokenizer = readTokenizer(m_folder / name);
    EXPECT_EQ(tokenizer->encode("ab<|endoftext|> b").ids, (Ids{2, 3, 4, 1})) << name;
    EXPECT_EQ(tokenizer->description(), "byte-level BPE with GPT-2's split rule, 5 tokens");
  }
}

TEST_F(TokenizerFile, MergesBesideAVocabularyNeedNoVersion) {
  write("vocab.json", R"({"a": 0, "b": 1, "ab": 2})");
  write("merges.txt", "a b\n");
  EXPECT_EQ(readTokenizer(m_folder / "vocab.json")->encode("ab").ids, (Ids{2}));
}

TEST_F(TokenizerFile, MoreMergesThanAnyVocabularyHasAreTooLarge) {
  tokenizer::MergeTable merges;
  for (tokenizer::Symbol i = 0; i < tokenizer::kMostMerges; ++i) merges.set(i, 9, {i, 9});
  Vocabulary vocabulary;
  vocabulary.ids = {{"a", 10}, {"b", 11}, {"ab", 12}};
  support::expectError(ErrorKind::TooLarge, {"merges.txt: line 7", "more than 2,000,000 merges"},
                       [&] { addMerge(merges, vocabulary, "a", "b", 7, "merges.txt: line 7"); });
}

TEST_F(TokenizerFile, VocabularyOrMergesAloneNameTheOther) {
  write("vocab.json", R"({"a": 0})");
  refuse(ErrorKind::NotFound, {"vocab.json: it needs merges.txt beside it"}, "vocab.json");
  std::filesystem::remove(m_folder / "vocab.json");
  write("merges.txt", "#version: 0.2\na b\n");
  refuse(ErrorKind::NotFound, {"merges.txt: it needs vocab.json beside it"}, "merges.txt");
  for (const char* other : {R"({"_name_or_path": "x"})", "[1, 2]", "{}"}) {
    write("vocab.json", other);
    refuse(ErrorKind::NotAModel, {"vocab.json", "no list of tokens"}, "merges.txt");
  }
}

TEST_F(TokenizerFile, MergesNameTheLineThatIsWrong) {
  write("vocab.json", R"({"a": 0, "b": 1, "ab": 2})");
  for (const auto& [line, part] : {std::pair("ab", "'ab' is not two tokens"),
                                   {"a b a", "'a b a'"},
                                   {"a c", "the token 'c'"},
                                   {"b a", "'ba'"},
                                   {"#version: 0.2", "the token '#version:'"}}) {
    write("merges.txt", std::string("#version: 0.2\na b\n") + line + "\n");
    refuse(ErrorKind::Corrupt, {"merges.txt: line 3", part}, "vocab.json");
  }
}

TEST_F(TokenizerFile, OtherFilesAreNoTokenizers) {
  write("config.json", R"({"model_type": "llama", "hidden_size": 64})");
  refuse(ErrorKind::NotAModel, {"2 keys", "'hidden_size'", "tokenizer.json"}, "config.json");
  for (const char* model : {R"({"model": {"type": "BPE"}})", R"({"model": "gpt2"})", R"({"model": null})"}) {
    write("config.json", model);
    refuse(ErrorKind::NotAModel, {"1 key ('model')"}, "config.json");
  }
  write("spaces", std::string(100, ' '));
  refuse(ErrorKind::NotAModel, {"spaces", "it begins with '        '"}, "spaces");
  write("empty.json", "{}");
  refuse(ErrorKind::NotAModel, {"without anything in it"}, "empty.json");
  write("picture.png", "\x89PNG\r\n\x1a\n....");
  refuse(ErrorKind::NotAModel, {"picture.png", "it begins with"}, "picture.png");
  write("nothing", "");
  refuse(ErrorKind::Truncated, {"empty"}, "nothing");
  refuse(ErrorKind::NotFound, {"absent"}, "absent");
  support::expectError(ErrorKind::NotAFile, {"folder"}, [&] { readTokenizer(m_folder.path()); });
}

TEST_F(TokenizerFile, F12_LargeFilesAreRefusedUnread) {
  for (const char* start : {"{\"model\":", "\x80\x04", "#version: 0.2\n"}) {
    write("large", start);
    std::filesystem::resize_file(m_folder / "large", std::uintmax_t{1} << 40);
    write("vocab.json", R"({"a": 0})");
    refuse(ErrorKind::TooLarge, {"large", "1,099,511,627,776"}, "large");
  }
}

// The halves stand on lines of their own, which no piece crosses.
TEST_F(TokenizerFile, AMegabyteHasTheIdsOfItsHalves) {
  for (const std::string& file : kFiles) {
    const auto tokenizer = readTokenizer(support::data(file));
    for (const std::string_view piece : {"a", " ", " \t", "7", "\xFF", "don't stop, 42 times ", "你好", "e\u0301"}) {
      std::string half = "y";
      while (half.size() < (512u << 10)) half += piece;
      half += "z\n";
      Ids twice = tokenizer->encode(half).ids;
      const std::size_t size = twice.size();
      twice.resize(2 * size);
      std::copy_n(twice.begin(), size, twice.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_EQ(tokenizer->encode(half + half).ids, twice) << file << " " << piece;
    }
  }
}

std::vector<std::string> labelsOf(const tokenizer::Tokenizer& tokenizer, std::string_view text) {
  const Ids ids = tokenizer.encode(text).ids;
  std::vector<std::string> bytes, labels;
  for (const TokenId id : ids) bytes.push_back(tokenizer.bytes(id));
  for (const TokenText& token : tokenizer::labelTokens(ids, bytes)) labels.push_back(token.label);
  return labels;
}

TEST_F(TokenizerFile, LabelsAreDecodedTextWithTheBytesOfDividedCharacters) {
  for (const std::string& file : kFiles) {
    const auto labels = labelsOf(*readTokenizer(support::data(file)), " the é你\n");
    EXPECT_THAT(labels,
                testing::IsSupersetOf({"␣the", "\\xc3(é)", "\\xa9(é)", "\\xe4(你)", "\\xbd(你)", "\\xa0(你)", "⏎"}))
        << file;
  }
  EXPECT_THAT(labelsOf(*readTokenizer(support::data(kFiles[1])), "a<|end_of_text|>b"),
              testing::ElementsAre("a", "<|end_of_text|>", "b"));
}

// Every token alone, and between its neighbours in the table.
TEST_F(TokenizerFile, LabelsHaveNoReplacementMarksAndNoLettersOfTheByteAlphabet) {
  for (const std::string& file : kFiles) {
    const auto tokenizer = readTokenizer(support::data(file));
    Ids ids;
    std::vector<std::string> bytes;
    for (TokenId id = 0; id < tokenizer->size(); ++id) {
      ids.push_back(id);
      bytes.push_back(tokenizer->bytes(id));
      ASSERT_FALSE(bytes.back().empty()) << id;
    }
    std::string all;
    for (const TokenText& token : tokenizer::labelTokens(ids, bytes)) all += token.label;
    for (TokenId id = 0; id < tokenizer->size(); ++id) {
      all += tokenizer::labelTokens({id}, {bytes[static_cast<std::size_t>(id)]})[0].label;
    }
    for (std::size_t i = 0; i < all.size();) {
      const tokenizer::CodePoint point = tokenizer::codePointAt(all, i);
      ASSERT_TRUE(point.valid);
      ASSERT_NE(point.value, 0xFFFDu);
      ASSERT_FALSE(point.value >= 0x100 && point.value < 0x144) << "a letter that stands for a byte";
      i += point.length;
    }
  }
}

}  // namespace
}  // namespace core::checkpoint
