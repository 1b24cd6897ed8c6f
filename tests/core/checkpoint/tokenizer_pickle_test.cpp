// tokenizer.pkl: a pickled tiktoken.Encoding, as data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "core/checkpoint/tokenizer_file.h"
#include "core/tokenizer/token_label.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/pickle_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

namespace op = support::pickle;
using Ids = std::vector<TokenId>;

std::string bytesValue(const std::string& bytes) { return "B" + op::text(bytes).substr(1); }

/// The parts of an encoding: 256 bytes in their order, "ab", " a", and two special tokens.
class TokenizerPickle : public testing::Test {
 protected:
  TokenizerPickle() {
    for (int byte = 0; byte < 256; ++byte) rank(std::string(1, static_cast<char>(byte)), op::integer(byte));
    rank("ab", op::integer(256));
    rank(" a", op::integer(257));
  }
  void rank(const std::string& bytes, const std::string& id) { m_ranks += bytesValue(bytes) + id; }

  std::string whole() const {
    const op::Pairs state = {{"name", op::text("mine")},
                             {"pat_str", m_pattern},
                             {"mergeable_ranks", m_ranks.empty() ? op::none() : "}(" + m_ranks + "u"},
                             {"special_tokens", m_specials}};
    return of(op::dict(state));
  }
  /// An object of tiktoken's class with this state.
  static std::string of(const std::string& state, const std::string& module = "tiktoken.core") {
    return op::whole(op::global(module, "Encoding") + ")\x81" + state + "b");
  }
  std::shared_ptr<const tokenizer::Tokenizer> read(const std::string& bytes) const {
    support::writeFile(m_folder / "tokenizer.pkl", bytes);
    return readTokenizer(m_folder / "tokenizer.pkl");
  }
  void refuse(ErrorKind kind, std::vector<std::string> parts) const { refuse(kind, std::move(parts), whole()); }
  void refuse(ErrorKind kind, std::vector<std::string> parts, const std::string& bytes) const {
    parts.push_back((m_folder / "tokenizer.pkl").string());
    support::expectError(kind, parts, [&] { read(bytes); });
  }

  support::TemporaryFolder m_folder;
  std::string m_pattern = op::text(R"(\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]++|\s+)");
  std::string m_ranks;
  std::string m_specials = op::dict({{"<|bos|>", op::integer(258)}, {"<|end|>", op::integer(300)}});
};

TEST_F(TokenizerPickle, IsReadAsItStands) {
  const auto tokenizer = read(whole());
  EXPECT_EQ(tokenizer->encode("ab<|bos|>").ids, (Ids{256, '<', '|', 'b', 'o', 's', '|', '>'})) << "text, not the token";
  EXPECT_EQ(tokenizer->prefix(), (Ids{258}));
  EXPECT_EQ(tokenizer->size(), 301);
  EXPECT_EQ(tokenizer->bytes(258), "<|bos|>");
  EXPECT_EQ(tokenizer->bytes(257), " a");
  EXPECT_EQ(tokenizer->bytes(270), "");
  EXPECT_EQ(tokenizer->description(), "byte-level BPE, 301 tokens");
}

TEST_F(TokenizerPickle, HasNoPrefixWithoutABeginningToken) {
  m_specials = op::dict({});
  EXPECT_EQ(read(whole())->prefix(), Ids{});
}

// As tiktoken's encode_ordinary: what the pattern does not match is no piece.
TEST_F(TokenizerPickle, LeavesOutWhatThePatternDoesNotMatch) {
  m_pattern = op::text("[a-z]+");
  EXPECT_EQ(read(whole())->encode("ab 12 ab").ids, (Ids{256, 256}));
}

TEST_F(TokenizerPickle, ATokenThatNoMergeMakesIsFoundAsAWholePiece) {
  rank("xyz", op::integer(259));
  EXPECT_EQ(read(whole())->encode("xyz").ids, (Ids{259}));
  EXPECT_EQ(read(whole())->encode("xyzx").ids, (Ids{'x', 'y', 'z', 'x'}));
}

TEST_F(TokenizerPickle, T6_OnlyTheNameOfABuiltInTableIsThatTable) {
  for (const char* name : {"gpt2", "r50k_base"}) {
    const auto tokenizer = read(of(op::text(name)));
    EXPECT_EQ(tokenizer->size(), 50257);
    EXPECT_EQ(tokenizer->encode("Hello world").ids, (Ids{15496, 995}));
  }
}

TEST_F(TokenizerPickle, T6_OnlyTheNameOfAnotherTableSaysWhatToDo) {
  refuse(ErrorKind::Unsupported, {"only the name of an encoding, 'cl100k_base'", "_mergeable_ranks"},
         of(op::text("cl100k_base")));
}

