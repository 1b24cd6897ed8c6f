#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/checkpoint/file_store.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/stores.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

class SafetensorsStore : public FileStore {
 public:
  explicit SafetensorsStore(SafetensorsFile file) : m_file(std::move(file)) {
    for (const auto& [name, entry] : m_file.entries()) m_names.push_back(name);
  }

  const std::vector<std::string>& names() const override { return m_names; }
  std::string fileOf(const std::string& /*name*/) const override { return m_file.file().name(); }
  std::uint64_t fileBytes() const override { return m_file.file().size(); }

  StoredTensor describe(const std::string& name) const override {
    const SafetensorsFile::Entry& entry = m_file.entries().at(name);
    if (!entry.type) {
      throw Error(
          ErrorKind::Unsupported,
          fmt::format("{}: the tensor {} is of the type {}; weights are read as F32, F16, BF16 or F64. Save the "
                      "model as float32.",
                      m_file.file().name(), inQuotes(name), entry.dtype));
    }
    requireFloats(*entry.type, m_file.file().name(), name);
    return {.type = *entry.type, .shape = entry.shape};
  }

  std::uint64_t bytesToRead(const Wanted& wanted) const override { return bytesInFile(wanted, m_file.entries()); }

  void readInto(TensorReader& reader, const Wanted& wanted) const override {
    for (const auto& [place, names] : inFileOrder(wanted, m_file.entries())) {
      const std::string& name = place.second;
      const SafetensorsFile::Entry& entry = m_file.entries().at(name);
      const StoredTensor stored = describe(name);
      reader.begin(name);
      WeightFacts& facts = reader.facts(name);
      const auto data = reader.read(m_file.file(), entry.begin, entry.end - entry.begin,
                                    [&](std::span<const std::byte> piece) { lookAt(stored.type, piece, facts); });
      for (const std::string& ours : names)
        reader.add(ours, {.type = stored.type, .shape = stored.shape, .data = data});
    }
  }

 private:
  SafetensorsFile m_file;
  std::vector<std::string> m_names;
};

}  // namespace

std::unique_ptr<FileStore> safetensorsStore(SafetensorsFile file) {
  return std::make_unique<SafetensorsStore>(std::move(file));
}

std::unique_ptr<TensorStore> makeStore(SafetensorsFile file) { return safetensorsStore(std::move(file)); }

}  // namespace core::checkpoint
