#include "core/checkpoint/torch_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "core/checkpoint/checked.h"
#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

std::uint64_t memoryOfThisComputer() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

/// What will be allocated: every different view once.
std::uint64_t bytesToRead(const File& file, const std::map<std::string, TorchTensor>& wanted) {
  std::uint64_t total = 0;
  std::set<const TorchTensor*, TorchTensor::ByView> seen;
  for (const auto& [name, tensor] : wanted) {
    if (!seen.insert(&tensor).second) continue;
    total += tensor.bytes();  // each is at most the file's size, and so was the total before: no wrap
    if (total > file.size()) {
      throw Error(ErrorKind::Corrupt,
                  fmt::format("{}: its tensors overlap each other: up to {} they take {} bytes, the file has {}. "
                              "Download or copy it again.",
                              file.name(), inQuotes(name), grouped(total), grouped(file.size())));
    }
  }
  if (total > memoryOfThisComputer()) {
    throw Error(ErrorKind::OutOfMemory,
                fmt::format("{}: its weights take {} bytes, this computer has {} bytes of memory. Open a smaller "
                            "model, or this one on a larger computer.",
                            file.name(), grouped(total), grouped(memoryOfThisComputer())));
  }
  return total;
}

}  // namespace

TorchFile::TorchFile(File file, const ZipDirectory& directory)
    : m_file(std::move(file)),
      m_archive(m_file, directory),
      m_document(pickle::parse(m_archive.read("data.pkl", kLargestPickle), m_file.name() + ": data.pkl")) {
  if (m_document.trailingBytes() > 0) {
    m_notes.push_back(
        fmt::format("data.pkl has {} after its end; they are ignored", counted(m_document.trailingBytes(), "byte")));
  }
}

TorchFile::Reading TorchFile::read(const std::map<std::string, TorchTensor>& wanted, const Progress& progress) const {
  const std::uint64_t total = bytesToRead(m_file, wanted);
  Reading reading;
  std::map<const TorchTensor*, const Tensor*, TorchTensor::ByView> done;
  std::uint64_t bytes = 0;
  for (const auto& [name, tensor] : wanted) {
    const std::string stage = "reading " + name;
    progress.report(total > 0 ? std::min(1.0, static_cast<double>(bytes) / static_cast<double>(total)) : 0, stage);
    if (const auto same = done.find(&tensor); same != done.end()) {
      reading.tensors.emplace(name, *same->second);
      continue;
    }
    bool crcDiffers = false;
    Tensor values = readTensor(
        m_file, tensor,
        [&](std::uint64_t piece) {
          bytes += piece;
          progress.report(std::min(1.0, static_cast<double>(bytes) / static_cast<double>(total)), stage);
        },
        crcDiffers);
    if (crcDiffers) reading.crcDiffers.push_back(fmt::format("data/{}", tensor.storage));
    done.emplace(&tensor, &reading.tensors.emplace(name, std::move(values)).first->second);
  }
  reading.bytes = static_cast<std::int64_t>(bytes);
  return reading;
}

std::uint64_t bytesNamedByCutFile(const File& file) {
  constexpr std::uint64_t kHeader = 30;
  if (file.size() < kHeader) return 0;
  const std::string header = file.read(0, kHeader);
  const std::uint64_t begin = kHeader + little<std::uint16_t>(header, 26) + little<std::uint16_t>(header, 28);
  if (begin >= file.size()) return 0;
  try {
    const std::string bytes = file.read(begin, std::min<std::uint64_t>(file.size() - begin, kLargestPickle));
    const pickle::Document document = pickle::parse(bytes, "");
    std::map<std::string_view, std::uint64_t> storages;
    for (const pickle::Value& value : document.values()) {
      if (value.kind != pickle::Kind::Persistent || value.items[0]->items.size() != 5) continue;
      const auto& id = value.items[0]->items;
      const std::optional<DType> type = storageType(id[1]->text);
      if (!type || id[2]->kind != pickle::Kind::Text || id[4]->integer < 0) continue;
      storages[id[2]->text] = checkedMultiply(static_cast<std::uint64_t>(id[4]->integer), itemSize(*type)).value_or(0);
    }
    std::uint64_t total = 0;
    for (const auto& [key, size] : storages) total = checkedAdd(total, size).value_or(0);
    return total;
  } catch (const Error&) {
    return 0;  // the cut went through the pickle: only the length that is there can be told
  }
}

}  // namespace core::checkpoint
