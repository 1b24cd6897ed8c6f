#include "app/capture_command.h"

#include "app/info_text.h"
#include "core/array_files.h"

namespace app {

namespace {

using Json = nlohmann::ordered_json;

bool hasMetaFile(core::ExportFormat format) {
  return format == core::ExportFormat::Npy || format == core::ExportFormat::Csv;
}

const char* wordOf(core::CsvOptions::Form form) { return form == core::CsvOptions::Form::Long ? "long" : "matrix"; }

}  // namespace

std::optional<core::ExportFormat> outputFormat(const std::filesystem::path& output) {
  if (const auto format = core::exportFormatOf(output)) return format;
  std::error_code error;
  const auto status = std::filesystem::status(output, error);
  const bool isOther = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  return isOther ? std::optional(core::ExportFormat::Npz) : std::nullopt;
}

core::CaptureExport exportOptions(const Arguments& arguments) {
  core::CaptureExport options;
  options.format = outputFormat(arguments.output).value_or(core::ExportFormat::Npz);
  for (const int layer : arguments.layers) options.layers.emplace_back(layer);
  for (const int head : arguments.heads) options.heads.emplace_back(head);
  options.rows = arguments.rows;
  options.columns = arguments.columns;
  options.logits = arguments.logits.value_or(core::CaptureExport::Logits::All);
  options.csv = arguments.csv;
  options.existing = arguments.existing;
  return options;
}

void checkOutputFiles(const Arguments& arguments) {
  core::OutputFile::check(arguments.output, arguments.existing);
  if (hasMetaFile(exportOptions(arguments).format))
    core::OutputFile::check(core::metaFileOf(arguments.output), arguments.existing);
}

Json exportedJson(const core::Exported& exported) {
  Json json{{"file", exported.file.string()}, {"format", core::extensionOf(exported.format) + 1}};
  if (!exported.metaFile.empty()) json["meta_file"] = exported.metaFile.string();
  if (exported.format == core::ExportFormat::Csv) {
    json["table"] = {{"form", wordOf(exported.form)}, {"lines", exported.lines}};
  } else {
    Json arrays = Json::object();
    for (const core::Exported::Array& array : exported.arrays) arrays[array.name] = array.shape;
    json["arrays"] = arrays;
  }
  json["bytes"] = exported.bytes;
  return json;
}

std::string exportedText(const core::Exported& exported) {
  std::string text = exported.file.string() + ": ";
  for (const core::Exported::Array& array : exported.arrays) text += array.name + " " + Json(array.shape).dump() + ", ";
  if (exported.format == core::ExportFormat::Csv)
    text += std::string(wordOf(exported.form)) + " table, " + grouped(static_cast<std::int64_t>(exported.lines)) +
            " lines, ";
  if (!exported.metaFile.empty()) text += "with " + exported.metaFile.string() + ", ";
  return text + grouped(static_cast<std::int64_t>(exported.bytes)) + " bytes";
}

}  // namespace app
