// A tokenizer.json whose tokens are made of characters: Llama 2's, Mistral's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/checkpoint/tokenizer_file.h"
#include "core/tokenizer/token_label.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

using Json = nlohmann::json;
using Ids = std::vector<TokenId>;

/// The file of the vectors with the parts replaced that a test replaces.
class TokenizerCharacters : public testing::Test {
 protected:
  std::shared_ptr<const tokenizer::Tokenizer> read() {
    support::writeFile(m_folder / "tokenizer.json", m_json.dump());
    return readTokenizer(m_folder / "tokenizer.json");
  }
  void refuseWith(const std::string& pointer, const Json& value, ErrorKind kind, std::vector<std::string> parts) {
    SCOPED_TRACE(pointer + " " + value.dump().substr(0, 200));
    const Json before = m_json;
    m_json[Json::json_pointer(pointer)] = value;
    parts.push_back((m_folder / "tokenizer.json").string());
    support::expectError(kind, parts, [&] { read(); });
    m_json = before;
  }
  std::vector<std::string> labelsOf(std::string_view text) {
    const auto tokenizer = read();
    const Ids ids = tokenizer->encode(text).ids;
    std::vector<std::string> bytes, labels;
    for (const TokenId id : ids) bytes.push_back(tokenizer->bytes(id));
    for (const TokenText& token : tokenizer::labelTokens(ids, bytes)) labels.push_back(token.label);
    return labels;
  }
  void useMetaspace(const Json& options = Json::object()) {
    m_json["normalizer"] = nullptr;
    m_json["pre_tokenizer"] = {{"type", "Metaspace"}, {"replacement", "▁"}};
    m_json["pre_tokenizer"].update(options);
  }

  support::TemporaryFolder m_folder;
  Json m_json = Json::parse(support::readFile(support::data("tokenizer/characters.json")));
};

TEST_F(TokenizerCharacters, SayWhatTheyAreAndWhatGoesBeforeAText) {
  EXPECT_EQ(read()->description(), "character BPE, 661 tokens");
  EXPECT_EQ(read()->prefix(), (Ids{1}));
  EXPECT_EQ(read()->bytes(1), "<s>");
}

// The space that the normalizer puts in front is one that the model sees.
TEST_F(TokenizerCharacters, LabelsHaveSpacesForMarksAndBytesForTheirNames) {
  EXPECT_THAT(labelsOf("the è\n你"), testing::ElementsAre("␣the", "␣", "\\xc3(è)", "\\xa8(è)", "⏎", "你"));
  EXPECT_THAT(labelsOf("the</s>\xFF"), testing::ElementsAre("␣the", "</s>", "␣", "\\xff"));
  useMetaspace({{"prepend_scheme", "never"}});
  EXPECT_THAT(labelsOf("he the"), testing::ElementsAre("he", "␣the"));
}

TEST_F(TokenizerCharacters, AnAddedTokenThatIsNotSpecialIsText) {
  Json token = m_json["added_tokens"][0];
  token.update({{"id", 700}, {"content", "<▁x>"}});
  m_json["added_tokens"].push_back(token);
  EXPECT_EQ(read()->bytes(700), "<▁x>");
  m_json["added_tokens"].back()["special"] = false;
  EXPECT_EQ(read()->bytes(700), "< x>");
}

TEST_F(TokenizerCharacters, WithoutByteFallbackTheNameOfAByteIsText) {
  EXPECT_EQ(read()->bytes(3 + 0x41), "A");
  m_json["model"]["byte_fallback"] = false;
  EXPECT_EQ(read()->bytes(3 + 0x41), "<0x41>");
  EXPECT_THAT(labelsOf("è你"), testing::ElementsAre("␣", "<unk>", "你"));
}

TEST_F(TokenizerCharacters, R4_EveryByteOfTextThatIsNotUtf8IsKept) {
  useMetaspace({{"prepend_scheme", "never"}});
  const auto tokenizer = read();
  for (const std::string& text : {std::string("\xFF"), std::string("a\x80 b\xC3"), std::string("\xED\xA0\x80 x"),
                                  std::string("\xC0\xAF\xF5 word \xE4\xBD"), std::string("\0\xFE\0", 3)}) {
    std::string decoded;
    for (const TokenId id : tokenizer->encode(text).ids) decoded += tokenizer->bytes(id);
    EXPECT_EQ(decoded, text);
  }
}

TEST_F(TokenizerCharacters, CharactersThatHaveNothingAreNamed) {
  m_json["model"].update({{"byte_fallback", false}, {"unk_token", nullptr}});
  const tokenizer::Encoding encoding = read()->encode("theè\xFFè");
  EXPECT_EQ(encoding.ids, read()->encode("the").ids);
  EXPECT_THAT(encoding.notEncodable, testing::ElementsAre("è", "\\xff"));
}

TEST_F(TokenizerCharacters, ATokenOfNothingIsNoCharacters) {
  m_json["model"].update({{"byte_fallback", false}, {"unk_token", nullptr}});
  m_json["model"]["vocab"][""] = 661;
  EXPECT_THAT(read()->encode(std::string_view("\0", 1)).notEncodable, testing::ElementsAre("\\u0000"));
}

