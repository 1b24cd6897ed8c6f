#include "core/text_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/base64.h"

namespace core {
namespace {

using Formulas = CsvOptions::Formulas;

TEST(NumberField, IsReadBackAsTheSameFloat32) {
  std::mt19937 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint32_t bits = static_cast<std::uint32_t>(random());
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const std::string field = numberField(value);
    ASSERT_EQ(std::strtof(field.c_str(), nullptr), value) << field;
    ASSERT_EQ(field.find_first_not_of("0123456789.e+-"), std::string::npos) << field;
  }
}

TEST(NumberField, HasFewDigitsAndWordsForWhatIsNoNumber) {
  EXPECT_EQ(numberField(0), "0");
  EXPECT_EQ(numberField(0.1f), "0.1");
  EXPECT_EQ(numberField(1), "1");
  EXPECT_EQ(numberField(1e-45f), "1e-45");
  EXPECT_EQ(numberField(std::numeric_limits<float>::quiet_NaN()), "nan");
  EXPECT_EQ(numberField(-std::numeric_limits<float>::quiet_NaN()), "nan");
  EXPECT_EQ(numberField(std::numeric_limits<float>::infinity()), "inf");
  EXPECT_EQ(numberField(-std::numeric_limits<float>::infinity()), "-inf");
}

TEST(QuotedField, DoublesQuotes) {
  EXPECT_EQ(quotedField("a \"b\", c", Formulas::AsTheyAre), "\"a \"\"b\"\", c\"");
  EXPECT_EQ(quotedField("", Formulas::Guarded), "\"\"");
}

TEST(QuotedField, GuardsWhatASpreadsheetWouldTakeForAFormula) {
  for (const char* formula : {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"}) {
    EXPECT_EQ(quotedField(formula, Formulas::AsTheyAre), "\"" + std::string(formula) + "\"");
    EXPECT_EQ(quotedField(formula, Formulas::Guarded), "\"'" + std::string(formula) + "\"");
  }
  for (const char* plain : {"a=b", " =", "'", "1", "\xe4\xbd\xa0"})
    EXPECT_EQ(quotedField(plain, Formulas::Guarded), "\"" + std::string(plain) + "\"");
}

TEST(EscapedText, KeepsATokenInOneLineAndEveryByteTold) {
  const auto of = [](const std::string& bytes) { return escapedText({1, bytes, "label"}); };
  EXPECT_EQ(of(" the"), " the");
  EXPECT_EQ(of("a\nb\r\t"), "a\\nb\\r\\t");
  EXPECT_EQ(of("\\n"), "\\\\n");
  EXPECT_EQ(of(std::string("\0\x07\x7f", 3)), "\\x00\\x07\\x7f");
  EXPECT_EQ(of("\xe4\xbd\xa0\xf0\x9f\x98\x80"), "\xe4\xbd\xa0\xf0\x9f\x98\x80");
  EXPECT_EQ(of("\xe4\xbd"), "\\xe4\\xbd");
  EXPECT_EQ(of("\xe2\x80\xa8\xe2\x80\xae\xef\xbb\xbf\xc2\x85"), "\\u2028\\u202e\\ufeff\\x85");
  EXPECT_EQ(of(""), "label");
}

/// Source: RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  const std::pair<const char*, const char*> pairs[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : pairs) {
    EXPECT_EQ(toBase64(bytes), text);
    EXPECT_EQ(fromBase64(text), bytes);
  }
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(fromBase64(toBase64(all)), all);
}

TEST(Base64, RefusesWhatItWouldNotWrite) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zh==", "====", "Zg==Zg==", "Zm9*", "Zm9v\n", "=Zm9", "Z=m9"})
    EXPECT_EQ(fromBase64(text), std::nullopt) << text;
}

}  // namespace
}  // namespace core
