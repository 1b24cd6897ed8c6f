// How far each layer looks: masks, windows, and the pattern of letters that spells them.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Key j is in the window of query i when i - j <= left: left + 1 keys with the query's own (FlashAttention's
/// convention; Hugging Face's sliding_window W is left = W - 1).
struct Window {
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  std::int64_t left = kNoLimit;
  bool limited() const { return left != kNoLimit; }
  friend auto operator<=>(const Window&, const Window&) = default;
};

/// Whether a query sees only keys before it, as GPT was trained, or those after it too, as BERT was.
enum class MaskKind { Causal, Bidirectional };
const char* word(MaskKind kind);  ///< "causal", "bidirectional"

/// Where a model's windows come from.
struct WindowRule {
  std::string pattern;  ///< "SSSL" as in the checkpoint; empty where a file says it another way
  Window shortWindow;   ///< what S means
  Window longWindow;    ///< what L means
  std::string origin;   ///< a phrase: "window_pattern of meta_000100.json; S is a quarter of the context"
};

/// The letters S and L, in any case, repeated over the layers; the last layer is always L.
/// Shape: (layers). Errors: Mismatch for another letter or an empty pattern, with the letter and its place.
std::vector<Window> windowsOf(std::string_view pattern, int layers, const WindowRule& rule);

/// Widths as written: "128, 128, all, 0", separated by commas or white space; all: no limit, 0: the query alone.
/// Errors: Mismatch for another word and for nothing between two commas, with the word and its place.
std::vector<Window> widthsOf(std::string_view list);

/// Whether a text is meant for widthsOf() rather than for windowsOf(): it has a digit, a comma, or is "all".
bool isListOfWidths(std::string_view text);

/// The inverse of widthsOf(): "128, 128, all, 0".
std::string widthsText(const std::vector<Window>& windows);

/// 'S' for a window narrower than the rule's long one, else 'L'.
char letterOf(Window window, const WindowRule& rule);

/// nanochat's rounding, also offered for S where a family has no rule: a share of the context, up to a multiple of 128.
Window shareOfContext(std::int64_t context, std::int64_t divisor);

}  // namespace core