TEST_F(TokenizerCharacters, SpacesThatANormalizerRemovesAreInNoToken) {
  m_json["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", ""}};
  EXPECT_EQ(labelsOf("t h e"), labelsOf("the"));
}

// No merge has a newline, so that nothing joins the halves.
TEST_F(TokenizerCharacters, AMegabyteInOnePieceHasTheIdsOfItsHalves) {
  useMetaspace({{"prepend_scheme", "never"}, {"split", false}});
  const auto tokenizer = read();
  for (const std::string_view piece : {"a", " ", "\xFF", "the man, the ", "你好"}) {
    std::string half = "y";
    while (half.size() < (512u << 10)) half += piece;
    half += "z\n";
    Ids twice = tokenizer->encode(half).ids;
    const std::size_t size = twice.size();
    twice.resize(2 * size);
    std::copy_n(twice.begin(), size, twice.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_EQ(tokenizer->encode(half + half).ids, twice) << piece;
  }
}

TEST_F(TokenizerCharacters, T1_AnUnknownTokenThatIsNotThereIsNamed) {
  refuseWith("/model/unk_token", "<unknown>", ErrorKind::Corrupt, {"'model'", "'unk_token' is '<unknown>'"});
  refuseWith("/model/unk_token", 7, ErrorKind::Corrupt, {"'unk_token' is 7"});
  refuseWith("/model/byte_fallback", "yes", ErrorKind::Corrupt, {"'byte_fallback'"});
  refuseWith("/model/fuse_unk", 1, ErrorKind::Corrupt, {"'fuse_unk' is 1"});
  refuseWith("/model/ignore_merges", true, ErrorKind::Unsupported, {"'ignore_merges'"});
}

TEST_F(TokenizerCharacters, T1_ReplacementsThatAreNotReadAreNamed) {
  const auto replace = [](const Json& pattern, const std::string& content) {
    return Json{{"type", "Replace"}, {"pattern", pattern}, {"content", content}};
  };
  const std::string first = "/normalizer/normalizers/0";
  refuseWith(first, replace({{"Regex", " {2,}"}}, " "), ErrorKind::Unsupported,
             {"'normalizers' item 1", "the regular expression ' {2,}'"});
  refuseWith(first, replace({{"String", ""}}, " "), ErrorKind::Unsupported, {"an empty text"});
  refuseWith(first, replace(" ", " "), ErrorKind::Corrupt, {"'pattern'"});
  refuseWith(first, replace({{"String", std::string(70, 'a')}}, " "), ErrorKind::Unsupported,
             {"'String' has 70 bytes"});
  refuseWith(first, {{"type", "Prepend"}, {"prepend", std::string(70, 'a')}}, ErrorKind::Unsupported,
             {"'prepend' has 70 bytes"});
  refuseWith(first, {{"type", "Prepend"}}, ErrorKind::Corrupt, {"'prepend' is missing"});
  m_json["normalizer"]["normalizers"] = std::vector<Json>(16, replace({{"String", "a"}}, "b"));
  EXPECT_EQ(labelsOf("a"), std::vector<std::string>{"b"}) << "texts of the same length are no growth";
  const Json twice = replace({{"String", "a"}}, "aa");
  refuseWith("/normalizer/normalizers", std::vector<Json>(16, twice), ErrorKind::Unsupported,
             {"'normalizers' item 7", "128 times as long"});
}

TEST_F(TokenizerCharacters, T1_AMetaspaceThatIsNotReadIsNamed) {
  useMetaspace();
  refuseWith("/pre_tokenizer/replacement", "ab", ErrorKind::Corrupt, {"'replacement' is 'ab'"});
  refuseWith("/pre_tokenizer/replacement", "", ErrorKind::Corrupt, {"'replacement' is ''"});
  refuseWith("/pre_tokenizer/prepend_scheme", "last", ErrorKind::Unsupported, {"'last'"});
  const Json space = m_json["pre_tokenizer"];
  const auto after = [](const Json& a, const Json& b) { return Json{{"type", "Sequence"}, {"pretokenizers", {a, b}}}; };
  const Json digits = {{"type", "Digits"}, {"individual_digits", true}};
  const Json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", false}};
  refuseWith("/pre_tokenizer", after(digits, space), ErrorKind::Unsupported,
             {"item 2", "'Metaspace' after another step"});
  refuseWith("/pre_tokenizer", after(space, space), ErrorKind::Unsupported, {"'Metaspace' after another step"});
  Json unsplit = space;
  unsplit["split"] = false;
  refuseWith("/pre_tokenizer", after(unsplit, space), ErrorKind::Unsupported, {"'Metaspace' after another step"});
  refuseWith("/pre_tokenizer", after(space, bytes), ErrorKind::Unsupported, {"'ByteLevel' after 'Metaspace'"});
  useMetaspace({{"add_prefix_space", false}, {"prepend_scheme", "first"}});
  refuseWith("/pre_tokenizer/split", false, ErrorKind::Corrupt, {"'add_prefix_space' is false", "'first'"});
}

TEST_F(TokenizerCharacters, T1_AnAddedTokenThatANormalizerRemovesIsNamed) {
  m_json["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", "<s>"}}}, {"content", ""}};
  refuseWith("/added_tokens/1/normalized", true, ErrorKind::Unsupported, {"item 2", "'<s>' is empty when normalized"});
}

}  // namespace
}  // namespace core::checkpoint
