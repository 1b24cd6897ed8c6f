// Real safetensors files, as upstream wrote them: every tensor equals what a plain look into the file finds.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "core/checkpoint/stores.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

std::string bytesOf(const Tensor& tensor) {
  return std::string(reinterpret_cast<const char*>(tensor.data.get()),
                     static_cast<std::size_t>(tensor.elements()) * itemSize(tensor.type));
}

/// Every tensor under the name that the file gives it.
std::map<std::string, std::string> all(const TensorStore& store) {
  std::map<std::string, std::string> names;
  for (const std::string& name : store.names()) names.emplace(name, name);
  return names;
}

/// The real files, read by nlohmann's own parser and nothing else of ours.
void expectAsInFile(const std::filesystem::path& path, const Reading& reading) {
  const std::string bytes = support::readFile(path);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  std::size_t tensors = 0;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    ++tensors;
    const std::size_t begin = entry.at("data_offsets").at(0), end = entry.at("data_offsets").at(1);
    const Tensor& tensor = reading.tensors.at(name);
    EXPECT_EQ(tensor.shape, entry.at("shape").get<std::vector<std::int64_t>>()) << name;
    EXPECT_EQ(itemSize(tensor.type), entry.at("dtype") == "F32" ? 4u : 2u) << name;
    EXPECT_TRUE(bytesOf(tensor) == bytes.substr(8 + length + begin, end - begin)) << name;
  }
  EXPECT_GT(tensors, 0u);
}

TEST(RealStores, FixtureInOneFileIsReadAsItStands) {
  HEADSCOPE_FIXTURE(path, "hf-llama-gqa/model.safetensors");
  const auto store = makeStore(SafetensorsFile(File(path)));
  const Reading reading = store->read(all(*store), Progress());
  EXPECT_TRUE(reading.warnings.empty());
  expectAsInFile(path, reading);
}

TEST(RealStores, FixtureInTwoShardsIsReadAsItStands) {
  HEADSCOPE_FIXTURE(path, "hf-llama-bf16-sharded/model.safetensors.index.json");
  const auto store = openShards(path);
  const Reading reading = store->read(all(*store), Progress());
  EXPECT_TRUE(reading.warnings.empty());
  for (const char* shard : {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"})
    expectAsInFile(path.parent_path() / shard, reading);
  EXPECT_EQ(static_cast<std::uint64_t>(reading.bytes),
            nlohmann::json::parse(support::readFile(path)).at("metadata").at("total_size").get<std::uint64_t>());
}

}  // namespace
}  // namespace core::checkpoint
