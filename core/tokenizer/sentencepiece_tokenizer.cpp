#include "core/tokenizer/sentencepiece_tokenizer.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "core/tokenizer/added_tokens.h"

namespace core::tokenizer {

namespace {

constexpr std::string_view kSpaceMark = "\u2581";

/// The few kinds of fields of which a model file consists. Source: protobuf, "Encoding".
class Message {
 public:
  void add(unsigned field, std::uint64_t number) {
    addVarint(field << 3);
    addVarint(number);
  }
  void add(unsigned field, float number) {
    addVarint(field << 3 | 5);
    m_bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void add(unsigned field, std::string_view bytes) {
    addVarint(field << 3 | 2);
    addVarint(bytes.size());
    m_bytes += bytes;
  }
  void add(unsigned field, const Message& message) { add(field, std::string_view(message.m_bytes)); }
  const std::string& bytes() const { return m_bytes; }

 private:
  void addVarint(std::uint64_t number) {
    for (; number >= 128; number >>= 7) m_bytes += static_cast<char>(number | 128);
    m_bytes += static_cast<char>(number);
  }

  std::string m_bytes;
};

/// The value of "<0x0A>", the form of every byte piece that the library takes.
char byteOf(const std::string& piece) { return static_cast<char>(std::stoi(piece.substr(3, 2), nullptr, 16)); }

/// Spaces as the marks that stand for them in the library's text.
std::string withMarks(std::string text) {
  for (std::size_t at = 0; (at = text.find(' ', at)) != std::string::npos; at += kSpaceMark.size())
    text.replace(at, 1, kSpaceMark);
  return text;
}

/// Numbers of the fields: sentencepiece_model.proto.
std::string modelOf(const SentencePieceParts& parts) {
  constexpr std::uint64_t kBpe = 2;
  Message model;
  std::unordered_set<std::string_view> bytes;
  for (const auto& [text, score, type] : parts.pieces) {
    Message piece;
    piece.add(1, std::string_view(type == PieceType::UserDefined ? withMarks(text) : text));
    piece.add(2, score);
    piece.add(3, std::uint64_t{static_cast<std::uint8_t>(type)});
    model.add(1, piece);
    if (type == PieceType::Byte) bytes.insert(text);
  }
  Message trainer;
  trainer.add(3, kBpe);
  trainer.add(35, std::uint64_t{bytes.size() == 256});  // byte_fallback
  model.add(2, trainer);
  Message normalizer;
  normalizer.add(3, std::uint64_t{parts.addsSpace});  // add_dummy_prefix
  normalizer.add(4, std::uint64_t{0});                // remove_extra_whitespaces
  normalizer.add(5, std::uint64_t{1});                // escape_whitespaces
  model.add(3, normalizer);
  return model.bytes();
}

class SentencePiece final : public Tokenizer {
 public:
  SentencePiece(SentencePieceParts parts, const std::string& origin) : m_parts(std::move(parts)) {
    const auto status = m_processor.LoadFromSerializedProto(modelOf(m_parts));
    if (!status.ok()) {
      std::string reason = status.error_message();
      while (reason.ends_with('.')) reason.pop_back();
      throw Error(ErrorKind::Corrupt, origin + ": SentencePiece does not take the tokens in it: " + reason +
                                          ". Choose another tokenizer file, or give token ids.");
    }
    std::vector<AddedToken> specials;
    for (std::size_t i = 0; i < m_parts.pieces.size(); ++i) {
      if (m_parts.pieces[i].type != PieceType::Control) continue;
      m_specialIds.push_back(static_cast<TokenId>(i));
      specials.push_back({.id = m_specialIds.back(), .content = m_parts.pieces[i].text});
    }
    m_specials = AddedTokens(std::move(specials));
  }

  Encoding encode(std::string_view text, Specials specials) const override {
    Encoding encoding;
    const auto token = [&](TokenId id) { encoding.ids.push_back(id); };
    const auto rest = [&](std::string_view part) {
      const std::vector<int> ids = m_processor.EncodeAsIds(part);
      encoding.ids.insert(encoding.ids.end(), ids.begin(), ids.end());
    };
    if (specials == Specials::Tokens) {
      m_specials.split(text, token, rest);
    } else if (!text.empty()) {
      rest(text);
    }
    return encoding;
  }

  std::vector<TokenId> specials() const override { return m_specialIds; }
  std::vector<TokenId> prefix() const override { return m_parts.prefix; }

  std::string bytes(TokenId id) const override {
    if (id < 0 || id >= size()) return {};
    const auto& [text, score, type] = m_parts.pieces[static_cast<std::size_t>(id)];
    if (type == PieceType::Byte) return std::string(1, byteOf(text));
    if (type != PieceType::Normal && type != PieceType::UserDefined) return text;
    std::string plain = text;
    for (std::size_t at = 0; (at = plain.find(kSpaceMark, at)) != std::string::npos; ++at)
      plain.replace(at, kSpaceMark.size(), " ");
    return plain;
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(m_parts.pieces.size()); }
  std::string description() const override { return m_parts.description; }

 private:
  SentencePieceParts m_parts;
  sentencepiece::SentencePieceProcessor m_processor;
  AddedTokens m_specials;
  std::vector<TokenId> m_specialIds;
};

}  // namespace

std::shared_ptr<const Tokenizer> makeSentencePiece(SentencePieceParts parts, const std::string& origin) {
  return std::make_shared<SentencePiece>(std::move(parts), origin);
}

}  // namespace core::tokenizer
