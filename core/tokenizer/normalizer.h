// Unicode's normal forms.
#pragma once

#include <string>
#include <string_view>

namespace core::tokenizer {

enum class NormalForm { Nfc, Nfd, Nfkc, Nfkd };

/// The text in a normal form. Bytes that are not UTF-8 stay themselves and join nothing. n log n in the length, also
/// for a megabyte of combining marks.
std::string normalized(std::string_view text, NormalForm form);

}  // namespace core::tokenizer
