// Upstream's own numbers: reference.json and reference.safetensors (layout in tests/data/README.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace support {

struct Reference {
  std::string prompt;
  std::vector<std::string> tokenTexts;
  std::vector<std::int64_t> tokens;  ///< (T)
  std::vector<float> attention;      ///< (L, H, T, T), after softmax
  std::vector<float> logits;         ///< (T, V)
  std::int64_t layers = 0, heads = 0, size = 0, vocabulary = 0;

  float weight(std::int64_t layer, std::int64_t head, std::int64_t query, std::int64_t key) const {
    return attention[static_cast<std::size_t>(((layer * heads + head) * size + query) * size + key)];
  }
};

/// Reads folder/name.json and folder/name.safetensors. Throws std::runtime_error when they are not as expected.
Reference readReference(const std::filesystem::path& folder, const std::string& name = "reference");

}  // namespace support
