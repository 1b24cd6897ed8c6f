#include "core/tokenizer/added_tokens.h"

#include <algorithm>

#include "core/tokenizer/unicode_regex.h"
#include "core/tokenizer/utf8.h"
#include "core/tokenizer/white_space.h"

namespace core::tokenizer {

namespace {

bool isA(const UnicodeRegex& regex, std::string_view text, const CodePoint& point, std::size_t at) {
  return point.valid && regex.matches(text.substr(at, point.length));
}

/// \w of Rust's regex crate.
bool isWord(std::string_view text, std::size_t at) {
  static const UnicodeRegex regex(R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}])");
  return isA(regex, text, codePointAt(text, at), at);
}

bool isSpace(std::string_view text, std::size_t at) {
  static const UnicodeRegex regex("[" HEADSCOPE_WHITE_SPACE "]");
  return isA(regex, text, codePointAt(text, at), at);
}

/// Where the character begins that ends at `end`, which is not 0.
std::size_t characterBefore(std::string_view text, std::size_t end) {
  for (std::size_t length = std::min<std::size_t>(4, end); length > 1; --length) {
    if (codePointAt(text, end - length).length == length) return end - length;  // of a bad byte it is 1
  }
  return end - 1;
}

bool standsAlone(std::string_view text, std::size_t begin, std::size_t end) {
  return (begin == 0 || !isWord(text, characterBefore(text, begin))) && (end == text.size() || !isWord(text, end));
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : m_tokens(std::move(tokens)), m_ending(1, -1) {
  for (std::size_t i = 0; i < m_tokens.size(); ++i) {
    std::uint32_t node = 0;
    for (const char byte : m_tokens[i].content) {
      const std::uint64_t edge = (std::uint64_t{node} << 8) | static_cast<unsigned char>(byte);
      const auto [found, isNew] = m_edges.emplace(edge, static_cast<std::uint32_t>(m_ending.size()));
      if (isNew) m_ending.push_back(-1);
      node = found->second;
    }
    m_ending[node] = static_cast<std::int32_t>(i);
    m_beginning[static_cast<unsigned char>(m_tokens[i].content.front())] = true;
  }
}

const AddedToken* AddedTokens::longestAt(std::string_view text, std::size_t at) const {
  const AddedToken* longest = nullptr;
  std::uint32_t node = 0;
  for (; at < text.size(); ++at) {
    const auto edge = m_edges.find((std::uint64_t{node} << 8) | static_cast<unsigned char>(text[at]));
    if (edge == m_edges.end()) break;
    node = edge->second;
    if (m_ending[node] >= 0) longest = &m_tokens[static_cast<std::size_t>(m_ending[node])];
  }
  return longest;
}

void AddedTokens::split(std::string_view text, const std::function<void(TokenId)>& token,
                        const std::function<void(std::string_view)>& rest) const {
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size() && !m_tokens.empty();) {
    const AddedToken* found = m_beginning[static_cast<unsigned char>(text[at])] ? longestAt(text, at) : nullptr;
    if (found == nullptr) {
      ++at;
      continue;
    }
    std::size_t begin = at;
    std::size_t end = at + found->content.size();
    at = end;  // also when it does not count: a shorter one within it is not looked for
    if (found->singleWord && !standsAlone(text, begin, end)) continue;
    while (found->lstrip && begin > done && isSpace(text, characterBefore(text, begin))) {
      begin = characterBefore(text, begin);
    }
    while (found->rstrip && end < text.size() && isSpace(text, end)) end += codePointAt(text, end).length;
    if (begin > done) rest(text.substr(done, begin - done));
    token(found->id);
    done = end;
  }
  if (done < text.size()) rest(text.substr(done));
}

}  // namespace core::tokenizer