TEST_F(TokenizerPickle, PartsThatAreMissingOrOfAnotherTypeAreNamed) {
  m_pattern = op::integer(7);
  refuse(ErrorKind::Corrupt, {"'pat_str'", "the number 7"});
  refuse(ErrorKind::Corrupt, {"'pat_str' is missing"}, of(op::dict({})));
  refuse(ErrorKind::Corrupt, {"'pat_str' is missing"}, of(op::none()));
  m_pattern = op::text("a");
  m_specials = op::list({});
  refuse(ErrorKind::Corrupt, {"'special_tokens'", "a list"});
  m_ranks.clear();
  refuse(ErrorKind::Corrupt, {"'mergeable_ranks'", "None"});
  refuse(ErrorKind::Corrupt, {"0 states"}, op::whole(op::global("tiktoken.core", "Encoding") + ")\x81"));
}

TEST_F(TokenizerPickle, RanksAreCheckedOneByOne) {
  const std::string good = m_ranks;
  const auto refuseRank = [&](const std::string& token, const std::string& id, ErrorKind kind,
                              const std::vector<std::string>& parts) {
    m_ranks = good + token + id;
    refuse(kind, parts);
  };
  refuseRank(bytesValue("xy"), op::integer(256), ErrorKind::Corrupt, {"'xy'", "the id 256", "another"});
  refuseRank(bytesValue("ab"), op::integer(259), ErrorKind::Corrupt, {"'ab'", "twice"});
  refuseRank(bytesValue("xy"), op::integer(258), ErrorKind::Corrupt, {"'<|bos|>'", "the id 258"});
  refuseRank(bytesValue("xy"), op::integer(-1), ErrorKind::Corrupt, {"'xy'", "-1"});
  refuseRank(bytesValue("xy"), op::text("1"), ErrorKind::Corrupt, {"'xy'", "the text '1'"});
  refuseRank(bytesValue("xy"), op::real(1), ErrorKind::Corrupt, {"'xy'"});
  refuseRank(bytesValue(""), op::integer(259), ErrorKind::Corrupt, {"one or more bytes"});
  refuseRank(op::text("xy"), op::integer(259), ErrorKind::Corrupt, {"the text 'xy'"});
  refuseRank(bytesValue("xy"), op::integer(1 << 24), ErrorKind::TooLarge, {"'xy'", "16,777,216", "1,048,575"});
}

TEST_F(TokenizerPickle, EveryByteNeedsAToken) {
  m_ranks.clear();
  for (int byte = 0; byte < 255; ++byte) rank(std::string(1, static_cast<char>(byte)), op::integer(byte));
  refuse(ErrorKind::Corrupt, {"the byte 0xff"});
}

TEST_F(TokenizerPickle, TokensThatTakeTooLongToPairAreRefused) {
  rank(std::string(1u << 20, 'a'), op::integer(259));
  refuse(ErrorKind::TooLarge, {"too long"});
}

TEST_F(TokenizerPickle, TokensThatNestInEachOtherAreRefused) {
  for (int length = 2; length < 4'000; ++length)
    rank(std::string(static_cast<std::size_t>(length), 'c'), op::integer(300 + length));
  refuse(ErrorKind::TooLarge, {"in too many ways"});
}

TEST_F(TokenizerPickle, BadPatternsAreNamed) {
  for (const auto& [pattern, part] : {std::pair("a(b", "the split pattern 'a(b'"), {"\\w", "'\\w' at byte 0"}}) {
    m_pattern = op::text(pattern);
    refuse(ErrorKind::Unsupported, {part});
  }
}

TEST_F(TokenizerPickle, P1_ADangerousNameIsRefusedAsSuch) {
  refuse(ErrorKind::Unsafe, {"'os.system'"}, of(op::dict({{"pat_str", op::reduce(op::global("os", "system"), {})}})));
}

TEST_F(TokenizerPickle, OtherPicklesAreNoTokenizers) {
  refuse(ErrorKind::NotAModel, {"a dict of 0 keys", "tokenizer.pkl"}, op::whole(op::dict({})));
  refuse(ErrorKind::NotAModel, {"'rustbpe.Tokenizer'"}, op::whole(op::global("rustbpe", "Tokenizer") + ")\x81"));
  refuse(ErrorKind::NotAModel, {"'mine.Encoding'"}, of(op::dict({}), "mine"));
}

TEST_F(TokenizerPickle, FilesThatAreCutAreRefused) {
  const std::string bytes = whole();
  for (std::size_t size = 1; size < bytes.size(); size += 97) {
    support::expectError(ErrorKind::Truncated, {"tokenizer.pkl"}, [&] { read(bytes.substr(0, size)); });
  }
}

}  // namespace
}  // namespace core::checkpoint
