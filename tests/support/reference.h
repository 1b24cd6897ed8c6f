// Upstream's own numbers: reference.json and reference.safetensors (layouts in tests/data/README.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace support {

/// L layers, H heads, T tokens, V vocabulary; R rows are kept of the T: all, unless the file names some.
struct Reference {
  std::string prompt;                   ///< empty where the description tells it in words only
  std::vector<std::string> tokenTexts;  ///< (T), or none
  std::vector<std::int64_t> tokens;     ///< (T)
  std::vector<std::int64_t> rows;       ///< (R): the query of each row, ascending
  std::vector<float> attention;         ///< (L, H, R, T), after softmax
  std::vector<float> logits;            ///< (logitRows, V)
  std::vector<std::int64_t> logitRows;  ///< the query of each row of the logits: as `rows`, or the last token alone
  std::vector<float> lse;               ///< (L, H, T), or none
  std::int64_t layers = 0, heads = 0, size = 0, vocabulary = 0;

  /// Of the row's query; where every row is kept, the row is the query.
  float weight(std::int64_t layer, std::int64_t head, std::int64_t row, std::int64_t key) const {
    const auto R = static_cast<std::int64_t>(rows.size());
    return attention[static_cast<std::size_t>(((layer * heads + head) * R + row) * size + key)];
  }
};

/// Reads folder/name.json and folder/name.safetensors. Throws std::runtime_error when they are not as expected.
Reference readReference(const std::filesystem::path& folder, const std::string& name = "reference");

}  // namespace support
