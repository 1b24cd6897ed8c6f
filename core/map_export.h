// A part of any map as a file that other programs read, or as text for the clipboard.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/export_format.h"
#include "core/map_source.h"
#include "core/output_file.h"

namespace core {

/// Labels of the rectangle's rows and columns, one for each; none: their numbers.
struct MapLabels {
  std::vector<std::string> rows;
  std::vector<std::string> columns;
};

struct MapExport {
  ExportFormat format = ExportFormat::Npz;
  Stage stage = Stage::Weights;
  std::optional<MapRect> rect = std::nullopt;  ///< nullopt: the whole stage
  MapLabels labels = {};
  /// What the meta says beside schema, kind ("map") and app: {"title", "mean of 3 heads"}, {"model", "gpt2"} ...
  /// The first of equal keys counts.
  std::vector<std::pair<std::string, std::string>> lines = {};
  CsvOptions csv = {};  ///< mark and formulas; the form is always a matrix
  Existing existing = Existing::Refuse;
};

/// Writes .npz and .safetensors with the arrays values (rows, columns) float32, rows and cols (int64), in an .npz also
/// row_labels, col_labels and meta; .npy: values alone, and .csv: a matrix with labels, both with their meta in a .json
/// beside them. Values are those of MapSource::rectangle(): masked weights are 0, masked scores -inf. Memory does not
/// grow with the rectangle. Cancelled or failed, no file stays and an older one is untouched. Errors: Mismatch for a
/// rectangle outside the map, an empty one, or another number of labels; Io (with the bytes that are needed),
/// Cancelled, OutOfMemory; those of the map.
Exported exportMap(const MapSource& source, const std::filesystem::path& path, const MapExport& options,
                   const Progress& progress);

/// Cells that text for the clipboard may have.
inline constexpr std::int64_t kMostTextCells = 4'000'000;

/// The rectangle with its labels, a line a row, separated by tabs, for a spreadsheet.
/// Errors: TooLarge, with both numbers, above kMostTextCells; Mismatch as exportMap(); Cancelled; those of the map.
std::string tsvOf(const MapSource& source, Stage stage, const MapRect& rect, const MapLabels& labels,
                  const Progress& progress);

}  // namespace core
