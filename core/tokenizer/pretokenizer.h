// Splits text into the pieces that byte-pair merges never cross.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tokenizer/unicode_regex.h"

namespace core::tokenizer {

/// What becomes of a match, as in Hugging Face's tokenizers.
enum class SplitBehavior {
  Isolated,            ///< a piece of its own
  Removed,             ///< left out
  MergedWithPrevious,  ///< joins what is before it
  MergedWithNext,
  Contiguous,  ///< matches in a row are one piece
};

/// Which parts of the text count as the matches.
enum class SplitSense { Matches, Gaps };

struct SplitStep {
  std::shared_ptr<const UnicodeRegex> pattern;
  SplitBehavior behavior = SplitBehavior::Isolated;
  SplitSense sense = SplitSense::Matches;
};

/// Puts a space before a piece that has none in front. At most one such step.
struct LeadingSpaceStep {};

/// Steps in a row: each splits the pieces of the one before. Immutable; safe from any thread.
class Pretokenizer {
 public:
  using Step = std::variant<SplitStep, LeadingSpaceStep>;
  explicit Pretokenizer(std::vector<Step> steps) : m_steps(std::move(steps)) {}

  /// Calls piece() for each piece in order; none is empty. A piece lives until the call returns.
  /// Bytes that are not UTF-8 split like U+FFFD, which a decoder would put in their place, but stay themselves.
  /// Errors: Unsupported when a pattern from a file takes too many steps.
  void split(std::string_view text, const std::function<void(std::string_view piece)>& piece) const;

 private:
  std::vector<Step> m_steps;
};

/// The split rule of GPT-2: contractions, words, numbers and other signs with one leading space, and white space.
/// Source: OpenAI gpt-2, encoder.py.
SplitStep gpt2Split();

}  // namespace core::tokenizer
