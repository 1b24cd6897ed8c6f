#include "app/generate_command.h"

namespace app {

using Json = nlohmann::ordered_json;

void GeneratedText::print(const std::string& text) {
  if (m_live == nullptr || text.empty()) return;
  *m_live << text << std::flush;
  m_lineIsOpen = text.back() != '\n';
}

void GeneratedText::add(const core::TokenText& token) {
  const bool isFirst = m_tokens.empty();
  m_tokens.push_back(token.id);
  m_bytes += token.bytes;
  if (m_shown == Shown::AsText) return print(m_stream.add(token.bytes));
  print((isFirst ? "" : ",") + std::to_string(token.id));
}

void GeneratedText::end() {
  print(m_stream.end());
  if (m_lineIsOpen) print("\n");
}

Json GeneratedText::json(const std::vector<core::TokenId>& prompt, const core::Sampling& sampling,
                         const char* stop) const {
  return {{"prompt_tokens", prompt},
          {"generated_tokens", m_tokens},
          {"text", m_shown == Shown::AsText ? Json(m_bytes) : Json()},
          {"stop", stop},
          {"sampling", {{"temperature", sampling.temperature}, {"top_k", sampling.topK}, {"seed", sampling.seed}}}};
}

const char* word(core::Generation::Stop stop) {
  return stop == core::Generation::Stop::Count ? "count" : "context_end";
}

}  // namespace app
