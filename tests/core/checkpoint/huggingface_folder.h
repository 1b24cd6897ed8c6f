// A tiny Hugging Face model (2 layers, 4 heads, 8 wide, context 16, vocabulary 6; rotary ones have 2 key/value heads),
// right unless a test changes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace support {

struct FolderTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::string bytes;
  std::string dtype = "F32";  ///< as safetensors writes it: F32, F16, BF16
};

class HuggingfaceFolder {
 public:
  /// modelType: gpt2, llama, mistral, qwen2 or qwen3. Heads are tied for gpt2 alone.
  explicit HuggingfaceFolder(const std::string& modelType);

  nlohmann::json config;
  std::vector<FolderTensor> tensors;

  FolderTensor& tensor(const std::string& name);
  void add(const std::string& name, std::vector<std::int64_t> shape);
  void remove(const std::string& name);
  /// Every tensor as the upper 16 bits of its floats.
  void toBf16();

  std::string safetensors() const { return safetensors(0, tensors.size()); }
  std::string torchFile() const { return torchFile(0, tensors.size()); }

  /// Each writes config.json and the weights that the name says, into a folder that is there.
  void writeSafetensors(const std::filesystem::path& folder) const;  ///< model.safetensors
  void writeTorch(const std::filesystem::path& folder) const;        ///< pytorch_model.bin
  void writeShards(const std::filesystem::path& folder) const;       ///< two, with model.safetensors.index.json
  void writeTorchShards(const std::filesystem::path& folder) const;  ///< two, with pytorch_model.bin.index.json

 private:
  void addRotary(const std::string& modelType);
  void addGpt2();
  std::string safetensors(std::size_t first, std::size_t last) const;
  std::string torchFile(std::size_t first, std::size_t last) const;
  void writeIndex(const std::filesystem::path& path, const std::string& first, const std::string& second) const;

  std::size_t half() const { return tensors.size() / 2; }
};

}  // namespace support
