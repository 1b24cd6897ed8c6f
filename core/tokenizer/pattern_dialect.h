// Split patterns as tokenizer files have them, made into PCRE2's syntax.
#pragma once

#include <string>
#include <string_view>

namespace core::tokenizer {

/// The regex engine that a pattern was written for. They agree on most, and differ in \s, $, {n,m}+ and the like.
enum class PatternDialect {
  Oniguruma,  ///< Hugging Face's tokenizers
  Rust,       ///< tiktoken
};

/// The PCRE2 pattern with the same matches. What the engines read differently, and what is not known to be the same in
/// both, is refused, since another split would go unnoticed. `origin` begins sentences.
/// Errors: Unsupported, naming the pattern and the part of it.
std::string toPcre2(std::string_view pattern, PatternDialect dialect, const std::string& origin);

/// A pattern that matches exactly this text.
std::string literalPattern(std::string_view text);

}  // namespace core::tokenizer
