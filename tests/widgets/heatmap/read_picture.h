// Pictures as figure_reader.py sees them: a reader that shares no code with the writer.
#pragma once

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <filesystem>
#include <stdexcept>

#include "tests/support/files.h"
#include "tests/support/python.h"

namespace support {

/// Throws std::runtime_error with the reader's words when the file is not as its format says. Empty without a Python.
inline QJsonObject readPicture(const std::filesystem::path& path) {
  const auto python = pythonWithNumpy();
  if (!python) return {};
  const std::string script = "import sys; sys.dont_write_bytecode = True; sys.path.insert(0, '" +
                             repository("tests/widgets/heatmap").string() +
                             "'); import figure_reader; figure_reader.main(sys.argv[1])";
  const std::string out = runPython(*python, script, path.string());
  QJsonParseError problem;
  const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(out), &problem);
  if (problem.error != QJsonParseError::NoError) throw std::runtime_error(out.substr(0, 2000));
  return document.object();
}

/// "rrggbb", or "------" where it is transparent.
class Pixels {
 public:
  explicit Pixels(const QJsonValue& rows) {
    for (const QJsonValue& row : rows.toArray()) m_rows << row.toString();
  }
  int width() const { return m_rows.isEmpty() ? 0 : static_cast<int>(m_rows.front().size() / 6); }
  int height() const { return static_cast<int>(m_rows.size()); }
  const QString& row(int y) const { return m_rows[y]; }
  QString at(int x, int y) const { return m_rows[y].mid(6 * x, 6); }

 private:
  QStringList m_rows;
};

inline QString hex(QRgb color) { return QString::number(color & 0xffffff, 16).rightJustified(6, '0'); }

}  // namespace support

/// Skips the test function where there is no Python; else defines `variable`.
#define HEADSCOPE_READ_PICTURE(variable, path)                             \
  const QJsonObject variable = support::readPicture(path);                 \
  if (variable.isEmpty()) QSKIP("there is no Python that reads pictures"); \
  static_assert(true, "")
