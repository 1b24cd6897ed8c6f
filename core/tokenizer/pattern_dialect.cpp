#include "core/tokenizer/pattern_dialect.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iterator>
#include <vector>

#include "core/error.h"
#include "core/tokenizer/token_label.h"
#include "core/tokenizer/utf8.h"
#include "core/tokenizer/white_space.h"

namespace core::tokenizer {

namespace {

constexpr std::size_t kLongestPattern = 16u << 10;

/// An escape of one letter, and what it is in PCRE2: outside a class, and inside.
struct Escape {
  char letter;
  std::string_view outside;
  std::string_view inside;
};

constexpr Escape kEscapes[] = {{'s', "[" HEADSCOPE_WHITE_SPACE "]", HEADSCOPE_WHITE_SPACE},
                               {'S', "[^" HEADSCOPE_WHITE_SPACE "]", HEADSCOPE_NO_WHITE_SPACE},
                               {'d', R"(\p{Nd})", R"(\p{Nd})"},
                               {'D', R"(\P{Nd})", R"(\P{Nd})"},
                               {'n', R"(\x{a})", R"(\x{a})"},
                               {'r', R"(\x{d})", R"(\x{d})"},
                               {'t', R"(\x{9})", R"(\x{9})"},
                               {'f', R"(\x{c})", R"(\x{c})"},
                               {'v', R"(\x{b})", R"(\x{b})"},  // PCRE2's own \v is every vertical space
                               {'a', R"(\x{7})", R"(\x{7})"},
                               {'A', R"(\A)", ""},
                               {'z', R"(\z)", ""}};

constexpr std::string_view kGroups[] = {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?-i:"};

constexpr std::string_view kCategories[] = {
    "C",  "Cc", "Cf", "Cn", "Co", "Cs", "L",  "Ll", "Lm", "Lo", "Lt", "Lu", "M",  "Mc", "Me", "Mn", "N",  "Nd", "Nl",
    "No", "P",  "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S",  "Sc", "Sk", "Sm", "So", "Z",  "Zl", "Zp", "Zs"};

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class Translator {
 public:
  Translator(std::string_view pattern, PatternDialect dialect, const std::string& origin)
      : m_pattern(pattern), m_rust(dialect == PatternDialect::Rust), m_origin(origin) {}

  std::string run() {
    if (m_pattern.size() > kLongestPattern) {
      refuse("is longer than " + std::to_string(kLongestPattern) + " bytes");
    }
    if (!m_rust && m_pattern.find("(?i") != std::string_view::npos) requireSimpleFolds();
    if (follows("(?i)")) copy(4);  // elsewhere it ends at different places
    while (m_at < m_pattern.size()) item();
    return std::move(m_out);
  }

 private:
  static constexpr std::size_t kNoAtom = std::string::npos;

  struct Group {
    std::size_t begin;  // in m_out
    bool looksAround;
    bool repeats;  // something in it
  };

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::Unsupported, m_origin + ": the split pattern '" + visibleText(m_pattern.substr(0, 200)) +
                                            "' " + what + ". Choose another tokenizer file, or give token ids.");
  }
  /// The part that is not understood: so many bytes from here.
  [[noreturn]] void refusePart(std::size_t length) const {
    refuse("has '" + visibleText(m_pattern.substr(m_at, length)) + "' at byte " + std::to_string(m_at) +
           ", which is not supported");
  }

  /// Oniguruma lets one letter stand for several when case does not count ("ss" is also a sharp s), PCRE2 one for one.
  /// Looked for in the whole pattern: simpler than by group, and no published pattern has any.
  void requireSimpleFolds() const {
    std::string small(m_pattern);
    std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const std::string_view folded : {"ff", "fi", "fl", "ss", "st"}) {
      if (small.find(folded) != std::string::npos)
        refuse("ignores case and has '" + std::string(folded) + "', which one letter can stand for");
    }
    if (std::any_of(small.begin(), small.end(), [](unsigned char c) { return c >= 0x80; }))
      refuse("ignores case and has letters beyond ASCII, which engines fold differently");
  }

