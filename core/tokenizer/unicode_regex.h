// A PCRE2 pattern that knows Unicode, matched at a given place only.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace core::tokenizer {

/// Immutable; safe from any thread.
class UnicodeRegex {
 public:
  /// The pattern is one of ours: a mistake in it is a std::logic_error.
  explicit UnicodeRegex(std::string_view pattern);
  ~UnicodeRegex();
  UnicodeRegex(const UnicodeRegex&) = delete;
  UnicodeRegex& operator=(const UnicodeRegex&) = delete;

  /// One text's matches; keeps the working memory between them.
  class Scanner {
   public:
    /// The text must be valid UTF-8: it is not checked again, or a long text would take quadratic time.
    Scanner(const UnicodeRegex& regex, std::string_view text);
    /// Bytes of the match that starts exactly at `at`; 0 when there is none.
    std::size_t matchAt(std::size_t at);

   private:
    const UnicodeRegex& m_regex;
    std::string_view m_text;
    std::shared_ptr<void> m_match;
  };

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> m_compiled;
};

}  // namespace core::tokenizer
