#include "core/tokenizer/pretokenizer.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/tokenizer/utf8.h"
#include "core/tokenizer/white_space.h"

namespace core::tokenizer {

namespace {

// Words, numbers and signs never need to give a character back, so they are possessive: no backtracking.
constexpr std::string_view kGpt2Pattern =
    "'(?:[stmd]|re|ve|ll)"
    R"(| ?\p{L}++)"
    R"(| ?\p{N}++)"
    "| ?[^" HEADSCOPE_WHITE_SPACE R"(\p{L}\p{N}]++)"
    "|[" HEADSCOPE_WHITE_SPACE "]+(?![^" HEADSCOPE_WHITE_SPACE
    "])"
    "|[" HEADSCOPE_WHITE_SPACE "]+";

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The text with each byte that is not UTF-8 replaced, and the way back.
struct Shadow {
  std::string text;
  std::vector<std::size_t> replaced;  ///< places of the replacements in `text`, ascending

  /// The place in the source of a place in `text`.
  std::size_t source(std::size_t at) const {
    const auto before = std::lower_bound(replaced.begin(), replaced.end(), at) - replaced.begin();
    return at - static_cast<std::size_t>(before) * (kReplacement.size() - 1);
  }
};

bool isUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = codePointAt(text, i);
    if (!point.valid) return false;
    i += point.length;
  }
  return true;
}

Shadow makeShadow(std::string_view text) {
  Shadow shadow;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = codePointAt(text, i);
    if (point.valid) {
      shadow.text += text.substr(i, point.length);
    } else {
      shadow.replaced.push_back(shadow.text.size());
      shadow.text += kReplacement;
    }
    i += point.length;
  }
  return shadow;
}

struct Segment {
  std::size_t begin, end;
  bool matched;
};

/// Whether a segment joins the one before it.
bool joins(SplitBehavior behavior, const Segment& before, const Segment& segment) {
  switch (behavior) {
    case SplitBehavior::Contiguous: return before.matched == segment.matched;
    case SplitBehavior::MergedWithPrevious: return !before.matched && segment.matched;
    case SplitBehavior::MergedWithNext: return before.matched && !segment.matched;
    case SplitBehavior::Isolated:
    case SplitBehavior::Removed: break;
  }
  return false;
}

/// One text on its way through the steps.
class Splitting {
 public:
  Splitting(const std::vector<Pretokenizer::Step>& steps, std::string_view text,
            const std::function<void(std::string_view)>& piece)
      : m_steps(steps), m_text(text), m_piece(piece) {
    for (const Pretokenizer::Step& step : steps) {
      const auto* split = std::get_if<SplitStep>(&step);
      m_scanners.emplace_back(split ? std::optional(UnicodeRegex::Scanner(*split->pattern, text.size()))
                                    : std::nullopt);
    }
    if (!isUtf8(text)) m_shadow = makeShadow(text);
  }

  void run() { run(0, m_shadow ? std::string_view(m_shadow->text) : m_text); }

 private:
  void run(std::size_t step, std::string_view text) {
    if (text.empty()) return;
    if (step == m_steps.size()) return emit(text);
    if (m_scanners[step]) return split(step, text);
    if (text.starts_with(' ')) return run(step + 1, text);
    m_spaced = " " + std::string(text);
    m_unspaced = text;
    run(step + 1, *m_spaced);
    m_spaced.reset();
  }

  /// The order in which empty matches are taken or passed over is that of the onig crate's iterator.
  void split(std::size_t step, std::string_view text) {
    const auto& rule = std::get<SplitStep>(m_steps[step]);
    std::optional<Segment> pending;
    const auto flush = [&] {
      if (pending && !(pending->matched && rule.behavior == SplitBehavior::Removed)) {
        run(step + 1, text.substr(pending->begin, pending->end - pending->begin));
      }
      pending.reset();
    };
    const auto add = [&](std::size_t begin, std::size_t end, bool matched) {
      const Segment segment{begin, end, matched == (rule.sense == SplitSense::Matches)};
      if (pending && joins(rule.behavior, *pending, segment)) {
        *pending = {pending->begin, end, segment.matched};
      } else {
        flush();
        pending = segment;
      }
    };
    std::size_t done = 0;
    std::optional<std::size_t> lastEnd;
    for (std::size_t from = 0; from <= text.size();) {
      const auto match = m_scanners[step]->find(text, from);
      if (!match) break;
      if (match->begin == match->end && lastEnd == match->end) {
        from += from < text.size() ? codePointAt(text, from).length : 1;
        continue;
      }
      if (match->begin > done) add(done, match->begin, false);
      add(match->begin, match->end, true);
      from = done = match->end;
      lastEnd = match->end;
    }
    if (done < text.size()) add(done, text.size(), false);
    flush();
  }

  /// A piece of the shadow, or of the copy with a space before it, as its own bytes.
  void emit(std::string_view text) {
    const bool inCopy = m_spaced.has_value();
    const auto offset = static_cast<std::size_t>(text.data() - (inCopy ? m_spaced->data() : shadowStart()));
    const bool withSpace = inCopy && offset == 0;
    std::size_t begin = offset;
    if (inCopy) begin = static_cast<std::size_t>(m_unspaced.data() - shadowStart()) + offset - (withSpace ? 0 : 1);
    const std::size_t end = begin + text.size() - (withSpace ? 1 : 0);
    const std::size_t sourceBegin = m_shadow ? m_shadow->source(begin) : begin;
    const std::size_t sourceEnd = m_shadow ? m_shadow->source(end) : end;
    const std::string_view source = m_text.substr(sourceBegin, sourceEnd - sourceBegin);
    m_piece(withSpace ? std::string_view(m_scratch = " " + std::string(source)) : source);
  }

  const char* shadowStart() const { return m_shadow ? m_shadow->text.data() : m_text.data(); }

  const std::vector<Pretokenizer::Step>& m_steps;
  std::string_view m_text;
  const std::function<void(std::string_view)>& m_piece;
  std::vector<std::optional<UnicodeRegex::Scanner>> m_scanners;  // by step
  std::optional<Shadow> m_shadow;                                // when the text is not UTF-8
  std::optional<std::string> m_spaced;
  std::string_view m_unspaced;
  std::string m_scratch;
};

}  // namespace

void Pretokenizer::split(std::string_view text, const std::function<void(std::string_view)>& piece) const {
  Splitting(m_steps, text, piece).run();
}

SplitStep gpt2Split() {
  static const auto pattern = std::make_shared<const UnicodeRegex>(kGpt2Pattern);
  return {pattern};
}

}  // namespace core::tokenizer
