// Where a checkpoint's tensors are: the kinds of TensorStore.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/checkpoint/json.h"
#include "core/checkpoint/safetensors_file.h"
#include "core/checkpoint/tensor_store.h"
#include "core/checkpoint/torch_file.h"

namespace core::checkpoint {

/// One safetensors file.
std::unique_ptr<TensorStore> makeStore(SafetensorsFile file);

/// A dict of tensors in a torch file: its root, or what stands under 'model'. `what` names the dict in sentences
/// ("'model'"); the file must outlive the store.
/// Errors: Unsupported for a whole object in place of a dict, Mismatch for anything else that is no dict of tensors,
/// Corrupt for names that are no texts.
std::unique_ptr<TensorStore> makeStore(const TorchFile& file, const pickle::Value& dict, const std::string& what);

/// The 'weight_map' of an index file, in which every tensor's name has that of its file; null where there is none.
/// Errors: those of readJson.
Json readWeightMap(const std::filesystem::path& index);

/// The shards of an index file (model.safetensors.index.json, pytorch_model.bin.index.json), which says for every
/// tensor the file beside it that holds it; shards are opened by content.
/// Errors: NotFound (a shard that is not there), Unsafe (a name that leads elsewhere), Mismatch (a tensor that is not
/// in its shard, or in a shard but not in the index), Corrupt; those of opening a shard.
std::unique_ptr<TensorStore> openShards(const std::filesystem::path& index);

/// The files of all its shards, sorted. Errors: Corrupt, TooLarge, NotFound, Unsafe: as openShards.
std::vector<std::filesystem::path> shardFiles(const std::filesystem::path& index);

}  // namespace core::checkpoint
