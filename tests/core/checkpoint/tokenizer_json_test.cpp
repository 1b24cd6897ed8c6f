// A tokenizer.json that is not read says which part of it is the reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/checkpoint/tokenizer_file.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

using Json = nlohmann::json;
using Ids = std::vector<TokenId>;

/// Five tokens, no merges but those that a test puts in.
class TokenizerJson : public testing::Test {
 protected:
  Json& model() { return m_json["model"]; }
  std::shared_ptr<const tokenizer::Tokenizer> read() { return readText(m_json.dump()); }
  std::shared_ptr<const tokenizer::Tokenizer> readText(const std::string& text) {
    support::writeFile(m_folder / "tokenizer.json", text);
    return readTokenizer(m_folder / "tokenizer.json");
  }
  void refuse(ErrorKind kind, std::vector<std::string> parts) {
    parts.push_back((m_folder / "tokenizer.json").string());
    support::expectError(kind, parts, [&] { read(); });
  }
  /// Refused with one member of the file replaced.
  void refuseWith(const std::string& pointer, const Json& value, ErrorKind kind, std::vector<std::string> parts) {
    SCOPED_TRACE(pointer + " " + value.dump().substr(0, 200));
    const Json before = m_json;
    m_json[Json::json_pointer(pointer)] = value;
    refuse(kind, std::move(parts));
    m_json = before;
  }
  static Json added(const Json& id, const std::string& content) {
    return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
            {"rstrip", false}, {"normalized", false}, {"special", true}};
  }

  support::TemporaryFolder m_folder;
  Json m_json = Json::parse(R"({"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
    "normalizer": null, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
    "post_processor": null, "decoder": null,
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "\u0120": 3, "\u0120a": 4},
              "merges": [["a", "b"], ["\u0120", "a"]]}})");
};

TEST_F(TokenizerJson, GivesTokensTheirBytesAndNames) {
  m_json["added_tokens"] = Json::array({added(7, "<|é|>")});
  const auto tokenizer = read();
  EXPECT_EQ(tokenizer->encode("ab a<|é|>b").ids, (Ids{2, 4, 7, 1}));
  EXPECT_EQ(tokenizer->size(), 8);
  EXPECT_EQ(tokenizer->bytes(4), " a");
  EXPECT_EQ(tokenizer->bytes(7), "<|é|>");
  EXPECT_EQ(tokenizer->bytes(5), "") << "a hole";
  EXPECT_EQ(tokenizer->bytes(8), "");
  EXPECT_EQ(tokenizer->bytes(-1), "");
  EXPECT_EQ(tokenizer->description(), "byte-level BPE, 8 tokens");
  EXPECT_EQ(tokenizer->prefix(), Ids{});
}

// tokenizers drops such bytes without a word, and their neighbours merge.
TEST_F(TokenizerJson, BytesWithoutATokenAreNamed) {
  const tokenizer::Encoding encoding = read()->encode("aXb\xFFX a");
  EXPECT_EQ(encoding.ids, (Ids{2, 4}));
  EXPECT_THAT(encoding.notEncodable, testing::ElementsAre("X", "\\xff"));
}

