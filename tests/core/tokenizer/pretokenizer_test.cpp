#include "core/tokenizer/pretokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/tokenizer/pattern_dialect.h"

namespace core::tokenizer {
namespace {

using Pieces = std::vector<std::string>;
using Dialect = PatternDialect;
using enum SplitBehavior;

constexpr const char* kOrigin = "/x/tokenizer.json";

SplitStep step(const std::string& pattern, SplitBehavior behavior = Isolated, SplitSense sense = SplitSense::Matches,
               Dialect dialect = Dialect::Oniguruma) {
  return {std::make_shared<const UnicodeRegex>(toPcre2(pattern, dialect, kOrigin), pattern, kOrigin), behavior, sense};
}

Pieces pieces(std::vector<Pretokenizer::Step> steps, std::string_view text) {
  Pieces result;
  Pretokenizer(std::move(steps)).split(text, [&](std::string_view piece) { result.emplace_back(piece); });
  return result;
}

Pieces rustPieces(const std::string& pattern, std::string_view text) {
  return pieces({step(pattern, Removed, SplitSense::Gaps, Dialect::Rust)}, text);
}

// The sentences of Hugging Face's documentation for its behaviors.
TEST(Pretokenizer, DoesWithMatchesWhatTheBehaviorSays) {
  const std::string_view text = "-the--final-";
  EXPECT_EQ(pieces({step("-", Isolated)}, text), (Pieces{"-", "the", "-", "-", "final", "-"}));
  EXPECT_EQ(pieces({step("-", Removed)}, text), (Pieces{"the", "final"}));
  EXPECT_EQ(pieces({step("-", MergedWithPrevious)}, text), (Pieces{"-", "the-", "-", "final-"}));
  EXPECT_EQ(pieces({step("-", MergedWithNext)}, text), (Pieces{"-the", "-", "-final", "-"}));
  EXPECT_EQ(pieces({step("-", Contiguous)}, text), (Pieces{"-", "the", "--", "final", "-"}));
  EXPECT_EQ(pieces({step("-", Removed, SplitSense::Gaps)}, text), (Pieces{"-", "-", "-", "-"}));
}

TEST(Pretokenizer, SplitsThePiecesOfTheStepBefore) {
  EXPECT_EQ(pieces({step(" "), step(R"(\p{N})")}, "a 12b"), (Pieces{"a", " ", "1", "2", "b"}));
  // A piece is a text of its own: at its end no space follows.
  EXPECT_EQ(pieces({step("b"), step(R"(\s+(?!\S)|\s+|\S)")}, "a  b"), (Pieces{"a", "  ", "b"}));
}

TEST(Pretokenizer, SplitsWhereAnEmptyMatchIs) {
  EXPECT_EQ(pieces({step("(?=[A-Z])")}, "fooBarB"), (Pieces{"foo", "Bar", "B"}));
  EXPECT_EQ(pieces({step("x*")}, "axxb"), (Pieces{"a", "xx", "b"}));
}

TEST(Pretokenizer, PutsASpaceBeforeEachPieceWithoutOne) {
  EXPECT_EQ(pieces({LeadingSpaceStep(), gpt2Split()}, "the end"), (Pieces{" the", " end"}));
  EXPECT_EQ(pieces({LeadingSpaceStep(), gpt2Split()}, " the end"), (Pieces{" the", " end"}));
  EXPECT_EQ(pieces({step("e"), LeadingSpaceStep()}, "ten"), (Pieces{" t", " e", " n"}));
  EXPECT_EQ(pieces({LeadingSpaceStep()}, ""), Pieces{});
}

TEST(Pretokenizer, KeepsBytesThatAreNotUtf8) {
  EXPECT_EQ(pieces({gpt2Split()}, "a\xFF b\xE4\xBD"), (Pieces{"a", "\xFF", " b", "\xE4\xBD"}));
  EXPECT_EQ(pieces({step("b", Removed), LeadingSpaceStep(), gpt2Split()},
                   "\xFF"
                   "ab\xC3z\x80"),
            (Pieces{" \xFF", "a", " \xC3", "z", "\x80"}));
}

TEST(Pretokenizer, R4_ASpaceIsWhatUnicodeSays) {
  EXPECT_EQ(rustPieces(R"(\s)", "a\u180eb\u3000c\u0085d\u200be"), (Pieces{"\u3000", "\u0085"}));
  EXPECT_EQ(rustPieces(R"([^\S\n]+)", " \n\u2003\t"), (Pieces{" ", "\u2003\t"}));
}

TEST(PatternDialect, GivesDollarAndRepeatsTheMeaningOfTheirEngine) {
  EXPECT_EQ(rustPieces(R"(\s+$)", "a \n b \n"), (Pieces{" \n"}));
  EXPECT_EQ(pieces({step(R"(\s+$)", Removed, SplitSense::Gaps)}, "a \n b \n"), (Pieces{" ", " \n"}));
  EXPECT_EQ(rustPieces(R"(\p{N}{1,3}+)", "12345"), (Pieces{"123", "45"}));
  EXPECT_EQ(pieces({step(R"(\p{N}{1,3}+)")}, "12345"), (Pieces{"12345"}));
}

TEST(PatternDialect, TakesTheSpellingOfCharacters) {
  EXPECT_EQ(rustPieces(R"([\x{4f60}\u597d\x41]+|\u{1F642}|\v|\-)", "x你好A🙂\v-"),
            (Pieces{"你好A", "🙂", "\v", "-"}));
  EXPECT_EQ(rustPieces(R"(\u9fa5|\u{e9}|\x7a)", "x\u9fa5\u00e9z"), (Pieces{"\u9fa5", "\u00e9", "z"}));
  EXPECT_EQ(rustPieces(R"(\pL+|[\P{L}\s])", "ab1"), (Pieces{"ab", "1"}));
  EXPECT_EQ(rustPieces(R"([\p{Greek}]+)", "aαβ"), (Pieces{"αβ"}));
}

void expectRefused(const std::string& pattern, Dialect dialect, const std::string& part) {
  SCOPED_TRACE(pattern.substr(0, 80));
  try {
    const UnicodeRegex regex(toPcre2(pattern, dialect, kOrigin), pattern, kOrigin);
    ADD_FAILURE() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(name(error.kind()), "Unsupported");
    EXPECT_THAT(error.what(), testing::AllOf(testing::StartsWith(kOrigin), testing::HasSubstr(part),
                                             testing::HasSubstr("the split pattern '")));
  }
}

TEST(PatternDialect, T1_RefusesByNameWhatIsNotTheSameInEveryEngine) {
  for (const Dialect dialect : {Dialect::Oniguruma, Dialect::Rust}) {
    for (const char* part : {R"(\w)",       R"(\b)",   R"(\h)",   R"(\R)",      R"(\X)",
                             R"(\K)",       R"(\1)",   R"(\Q)",   R"(\C)",      R"(\G)",
                             "[[:alpha:]]", "[^[^a]]", "[]a]",    "(?<name>a)", "(?m)",
                             "(*UTF)",      "(?R)",    "a{,3}",   "a{2}?",      R"(\p{Script=Han})",
                             R"(\xZZ)",     R"(\u12)", "[a&&b]",  "{2}",        "(?:{2})",
                             "a{3",         "a{3x}",   R"(\p{})", R"(\x{})",    R"(\x{41)",
                             "[a[]]",       "[a-[b]]", "[[a]-b]", R"([\Ab])",   R"([\zb])"}) {
      expectRefused("x|" + std::string(part), dialect, "is not supported");
    }
  }
  expectRefused("[a--b]", Dialect::Rust, "'--'");
  expectRefused(R"(\p{)" + std::string(41, 'L') + "}", Dialect::Rust, "is not supported");
  expectRefused(R"(\xC3)", Dialect::Oniguruma, "'\\xC3'");
}

// Measured with tokenizers 0.23: "(?i:ss)" matches a sharp s, "(?i:st)" the ligature; PCRE2 folds one for one.
TEST(PatternDialect, T1_RefusesLettersThatOneOtherCanStandForWhereCaseDoesNotCount) {
  expectRefused("(?i:ss)", Dialect::Oniguruma, "'ss'");
  expectRefused("(?i)a|PaSTe", Dialect::Oniguruma, "'st'");
  expectRefused("(?i:\u00e9)", Dialect::Oniguruma, "beyond ASCII");
  EXPECT_NO_THROW(toPcre2("ss|(?:st)", Dialect::Oniguruma, kOrigin)) << "case counts";
  EXPECT_NO_THROW(toPcre2("(?i:'s|'t|'re|'ve|'m|'ll|'d)", Dialect::Oniguruma, kOrigin)) << "the published ones";
}

TEST(PatternDialect, RefusesWhatNoEngineCompiles) {
  expectRefused("a)", Dialect::Rust, "closes nothing");
  expectRefused("(a", Dialect::Rust, "can't be used");
  expectRefused("[a", Dialect::Rust, "without a ']'");
  expectRefused("a\\", Dialect::Rust, "ends with");
  expectRefused("*a", Dialect::Rust, "can't be used");
  expectRefused(R"(\p{Nonsense})", Dialect::Rust, "can't be used");
  expectRefused("a\xFF", Dialect::Rust, "not UTF-8");
  expectRefused(std::string(20'000, 'a'), Dialect::Rust, "longer than 16384 bytes");
  expectRefused(std::string(8'000, '(') + std::string(8'000, ')'), Dialect::Rust, "can't be used");
}

TEST(PatternDialect, RefusesRepeatsThatCouldTakeForever) {
  for (const char* pattern :
       {"(a+)+b", "(?:a*b?)*c", "a(?=.*b)", "(?:(?=a*)a)*b", "(?:x{9}){9}", "((a+))+b", "(?=(?:a+))b"}) {
    expectRefused(pattern, Dialect::Rust, "is not supported");
  }
}

void expectFailure(const SplitStep& slow, std::size_t bytes, const std::vector<std::string>& parts) {
  try {
    pieces({slow}, std::string(bytes, 'a'));
    ADD_FAILURE() << "went through";
  } catch (const Error& error) {
    EXPECT_EQ(name(error.kind()), "Unsupported");
    for (const std::string& part : parts) EXPECT_THAT(error.what(), testing::HasSubstr(part));
  }
}

TEST(Pretokenizer, APatternWithTooManyStepsIsRefusedNotSplitInAnotherWay) {
  expectFailure(step("a*a*a*[bc]"), 65'536, {kOrigin, "'a*a*a*[bc]'", "65536 bytes: "});
  expectFailure(step("(?:a|b|ab)*c"), 1'048'576, {kOrigin, "'(?:a|b|ab)*c'", "1048576 bytes: "});
  // Each place alone is quick.
  expectFailure(step("[ab]*[cd]"), 131'072, {kOrigin, "'[ab]*[cd]'", "131072 bytes: it takes too long"});
}

// Patterns of our own have no limit of time: steps and memory are counted all the same.
TEST(Pretokenizer, StepsAndMemoryAreLimitedWithoutAClock) {
  const auto own = [](const char* pattern) { return SplitStep{std::make_shared<const UnicodeRegex>(pattern)}; };
  expectFailure(own("a*a*a*[bc]"), 65'536, {"65536 bytes: match limit exceeded"});
  expectFailure(own("(?:a|b|ab)*c"), 1'048'576, {"1048576 bytes: heap limit exceeded"});
}

}  // namespace
}  // namespace core::tokenizer
