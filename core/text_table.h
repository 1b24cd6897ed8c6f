// Tables of text: numbers that give the same float32 again, texts that stay in their field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/array_output.h"
#include "core/export_format.h"
#include "core/map_source.h"
#include "core/token_text.h"

namespace core {

/// The shortest digits that are read back as this float32; "nan", "inf" and "-inf" for those that have none.
std::string numberField(float value);

/// In quotes, with quotes doubled; Formulas says what becomes of "=1+1".
std::string quotedField(std::string_view text, CsvOptions::Formulas formulas);

/// What a token stands for, in one line: control characters, bytes that are not UTF-8 and the backslash itself as
/// escapes (\n, \t, \r, \x07, \u2028, \\); its label when it stands for nothing.
std::string escapedText(const TokenText& token);

/// Gathers lines and passes them on in blocks. Fields are written by append(); they come quoted already.
class TextTable {
 public:
  TextTable(AppendBytes append, char separator) : m_append(std::move(append)), m_separator(separator) {}

  char separator() const { return m_separator; }
  std::string& line() { return m_text; }  ///< to append fields and separators to
  void endLine();
  void finish();  ///< passes on what is left
  std::uint64_t lines() const { return m_lines; }

 private:
  AppendBytes m_append;
  char m_separator;
  std::string m_text;
  std::uint64_t m_lines = 0;
};

/// Part of a map as a matrix: a header line with the columns' labels, then a line a row that begins with its label.
struct MatrixLabels {
  std::string corner;
  std::vector<std::string> rows;     ///< (rows of the rectangle), as fields
  std::vector<std::string> columns;  ///< (columns of it)
};
void writeMatrixHeader(TextTable& table, const MatrixLabels& labels);
/// firstLabel: of labels.rows, for the rectangle's first row.
void writeMatrixRows(TextTable& table, const MapSource& source, Stage stage, const MapRect& rect,
                     const MatrixLabels& labels, std::size_t firstLabel, const Progress& progress);

}  // namespace core
