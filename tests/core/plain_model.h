// Every family's forward pass once more, in plain loops and double: the oracle where upstream left no reference run.
// Source: models as published by nanoGPT, nanochat and transformers; written without Torch.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/ids.h"
#include "core/model_info.h"

namespace support {

using Matrix = std::vector<std::vector<double>>;  // rows

/// A model of random weights: as bytes for the model under test, and as numbers for the loops.
class PlainModel {
 public:
  /// Weights are multiples of 1/16 up to `largest`, which every type holds exactly. Heads are tied where the config
  /// says so. Windows, multiplier, base and cap are those of config.trained.
  PlainModel(const core::ModelConfig& config, core::checkpoint::DType type, double largest = 1);

  /// Shape: (T, V).
  Matrix logits(const std::vector<core::TokenId>& tokens) const;

  core::ModelConfig config;
  std::map<std::string, core::checkpoint::Tensor> tensors;

 private:
  void add(const std::string& name, int rows, int columns, std::vector<std::int64_t> shape);
  void addLinear(const std::string& name, int out, int in, bool bias);
  void addNorm(const std::string& name, int size);

  bool has(const std::string& name) const { return m_numbers.contains(name); }
  double at(const std::string& name, int index) const { return m_numbers.at(name)[0][static_cast<std::size_t>(index)]; }
  Matrix embedded(const std::vector<core::TokenId>& tokens) const;
  Matrix linear(const Matrix& x, const std::string& name) const;
  Matrix normalized(const Matrix& x, const std::string& name) const;
  Matrix attended(const Matrix& x, int layer, const std::vector<core::TokenId>& tokens) const;
  Matrix mlp(const Matrix& x, const std::string& name) const;
  void turn(std::vector<double>& vector, std::size_t first, std::size_t position) const;
  void normalizeHead(std::vector<double>& row, std::size_t first, const std::string& weight) const;

  core::checkpoint::DType m_type;
  double m_largest;
  std::mt19937 m_random{5};
  std::map<std::string, Matrix> m_numbers;
};

}  // namespace support
