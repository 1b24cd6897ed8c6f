#include "core/tokenizer/character_symbols.h"

#include <algorithm>

#include "core/tokenizer/utf8.h"

namespace core::tokenizer {

void addSymbols(std::string_view piece, const CharacterSymbols& symbols, Merger& merger,
                const std::function<void(std::string_view character)>& missing) {
  const auto ofByte = [&](char byte) { return symbols.bytes[static_cast<unsigned char>(byte)]; };
  // An unknown character waits for the next one that is not, to be fused with those between. Those that become bytes
  // come before it then, in tokenizers and so here; a vocabulary with all bytes never gets there.
  bool waiting = false;
  const auto addWaiting = [&] {
    if (waiting) merger.add(symbols.unknown);
    waiting = false;
  };
  for (std::size_t at = 0; at < piece.size();) {
    const CodePoint point = codePointAt(piece, at);
    const std::string_view character = piece.substr(at, point.length);
    at += point.length;
    const auto known = point.valid ? symbols.ids.find(point.value) : symbols.ids.end();
    if (known != symbols.ids.end()) {
      addWaiting();
      merger.add(known->second);
    } else if (std::none_of(character.begin(), character.end(), [&](char b) { return ofByte(b) == kNoSymbol; })) {
      for (const char byte : character) merger.add(ofByte(byte));
    } else if (symbols.unknown == kNoSymbol) {
      missing(character);
    } else {
      if (symbols.unknownInARow == UnknownInARow::OneEach) addWaiting();
      waiting = true;
    }
  }
  addWaiting();
}

}  // namespace core::tokenizer
