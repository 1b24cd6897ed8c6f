#include "core/tokenizer/byte_alphabet.h"

#include "core/tokenizer/utf8.h"

namespace core::tokenizer {

namespace {

constexpr char32_t kLetters = 0x144;  // one past the last letter

struct Alphabet {
  std::array<unsigned char, 256> inOrder{};
  std::array<std::int16_t, kLetters> byLetter{};  // the byte, or -1

  Alphabet() {
    byLetter.fill(-1);
    const auto printable = [](unsigned byte) { return (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173); };
    std::size_t next = 0;
    char32_t other = 0x100;
    const auto add = [&](unsigned byte, char32_t letter) {
      inOrder[next++] = static_cast<unsigned char>(byte);
      byLetter[letter] = static_cast<std::int16_t>(byte);
    };
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (printable(byte)) add(byte, byte);
    }
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (!printable(byte)) add(byte, other++);
    }
  }
};

const Alphabet& alphabet() {
  static const Alphabet letters;
  return letters;
}

}  // namespace

const std::array<unsigned char, 256>& bytesInLetterOrder() { return alphabet().inOrder; }

std::optional<std::string> bytesOfLetters(std::string_view letters) {
  std::string bytes;
  for (std::size_t i = 0; i < letters.size();) {
    const CodePoint letter = codePointAt(letters, i);
    if (!letter.valid || letter.value >= kLetters || alphabet().byLetter[letter.value] < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(alphabet().byLetter[letter.value]));
    i += letter.length;
  }
  return bytes;
}

}  // namespace core::tokenizer
