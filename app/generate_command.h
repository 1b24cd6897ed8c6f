// The text of `headscope generate`, while it comes and afterwards.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "app/utf8_stream.h"
#include "core/generation.h"

namespace app {

class GeneratedText {
 public:
  enum class Shown { AsTokens, AsText };  ///< ids with commas for a model without a tokenizer

  /// live: where tokens are printed as they come; null: nowhere.
  GeneratedText(std::ostream* live, Shown shown) : m_live(live), m_shown(shown) {}

  void add(const core::TokenText& token);
  void end();  ///< of the live text: what is held back, and the end of its last line

  /// prompt_tokens, generated_tokens, text, stop ("count", "context_end" or "cancelled"), sampling.
  nlohmann::ordered_json json(const std::vector<core::TokenId>& prompt, const core::Sampling& sampling,
                              const char* stop) const;

 private:
  void print(const std::string& text);

  std::ostream* m_live;
  Shown m_shown;
  Utf8Stream m_stream;
  bool m_lineIsOpen = false;
  std::vector<core::TokenId> m_tokens;
  std::string m_bytes;
};

/// "count" or "context_end", for JSON.
const char* word(core::Generation::Stop stop);

}  // namespace app
