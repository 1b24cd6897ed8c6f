#include "core/tokenizer/normalizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "core/tokenizer/utf8.h"

namespace core::tokenizer {

namespace {

utf8proc_option_t optionsOf(NormalForm form) {
  constexpr unsigned kOptions[] = {UTF8PROC_STABLE | UTF8PROC_COMPOSE, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE,
                                   UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT,
                                   UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT};
  return static_cast<utf8proc_option_t>(kOptions[static_cast<std::size_t>(form)]);
}

utf8proc_propval_t combiningClass(utf8proc_int32_t character) {
  return utf8proc_get_property(character)->combining_class;
}

/// Puts the marks of each run of them in order. utf8proc's own function does it by swapping neighbours, which takes
/// quadratic time for a long run.
void orderMarks(std::vector<utf8proc_int32_t>& characters) {
  for (auto begin = characters.begin(); begin != characters.end();) {
    if (combiningClass(*begin) == 0) {
      ++begin;
      continue;
    }
    const auto end = std::find_if(begin, characters.end(), [](auto c) { return combiningClass(c) == 0; });
    std::stable_sort(begin, end, [](auto a, auto b) { return combiningClass(a) < combiningClass(b); });
    begin = end;
  }
}

void append(std::string& text, std::vector<utf8proc_int32_t>& characters, utf8proc_option_t options) {
  orderMarks(characters);
  const utf8proc_ssize_t count =
      utf8proc_normalize_utf32(characters.data(), static_cast<utf8proc_ssize_t>(characters.size()), options);
  if (count < 0) throw std::logic_error(utf8proc_errmsg(count));
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    appendUtf8(text, static_cast<char32_t>(characters[static_cast<std::size_t>(i)]));
  }
  characters.clear();
}

std::string after(std::string_view text, NormalForm form) { return normalized(text, form); }

std::string after(std::string_view text, const PrependText& step) {
  return text.empty() ? std::string() : step.text + std::string(text);
}

std::string after(std::string_view text, const ReplaceText& step) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t at; (at = text.find(step.pattern, done)) != std::string_view::npos;
       done = at + step.pattern.size()) {
    result.append(text.substr(done, at - done)).append(step.content);
  }
  return result.append(text.substr(done));
}

}  // namespace

std::string normalized(std::string_view text, NormalForm form) {
  const auto isAscii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), isAscii)) return std::string(text);
  const utf8proc_option_t options = optionsOf(form);
  std::string result;
  std::vector<utf8proc_int32_t> characters;  // of the current run of valid ones, decomposed
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = codePointAt(text, i);
    i += point.length;
    if (!point.valid) {
      append(result, characters, options);
      result.push_back(text[i - 1]);
      continue;
    }
    utf8proc_int32_t parts[32];  // the longest decomposition has 18
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point.value), parts, std::size(parts), options, nullptr);
    if (count < 0 || count > std::ssize(parts)) throw std::logic_error("a character with too many parts");
    characters.insert(characters.end(), parts, parts + count);
  }
  append(result, characters, options);
  return result;
}

std::string normalized(std::string_view text, const std::vector<NormalStep>& steps) {
  std::string result(text);
  for (const NormalStep& step : steps) {
    result = std::visit([&](const auto& one) { return after(result, one); }, step);
  }
  return result;
}

}  // namespace core::tokenizer
