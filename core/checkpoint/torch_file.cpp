#include "core/checkpoint/torch_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/checkpoint/checked.h"
#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

TorchFile::TorchFile(File file, const ZipDirectory& directory)
    : m_file(std::move(file)),
      m_archive(m_file, directory),
      m_document(pickle::parse(m_archive.read("data.pkl", kLargestPickle), m_file.name() + ": data.pkl")) {
  if (m_document.trailingBytes() > 0) {
    m_notes.push_back(
        fmt::format("data.pkl has {} after its end; they are ignored", counted(m_document.trailingBytes(), "byte")));
  }
}

std::uint64_t bytesNamedByCutFile(const File& file) {
  constexpr std::uint64_t kHeader = 30;
  if (file.size() < kHeader) return 0;
  const std::string header = file.read(0, kHeader);
  const std::uint64_t begin = kHeader + little<std::uint16_t>(header, 26) + little<std::uint16_t>(header, 28);
  const std::uint64_t left = file.size() - std::min(begin, file.size());
  try {
    const std::string bytes = file.read(begin, std::min(left, kLargestPickle));
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
