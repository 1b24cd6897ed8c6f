#include "tests/core/checkpoint/gguf_builder.h"

#include <algorithm>
#include <stdexcept>

#include "core/tokenizer/byte_alphabet.h"

namespace support {

namespace {

std::size_t countOf(const std::vector<std::uint64_t>& dimensions) {
  std::size_t count = 1;
  for (const std::uint64_t size : dimensions) count *= size;
  return count;
}

/// A list's value: element type, count, elements.
std::string list(GgufId element, std::size_t count, const std::string& bytes) {
  return bytesOf(static_cast<std::uint32_t>(element)) + bytesOf(std::uint64_t{count}) + bytes;
}

/// A code point below U+0800 as UTF-8.
std::string utf8(unsigned point) {
  if (point < 0x80) return std::string(1, static_cast<char>(point));
  return {static_cast<char>(0xc0 | point >> 6), static_cast<char>(0x80 | (point & 0x3f))};
}

}  // namespace

std::string ggufText(std::string_view text) { return bytesOf(std::uint64_t{text.size()}).append(text); }

std::vector<float> someNumbers(std::size_t n, std::uint32_t seed) {
  std::vector<float> numbers;
  std::uint32_t state = seed * 2654435761u + 1;
  for (std::size_t i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    numbers.push_back(static_cast<float>(state >> 8) / 8388608.0f - 1.0f);
  }
  return numbers;
}

std::string f32Bytes(const std::vector<float>& numbers) {
  return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
}

void GgufBuilder::set(const std::string& key, GgufId type, const std::string& bytes) {
  const auto found = std::find_if(m_keys.begin(), m_keys.end(), [&](const Key& known) { return known.name == key; });
  if (found == m_keys.end()) {
    m_keys.push_back({key, type, bytes});
  } else {
    *found = {key, type, bytes};
  }
}

void GgufBuilder::setTexts(const std::string& key, const std::vector<std::string>& texts) {
  std::string bytes;
  for (const std::string& text : texts) bytes += ggufText(text);
  set(key, GgufId::List, list(GgufId::Text, texts.size(), bytes));
}

void GgufBuilder::setInts(const std::string& key, const std::vector<std::int32_t>& numbers) {
  std::string bytes;
  for (const std::int32_t number : numbers) bytes += bytesOf(number);
  set(key, GgufId::List, list(GgufId::I32, numbers.size(), bytes));
}

void GgufBuilder::setFloats(const std::string& key, const std::vector<float>& numbers) {
  set(key, GgufId::List, list(GgufId::F32, numbers.size(), f32Bytes(numbers)));
}

void GgufBuilder::remove(const std::string& key) {
  std::erase_if(m_keys, [&](const Key& known) { return known.name == key; });
}

GgufTensor& GgufBuilder::add(const std::string& name, std::vector<std::uint64_t> dimensions, const std::string& bytes,
                             std::uint32_t type) {
  return m_tensors.emplace_back(GgufTensor{name, std::move(dimensions), type, bytes, std::nullopt});
}

GgufTensor& GgufBuilder::add(const std::string& name, std::vector<std::uint64_t> dimensions) {
  const auto numbers = someNumbers(countOf(dimensions), static_cast<std::uint32_t>(m_tensors.size()) + 1);
  return add(name, std::move(dimensions), f32Bytes(numbers));
}

GgufTensor& GgufBuilder::tensor(const std::string& name) {
  const auto found =
      std::find_if(m_tensors.begin(), m_tensors.end(), [&](const GgufTensor& tensor) { return tensor.name == name; });
  if (found == m_tensors.end()) throw std::logic_error("no tensor " + name);
  return *found;
}

void GgufBuilder::removeTensor(const std::string& name) {
  std::erase_if(m_tensors, [&](const GgufTensor& tensor) { return tensor.name == name; });
}

std::string GgufBuilder::build() const {
  const std::uint64_t keys = m_keys.size() + (extraKey.empty() ? 0 : extraKeyCount);
  std::string file = magic + bytesOf(version) + bytesOf(claimedTensors.value_or(m_tensors.size())) +
                     bytesOf(claimedKeys.value_or(keys));
  for (const Key& key : m_keys) file += ggufText(key.name) + bytesOf(static_cast<std::uint32_t>(key.type)) + key.bytes;
  file += extraKey;
  std::string data;
  const auto pad = [&](std::string& bytes) { bytes.resize((bytes.size() + alignment - 1) / alignment * alignment); };
  for (const GgufTensor& tensor : m_tensors) {
    pad(data);
    file += ggufText(tensor.name) + bytesOf(static_cast<std::uint32_t>(tensor.dimensions.size()));
    for (const std::uint64_t size : tensor.dimensions) file += bytesOf(size);
    file += bytesOf(tensor.type) + bytesOf(tensor.offset.value_or(data.size()));
    data += tensor.bytes;
  }
  if (!m_tensors.empty()) pad(file);
  return file + data + afterwards;
}

GgufBuilder tinyLlama() { return tinyModel("llama"); }

GgufBuilder tinyModel(const std::string& architecture) {
  GgufBuilder gguf;
  gguf.setText("general.architecture", architecture);
  gguf.setWord(architecture + ".block_count", 2);
  gguf.setWord(architecture + ".context_length", 16);
  gguf.setWord(architecture + ".embedding_length", 8);
  gguf.setWord(architecture + ".feed_forward_length", 12);
  gguf.setWord(architecture + ".attention.head_count", 2);
  gguf.setWord(architecture + ".attention.head_count_kv", 1);
  gguf.setFloat(architecture + ".attention.layer_norm_rms_epsilon", 1e-5f);
  gguf.setFloat(architecture + ".rope.freq_base", 10000);
  gguf.add("token_embd.weight", {8, 8});
  gguf.add("output_norm.weight", {8});
  for (const std::string layer : {"blk.0.", "blk.1."}) {
    gguf.add(layer + "attn_norm.weight", {8});
    gguf.add(layer + "attn_q.weight", {8, 8});
    gguf.add(layer + "attn_k.weight", {8, 4});
    gguf.add(layer + "attn_v.weight", {8, 4});
    gguf.add(layer + "attn_output.weight", {8, 8});
    gguf.add(layer + "ffn_norm.weight", {8});
    gguf.add(layer + "ffn_gate.weight", {8, 12});
    gguf.add(layer + "ffn_up.weight", {8, 12});
    gguf.add(layer + "ffn_down.weight", {12, 8});
  }
  return gguf;
}

GgufBuilder tinyGpt2() {
  GgufBuilder gguf;
  gguf.setText("general.architecture", "gpt2");
  gguf.setWord("gpt2.block_count", 1);
  gguf.setWord("gpt2.context_length", 16);
  gguf.setWord("gpt2.embedding_length", 8);
  gguf.setWord("gpt2.feed_forward_length", 12);
  gguf.setWord("gpt2.attention.head_count", 2);
  gguf.setFloat("gpt2.attention.layer_norm_epsilon", 1e-5f);
  gguf.add("token_embd.weight", {8, 8});
  gguf.add("position_embd.weight", {8, 16});
  const auto addBoth = [&](const std::string& name, std::vector<std::uint64_t> dimensions) {
    gguf.add(name + ".bias", {dimensions.back()});
    gguf.add(name + ".weight", std::move(dimensions));
  };
  for (const char* norm : {"output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"}) addBoth(norm, {8});
  addBoth("blk.0.attn_qkv", {8, 24});
  addBoth("blk.0.attn_output", {8, 8});
  addBoth("blk.0.ffn_up", {8, 12});
  addBoth("blk.0.ffn_down", {12, 8});
  return gguf;
}

GgufBuilder tinyLlamaWithTokenizer() {
  GgufBuilder gguf = tinyLlama();
  std::vector<std::string> tokens;
  // GPT-2's letters for the bytes: printable Latin-1 as itself, the others from U+0100 on.
  unsigned next = 0x100;
  for (const unsigned char byte : core::tokenizer::bytesInLetterOrder()) {
    const bool isPrintable = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    tokens.push_back(utf8(isPrintable ? byte : next++));
  }
  tokens.emplace_back("ab");
  tokens.emplace_back("<s>");
  std::vector<std::int32_t> types(tokens.size(), 1);
  types.back() = 3;
  gguf.setText("tokenizer.ggml.model", "gpt2");
  gguf.setText("tokenizer.ggml.pre", "gpt-2");
  gguf.setTexts("tokenizer.ggml.tokens", tokens);
  gguf.setInts("tokenizer.ggml.token_type", types);
  gguf.setTexts("tokenizer.ggml.merges", {"a b"});
  gguf.setWord("tokenizer.ggml.bos_token_id", 257);
  gguf.setBool("tokenizer.ggml.add_bos_token", true);
  gguf.removeTensor("token_embd.weight");
  gguf.add("token_embd.weight", {8, tokens.size()});
  return gguf;
}

}  // namespace support
