#include "tests/support/changed_model.h"

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/support/files.h"

namespace support {

namespace {

void change(std::string& file, const WeightChange& change) {
  std::uint64_t headerSize = 0;
  std::memcpy(&headerSize, file.data(), sizeof headerSize);
  const std::size_t payload = sizeof headerSize + headerSize;
  const auto tensor = nlohmann::json::parse(file.substr(sizeof headerSize, headerSize)).at(change.tensor);
  const auto [begin, end] = tensor.at("data_offsets").get<std::pair<std::size_t, std::size_t>>();
  if (tensor.at("dtype") != "F32" || begin + (change.first + change.count) * sizeof(float) > end)
    throw std::runtime_error("There are no such numbers in " + change.tensor);
  for (std::size_t n = change.first; n < change.first + change.count; ++n)
    std::memcpy(file.data() + payload + begin + n * sizeof(float), &change.value, sizeof(float));
}

}  // namespace

void writeChangedModel(const std::string& name, const std::vector<WeightChange>& changes,
                       const std::filesystem::path& folder) {
  std::string file = readFile(data(name) / "model.safetensors");
  for (const WeightChange& each : changes) change(file, each);
  writeFile(folder / "model.safetensors", file);
  writeFile(folder / "config.json", readFile(data(name) / "config.json"));
}

}  // namespace support
