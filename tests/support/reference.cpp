#include "tests/support/reference.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/support/files.h"

namespace support {

namespace {

template <class T>
std::vector<T> readTensor(const nlohmann::json& entry, const std::string& payload) {
  const std::size_t begin = entry.at("data_offsets").at(0);
  const std::size_t end = entry.at("data_offsets").at(1);
  if (begin > end || end > payload.size()) throw std::runtime_error("offsets outside the reference file");
  std::vector<T> values((end - begin) / sizeof(T));
  std::memcpy(values.data(), payload.data() + begin, values.size() * sizeof(T));
  return values;
}

}  // namespace

Reference readReference(const std::filesystem::path& folder, const std::string& name) {
  const auto description = nlohmann::json::parse(readFile(folder / (name + ".json")));
  const std::string file = readFile(folder / (name + ".safetensors"));
  std::uint64_t headerSize = 0;
  std::memcpy(&headerSize, file.data(), sizeof headerSize);
  const auto header = nlohmann::json::parse(file.substr(8, headerSize));
  const std::string payload = file.substr(8 + headerSize);

  Reference reference;
  reference.prompt = description.at("prompt");
  reference.tokenTexts = description.at("tokens").get<std::vector<std::string>>();
  reference.tokens = readTensor<std::int64_t>(header.at("tokens"), payload);
  reference.attention = readTensor<float>(header.at("attention"), payload);
  reference.logits = readTensor<float>(header.at("logits"), payload);
  const auto shape = header.at("attention").at("shape").get<std::vector<std::int64_t>>();
  reference.layers = shape.at(0);
  reference.heads = shape.at(1);
  reference.size = shape.at(2);
  reference.vocabulary = header.at("logits").at("shape").at(1);
  return reference;
}

}  // namespace support
