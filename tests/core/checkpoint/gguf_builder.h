// Writes GGUF files as llama.cpp's converters do, and wrong ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace support {

/// Little-endian bytes of a number.
template <class T>
std::string bytesOf(T number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

/// A length and the text.
std::string ggufText(std::string_view text);

/// n numbers in a fixed order without pattern, between -1 and 1; `seed` tells sequences apart.
std::vector<float> someNumbers(std::size_t n, std::uint32_t seed);
std::string f32Bytes(const std::vector<float>& numbers);

struct GgufTensor {
  std::string name;
  std::vector<std::uint64_t> dimensions;  ///< fastest first, as in the file
  std::uint32_t type = 0;                 ///< 0: F32
  std::string bytes;
  std::optional<std::uint64_t> offset;  ///< instead of the true one
};

/// Ids of value types, by which keys are set.
enum class GgufId : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, Text, List, U64, I64, F64 };

class GgufBuilder {
 public:
  // A key that is there already gets the new value.
  void set(const std::string& key, GgufId type, const std::string& bytes);
  void setWord(const std::string& key, std::uint32_t number) { set(key, GgufId::U32, bytesOf(number)); }
  void setFloat(const std::string& key, float number) { set(key, GgufId::F32, bytesOf(number)); }
  void setBool(const std::string& key, bool value) { set(key, GgufId::Bool, std::string(1, value ? '\1' : '\0')); }
  void setText(const std::string& key, std::string_view text) { set(key, GgufId::Text, ggufText(text)); }
  void setTexts(const std::string& key, const std::vector<std::string>& texts);
  void setInts(const std::string& key, const std::vector<std::int32_t>& numbers);
  void setFloats(const std::string& key, const std::vector<float>& numbers);
  void remove(const std::string& key);

  GgufTensor& add(const std::string& name, std::vector<std::uint64_t> dimensions, const std::string& bytes,
                  std::uint32_t type = 0);
  /// fp32 numbers without pattern.
  GgufTensor& add(const std::string& name, std::vector<std::uint64_t> dimensions);
  GgufTensor& tensor(const std::string& name);
  void removeTensor(const std::string& name);
  std::vector<GgufTensor>& tensors() { return m_tensors; }

  std::string magic = "GGUF";
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;                 ///< of the places; the key is set apart
  std::optional<std::uint64_t> claimedKeys;     ///< instead of the true number
  std::optional<std::uint64_t> claimedTensors;  ///< instead of the true number
  std::string extraKey;                         ///< bytes of further keys and values
  std::uint64_t extraKeyCount = 1;              ///< how many they are, where there are any
  std::string afterwards;                       ///< bytes behind the last tensor

  std::string build() const;

 private:
  struct Key {
    std::string name;
    GgufId type;
    std::string bytes;
  };
  std::vector<Key> m_keys;
  std::vector<GgufTensor> m_tensors;
};

/// A whole llama model, as small as it goes: 2 layers, 2 heads of 4 on 1, 8 wide, MLP of 12, context 16, vocabulary 8.
GgufBuilder tinyLlama();
/// The same sizes under the keys of another architecture.
GgufBuilder tinyModel(const std::string& architecture);
/// 1 layer, 2 heads of 4, with all biases.
GgufBuilder tinyGpt2();
/// With a byte-level vocabulary of 256 bytes and "ab" (258 tokens with <s>), and the split rule of GPT-2.
GgufBuilder tinyLlamaWithTokenizer();

}  // namespace support
