// S2, S3: JSON is read strictly, and in little time and memory whatever it claims to be.
#include "core/checkpoint/json.h"

#include <gtest/gtest.h>

#include <ostream>
#include <random>

#include "core/error.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

using namespace std::string_literals;

constexpr JsonLimits kLimits{.bytes = 128u << 20};
const std::string kOrigin = "/x/config.json";

Json parse(const std::string& text) { return parseJson(text, kOrigin, kLimits); }

std::string times(std::size_t count, const std::string& part) {
  std::string text;
  text.reserve(count * part.size());
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

void refuse(ErrorKind kind, std::vector<std::string> parts, const std::string& text,
            const JsonLimits& limits = kLimits) {
  parts.push_back(kOrigin + ": ");
  support::expectError(kind, parts, [&] { parseJson(text, kOrigin, limits); });
}

struct Broken {
  std::string name;
  std::string text;
  std::vector<std::string> parts;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

class BrokenJson : public testing::TestWithParam<Broken> {};

TEST_P(BrokenJson, IsCorruptWithTheByte) { refuse(ErrorKind::Corrupt, GetParam().parts, GetParam().text); }

INSTANTIATE_TEST_SUITE_P(
    S2, BrokenJson,
    testing::Values(
        Broken{"empty", "", {"byte 0", "end of input"}}, Broken{"whiteSpaceAlone", "  \n", {"byte 3", "end of input"}},
        Broken{"notUtf8", "{\"a\":\"\xff\"}", {"byte 6", "UTF-8"}},
        Broken{"overlongUtf8", "[\"\xc0\x80\"]", {"byte 2", "UTF-8"}},
        Broken{"surrogateInUtf8", "[\"\xed\xa0\x80\"]", {"byte 3", "UTF-8"}},
        Broken{"loneSurrogate", R"(["\ud800"])", {"byte 8", "surrogate"}},
        Broken{"byteOrderMark", "\xef\xbb\xbf{}", {"byte 0", "byte-order mark"}},
        Broken{"utf16", "\xff\xfe{\0}\0"s, {"byte 3", "NUL"}}, Broken{"notANumber", R"({"a":NaN})", {"byte 5"}},
        Broken{"infinity", "[Infinity]", {"byte 1"}}, Broken{"minusInfinity", "[-Infinity]", {"byte 2"}},
        Broken{"tooLargeForADouble", "[1, 1e999]", {"byte 8", "1e999"}},
        Broken{"manyDigits", "[" + std::string(400, '9') + "]", {"byte 400", "overflow", "..."}},
        Broken{"leadingZero", "[01]", {"byte 2"}}, Broken{"leadingPlus", "[+1]", {"byte 1"}},
        Broken{"fractionWithoutDigits", "[1.]", {"byte 3"}}, Broken{"trailingBytes", "{} x", {"byte 3"}},
        Broken{"secondDocument", "{}{}", {"byte 2"}}, Broken{"nulBehindTheEnd", "{}\0{"s, {"byte 2", "NUL"}},
        Broken{"nulInAString", "[\"a\0\"]"s, {"byte 3", "control character"}},
        Broken{"lineBreakInAString", "[\"a\n\"]", {"byte 3", "control character"}},
        Broken{"trailingComma", "[1,]", {"byte 3"}}, Broken{"comment", "{} // x", {"byte 3"}},
        Broken{"singleQuotes", "{'a':1}", {"byte 1"}}, Broken{"unclosedArray", "[1, 2", {"byte 5", "end of input"}},
        Broken{"unclosedString", "[\"ab", {"byte 4"}}, Broken{"escapeAtTheEnd", "[\"ab\\", {"byte 5"}},
        Broken{"wrongBracket", "[1}", {"byte 2"}}, Broken{"closedTwice", "[]]", {"byte 2"}},
        Broken{"keyWithoutValue", R"({"a"})", {"byte 4"}}, Broken{"numberAsKey", "{1:2}", {"byte 1"}},
        Broken{"duplicateKey", R"({"a":1,"b":{"a":2},"a":3})", {"'a'", "twice", "byte 22"}},
        Broken{"duplicateKeyByEscape", R"({"ab":1,"\u0061b":2})", {"'ab'", "twice"}}),
    [](const auto& instance) { return instance.param.name; });

TEST(JsonText, EveryKindOfValueIsRead) {
  const Json json = parse(
      " {\"n\":null,\"t\":true,\"f\":false,\"i\":-7,\"u\":18446744073709551615,\"d\":0.5,\"e\":[],\"o\":{},"
      "\"s\":\"\\u00e9\\ud83d\\ude00\\n\",\"a\":[[1],{\"x\":[2,3]},\"y\"]} \r\n\t");
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json.size(), 10u);
  EXPECT_TRUE(json["n"].is_null());
  EXPECT_EQ(json["t"], true);
  EXPECT_EQ(json["f"], false);
  EXPECT_EQ(json["i"].get<std::int64_t>(), -7);
  EXPECT_EQ(json["u"].get<std::uint64_t>(), ~std::uint64_t{0});
  EXPECT_EQ(json["d"].get<double>(), 0.5);
  EXPECT_TRUE(json["e"].is_array() && json["e"].empty());
  EXPECT_TRUE(json["o"].is_object() && json["o"].empty());
  EXPECT_EQ(json["s"].get<std::string>(), "\xc3\xa9\xf0\x9f\x98\x80\n");
  EXPECT_EQ(json["a"].dump(), R"([[1],{"x":[2,3]},"y"])");
}

TEST(JsonText, ScalarsAreDocumentsToo) {
  EXPECT_EQ(parse("\"x\"").get<std::string>(), "x");
  EXPECT_EQ(parse("12").get<int>(), 12);
}

TEST(JsonText, EqualKeysInDifferentObjectsAreTwoKeys) {
  EXPECT_EQ(parse(R"([{"a":1},{"a":{"a":2}}])").dump(), R"([{"a":1},{"a":{"a":2}}])");
}

TEST(JsonText, DepthUpToTheLimitIsRead) {
  JsonLimits limits = kLimits;
  limits.depth = 5;
  EXPECT_EQ(parseJson("[[[[[1]]]]]", kOrigin, limits).dump(), "[[[[[1]]]]]");
  refuse(ErrorKind::TooLarge, {"5 levels", "byte 9"}, R"([[[{"a":[[1]]}]]])", limits);
}

TEST(JsonText, StringsUpToTheLimitAreRead) {
  JsonLimits limits = kLimits;
  limits.stringBytes = 10;
  EXPECT_EQ(parseJson(R"(["0123456789"])", kOrigin, limits).dump(), R"(["0123456789"])");
  refuse(ErrorKind::TooLarge, {"11 bytes of one string", "limit is 10"}, R"({"a":"01234567890"})", limits);
  refuse(ErrorKind::TooLarge, {"11 bytes of one string", "limit is 10"}, R"({"01234567890":1})", limits);
}

TEST(JsonText, ValuesUpToTheLimitAreRead) {
  JsonLimits limits = kLimits;
  limits.values = 5;
  EXPECT_EQ(parseJson(R"({"a":[1,2,3]})", kOrigin, limits).dump(), R"({"a":[1,2,3]})");
  refuse(ErrorKind::TooLarge, {"more than 5 values", "byte 11"}, R"({"a":[1,2,3,4]})", limits);
}

TEST(JsonText, S3_TextBeyondItsLimitIsTooLarge) {
  JsonLimits limits;
  limits.bytes = 6;
  EXPECT_EQ(parseJson("[1, 2]", kOrigin, limits).size(), 2u);
  refuse(ErrorKind::TooLarge, {"7 bytes of JSON, the limit is 6"}, "[1, 2] ", limits);
}

TEST(JsonText, S3_MillionDeepNestingIsTooLarge) {
  refuse(ErrorKind::TooLarge, {"64 levels", "byte 64"}, std::string(1'000'000, '['));
  refuse(ErrorKind::TooLarge, {"64 levels"}, times(1'000'000, "{\"a\":"));
}

TEST(JsonText, S3_HundredMegabytesInOneStringAreTooLarge) {
  refuse(ErrorKind::TooLarge, {"100,000,000 bytes of one string"}, "[\"" + std::string(100'000'000, 'x') + "\"]");
}

TEST(JsonText, S3_HundredMegabytesInOneNumberOrOfWhiteSpaceAreTooLarge) {
  refuse(ErrorKind::TooLarge, {"one number"}, "[" + std::string(100'000'000, '7'));
  refuse(ErrorKind::TooLarge, {"white space"}, "[" + std::string(100'000'000, ' '));
  refuse(ErrorKind::TooLarge, {"white space and brackets"}, "[" + times(90, "[]," + std::string(1'000'000, ' ')));
}

TEST(JsonText, S3_MillionsOfValuesAreTooLarge) {
  refuse(ErrorKind::TooLarge, {"2,000,000 values"}, "[" + times(20'000'000, "1,"));
  refuse(ErrorKind::TooLarge, {"2,000,000 values"}, "[" + times(20'000'000, "[1],"));
}

// Just what is allowed, and then broken: the most expensive refusals.
TEST(JsonText, S3_AsManyValuesAsAreReadStayWithinTheMemory) {
  const auto end = [](const std::string& items) { return "[" + items + "x"; };
  refuse(ErrorKind::Corrupt, {"byte 3,999,997"}, end(times(1'999'998, "1,")));
  refuse(ErrorKind::Corrupt, {"literal"}, end(times(600'000, R"({"":{}},)")));
  refuse(ErrorKind::TooLarge, {"bytes of memory"}, end(times(990'000, R"({"":{}},)")));
  refuse(ErrorKind::Corrupt, {"literal"}, end(times(990'000, R"([1],)")));
  refuse(ErrorKind::Corrupt, {"literal"}, end(times(650'000, R"([1,2],)")));
  refuse(ErrorKind::Corrupt, {"literal"}, end(times(1'900'000, R"("",)")));
  refuse(ErrorKind::Corrupt, {"literal"}, end(times(110, "\"" + std::string(1'000'000, 'x') + "\",")));
}

TEST(JsonText, LargerTextsThanAllowedAreNotEvenRead) {
  const support::TemporaryFolder folder;
  support::writeFile(folder / "config.json", "[1, 2, 3]");
  const File file(folder / "config.json");
  JsonLimits limits = kLimits;
  limits.bytes = 9;
  EXPECT_EQ(readJson(file, limits).size(), 3u);
  limits.bytes = 8;
  support::expectError(ErrorKind::TooLarge, {file.name(), "9 bytes", "limit is 8"}, [&] { readJson(file, limits); });
}

std::string mutated(std::string text, std::mt19937& random) {
  for (std::size_t i = 0, changes = 1 + random() % 3; i < changes; ++i) {
    const std::size_t at = random() % text.size();
    switch (random() % 4) {
      case 0: text[at] = "[]{}:,\"\\ 0-1.eE+tfnu\n\x80\xc3"[random() % 24]; break;
      case 1: text[at] = static_cast<char>(text[at] ^ (1 << (random() % 8))); break;
      case 2: text.erase(at, 1 + random() % 4); break;
      default: text.insert(at, text.substr(random() % text.size(), random() % 8)); break;
    }
    if (text.empty()) text = "1";
  }
  return text;
}

// nlohmann's own reader is the oracle; it is laxer only about duplicate keys (the last one counts) and NULs (the end).
TEST(JsonText, ChangedTextsAreReadAsByTheLibraryOrRefused) {
  std::mt19937 random(4);
  const std::string whole =
      R"({"a":[1,-2.5e3,true,false,null,"x\u00e9\n"],"b":{"c":"é","d":[[],{}]},"model_type":"llama","n":12288})";
  int refused = 0, read = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string text = mutated(whole, random);
    const Json theirs = Json::parse(text, nullptr, false);
    try {
      const Json ours = parse(text);
      ASSERT_EQ(ours, theirs) << text;
      ++read;
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::Corrupt) << text;
      const bool stricter = std::string(error.what()).find("twice") != std::string::npos ||
                            std::string(error.what()).find("NUL") != std::string::npos;
      ASSERT_TRUE(theirs.is_discarded() || stricter) << error.what() << "\n" << text;
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(read, 1000);
}

}  // namespace
}  // namespace core::checkpoint
