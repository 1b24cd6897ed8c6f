#include <fmt/format.h>
#include <zlib.h>

#include <cstring>
#include <utility>

#include "core/checkpoint/file_store.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/stores.h"
#include "core/checkpoint/torch_tensor.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

using pickle::Kind;
using pickle::Value;

/// From the first element of a view to behind its last, in bytes. The view fits its storage, so nothing wraps.
std::uint64_t spanOf(const TorchTensor& tensor) {
  if (tensor.bytes() == 0) return 0;
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i)
    last += static_cast<std::uint64_t>((tensor.sizes[i] - 1) * tensor.strides[i]);
  return (last + 1) * itemSize(tensor.type);
}

void moveElements(const TorchTensor& tensor, const std::byte* from, std::byte* to) {
  const std::size_t size = itemSize(tensor.type);
  const std::size_t rank = tensor.sizes.size();
  std::vector<std::int64_t> index(rank, 0);
  for (std::uint64_t left = tensor.bytes() / size; left > 0; --left) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < rank; ++i) at += index[i] * tensor.strides[i];
    std::memcpy(to, from + static_cast<std::size_t>(at) * size, size);
    to += size;
    for (std::size_t i = rank; i-- > 0 && ++index[i] == tensor.sizes[i];) index[i] = 0;
  }
}

/// The dict's keys and values. Errors: as makeStore.
std::map<std::string, const Value*> entriesOf(const File& file, const Value& dict, const std::string& what) {
  if (dict.kind == Kind::Object) {
    throw Error(ErrorKind::Unsupported,
                fmt::format("{}: {} is a whole object of the class {}, which only its own code can rebuild. Save the "
                            "weights instead: model.state_dict().",
                            file.name(), what, inQuotes(pickle::callee(dict))));
  }
  if (dict.kind != Kind::Dict) {
    throw Error(ErrorKind::Mismatch, fmt::format("{}: {} is {}, not a dict of tensors. Save model.state_dict() there.",
                                                 file.name(), what, pickle::describe(dict)));
  }
  std::map<std::string, const Value*> entries;
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const Value& key = *dict.items[i];
    if (key.kind != Kind::Text) {
      throw Error(ErrorKind::Corrupt, fmt::format("{}: {} has {} as a tensor's name. Save the checkpoint again.",
                                                  file.name(), what, pickle::describe(key)));
    }
    if (!entries.emplace(key.text, dict.items[i + 1]).second) {
      throw Error(ErrorKind::Corrupt, fmt::format("{}: the tensor {} is there twice. Save the checkpoint again.",
                                                  file.name(), inQuotes(key.text)));
    }
  }
  return entries;
}

class TorchStore : public FileStore {
 public:
  TorchStore(const TorchFile& file, const Value& dict, const std::string& what)
      : m_torch(file), m_entries(entriesOf(file.file(), dict, what)) {
    for (const auto& [name, value] : m_entries) m_names.push_back(name);
  }

  const std::vector<std::string>& names() const override { return m_names; }
  std::string fileOf(const std::string& /*name*/) const override { return m_torch.file().name(); }
  std::uint64_t fileBytes() const override { return m_torch.file().size(); }

  StoredTensor describe(const std::string& name) const override {
    const TorchTensor tensor = view(name);
    return {.type = tensor.type, .shape = tensor.sizes};
  }

  std::uint64_t bytesToRead(const Wanted& wanted) const override {
    std::uint64_t total = 0;
    for (const auto& [tensor, names] : viewsOf(wanted)) {
      total += tensor.bytes();  // each is at most the file's size, and so was the total before: no wrap
      if (total > m_torch.file().size()) {
        throw Error(
            ErrorKind::Corrupt,
            fmt::format("{}: its tensors overlap each other: up to {} they take {} bytes, the file has {}. "
                        "Download or copy it again.",
                        m_torch.file().name(), inQuotes(names.theirs), grouped(total), grouped(m_torch.file().size())));
      }
    }
    return total;
  }

  void readInto(TensorReader& reader, const Wanted& wanted) const override {
    std::vector<std::string> different;
    for (const auto& [tensor, names] : viewsOf(wanted)) {
      reader.begin(names.theirs);
      bool crcDiffers = false;
      const Tensor values = readView(reader, tensor, reader.facts(names.theirs), crcDiffers);
      if (crcDiffers) different.push_back(fmt::format("data/{}", tensor.storage));
      for (const std::string& our : names.ours) reader.add(our, values);
    }
    if (different.empty()) return;
    reader.warn(
        fmt::format("{} with another checksum than the archive's directory says: {}. Damaged, or saved without "
                    "checksums.",
                    counted(different.size(), "record"), listed(different)));
  }

 private:
  struct Names {
    std::string theirs;             ///< the first
    std::vector<std::string> ours;  ///< all the names under which the view is wanted
  };
  TorchTensor view(const std::string& name) const {
    TorchTensor tensor = describeTensor(m_torch.archive(), *m_entries.at(name), name);
    requireFloats(tensor.type, m_torch.file().name(), name);
    return tensor;
  }

  std::map<TorchTensor, Names, TorchTensor::ByView> viewsOf(const Wanted& wanted) const {
    std::map<TorchTensor, Names, TorchTensor::ByView> views;
    for (const auto& [ours, name] : wanted)
      views.try_emplace(view(name), Names{name, {}}).first->second.ours.push_back(ours);
    return views;
  }

  /// `crcDiffers` is set when a record that was read whole has another checksum than the directory says.
  Tensor readView(TensorReader& reader, const TorchTensor& tensor, WeightFacts& facts, bool& crcDiffers) const {
    const std::uint64_t span = spanOf(tensor);
    const bool inPlace = tensor.isContiguous();
    uLong crc = crc32(0, nullptr, 0);
    const auto read = reader.read(
        m_torch.file(), tensor.record.offset + static_cast<std::uint64_t>(tensor.offset) * itemSize(tensor.type), span,
        [&](std::span<const std::byte> piece) {
          crc = crc32(crc, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
          if (inPlace) lookAt(tensor.type, piece, facts);
        });
    crcDiffers = span == tensor.record.size && crc != tensor.record.crc;
    Tensor result{.type = tensor.type, .shape = tensor.sizes, .data = read};
    if (!inPlace) {
      const std::shared_ptr<std::byte[]> moved = std::make_shared_for_overwrite<std::byte[]>(tensor.bytes());
      moveElements(tensor, read.get(), moved.get());
      lookAt(tensor.type, std::span(moved.get(), tensor.bytes()), facts);
      result.data = moved;
    }
    return result;
  }

  const TorchFile& m_torch;
  std::map<std::string, const Value*> m_entries;
  std::vector<std::string> m_names;
};

}  // namespace

std::unique_ptr<FileStore> torchStore(const TorchFile& file, const Value& dict, const std::string& what) {
  return std::make_unique<TorchStore>(file, dict, what);
}

std::unique_ptr<TensorStore> makeStore(const TorchFile& file, const Value& dict, const std::string& what) {
  return torchStore(file, dict, what);
}

}  // namespace core::checkpoint