TEST_F(TokenizerJson, VocabulariesMayHaveHoles) {
  model()["vocab"]["b"] = 900'000;
  EXPECT_EQ(read()->encode("b").ids, (Ids{900'000}));
  EXPECT_EQ(read()->size(), 900'001);
}

TEST_F(TokenizerJson, TheLastOfTwoEqualMergesCounts) {
  model()["vocab"] = {{"a", 0}, {"b", 1}, {"c", 2}, {"ab", 3}, {"bc", 4}};
  model()["merges"] = Json::array({"a b", "b c"});
  EXPECT_EQ(read()->encode("abc").ids, (Ids{3, 2}));
  model()["merges"].push_back("a b");
  EXPECT_EQ(read()->encode("abc").ids, (Ids{0, 4}));
}

TEST_F(TokenizerJson, T1_MergesAsTextsAndAsPairsAreTheSame) {
  const Ids asPairs = read()->encode("ab a").ids;
  EXPECT_EQ(asPairs, (Ids{2, 4}));
  model()["merges"] = Json::array({"a b", "\u0120 a"});
  EXPECT_EQ(read()->encode("ab a").ids, asPairs);
}

TEST_F(TokenizerJson, TheTemplateGivesThePrefixAndWhatFollowsIsLeftOut) {
  const Json special = [](const char* name) { return Json{{"SpecialToken", {{"id", name}, {"type_id", 0}}}}; }("<s>");
  const Json sequence = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const Json end = {{"SpecialToken", {{"id", "</s>"}, {"type_id", 0}}}};
  const Json processor = {{"type", "TemplateProcessing"},
                          {"single", {special, sequence, end}},
                          {"pair", Json::array()},
                          {"special_tokens", {{"<s>", {{"id", "<s>"}, {"ids", {3, 1}}, {"tokens", {"<s>", "b"}}}}}}};
  for (const Json& whole :
       {processor, Json{{"type", "Sequence"}, {"processors", {{{"type", "ByteLevel"}}, processor}}}}) {
    m_json["post_processor"] = whole;
    EXPECT_EQ(read()->prefix(), (Ids{3, 1}));
    EXPECT_EQ(read()->encode("a").ids, (Ids{0}));
    EXPECT_EQ(read()->description(),
              "byte-level BPE, 5 tokens; '</s>', which its template puts after a text, is left out");
  }
  m_json["post_processor"] = processor;
  refuseWith("/post_processor/special_tokens/<s>/ids", Json::array({5}), ErrorKind::Corrupt,
             {"the id 5", "the largest id is 4"});
  refuseWith("/post_processor/special_tokens/<s>/ids", Json::array({-1}), ErrorKind::Corrupt, {"'<s>'", "-1"});
  refuseWith("/post_processor/special_tokens", Json::object(), ErrorKind::Corrupt, {"'<s>' is missing"});
  refuseWith("/post_processor/single", {sequence, sequence}, ErrorKind::Unsupported, {"the text twice"});
  refuseWith("/post_processor/single", Json::array({"$A"}), ErrorKind::Corrupt, {"'single' item 1"});
  refuseWith("/post_processor", {{"type", "Sequence"}, {"processors", {processor, processor}}}, ErrorKind::Unsupported,
             {"a second template"});
}

TEST_F(TokenizerJson, T1_OtherModelsAreNamed) {
  for (const char* type : {"WordPiece", "Unigram", "WordLevel", "Nonsense"}) {
    refuseWith("/model/type", type, ErrorKind::Unsupported, {std::string("the model type '") + type + "'", "BPE is"});
  }
}

TEST_F(TokenizerJson, T1_UnknownPartsAreNamed) {
  const auto type = [](const char* name) { return Json{{"type", name}}; };
  refuseWith("/normalizer", type("BertNormalizer"), ErrorKind::Unsupported, {"'normalizer'", "'BertNormalizer'"});
  refuseWith("/normalizer", {{"type", "Sequence"}, {"normalizers", {type("NFC"), type("Lowercase")}}},
             ErrorKind::Unsupported, {"'normalizers' item 2", "'Lowercase'"});
  refuseWith("/pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", Json::array({type("Whitespace")})}},
             ErrorKind::Unsupported, {"'pretokenizers' item 1", "'Whitespace'"});
  refuseWith("/pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {m_json["pre_tokenizer"], type("Digits")}}},
             ErrorKind::Unsupported, {"'Digits' after 'ByteLevel'"});
  refuseWith("/pre_tokenizer", type("BertPreTokenizer"), ErrorKind::Unsupported,
             {"'pre_tokenizer'", "'BertPreTokenizer'"});
  refuseWith("/post_processor", type("RobertaProcessing"), ErrorKind::Unsupported,
             {"'post_processor'", "'RobertaProcessing'"});
}

TEST_F(TokenizerJson, T1_SettingsThatChangeIdsAreNamed) {
  refuseWith("/model/dropout", 0.1, ErrorKind::Unsupported, {"'dropout'", "0.1"});
  refuseWith("/model/continuing_subword_prefix", "##", ErrorKind::Unsupported, {"'continuing_subword_prefix'", "##"});
  refuseWith("/model/end_of_word_suffix", "</w>", ErrorKind::Unsupported, {"'end_of_word_suffix'", "</w>"});
  refuseWith("/model/unk_token", "<unk>", ErrorKind::Unsupported, {"'unk_token'", "<unk>"});
  refuseWith("/model/byte_fallback", true, ErrorKind::Unsupported, {"'byte_fallback'", "true"});
  model().update({{"dropout", 0.0},
                  {"continuing_subword_prefix", ""},
                  {"end_of_word_suffix", nullptr},
                  {"fuse_unk", false},
                  {"byte_fallback", false},
                  {"unk_token", nullptr}});
  EXPECT_EQ(read()->encode("ab").ids, (Ids{2}));
}

TEST_F(TokenizerJson, T1_SettingsForUnknownBytesAreTakenWhereEveryByteHasAToken) {
  Json whole = Json::parse(support::readFile(support::data("hf-llama-bf16-sharded/tokenizer.json")));
  const Ids before = readText(whole.dump())->encode("naïve 你好\xFF").ids;
  whole["model"].update({{"unk_token", "<|end_of_text|>"}, {"byte_fallback", true}, {"fuse_unk", true}});
  EXPECT_EQ(readText(whole.dump())->encode("naïve 你好\xFF").ids, before);
}

TEST_F(TokenizerJson, T1_BadPatternsAndBehaviorsAreNamed) {
  const auto split = [&](const Json& pattern, const Json& behavior = "Isolated") {
    return Json{{"type", "Sequence"},
                {"pretokenizers",
                 {{{"type", "Split"}, {"pattern", pattern}, {"behavior", behavior}, {"invert", false}},
                  m_json["pre_tokenizer"]}}};
  };
  const auto refusePattern = [&](const Json& pattern, ErrorKind kind, const std::string& part) {
    refuseWith("/pre_tokenizer", split(pattern), kind, {"'pretokenizers' item 1", part});
  };
  refusePattern({{"Regex", "a(b"}}, ErrorKind::Unsupported, "the split pattern 'a(b' can't be used");
  refusePattern({{"Regex", "\\w+"}}, ErrorKind::Unsupported, "'\\w' at byte 0");
  refusePattern({{"Regex", std::string(100'000, 'a')}}, ErrorKind::Unsupported, "longer than");
  refusePattern({{"Regex", 7}}, ErrorKind::Corrupt, "'Regex' is 7");
  refusePattern(Json::object(), ErrorKind::Corrupt, "'String' is missing");
  refusePattern("a", ErrorKind::Corrupt, "'pattern' is the text 'a'");
  refuseWith("/pre_tokenizer", split({{"String", "a"}}, "Shuffled"), ErrorKind::Unsupported, {"'Shuffled'"});
  Json many = split({{"String", "a"}});
  for (int i = 0; i < 100; ++i) many["pretokenizers"].insert(many["pretokenizers"].begin(), many["pretokenizers"][0]);
  refuseWith("/pre_tokenizer", many, ErrorKind::Unsupported, {"'pre_tokenizer' has 102 steps"});
}

TEST_F(TokenizerJson, IdsAreCheckedOneByOne) {
  refuseWith("/model/vocab", Json::array(), ErrorKind::Corrupt, {"'vocab' is a list"});
  refuseWith("/model/vocab/a", 1, ErrorKind::Corrupt, {"'vocab'", "the id 1", "another token"});
  refuseWith("/model/vocab/a", -1, ErrorKind::Corrupt, {"'a'", "-1"});
  refuseWith("/model/vocab/a", 1.5, ErrorKind::Corrupt, {"'a'", "1.5"});
  refuseWith("/model/vocab/a", "0", ErrorKind::Corrupt, {"'a'", "an id"});
  refuseWith("/model/vocab/a", nullptr, ErrorKind::Corrupt, {"'a'", "null"});
  refuseWith("/model/vocab/a", 16'777'216, ErrorKind::TooLarge, {"'a'", "16,777,216", "1,048,575"});
  refuseWith("/model/vocab/a", 18446744073709551615u, ErrorKind::TooLarge, {"'a'"});
}

TEST_F(TokenizerJson, MergesAreCheckedOneByOne) {
  refuseWith("/model/merges/1", Json::array({"a", "q"}), ErrorKind::Corrupt, {"'merges' item 2", "the token 'q'"});
  refuseWith("/model/merges/1", Json::array({"b", "a"}), ErrorKind::Corrupt, {"'merges' item 2", "the token 'ba'"});
  refuseWith("/model/merges/0", "q a", ErrorKind::Corrupt, {"'merges' item 1", "the token 'q'"});
  for (const Json& merge : {Json("ab"), Json("a b a"), Json::array({"a"}), Json::array({"a", "b", "a"}),
                            Json::array({1, 2}), Json::array({1, "b"}), Json::array({"a", 1}), Json(7), Json(nullptr),
                            Json::object(), Json{{"x", "a"}, {"y", "b"}}}) {
    refuseWith("/model/merges/1", merge, ErrorKind::Corrupt, {"'merges' item 2", "two tokens"});
  }
  refuseWith("/model/merges/1", "#version: 0.2", ErrorKind::Corrupt, {"'merges' item 2", "the token '#version:'"});
  refuseWith("/model/merges", nullptr, ErrorKind::Corrupt, {"'merges' is missing"});
  refuseWith("/model/merges", "a b", ErrorKind::Corrupt, {"'merges'", "a list"});
}

TEST_F(TokenizerJson, AddedTokensAreCheckedOneByOne) {
  const auto refuseAdded = [&](const std::vector<Json>& tokens, ErrorKind kind, const std::vector<std::string>& parts) {
    refuseWith("/added_tokens", tokens, kind, parts);
  };
  refuseAdded({added(9, "<x>"), added(9, "<y>")}, ErrorKind::Corrupt, {"item 2", "'<y>'", "9", "another"});
  refuseAdded({added(9, "<x>"), added(10, "<x>")}, ErrorKind::Corrupt, {"'<x>'", "twice"});
  refuseAdded({added(1, "<x>")}, ErrorKind::Corrupt, {"'<x>'", "the id 1", "another"});
  refuseAdded({added(9, "ab")}, ErrorKind::Mismatch, {"'ab'", "the id 9", "it has 2"});
  refuseAdded({added(-1, "<x>")}, ErrorKind::Corrupt, {"-1"});
  refuseAdded({added(nullptr, "<x>")}, ErrorKind::Corrupt, {"null"});
  refuseAdded({added(1 << 24, "<x>")}, ErrorKind::TooLarge, {"16,777,216"});
  refuseAdded({added(9, std::string(2'000, 'x'))}, ErrorKind::TooLarge, {"2,000 bytes"});
  std::vector<Json> many;
  for (int id = 5; id < 5 + 1'025; ++id)
    many.push_back(added(id, std::string(1'020, 'x') + std::to_string(1'000 + id)));
  refuseAdded(many, ErrorKind::TooLarge, {"'added_tokens' item 1025", "1,049,600", "1,048,576"});
  refuseAdded({7}, ErrorKind::Corrupt, {"'added_tokens' item 1", "7"});
  refuseWith("/added_tokens", "x", ErrorKind::Corrupt, {"'added_tokens'", "a list"});
  Json incomplete = added(9, "<x>");
  incomplete["lstrip"] = "yes";
  refuseAdded({incomplete}, ErrorKind::Corrupt, {"'lstrip'"});
  incomplete.erase("lstrip");
  refuseAdded({incomplete}, ErrorKind::Corrupt, {"'lstrip' is missing"});
}

TEST_F(TokenizerJson, AnAddedTokenOfNothingIsFoundNowhere) {
  m_json["added_tokens"] = Json::array({added(7, "")});
  EXPECT_EQ(read()->encode("ab a").ids, (Ids{2, 4}));
  EXPECT_EQ(read()->size(), 5);
}

TEST_F(TokenizerJson, NormalizersDoNotMakeAddedTokensLongerThanTheyMayBe) {
  m_json["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", "x"}}}, {"content", "xxxx"}};
  Json token = added(9, std::string(2'000, 'x'));
  token["normalized"] = true;
  refuseWith("/added_tokens", Json::array({token}), ErrorKind::TooLarge,
             {"the token has 2,000 bytes, all until here have 2,000"});
}

// Spaces in place of marks are for tokens of characters.
TEST_F(TokenizerJson, AnAddedTokenOfAByteLevelTableIsAsItStands) {
  m_json["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "_"}};
  Json token = added(9, "a_b");
  token["special"] = false;
  m_json["added_tokens"] = Json::array({token});
  EXPECT_EQ(read()->bytes(9), "a_b");
}

TEST_F(TokenizerJson, DeepAndRepeatedPartsAreRefused) {
  Json deep = m_json["pre_tokenizer"];
  for (int i = 0; i < 200; ++i) deep = {{"type", "Sequence"}, {"pretokenizers", Json::array({deep})}};
  refuseWith("/pre_tokenizer", deep, ErrorKind::TooLarge, {});
  std::string twice = m_json.dump();
  twice.insert(twice.find("\"a\":0"), "\"a\":0,");
  support::expectError(ErrorKind::Corrupt, {"tokenizer.json"}, [&] { readText(twice); });
  support::expectError(ErrorKind::TooLarge, {"tokenizer.json"},
                       [&] { readText("{\"model\":" + std::string(1'000'000, '[')); });
}

TEST_F(TokenizerJson, FilesThatAreCutAreCorrupt) {
  const std::string whole = m_json.dump();
  for (std::size_t size = 1; size < whole.size(); size += 7) {
    support::expectError(ErrorKind::Corrupt, {"tokenizer.json"}, [&] { readText(whole.substr(0, size)); });
  }
}

}  // namespace
}  // namespace core::checkpoint
