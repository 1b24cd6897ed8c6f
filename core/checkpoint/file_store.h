// Stores of one file each, as parts of a store of several.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/checkpoint/gguf_file.h"
#include "core/checkpoint/safetensors_file.h"
#include "core/checkpoint/tensor_reader.h"
#include "core/checkpoint/tensor_store.h"
#include "core/checkpoint/torch_file.h"

namespace core::checkpoint {

class FileStore : public TensorStore {
 public:
  using Wanted = std::map<std::string, std::string>;  ///< our name -> the name in the file

  /// Bytes of the file that readInto() is going to read. Errors: those of read() that show before anything is read.
  virtual std::uint64_t bytesToRead(const Wanted& wanted) const = 0;

  /// Memory that it is going to fill: more, where quantized tensors are widened.
  virtual std::uint64_t memoryToFill(const Wanted& wanted) const { return bytesToRead(wanted); }

  /// Adds the wanted tensors in the order of the file. Errors: as read().
  virtual void readInto(TensorReader& reader, const Wanted& wanted) const = 0;

  Reading read(const Wanted& wanted, const Progress& progress) const final {
    TensorReader reader(fileOf(""), bytesToRead(wanted), memoryToFill(wanted), progress);
    readInto(reader, wanted);
    return reader.take();
  }
};

/// Place in the file and name of a tensor -> all the names under which it is wanted.
using InFileOrder = std::map<std::pair<std::uint64_t, std::string>, std::vector<std::string>>;

/// `entries`: name in the file -> an entry with its `begin`.
template <class Entries>
InFileOrder inFileOrder(const FileStore::Wanted& wanted, const Entries& entries) {
  InFileOrder order;
  for (const auto& [ours, name] : wanted) order[{entries.at(name).begin, name}].push_back(ours);
  return order;
}

/// Bytes in the file of the wanted tensors, each counted once. Entries don't overlap: at most the file's size.
template <class Entries>
std::uint64_t bytesInFile(const FileStore::Wanted& wanted, const Entries& entries) {
  std::uint64_t total = 0;
  for (const auto& [place, ours] : inFileOrder(wanted, entries)) {
    const auto& entry = entries.at(place.second);
    total += entry.end - entry.begin;
  }
  return total;
}

std::unique_ptr<FileStore> safetensorsStore(SafetensorsFile file);
std::unique_ptr<FileStore> ggufStore(GgufFile file);

/// Errors: as makeStore() of a torch file, which must outlive the store.
std::unique_ptr<FileStore> torchStore(const TorchFile& file, const pickle::Value& dict, const std::string& what);

}  // namespace core::checkpoint
