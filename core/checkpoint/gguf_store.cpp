#include <fmt/format.h>

#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/checkpoint/file_store.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/stores.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

class GgufStore : public FileStore {
 public:
  explicit GgufStore(GgufFile file) : m_file(std::move(file)) {
    for (const auto& [name, entry] : m_file.entries()) m_names.push_back(name);
  }

  const std::vector<std::string>& names() const override { return m_names; }
  std::string fileOf(const std::string& /*name*/) const override { return m_file.file().name(); }
  std::uint64_t fileBytes() const override { return m_file.file().size(); }

  StoredTensor describe(const std::string& name) const override {
    const GgufFile::Entry& entry = m_file.entries().at(name);
    if (!entry.type->isRead()) {
      throw Error(ErrorKind::Unsupported,
                  fmt::format("{}: the tensor {} is of the type {}. The file has {}; read are {}. Get the model in one "
                              "of these, for example as Q4_K_M or Q8_0.",
                              m_file.file().name(), inQuotes(name), entry.type->name, typesInFile(), ggufTypesRead()));
    }
    return {.type = entry.type->plain.value_or(DType::F32), .shape = entry.shape};
  }

  std::uint64_t bytesToRead(const Wanted& wanted) const override { return bytesInFile(wanted, m_file.entries()); }

  std::uint64_t memoryToFill(const Wanted& wanted) const override {
    std::uint64_t total = 0;  // at most 15 times the file's size
    for (const auto& [place, ours] : inFileOrder(wanted, m_file.entries()))
      total += memoryOf(m_file.entries().at(place.second));
    return total;
  }

  void readInto(TensorReader& reader, const Wanted& wanted) const override {
    for (const auto& [place, names] : inFileOrder(wanted, m_file.entries())) {
      const std::string& name = place.second;
      Tensor tensor;
      const StoredTensor stored = describe(name);
      tensor.type = stored.type;
      tensor.shape = stored.shape;
      reader.begin(name);
      const GgufFile::Entry& entry = m_file.entries().at(name);
      if (entry.type->plain) {
        WeightFacts& facts = reader.facts(name);
        tensor.data = reader.read(m_file.file(), entry.begin, entry.end - entry.begin,
                                  [&](std::span<const std::byte> piece) { lookAt(stored.type, piece, facts); });
      } else {
        tensor.data = readWidened(reader, name, entry);
        tensor.quantized = entry.type->name;
      }
      for (const std::string& ours : names) reader.add(ours, tensor);
    }
  }

 private:
  static std::uint64_t memoryOf(const GgufFile::Entry& entry) {
    const std::uint64_t bytes = entry.end - entry.begin;
    return entry.type->plain ? bytes : bytes / entry.type->blockBytes * entry.type->blockElements * sizeof(float);
  }

  std::shared_ptr<std::byte[]> readWidened(TensorReader& reader, const std::string& name,
                                           const GgufFile::Entry& entry) const {
    const GgufType& type = *entry.type;
    const std::uint64_t bytes = memoryOf(entry);
    const std::shared_ptr<std::byte[]> whole = std::make_shared_for_overwrite<std::byte[]>(bytes);
    std::span<float> rest(reinterpret_cast<float*>(whole.get()), bytes / sizeof(float));
    WeightFacts& facts = reader.facts(name);
    reader.pass(m_file.file(), entry.begin, entry.end - entry.begin, type.blockBytes,
                [&](std::span<const std::byte> blocks) {
                  const auto numbers = rest.first(blocks.size() / type.blockBytes * type.blockElements);
                  widen(type, blocks, numbers);
                  lookAt(DType::F32, std::as_bytes(numbers), facts);
                  rest = rest.subspan(numbers.size());
                });
    return whole;
  }

  std::string typesInFile() const {
    std::set<std::string_view> types;
    for (const auto& [name, entry] : m_file.entries()) types.insert(entry.type->name);
    return fmt::format("{}", fmt::join(types, ", "));
  }

  GgufFile m_file;
  std::vector<std::string> m_names;
};

}  // namespace

std::unique_ptr<FileStore> ggufStore(GgufFile file) { return std::make_unique<GgufStore>(std::move(file)); }

}  // namespace core::checkpoint
