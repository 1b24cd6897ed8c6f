// GPT-2's spelling of bytes as letters: printable Latin-1 as itself, the others as U+0100 and up.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core::tokenizer {

/// The bytes in the order of their letters, which is the order of GPT-2's first 256 ids.
/// Source: OpenAI gpt-2, encoder.py, bytes_to_unicode.
const std::array<unsigned char, 256>& bytesInLetterOrder();

/// The bytes that letters stand for; nothing when one of them is no letter of this alphabet.
std::optional<std::string> bytesOfLetters(std::string_view letters);

}  // namespace core::tokenizer
