// What is done to a text before it is split: Unicode's normal forms and fixed replacements.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace core::tokenizer {

enum class NormalForm { Nfc, Nfd, Nfkc, Nfkd };

/// Puts a text before one that is not empty.
struct PrependText {
  std::string text;
};

/// Puts `content` in the place of each `pattern`, a text that is not empty; from the left, where they overlap.
struct ReplaceText {
  std::string pattern;
  std::string content;
};

using NormalStep = std::variant<NormalForm, PrependText, ReplaceText>;

/// The text in a normal form. Bytes that are not UTF-8 stay themselves and join nothing. n log n in the length, also
/// for a megabyte of combining marks.
std::string normalized(std::string_view text, NormalForm form);

/// The text after these steps, one after another.
std::string normalized(std::string_view text, const std::vector<NormalStep>& steps);

}  // namespace core::tokenizer