  bool follows(std::string_view text) const { return m_pattern.substr(m_at).starts_with(text); }
  char at(std::size_t place) const { return place < m_pattern.size() ? m_pattern[place] : '\0'; }
  void copy(std::size_t length) {
    m_out += m_pattern.substr(m_at, length);
    m_at += length;
  }
  void copyCharacter() {
    const CodePoint point = codePointAt(m_pattern, m_at);
    if (!point.valid) refuse("is not UTF-8 at byte " + std::to_string(m_at));
    copy(point.length);
  }

  void item() {
    const char c = m_pattern[m_at];
    if (c == '*' || c == '+' || c == '?') return repeat();
    if (c == '{') return braces();
    if (c == ')') return close();
    m_atom = c == '|' ? kNoAtom : m_out.size();
    m_atomRepeats = false;
    switch (c) {
      case '(': return open();
      case '[': return charClass();
      case '\\': return escape(&Escape::outside);
      case '^': m_out += m_rust ? R"(\A)" : R"((?:\A|(?<=\x{a})(?!\z)))"; break;
      case '$': m_out += m_rust ? R"(\z)" : R"((?=\x{a}|\z))"; break;
      case '.': m_out += R"([^\x{a}])"; break;
      default: return copyCharacter();
    }
    ++m_at;
  }

  /// * + ? with the sign that makes them lazy or possessive: the same in all.
  void repeat() {
    if (at(m_at) != '?') repeatsWithoutLimit(1);
    copy(at(m_at + 1) == '?' || at(m_at + 1) == '+' ? 2 : 1);
  }

  /// Notes a repeat of the last atom. Of what repeats inside it is refused: each of its rounds can take as long as the
  /// text, and no count of steps would tell.
  void repeatsWithoutLimit(std::size_t length) {
    if (m_atomRepeats) refusePart(length);
    if (!m_groups.empty()) m_groups.back().repeats = true;
  }

  /// {n}, {n,}, {n,m}; anything else between braces is text for one engine and a mistake for the other.
  void braces() {
    std::size_t end = m_at + 1;
    while (isDigit(at(end))) ++end;
    const bool exact = at(end) == '}';
    if (at(end) == ',') ++end;
    while (isDigit(at(end))) ++end;
    const bool lazyExact = exact && at(end + 1) == '?';
    if (!isDigit(at(m_at + 1)) || at(end) != '}' || lazyExact || m_atom == kNoAtom) refusePart(end + 1 - m_at);
    repeatsWithoutLimit(end + 1 - m_at);               // the limit may be 65535
    const bool again = at(end + 1) == '+' && !m_rust;  // for Oniguruma not possessive, but the whole again
    if (again) m_out.insert(m_atom, "(?:");
    copy(end + 1 - m_at);
    if (again) m_out += ')';
    if (!again && (at(m_at) == '?' || at(m_at) == '+')) copy(1);
  }

  void open() {
    Group group{m_out.size(), false, false};
    if (at(m_at + 1) != '?') {
      if (at(m_at + 1) == '*') refusePart(2);
      m_out += "(?:";  // nothing asks what a group captured
      ++m_at;
    } else {
      const auto* kind = std::find_if(std::begin(kGroups), std::end(kGroups), [&](auto text) { return follows(text); });
      if (kind == std::end(kGroups)) refusePart(4);
      group.looksAround = kind->find_first_of("=!") != std::string_view::npos;
      copy(kind->size());
    }
    m_groups.push_back(group);
    m_atom = kNoAtom;
  }

  void close() {
    if (m_groups.empty()) refuse("has a ')' at byte " + std::to_string(m_at) + " that closes nothing");
    const Group group = m_groups.back();
    m_groups.pop_back();
    if (group.looksAround && group.repeats)
      refuse("repeats something while it looks around, up to byte " + std::to_string(m_at) +
             ", which is not supported");
    if (!m_groups.empty()) m_groups.back().repeats |= group.repeats;
    m_atom = group.begin;
    m_atomRepeats = group.repeats;
    copy(1);
  }

