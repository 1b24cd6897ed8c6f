#include "core/array_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "core/npz_writer.h"

namespace core {

namespace {

using Json = nlohmann::ordered_json;

void writeInto(OutputFile& file, const OutputArray& array) {
  const std::uint64_t end = file.size() + array.bytes();
  array.write([&](std::span<const std::byte> bytes) { file.append(bytes); });
  if (file.size() != end) throw std::logic_error("an array with other values than its shape has");
}

std::uint64_t bytesOf(const std::vector<OutputArray>& arrays) {
  std::uint64_t bytes = 0;
  for (const OutputArray& array : arrays) bytes += array.bytes();
  return bytes;
}

/// Readers want the offsets without gaps; padded, so that the tensors behind it are aligned.
std::string safetensorsHeader(const std::vector<OutputArray>& arrays, const std::map<std::string, std::string>& texts) {
  Json header{{"__metadata__", texts}};
  std::uint64_t offset = 0;
  for (const OutputArray& array : arrays) {
    header[array.name] = {{"dtype", array.type == ArrayType::Float32 ? "F32" : "I64"},
                          {"shape", array.shape},
                          {"data_offsets", {offset, offset + array.bytes()}}};
    offset += array.bytes();
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace

std::filesystem::path metaFileOf(const std::filesystem::path& path) {
  std::filesystem::path beside = path;
  return beside.replace_extension(".json");
}

FileWithMeta::FileWithMeta(const std::filesystem::path& path, Existing existing, std::uint64_t bytesNeeded,
                           std::string meta)
    : m_metaPath(metaFileOf(path)),
      m_existing(existing),
      m_meta(std::move(meta)),
      m_data(path, existing, bytesNeeded + m_meta.size()) {
  OutputFile::check(m_metaPath, existing);
}

std::uint64_t FileWithMeta::commit() {
  OutputFile beside(m_metaPath, m_existing, m_meta.size());
  beside.append(std::as_bytes(std::span(m_meta)));
  m_data.commit();
  beside.commit();
  return m_data.size() + beside.size();
}

std::uint64_t writeNpz(const std::filesystem::path& path, Existing existing, const std::vector<OutputArray>& arrays) {
  NpzWriter writer(path, existing, bytesOf(arrays));
  for (const OutputArray& array : arrays) writer.add(array);
  return writer.finish();
}

std::uint64_t writeNpy(const std::filesystem::path& path, Existing existing, const OutputArray& array,
                       const std::string& meta) {
  const std::string header = npyHeader(array.type, array.shape, array.textLength);
  FileWithMeta files(path, existing, header.size() + array.bytes(), meta);
  files.data().append(std::as_bytes(std::span(header)));
  writeInto(files.data(), array);
  return files.commit();
}

std::uint64_t writeSafetensors(const std::filesystem::path& path, Existing existing, std::vector<OutputArray> arrays,
                               const std::map<std::string, std::string>& texts) {
  std::erase_if(arrays, [](const OutputArray& array) { return array.type == ArrayType::Text; });
  // The larger elements first: all of them are aligned then.
  std::stable_partition(arrays.begin(), arrays.end(),
                        [](const OutputArray& array) { return array.type == ArrayType::Int64; });
  const std::string header = safetensorsHeader(arrays, texts);
  const std::uint64_t length = header.size();
  OutputFile file(path, existing, sizeof length + length + bytesOf(arrays));
  file.append(std::as_bytes(std::span(&length, 1)));
  file.append(std::as_bytes(std::span(header)));
  for (const OutputArray& array : arrays) writeInto(file, array);
  file.commit();
  return file.size();
}

}  // namespace core
