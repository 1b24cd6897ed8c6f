#include "core/export_format.h"

#include <algorithm>
#include <cctype>

namespace core {

namespace {

struct Row {
  ExportFormat format;
  const char* extension;
};

constexpr Row kRows[] = {{ExportFormat::Npz, ".npz"},
                         {ExportFormat::Npy, ".npy"},
                         {ExportFormat::Safetensors, ".safetensors"},
                         {ExportFormat::Csv, ".csv"}};

}  // namespace

std::optional<ExportFormat> exportFormatOf(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  for (const Row& row : kRows) {
    if (extension == row.extension) return row.format;
  }
  return std::nullopt;
}

const char* extensionOf(ExportFormat format) {
  return std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& row) { return row.format == format; })
      ->extension;
}

std::string exportExtensions() {
  std::string text;
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    text.append(i == 0 ? "" : i + 1 == std::size(kRows) ? " or " : ", ").append(kRows[i].extension);
  return text;
}

}  // namespace core
