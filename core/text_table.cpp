#include "core/text_table.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/tokenizer/utf8.h"

namespace core {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

std::string escape(const char* format, unsigned value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

void appendEscaped(std::string& text, char32_t character, std::string_view utf8) {
  switch (character) {
    case U'\n': text += "\\n"; return;
    case U'\t': text += "\\t"; return;
    case U'\r': text += "\\r"; return;
    case U'\\': text += "\\\\"; return;
    default: break;
  }
  const bool control = character < 0x20 || (character >= 0x7F && character < 0xA0);
  // Line and paragraph separator, marks of direction, and the byte-order mark: no reader shows them, some act on them.
  const bool acts = (character >= 0x2028 && character <= 0x202E) || (character >= 0x200B && character <= 0x200F) ||
                    (character >= 0x2066 && character <= 0x2069) || character == 0xFEFF;
  if (control) {
    text += escape("\\x%02x", static_cast<unsigned>(character));
  } else if (acts) {
    text += escape("\\u%04x", static_cast<unsigned>(character));
  } else {
    text += utf8;
  }
}

}  // namespace

std::string numberField(float value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

std::string quotedField(std::string_view text, CsvOptions::Formulas formulas) {
  std::string field = "\"";
  const bool isFormula = !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  if (isFormula && formulas == CsvOptions::Formulas::Guarded) field += '\'';
  for (const char byte : text) {
    if (byte == '"') field += '"';
    field += byte;
  }
  return field += '"';
}

std::string escapedText(const TokenText& token) {
  if (token.bytes.empty()) return token.label;
  std::string text;
  for (std::size_t at = 0; at < token.bytes.size();) {
    const tokenizer::CodePoint point = tokenizer::codePointAt(token.bytes, at);
    if (point.valid) {
      appendEscaped(text, point.value, std::string_view(token.bytes).substr(at, point.length));
    } else {
      text += escape("\\x%02x", static_cast<unsigned char>(token.bytes[at]));
    }
    at += point.length;
  }
  return text;
}

void TextTable::endLine() {
  m_text += '\n';
  ++m_lines;
  if (m_text.size() >= kBlockBytes) finish();
}

void TextTable::finish() {
  m_append(std::as_bytes(std::span(m_text)));
  m_text.clear();
}

void writeMatrixHeader(TextTable& table, const MatrixLabels& labels) {
  table.line() += labels.corner;
  for (const std::string& label : labels.columns) (table.line() += table.separator()) += label;
  table.endLine();
}

void writeMatrixRows(TextTable& table, const MapSource& source, Stage stage, const MapRect& rect,
                     const MatrixLabels& labels, std::size_t firstLabel, const Progress& progress) {
  inBands(source, stage, rect, progress, [&](const PositionRange& rows, const MapValues& values) {
    for (std::int64_t row = 0; row < rows.size(); ++row) {
      table.line() += labels.rows.at(firstLabel + static_cast<std::size_t>(rows.begin - rect.rows.begin + row));
      for (std::int64_t column = 0; column < values.columns; ++column)
        (table.line() += table.separator()) += numberField(values.at(row, column));
      table.endLine();
    }
  });
}

}  // namespace core
