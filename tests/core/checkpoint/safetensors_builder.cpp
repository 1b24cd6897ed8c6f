#include "tests/core/checkpoint/safetensors_builder.h"

#include <cstring>

namespace support {

namespace {

std::string numbers(const std::vector<std::int64_t>& values) {
  std::string text = "[";
  for (const std::int64_t value : values) text += (text.size() > 1 ? "," : "") + std::to_string(value);
  return text + "]";
}

std::string withLength(std::uint64_t length, const std::string& rest) {
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + rest;
}

}  // namespace

SafetensorsEntry& SafetensorsBuilder::add(const std::string& name, std::vector<std::int64_t> shape,
                                          const std::string& bytes, const std::string& dtype) {
  SafetensorsEntry& entry = m_entries.emplace_back();
  entry.name = name;
  entry.dtype = dtype;
  entry.shape = std::move(shape);
  entry.bytes = bytes;
  return entry;
}

std::string SafetensorsBuilder::header() const {
  std::string text = metadata.empty() ? "" : "\"__metadata__\":" + metadata;
  std::int64_t at = 0;
  for (const SafetensorsEntry& entry : m_entries) {
    const std::int64_t end = at + static_cast<std::int64_t>(entry.bytes.size());
    const auto [first, last] = entry.offsets.value_or(std::pair(at, end));
    const std::string description = R"({"dtype":")" + entry.dtype + R"(","shape":)" + numbers(entry.shape) +
                                    R"(,"data_offsets":)" + numbers({first, last}) + "}";
    text += (text.empty() ? "\"" : ",\"") + entry.name + "\":" + (entry.text.empty() ? description : entry.text);
    at = end;
  }
  text = "{" + text + "}";
  text.resize((text.size() + 7) / 8 * 8, ' ');  // upstream aligns the tensors
  return text;
}

std::string SafetensorsBuilder::build() const {
  const std::string text = headerText.value_or(header());
  std::string bytes = text;
  for (const SafetensorsEntry& entry : m_entries) bytes += entry.bytes;
  return withLength(claimedLength.value_or(text.size()), bytes + afterwards);
}

std::string safetensorsOf(const std::string& header, const std::string& bytes) {
  return withLength(header.size(), header + bytes);
}

}  // namespace support
