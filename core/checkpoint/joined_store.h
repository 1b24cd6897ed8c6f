// Several files of tensors as one store.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/checkpoint/file_store.h"

namespace core::checkpoint {

class JoinedStore : public TensorStore {
 public:
  /// `origin` begins sentences on all files together: the index that names them, or the first.
  explicit JoinedStore(std::string origin) : m_origin(std::move(origin)) {}

  /// Errors: Corrupt for a tensor that another file has too.
  void add(std::unique_ptr<FileStore> part);

  const std::vector<std::string>& names() const override { return m_names; }
  std::string fileOf(const std::string& name) const override;
  std::uint64_t fileBytes() const override;
  StoredTensor describe(const std::string& name) const override;
  Reading read(const std::map<std::string, std::string>& wanted, const Progress& progress) const override;

 private:
  std::string m_origin;
  std::vector<std::unique_ptr<FileStore>> m_parts;
  std::vector<std::string> m_names;  // sorted
  std::map<std::string, std::size_t> m_partOf;
};

}  // namespace core::checkpoint
