// Tokens that are found in a text before it is split: special ones and those added later.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ids.h"

namespace core::tokenizer {

/// As in the "added_tokens" of a tokenizer.json.
struct AddedToken {
  TokenId id = 0;
  std::string content;      ///< not empty
  bool singleWord = false;  ///< not within a word
  bool lstrip = false;      ///< takes the white space before it
  bool rstrip = false;      ///< takes the white space after it
  bool normalized = false;  ///< looked for in the normalized text
};

/// Immutable; safe from any thread.
class AddedTokens {
 public:
  AddedTokens() = default;
  explicit AddedTokens(std::vector<AddedToken> tokens);

  /// The text in order: token() for each token that is found, leftmost first, the longest of those that begin together;
  /// rest() for what is between them, never empty.
  void split(std::string_view text, const std::function<void(TokenId)>& token,
             const std::function<void(std::string_view)>& rest) const;

 private:
  const AddedToken* longestAt(std::string_view text, std::size_t at) const;

  std::vector<AddedToken> m_tokens;
  // A tree of bytes: (node, byte) -> node; the token that ends at a node.
  std::unordered_map<std::uint64_t, std::uint32_t> m_edges;
  std::vector<std::int32_t> m_ending;
  std::array<bool, 256> m_beginning{};  // bytes that a token begins with
};

}  // namespace core::tokenizer
