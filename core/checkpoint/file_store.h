// Stores of one file each, as parts of a store of several.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/checkpoint/safetensors_file.h"
#include "core/checkpoint/tensor_reader.h"
#include "core/checkpoint/tensor_store.h"
#include "core/checkpoint/torch_file.h"

namespace core::checkpoint {

class FileStore : public TensorStore {
 public:
  using Wanted = std::map<std::string, std::string>;  ///< our name -> the name in the file

  /// How much memory readInto() is going to fill. Errors: those of read() that show before anything is read.
  virtual std::uint64_t bytesToRead(const Wanted& wanted) const = 0;

  /// Adds the wanted tensors in the order of the file. Errors: as read().
  virtual void readInto(TensorReader& reader, const Wanted& wanted) const = 0;

  Reading read(const Wanted& wanted, const Progress& progress) const final {
    TensorReader reader(fileOf(""), bytesToRead(wanted), progress);
    readInto(reader, wanted);
    return reader.take();
  }
};

std::unique_ptr<FileStore> safetensorsStore(SafetensorsFile file);

/// Errors: as makeStore() of a torch file, which must outlive the store.
std::unique_ptr<FileStore> torchStore(const TorchFile& file, const pickle::Value& dict, const std::string& what);

}  // namespace core::checkpoint
