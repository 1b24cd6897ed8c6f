#include "core/checkpoint/joined_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

void JoinedStore::add(std::unique_ptr<FileStore> part) {
  for (const std::string& name : part->names()) {
    const auto [other, isNew] = m_partOf.emplace(name, m_parts.size());
    if (!isNew) {
      throw Error(ErrorKind::Corrupt,
                  fmt::format("{}: the tensor {} is in {} too. Download or copy all files of the "
                              "model again.",
                              part->fileOf(name), inQuotes(name), m_parts[other->second]->fileOf(name)));
    }
  }
  const auto middle = static_cast<std::ptrdiff_t>(m_names.size());
  m_names.insert(m_names.end(), part->names().begin(), part->names().end());
  std::inplace_merge(m_names.begin(), m_names.begin() + middle, m_names.end());
  m_parts.push_back(std::move(part));
}

std::string JoinedStore::fileOf(const std::string& name) const {
  const auto found = m_partOf.find(name);
  return m_parts[found != m_partOf.end() ? found->second : 0]->fileOf(name);
}

std::uint64_t JoinedStore::fileBytes() const {
  std::uint64_t bytes = 0;
  for (const auto& part : m_parts) bytes += part->fileBytes();
  return bytes;
}

StoredTensor JoinedStore::describe(const std::string& name) const { return m_parts[m_partOf.at(name)]->describe(name); }

Reading JoinedStore::read(const std::map<std::string, std::string>& wanted, const Progress& progress) const {
  std::vector<FileStore::Wanted> parts(m_parts.size());
  for (const auto& [ours, name] : wanted) parts[m_partOf.at(name)].emplace(ours, name);
  std::uint64_t total = 0, memory = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    total += m_parts[i]->bytesToRead(parts[i]);
    memory += m_parts[i]->memoryToFill(parts[i]);
  }
  TensorReader reader(m_origin, total, memory, progress);
  for (std::size_t i = 0; i < parts.size(); ++i) m_parts[i]->readInto(reader, parts[i]);
  return reader.take();
}

}  // namespace core::checkpoint
