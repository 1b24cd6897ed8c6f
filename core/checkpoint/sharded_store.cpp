#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/checkpoint/format.h"
#include "core/checkpoint/joined_store.h"
#include "core/checkpoint/json.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/stores.h"
#include "core/error.h"

namespace core::checkpoint {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostShards = 512;  // each is an open file
constexpr const char* kGetAll = "Download or copy all files of the model again.";

using Index = std::map<std::string, std::string>;  // a tensor's name -> its shard's

/// A shard lies beside its index: any other place is a file that the index has no business with.
void requirePlainName(const fs::path& index, const std::string& shard) {
  const bool plain = !shard.empty() && shard != "." && shard != ".." &&
                     shard.find_first_of("/\\") == std::string::npos && shard.find('\0') == std::string::npos;
  if (plain) return;
  throw Error(ErrorKind::Unsafe,
              fmt::format("{}: it names {} as a part of the model, which is no file beside it. Don't use this model "
                          "unless you know who wrote it.",
                          index.string(), inQuotes(shard)));
}

Index readIndex(const fs::path& path) {
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorKind::Corrupt, fmt::format("{}: {}. Download or copy it again.", path.string(), what));
  };
  const Json map = readWeightMap(path);
  if (map.is_null()) fail("it has no 'weight_map', which says where each tensor is");
  if (!map.is_object() || map.empty()) fail("its 'weight_map' names no tensor");
  Index index;
  for (const auto& [tensor, shard] : map.items()) {
    if (!shard.is_string())
      fail(fmt::format("its 'weight_map' has {} for {}, no file's name", shard.type_name(), inQuotes(tensor)));
    index.emplace(tensor, shard.get_ref<const std::string&>());
    requirePlainName(path, index.at(tensor));
  }
  return index;
}

using TensorsByShard = std::map<std::string, std::vector<std::string>>;  // both sorted

/// Errors: TooLarge, NotFound.
TensorsByShard byShard(const fs::path& path, const Index& index) {
  TensorsByShard shards;
  for (const auto& [tensor, shard] : index) shards[shard].push_back(tensor);
  if (shards.size() > kMostShards) {
    throw Error(ErrorKind::TooLarge, fmt::format("{}: it names {}, the limit is {}. Open a smaller model.",
                                                 path.string(), counted(shards.size(), "file"), kMostShards));
  }
  std::vector<std::string> missing;
  std::error_code error;
  for (const auto& [name, tensors] : shards) {
    if (!fs::exists(path.parent_path() / name, error)) missing.push_back(name);
  }
  if (missing.empty()) return shards;
  const std::string what =
      shards.size() == 1
          ? fmt::format("the file {} that holds the model is not beside it", listed(missing))
          : fmt::format("{} of the {} that hold the model {} not beside it: {}", missing.size(),
                        counted(shards.size(), "file"), missing.size() == 1 ? "is" : "are", listed(missing));
  throw Error(ErrorKind::NotFound, fmt::format("{}: {}. Download or copy {} there.", path.string(), what,
                                               missing.size() == 1 ? "it" : "them"));
}

class ShardedStore : public JoinedStore {
 public:
  ShardedStore(const fs::path& index, const Index& tensors) : JoinedStore(index.string()), m_index(index) {
    for (const auto& [name, listedNames] : byShard(index, tensors)) {
      std::unique_ptr<FileStore> shard = openShard(m_index.parent_path() / name);
      // Before the next is opened: all shards together have no more tensors than the index.
      requireSameNames(tensors, *shard, listedNames);
      add(std::move(shard));
    }
  }

 private:
  /// Opens a shard by its content.
  std::unique_ptr<FileStore> openShard(const fs::path& path) {
    File file(path);
    if (isSafetensors(file)) return safetensorsStore(SafetensorsFile(std::move(file)));
    const ZipDirectory directory = torchDirectory(file);
    m_torch.push_back(std::make_unique<TorchFile>(std::move(file), directory));
    return torchStore(*m_torch.back(), m_torch.back()->root(), "its top level");
  }

  /// What the index says of one shard, and what is in it.
  void requireSameNames(const Index& index, const FileStore& shard, const std::vector<std::string>& expected) const {
    const std::vector<std::string>& found = shard.names();
    std::vector<std::string> missing, odd;
    std::set_difference(expected.begin(), expected.end(), found.begin(), found.end(), std::back_inserter(missing));
    std::set_difference(found.begin(), found.end(), expected.begin(), expected.end(), std::back_inserter(odd));
    if (missing.empty() && odd.empty()) return;
    std::string what;
    if (!missing.empty()) {
      what = fmt::format("{} that {} places there {} not in it: {}", counted(missing.size(), "tensor"),
                         m_index.filename().string(), missing.size() == 1 ? "is" : "are", listed(missing));
    }
    if (!odd.empty()) {
      const auto elsewhere = index.find(odd.front());
      what += fmt::format("{}it has {} that the index {}: {}", what.empty() ? "" : "; ", counted(odd.size(), "tensor"),
                          elsewhere == index.end() ? "does not know" : "places in " + inQuotes(elsewhere->second),
                          listed(odd));
    }
    throw Error(ErrorKind::Mismatch, fmt::format("{}: {}. {}", shard.fileOf(""), what, kGetAll));
  }

  fs::path m_index;
  std::vector<std::unique_ptr<TorchFile>> m_torch;  // which stores read from
};

}  // namespace

Json readWeightMap(const fs::path& index) {
  Json json = readJson(File(index), kIndexJson);
  const auto map = json.find("weight_map");  // the end in what is no object
  return map == json.end() ? Json() : std::move(*map);
}

std::unique_ptr<TensorStore> openShards(const fs::path& index) {
  return std::make_unique<ShardedStore>(index, readIndex(index));
}

std::vector<fs::path> shardFiles(const fs::path& index) {
  std::vector<fs::path> files;
  for (const auto& [name, tensors] : byShard(index, readIndex(index))) files.push_back(index.parent_path() / name);
  return files;
}

}  // namespace core::checkpoint
