// A tiny nanoGPT checkpoint (1 layer, 2 heads, 4 wide, context 3, vocabulary 5), right unless a test changes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/core/checkpoint/pickle_builder.h"
#include "tests/core/checkpoint/zip_builder.h"

namespace support {

struct BuiltTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::string bytes;  ///< of its storage
  std::string storage = "FloatStorage";
  std::string key;                    ///< of its storage; the same key again: shared
  std::vector<std::int64_t> strides;  ///< empty: row-major
};

class ModelBuilder {
 public:
  explicit ModelBuilder(bool bias = false);

  pickle::Pairs modelArgs;           ///< n_layer, n_head, n_embd, block_size, bias, vocab_size, dropout
  std::vector<BuiltTensor> tensors;  ///< with lm_head sharing the storage of wte
  pickle::Pairs more;                ///< further top-level keys: optimizer, config, iter_num ...

  BuiltTensor& tensor(const std::string& name);  ///< "transformer.wte.weight"
  void setArgument(const std::string& key, const std::string& value);
  void removeArgument(const std::string& key);

  std::string pickleBytes() const;
  ZipBuilder archive() const;
  std::string build() const { return archive().build(); }
};

/// The state dict of tensors as a pickle's value.
std::string stateDict(const std::vector<BuiltTensor>& tensors);

/// The archive of a pickle and the storages of its tensors.
ZipBuilder archiveOf(const std::string& pickleBytes, const std::vector<BuiltTensor>& tensors);

/// `count` floats 0.5, 1.5, 2.5 ... plus `first`, as bytes.
std::string floats(std::size_t count, float first = 0);

}  // namespace support