  void charClass() {
    copy(1);
    if (at(m_at) == '^') copy(1);
    if (at(m_at) == ']') refusePart(1);
    for (std::size_t depth = 1; depth > 0;) {
      if (m_at >= m_pattern.size()) refuse("has a '[' without a ']'");
      const char c = m_pattern[m_at];
      if (follows("&&") || (m_rust && (follows("--") || follows("~~")))) refusePart(2);
      if (c == '\\') {
        escape(&Escape::inside);
      } else if (c == '[') {
        // A class within a class adds its characters: the brackets can go, but for those of a complement.
        const char next = at(m_at + 1);
        if (next == '^' || next == ':' || next == ']' || at(m_at - 1) == '-') refusePart(2);
        ++depth;
        ++m_at;
      } else if (c == ']') {
        if (--depth > 0 && at(m_at + 1) == '-') refusePart(2);
        if (depth == 0) m_out += ']';
        ++m_at;
      } else {
        copyCharacter();
      }
    }
  }

  void escape(std::string_view Escape::*place) {
    const char letter = at(m_at + 1);
    if (m_at + 1 >= m_pattern.size()) refuse("ends with a '\\'");
    if (letter == 'p' || letter == 'P') return property();
    if (letter == 'x' || letter == 'u') return number();
    const auto* known = std::find_if(std::begin(kEscapes), std::end(kEscapes),
                                     [&](const Escape& escape) { return escape.letter == letter; });
    if (known != std::end(kEscapes) && !(known->*place).empty()) {
      m_out += known->*place;
      m_at += 2;
    } else if (isLetter(letter) || isDigit(letter)) {
      refusePart(2);
    } else if (static_cast<unsigned char>(letter) >= 0x80) {
      ++m_at;
      copyCharacter();
    } else {
      copy(2);
    }
  }

  /// \p{Lu}, \p{^Lu}, \pL: a category or a script.
  void property() {
    const bool single = at(m_at + 2) != '{';
    const std::size_t begin = m_at + (single ? 2 : 3);
    const std::size_t end = single ? begin + 1 : std::min(m_pattern.find('}', begin), m_pattern.size());
    std::string_view name = m_pattern.substr(std::min(begin, m_pattern.size()), end - begin);
    const bool negated = name.starts_with('^');
    if (negated) name.remove_prefix(1);
    const auto* category = std::find(std::begin(kCategories), std::end(kCategories), name);
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) { return isLetter(c) || c == '_'; });
    if (name.empty() || !plain || name.size() > 40) refusePart(end + 1 - m_at);
    m_out += std::string("\\") + at(m_at + 1) + (negated ? "{^" : "{");
    // PCRE2 takes the bare name of a script for its extensions too.
    if (category == std::end(kCategories)) m_out += "sc:";
    m_out.append(name).append("}");
    m_at = end + (single ? 0 : 1);
  }

  /// \x41, \x{1F600}, \u3000, \u{3000}.
  void number() {
    const bool braced = at(m_at + 2) == '{';
    const std::size_t begin = m_at + (braced ? 3 : 2);
    const std::size_t most = braced ? 6 : at(m_at + 1) == 'x' ? 2 : 4;
    std::size_t end = begin;
    while (end < begin + most && std::isxdigit(static_cast<unsigned char>(at(end)))) ++end;
    const bool whole = braced ? end > begin && at(end) == '}' : end == begin + most;
    // Two digits are a byte for Oniguruma and a character for Rust: the same below 0x80.
    const bool byte = most == 2 && at(begin) > '7';
    if (!whole || byte) refusePart(end + 1 - m_at);
    m_out.append("\\x{").append(m_pattern.substr(begin, end - begin)).append("}");
    m_at = end + (braced ? 1 : 0);
  }

  std::string_view m_pattern;
  bool m_rust;
  const std::string& m_origin;
  std::size_t m_at = 0;
  std::string m_out;
  std::size_t m_atom = kNoAtom;  // where in m_out the last thing begins that can be repeated
  bool m_atomRepeats = false;    // whether something repeats inside it
  std::vector<Group> m_groups;   // the open ones
};

}  // namespace

std::string toPcre2(std::string_view pattern, PatternDialect dialect, const std::string& origin) {
  return Translator(pattern, dialect, origin).run();
}

std::string literalPattern(std::string_view text) {
  std::string pattern;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = codePointAt(text, i);
    char escaped[16];
    std::snprintf(escaped, sizeof escaped, "\\x{%x}", static_cast<unsigned>(point.value));
    pattern += escaped;
    i += point.length;
  }
  return pattern;
}

}  // namespace core::tokenizer
