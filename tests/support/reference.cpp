#include "tests/support/reference.h"

#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "tests/support/files.h"

namespace support {

namespace {

using Json = nlohmann::json;
using Shape = std::vector<std::int64_t>;

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string("the reference's ") + what);
}

/// A safetensors file whose tensors are all F32 or I64.
class Tensors {
 public:
  explicit Tensors(const std::string& file) {
    std::uint64_t headerSize = 0;
    require(file.size() >= sizeof headerSize, "file is too short");
    std::memcpy(&headerSize, file.data(), sizeof headerSize);
    require(headerSize <= file.size() - sizeof headerSize, "header is longer than its file");
    m_header = Json::parse(file.substr(sizeof headerSize, headerSize));
    m_payload = file.substr(sizeof headerSize + headerSize);
  }

  bool has(const char* name) const { return m_header.contains(name); }
  Shape shape(const char* name) const { return m_header.at(name).at("shape").get<Shape>(); }

  template <class T>
  std::vector<T> read(const char* name) const {
    const Json& entry = m_header.at(name);
    require(entry.at("dtype") == (std::is_same_v<T, float> ? "F32" : "I64"), "type is not as expected");
    const std::size_t begin = entry.at("data_offsets").at(0);
    const std::size_t end = entry.at("data_offsets").at(1);
    require(begin <= end && end <= m_payload.size(), "offsets lead outside the file");
    const Shape shape = this->shape(name);
    std::vector<T> values((end - begin) / sizeof(T));
    const auto count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    require(count == static_cast<std::int64_t>(values.size()), "shape does not fit its bytes");
    std::memcpy(values.data(), m_payload.data() + begin, values.size() * sizeof(T));
    return values;
  }

 private:
  Json m_header;
  std::string m_payload;
};

std::vector<std::int64_t> everyRow(std::int64_t size) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(size));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

}  // namespace

Reference readReference(const std::filesystem::path& folder, const std::string& name) {
  const Json description = Json::parse(readFile(folder / (name + ".json")));
  const Tensors tensors(readFile(folder / (name + ".safetensors")));

  Reference reference;
  if (description.contains("tokens")) {
    reference.prompt = description.at("prompt");
    reference.tokenTexts = description.at("tokens").get<std::vector<std::string>>();
  }
  reference.tokens = tensors.read<std::int64_t>("tokens");
  reference.size = static_cast<std::int64_t>(reference.tokens.size());
  const bool whole = !tensors.has("rows");
  reference.rows = whole ? everyRow(reference.size) : tensors.read<std::int64_t>("rows");

  const char* attention = whole ? "attention" : "attention_rows";
  const Shape shape = tensors.shape(attention);
  require(shape.size() == 4, "attention is not (L, H, R, T)");
  reference.layers = shape[0];
  reference.heads = shape[1];
  require(shape[2] == static_cast<std::int64_t>(reference.rows.size()) && shape[3] == reference.size,
          "attention does not fit its tokens and rows");
  reference.attention = tensors.read<float>(attention);

  const bool lastOnly = !tensors.has("logits");
  const char* logits = lastOnly ? "logits_last" : "logits";
  reference.logits = tensors.read<float>(logits);
  reference.logitRows = lastOnly ? std::vector{reference.size - 1} : reference.rows;
  reference.vocabulary = tensors.shape(logits).back();
  require(reference.logits.size() == reference.logitRows.size() * static_cast<std::size_t>(reference.vocabulary),
          "logits do not fit its rows");
  if (tensors.has("lse")) reference.lse = tensors.read<float>("lse");
  return reference;
}

}  // namespace support
