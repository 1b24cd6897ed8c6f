// The kinds of files that numbers are written as, and what a file then holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace core {

enum class ExportFormat { Npz, Npy, Safetensors, Csv };

/// By the name's extension, in any case; nothing for another one.
std::optional<ExportFormat> exportFormatOf(const std::filesystem::path& path);
const char* extensionOf(ExportFormat format);  ///< ".npz"
std::string exportExtensions();                ///< ".npz, .npy, .safetensors or .csv"

/// Of tables of text: UTF-8, "." in numbers, as few digits as give the same float32 again.
struct CsvOptions {
  /// Long: a line a cell. Matrix: a line a row, of one head.
  enum class Form { Long, Matrix };
  /// What older versions of Excel need to read UTF-8.
  enum class ByteOrderMark { None, Written };
  /// Guarded: a token that begins with = + - @, a tab or a carriage return gets ' in front, so that no spreadsheet
  /// takes it for a formula.
  enum class Formulas { AsTheyAre, Guarded };

  Form form = Form::Long;
  ByteOrderMark mark = ByteOrderMark::None;
  Formulas formulas = Formulas::AsTheyAre;
};

/// What was written.
struct Exported {
  struct Array {
    std::string name;
    std::string type;  ///< "float32", "int64", "U12"
    std::vector<std::int64_t> shape;
  };

  ExportFormat format = ExportFormat::Npz;
  std::filesystem::path file;
  std::filesystem::path metaFile = {};             ///< empty: there is none
  std::vector<Array> arrays = {};                  ///< of a table: none
  CsvOptions::Form form = CsvOptions::Form::Long;  ///< of a table
  std::uint64_t lines = 0;                         ///< of a table, its header included
  std::uint64_t bytes = 0;                         ///< of both files
};

/// The lines of Python that load it: import, numpy.load and what then is where.
std::string pythonSnippet(const Exported& exported);

}  // namespace core
