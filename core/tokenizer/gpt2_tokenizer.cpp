// gpt2Tokenizer(): the merges that are linked in, as one more byte-level BPE.
#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "core/tokenizer/byte_alphabet.h"
#include "core/tokenizer/byte_bpe.h"

extern "C" const char headscopeGpt2Merges[];
extern "C" const char headscopeGpt2MergesEnd[];

namespace core::tokenizer {

namespace {

constexpr std::string_view kEndOfText = "<|endoftext|>";

/// merges: vocab.bpe, a "#version" line and then "left right" in the byte alphabet, a line each, best first. Ids
/// follow: the bytes in the order of their letters, then what each merge makes.
std::shared_ptr<const Tokenizer> make(std::string_view merges) {
  constexpr std::size_t kMerges = 50'000;
  ByteBpeParts parts;
  std::unordered_map<std::string, Symbol> ids;
  ids.reserve(kMerges + 256);
  const auto add = [&](std::string bytes) {
    const auto id = static_cast<Symbol>(parts.tokens.size());
    ids.emplace(bytes, id);
    parts.tokens.push_back(std::move(bytes));
    return id;
  };
  for (const unsigned char byte : bytesInLetterOrder()) add(std::string(1, static_cast<char>(byte)));
  for (std::size_t at = 0; at < merges.size();) {
    const std::size_t end = std::min(merges.find('\n', at), merges.size());
    const std::string_view line = merges.substr(at, end - at);
    at = end + 1;
    const std::size_t space = line.find(' ');
    if (line.starts_with("#version") || space == std::string_view::npos) continue;
    const std::string left = bytesOfLetters(line.substr(0, space)).value();
    const std::string right = bytesOfLetters(line.substr(space + 1)).value();
    const auto rank = static_cast<std::uint32_t>(parts.merges.size());
    parts.merges.set(ids.at(left), ids.at(right), {rank, add(left + right)});
  }
  if (parts.merges.size() != kMerges) throw std::logic_error("the built-in merge table is damaged");
  parts.specials = {static_cast<TokenId>(parts.tokens.size())};
  parts.spelled.emplace(parts.specials.front(), kEndOfText);
  parts.tokens.emplace_back();
  parts.pretokenizer = Pretokenizer({gpt2Split()});
  parts.description = "GPT-2 byte-level BPE";
  return makeByteBpe(std::move(parts));
}

}  // namespace

std::shared_ptr<const Tokenizer> gpt2Tokenizer() {
  static const std::shared_ptr<const Tokenizer> tokenizer =
      make({headscopeGpt2Merges, static_cast<std::size_t>(headscopeGpt2MergesEnd - headscopeGpt2Merges)});
  return tokenizer;
}

}  // namespace core::tokenizer
