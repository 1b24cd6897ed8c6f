// Ids as upstream's own tokenizers give them, from the same files.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/checkpoint/tokenizer_file.h"
#include "core/error.h"
#include "tests/core/checkpoint/tokenizer_vectors.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

using Json = nlohmann::json;
using Ids = std::vector<TokenId>;

using support::expectVectors;
using support::readJsonFile;

TEST(TokenizerVectors, FilesInTheRepositoryGiveTheIdsOfUpstreamOnHardAndRandomLines) {
  const Json vectors = readJsonFile(support::data("tokenizer/vectors.json"));
  ASSERT_EQ(vectors["ids"].size(), 2u);
  for (const auto& [file, ids] : vectors["ids"].items()) {
    SCOPED_TRACE(file);
    expectVectors(*readTokenizer(support::data(file)), vectors["lines"], ids, 200);
  }
}

TEST(TokenizerVectors, EveryFolderGivesTheIdsOfUpstreamOnEveryLine) {
  HEADSCOPE_FIXTURE(path, "tokenizer-vectors.json");
  const Json vectors = readJsonFile(path);
  int folders = 0;
  for (const auto& [folder, ids] : vectors["ids"].items()) {
    if (folder == "gpt2-tokenizer") continue;  // tiktoken's own: gpt2Tokenizer() has a test of it
    SCOPED_TRACE(folder);
    const bool nanochat = folder.starts_with("nanochat");
    const auto file = support::fixtures() / folder / (nanochat ? "tokenizer/tokenizer.pkl" : "tokenizer.json");
    expectVectors(*readTokenizer(file), vectors["lines"], ids, 735);
    ++folders;
  }
  EXPECT_EQ(folders, 10);
}

TEST(TokenizerVectors, VocabularyAndMergesGiveTheIdsOfTheTokenizerJsonBesideThem) {
  HEADSCOPE_FIXTURE(path, "tokenizer-vectors.json");
  const Json vectors = readJsonFile(path);
  for (const char* name : {"vocab.json", "merges.txt"}) {
    SCOPED_TRACE(name);
    expectVectors(*readTokenizer(support::fixtures() / "hf-gpt2" / name), vectors["lines"], vectors["ids"]["hf-gpt2"],
                  735);
  }
}

TEST(TokenizerVectors, TheFilesThatWerePublishedWithGpt2AreReadUnderTheirOwnNames) {
  HEADSCOPE_FIXTURE(path, "tokenizer-vectors.json");
  const Json vectors = readJsonFile(path);
  for (const char* name : {"encoder.json", "vocab.bpe"}) {
    SCOPED_TRACE(name);
    expectVectors(*readTokenizer(support::fixtures() / "gpt2-tokenizer" / name), vectors["lines"],
                  vectors["ids"]["hf-gpt2"], 735);
  }
}

/// A tokenizer.json with its parts replaced.
class TokenizerVariants : public testing::Test {
 protected:
  std::shared_ptr<const tokenizer::Tokenizer> with(const Json& parts) {
    Json whole = m_base;
    for (const auto& [key, value] : parts.items()) {
      if (key == "model") {
        whole["model"].update(value);
      } else {
        whole[key] = value;
      }
    }
    support::writeFile(m_folder / "tokenizer.json", whole.dump());
    return readTokenizer(m_folder / "tokenizer.json");
  }
  void expectIds(const Json& variant, const Json& lines) {
    SCOPED_TRACE(variant["name"].get<std::string>());
    ASSERT_EQ(variant["ids"].size(), lines.size());
    try {
      const auto tokenizer = with(variant["parts"]);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto line = lines[i].get<std::string>();
        EXPECT_EQ(tokenizer->encode(line).ids, variant["ids"][i].get<Ids>()) << "line " << i << ": " << line;
      }
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }

  support::TemporaryFolder m_folder;
  Json m_base = readJsonFile(support::data("hf-llama-bf16-sharded/tokenizer.json"));
};

// Normalizers, pre-tokenizers, patterns, behaviors, options of added tokens: a row each.
TEST_F(TokenizerVariants, T1_EveryPartThatIsReadGivesTheIdsOfTokenizers) {
  const Json file = readJsonFile(support::data("tokenizer/variants.json"));
  ASSERT_GE(file["variants"].size(), 70u);
  for (const Json& variant : file["variants"]) expectIds(variant, file["lines"]);
}

// The forms of Llama 2 and Mistral with the lines of vectors.json, other parts with fewer.
TEST_F(TokenizerVariants, T1_TokensOfCharactersHaveTheIdsOfTokenizers) {
  const Json allLines = readJsonFile(support::data("tokenizer/vectors.json"))["lines"];
  const Json file = readJsonFile(support::data("tokenizer/characters-vectors.json"));
  m_base = readJsonFile(support::data("tokenizer/characters.json"));
  ASSERT_GE(file["variants"].size(), 25u);
  for (std::size_t i = 0; i < file["variants"].size(); ++i) {
    expectIds(file["variants"][i], i < 2 ? allLines : file["lines"]);
  }
}

TEST_F(TokenizerVariants, T1_MergesAsPairsAndAsTextsAreTheSame) {
  const Json vectors = readJsonFile(support::data("tokenizer/vectors.json"));
  Json texts = Json::array();
  for (const Json& merge : m_base["model"]["merges"]) {
    ASSERT_TRUE(merge.is_array());
    texts.push_back(merge[0].get<std::string>() + " " + merge[1].get<std::string>());
  }
  expectVectors(*with({{"model", {{"merges", texts}}}}), vectors["lines"],
                vectors["ids"]["hf-llama-bf16-sharded/tokenizer.json"], 200);
}

}  // namespace
}  // namespace core::checkpoint
