// The two escaped spellings of text in protocol 0.
#pragma once

#include <string>
#include <string_view>

namespace core::checkpoint::pickle {

/// Python's repr of a byte string, without its quotes. Escapes that we don't know stay as they are.
std::string withoutStringEscapes(std::string_view text);

/// raw-unicode-escape: Latin-1 with \uXXXX and \UXXXXXXXX.
std::string withoutUnicodeEscapes(std::string_view text);

}  // namespace core::checkpoint::pickle
