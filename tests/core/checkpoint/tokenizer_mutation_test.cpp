// Tokenizer files with bytes changed at random: whatever comes, it encodes or is refused as core::Error.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/checkpoint/tokenizer_file.h"
#include "core/error.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

/// Near the beginning or the end more often than elsewhere: there are fewer tokens and more of the other parts.
std::size_t anyPlace(std::size_t size, std::mt19937& random) {
  const std::size_t within = random() % 2 == 0 ? size : std::min<std::size_t>(size, 1'500);
  return random() % 2 == 0 ? random() % within : size - 1 - random() % within;
}

void mutate(std::string& bytes, std::mt19937& random) {
  for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
    const std::size_t at = anyPlace(bytes.size(), random);
    switch (random() % 4) {
      case 0: bytes[at] = static_cast<char>(random()); break;
      case 1: bytes[at] = static_cast<char>(' ' + random() % 95); break;
      case 2: bytes.erase(at, 1 + random() % 8); break;
      default: bytes.insert(at, bytes.substr(anyPlace(bytes.size(), random), random() % 16)); break;
    }
  }
}

TEST(TokenizerMutation, ChangedFilesEncodeOrAreRefused) {
  std::mt19937 random(11);
  const support::TemporaryFolder folder;
  for (const char* name : {"nanochat-2025-10/tokenizer/tokenizer.pkl", "hf-llama-bf16-sharded/tokenizer.json",
                           "tokenizer/characters.json"}) {
    const std::string whole = support::readFile(support::data(name));
    int read = 0, refused = 0;
    for (int i = 0; i < 300; ++i) {
      std::string bytes = whole;
      mutate(bytes, random);
      support::writeFile(folder / "tokenizer", bytes);
      try {
        const auto tokenizer = readTokenizer(folder / "tokenizer");
        for (const TokenId id : tokenizer->encode("Don't \xFF stop, 12345 你好\n\n <|bos|><|end_of_text|>").ids) {
          ASSERT_LT(id, tokenizer->size());
          ASSERT_FALSE(tokenizer->bytes(id).empty());
        }
        ++read;
      } catch (const Error&) {
        ++refused;
      }
    }
    EXPECT_GT(read, 5) << name;
    EXPECT_GT(refused, 100) << name;
  }
}

}  // namespace
}  // namespace core::checkpoint
