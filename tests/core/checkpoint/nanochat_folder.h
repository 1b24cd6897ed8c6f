// A tiny nanochat checkpoint (3 layers, 4 heads on 2, context 1024, vocabulary 100 in 128 rows; 24 wide), right unless
// a test changes it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/core/checkpoint/model_builder.h"

namespace support {

/// Which version of nanochat wrote it.
enum class NanochatVersion { October2025, January11, January16, March9, March14 };

class NanochatFolder {
 public:
  explicit NanochatFolder(NanochatVersion version) : NanochatFolder(version, 24) {}
  /// width: of the embedding, a multiple of 8.
  NanochatFolder(NanochatVersion version, int width);

  nlohmann::json meta;  ///< step, model_config
  std::vector<BuiltTensor> tensors;

  BuiltTensor& tensor(const std::string& name);
  void add(const std::string& name, std::vector<std::int64_t> shape);

  std::string modelBytes() const;
  /// model_<step>.pt and meta_<step>.json with six digits. Answers the model's path.
  std::filesystem::path write(const std::filesystem::path& folder, int step = 100) const;
};

}  // namespace support
