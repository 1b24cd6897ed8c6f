// A small model of tests/data with some of its weights changed: what a damaged or diverged checkpoint holds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace support {

/// `count` numbers of a tensor, from `first` on in row-major order, become `value`.
struct WeightChange {
  std::string tensor;
  std::size_t first;
  std::size_t count;
  float value;
};

/// Writes tests/data/`name`, a model of one safetensors file in fp32, to `folder` with the changes.
/// Throws std::runtime_error where the file holds no such numbers.
void writeChangedModel(const std::string& name, const std::vector<WeightChange>& changes,
                       const std::filesystem::path& folder);

}  // namespace support
