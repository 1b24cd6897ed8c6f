// A PCRE2 pattern that knows Unicode.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace core::tokenizer {

/// Immutable; safe from any thread. Letters are those of the Unicode version that the linked PCRE2 knows (14 for Debian
/// 12's 10.42): text in scripts that are younger may split otherwise than upstream splits it.
class UnicodeRegex {
 public:
  /// A pattern of ours, in PCRE2's syntax: a mistake in it is a std::logic_error.
  explicit UnicodeRegex(std::string_view pattern);

  /// A pattern from a file, as toPcre2() gives it. `spelling` is what the file has; sentences name it after `origin`.
  /// Errors: Unsupported when it does not compile.
  UnicodeRegex(std::string_view pattern, std::string spelling, std::string origin);

  ~UnicodeRegex();
  UnicodeRegex(const UnicodeRegex&) = delete;
  UnicodeRegex& operator=(const UnicodeRegex&) = delete;

  struct Match {
    std::size_t begin, end;  ///< bytes of the text
  };

  /// One text's matches; keeps the working memory between them.
  class Scanner {
   public:
    /// textBytes: of all that will be looked at. A pattern from a file may take so much time for a byte, and no more.
    Scanner(const UnicodeRegex& regex, std::size_t textBytes);
    /// The first match that begins at `from` or later. The text must be valid UTF-8: it is not checked again, or a long
    /// one would take quadratic time.
    /// Errors: Unsupported when a pattern from a file takes too many steps, or too long.
    std::optional<Match> find(std::string_view text, std::size_t from);

   private:
    struct Memory;
    [[noreturn]] void fail(const std::string& reason, std::string_view text) const;
    void requireTime(std::string_view text);

    const UnicodeRegex& m_regex;
    std::shared_ptr<Memory> m_memory;
    double m_seconds;  // of this thread's processor time that may be taken
  };

  /// Whether all of the text is one match. The text must be valid UTF-8.
  bool matches(std::string_view text) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> m_compiled;
};

}  // namespace core::tokenizer
