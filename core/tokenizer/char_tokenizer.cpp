#include "core/tokenizer/char_tokenizer.h"

#include <unordered_map>
#include <unordered_set>

#include "core/tokenizer/token_label.h"
#include "core/tokenizer/utf8.h"

namespace core::tokenizer {

namespace {

class CharTokenizer final : public Tokenizer {
 public:
  explicit CharTokenizer(std::vector<std::string> itos) : m_itos(std::move(itos)) {
    for (std::size_t id = 0; id < m_itos.size(); ++id) m_ids.emplace(m_itos[id], static_cast<TokenId>(id));
  }

  Encoding encode(std::string_view text, Specials /* it has none */) const override {
    Encoding encoding;
    encoding.ids.reserve(text.size());
    std::unordered_set<std::string> missing;
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t length = codePointAt(text, i).length;
      const std::string piece(text.substr(i, length));
      i += length;
      if (const auto found = m_ids.find(piece); found != m_ids.end()) {
        encoding.ids.push_back(found->second);
      } else if (missing.insert(piece).second) {
        encoding.notEncodable.push_back(visibleText(piece));
      }
    }
    return encoding;
  }

  std::string bytes(TokenId id) const override {
    return id >= 0 && id < size() ? m_itos[static_cast<std::size_t>(id)] : std::string();
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(m_itos.size()); }
  std::string description() const override {
    return std::to_string(m_itos.size()) + (m_itos.size() == 1 ? " character" : " characters");
  }

 private:
  std::vector<std::string> m_itos;
  std::unordered_map<std::string, TokenId> m_ids;
};

}  // namespace

std::shared_ptr<const Tokenizer> makeCharTokenizer(std::vector<std::string> itos) {
  return std::make_shared<CharTokenizer>(std::move(itos));
}

}  // namespace core::tokenizer
