#include "core/map_export.h"

#include <algorithm>
#include <new>

#include "core/array_files.h"
#include "core/capture_meta.h"
#include "core/export_plan.h"
#include "core/text_table.h"

namespace core {

namespace {

std::string rangeText(const PositionRange& range) {
  return std::to_string(range.begin) + ":" + std::to_string(range.end);
}

void requireInside(const MapSource& source, Stage stage, const MapRect& rect) {
  const MapRect all = source.extent(stage);
  const auto inside = [](const PositionRange& part, const PositionRange& whole) {
    return whole.begin <= part.begin && part.begin < part.end && part.end <= whole.end;
  };
  if (inside(rect.rows, all.rows) && inside(rect.columns, all.columns)) return;
  throw Error(ErrorKind::Mismatch, "Rows " + rangeText(rect.rows) + " and columns " + rangeText(rect.columns) +
                                       " are not a part of the map, which has rows " + rangeText(all.rows) +
                                       " and columns " + rangeText(all.columns) + " (the ends are not included).");
}

/// The labels as given, or numbers. Errors: Mismatch for another count.
std::vector<std::string> labelsOf(const std::vector<std::string>& given, const PositionRange& range, const char* what) {
  if (std::ssize(given) == range.size()) return given;
  if (!given.empty()) {
    throw Error(ErrorKind::Mismatch, std::to_string(given.size()) + " labels were given for " +
                                         std::to_string(range.size()) + " " + what + "; give one for each.");
  }
  std::vector<std::string> numbers;
  for (Position at = range.begin; at < range.end; ++at) numbers.push_back(std::to_string(at));
  return numbers;
}

MapLabels labelsOf(const MapLabels& given, const MapRect& rect) {
  return {labelsOf(given.rows, rect.rows, "rows"), labelsOf(given.columns, rect.columns, "columns")};
}

std::vector<OutputArray> arraysOf(const MapSource& source, const MapExport& options, const MapRect& rect,
                                  const MapLabels& labels, const std::string& meta, const Progress& progress) {
  OutputArray map{"values", ArrayType::Float32, {rect.rows.size(), rect.columns.size()}, 1, {}};
  map.write = [&source, &options, rect, &progress](const AppendBytes& append) {
    inBands(source, options.stage, rect, progress.part(0, 1, "Writing the map"),
            [&](const PositionRange&, const MapValues& values) { append(std::as_bytes(std::span(values.values))); });
    progress.report(1, "Writing the map");
  };
  std::vector<OutputArray> arrays{std::move(map), numbersArray("rows", numbersOf(rect.rows)),
                                  numbersArray("cols", numbersOf(rect.columns))};
  if (options.format == ExportFormat::Npy) arrays.resize(1);
  if (options.format != ExportFormat::Npz) return arrays;
  arrays.push_back(textsArray("row_labels", labels.rows));
  arrays.push_back(textsArray("col_labels", labels.columns));
  arrays.push_back(textArray("meta", meta));
  return arrays;
}

MatrixLabels fieldsOf(const MapLabels& labels, CsvOptions::Formulas formulas) {
  MatrixLabels fields{quotedField("", formulas), {}, {}};
  for (const std::string& label : labels.rows) fields.rows.push_back(quotedField(label, formulas));
  for (const std::string& label : labels.columns) fields.columns.push_back(quotedField(label, formulas));
  return fields;
}

void writeCsv(Exported& exported, const MapSource& source, const MapExport& options, const MapRect& rect,
              const MapLabels& labels, const std::string& meta, const Progress& progress) {
  const auto atLeast = 2 * static_cast<std::uint64_t>(rect.cells());  // a digit and a comma for each
  FileWithMeta files(exported.file, options.existing, atLeast, meta);
  TextTable table([&](std::span<const std::byte> bytes) { files.data().append(bytes); }, ',');
  if (options.csv.mark == CsvOptions::ByteOrderMark::Written) table.line() += "\xef\xbb\xbf";
  const MatrixLabels fields = fieldsOf(labels, options.csv.formulas);
  writeMatrixHeader(table, fields);
  writeMatrixRows(table, source, options.stage, rect, fields, 0, progress.part(0, 1, "Writing the map"));
  table.finish();
  progress.report(1, "Writing the map");
  exported.form = CsvOptions::Form::Matrix;
  exported.lines = table.lines();
  exported.bytes = files.commit();
}

/// A label in a field that nothing quotes.
std::string plainField(std::string label) {
  std::replace_if(
      label.begin(), label.end(), [](char byte) { return byte == '\t' || byte == '\n' || byte == '\r'; }, ' ');
  return label;
}

}  // namespace

Exported exportMap(const MapSource& source, const std::filesystem::path& path, const MapExport& options,
                   const Progress& progress) {
  try {
    const MapRect rect = options.rect.value_or(source.extent(options.stage));
    requireInside(source, options.stage, rect);
    const MapLabels labels = labelsOf(options.labels, rect);
    const std::string meta = mapMeta(options.lines);
    Exported exported{.format = options.format, .file = path};
    if (options.format == ExportFormat::Npy || options.format == ExportFormat::Csv)
      exported.metaFile = metaFileOf(path);
    if (options.format == ExportFormat::Csv) {
      writeCsv(exported, source, options, rect, labels, meta, progress);
      return exported;
    }
    const std::vector<OutputArray> arrays = arraysOf(source, options, rect, labels, meta, progress);
    for (const OutputArray& array : arrays) exported.arrays.push_back({array.name, typeName(array), array.shape});
    if (options.format == ExportFormat::Npz) {
      exported.bytes = writeNpz(path, options.existing, arrays);
    } else if (options.format == ExportFormat::Npy) {
      exported.bytes = writeNpy(path, options.existing, arrays.front(), meta);
    } else {
      exported.bytes = writeSafetensors(path, options.existing, arrays, {{"meta", meta}});
    }
    return exported;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::OutOfMemory, "Not enough memory to write " + path.string() + "; choose a smaller part.");
  }
}

std::string tsvOf(const MapSource& source, Stage stage, const MapRect& rect, const MapLabels& labels,
                  const Progress& progress) {
  requireInside(source, stage, rect);
  if (rect.rows.size() > kMostTextCells / rect.columns.size()) {
    throw Error(ErrorKind::TooLarge, "These are " + std::to_string(rect.cells()) + " values; at most " +
                                         std::to_string(kMostTextCells) +
                                         " are copied. Zoom in, or export them to a file instead.");
  }
  const MapLabels given = labelsOf(labels, rect);
  MatrixLabels fields;
  for (const std::string& label : given.rows) fields.rows.push_back(plainField(label));
  for (const std::string& label : given.columns) fields.columns.push_back(plainField(label));
  std::string text;
  TextTable table(
      [&](std::span<const std::byte> bytes) { text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size()); },
      '\t');
  writeMatrixHeader(table, fields);
  writeMatrixRows(table, source, stage, rect, fields, 0, progress);
  table.finish();
  return text;
}

}  // namespace core
