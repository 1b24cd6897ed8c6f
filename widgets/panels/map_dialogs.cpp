#include "widgets/panels/map_dialogs.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <cmath>

#include "widgets/panels/form_dialog.h"

namespace widgets {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("MapDialogs", text); }

QString rangeText(const core::PositionRange& part, std::int64_t count) {
  if (part.begin <= 0 && part.end >= count) return {};
  return QStringLiteral("%1:%2").arg(part.begin).arg(part.end);
}

/// nullopt: no finite number.
std::optional<float> number(const QString& text) {
  bool ok = false;
  const float value = QLocale::c().toFloat(text, &ok);
  return ok && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

ParsedPart parsePart(const QString& text, std::int64_t count) {
  if (text.isEmpty()) return {{0, count}, {}};
  const QString help = tr(QT_TRANSLATE_NOOP("MapDialogs",
                                            "\"%1\" is no range. Write 3:10 for 3 to 9, 3 for that one alone, "
                                            "-5: for the last five, or nothing for all of them."))
                           .arg(text);
  const QStringList sides = text.split(':');
  if (sides.size() > 2) return {{}, help};
  std::optional<std::int64_t> numbers[2];
  for (qsizetype i = 0; i < sides.size(); ++i) {
    const QString side = sides[i].trimmed();
    if (side.isEmpty() && sides.size() == 2) continue;
    bool ok = false;
    const qlonglong value = side.toLongLong(&ok);
    if (!ok) return {{}, help};
    numbers[i] = value < 0 ? value + count : value;
  }
  core::PositionRange range{numbers[0].value_or(0), numbers[1].value_or(count)};
  if (sides.size() == 1) range.end = range.begin + 1;
  if (range.begin < 0 || range.end > count || range.size() <= 0) {
    return {{},
            tr(QT_TRANSLATE_NOOP("MapDialogs", "%1 to %2 is no part of 0 to %3."))
                .arg(range.begin)
                .arg(range.end - 1)
                .arg(count - 1)};
  }
  return {range, {}};
}

QDialog* askForPart(const core::MapRect& whole, const core::MapRect& shown, std::function<void(core::MapRect)> take,
                    QWidget* parent) {
  const auto parsed = [whole](const QStringList& values) {
    return std::pair(parsePart(values[0], whole.rows.size()), parsePart(values[1], whole.columns.size()));
  };
  auto* dialog = new FormDialog(
      tr(QT_TRANSLATE_NOOP("MapDialogs", "Show a part of the map")),
      {{tr(QT_TRANSLATE_NOOP("MapDialogs", "Queries (rows)")), rangeText(shown.rows, whole.rows.size()), {}},
       {tr(QT_TRANSLATE_NOOP("MapDialogs", "Keys (columns)")), rangeText(shown.columns, whole.columns.size()),
        tr(QT_TRANSLATE_NOOP("MapDialogs", "3:10 for 3 to 9, -5: for the last five, nothing for all."))}},
      [parsed](const QStringList& values) {
        const auto [rows, columns] = parsed(values);
        return rows.problem.isEmpty() ? columns.problem : rows.problem;
      },
      [parsed, take = std::move(take)](const QStringList& values) {
        const auto [rows, columns] = parsed(values);
        take({rows.range, columns.range});
      },
      parent);
  dialog->open();
  return dialog;
}

QDialog* askForColorRange(std::optional<core::ValueRange> range,
                          std::function<void(std::optional<core::ValueRange>)> take, QWidget* parent) {
  const auto text = [](float value) { return QString::number(static_cast<double>(value), 'g', 6); };
  auto* dialog = new FormDialog(
      tr(QT_TRANSLATE_NOOP("MapDialogs", "Range of the colours")),
      {{tr(QT_TRANSLATE_NOOP("MapDialogs", "From")), range ? text(range->low) : QString(), {}},
       {tr(QT_TRANSLATE_NOOP("MapDialogs", "To")), range ? text(range->high) : QString(),
        tr(QT_TRANSLATE_NOOP("MapDialogs",
                             "Values outside have colours of their own. Empty fields: the map's own range."))}},
      [](const QStringList& values) {
        if (values[0].isEmpty() && values[1].isEmpty()) return QString();
        for (const QString& value : values) {
          if (!number(value)) return tr(QT_TRANSLATE_NOOP("MapDialogs", "\"%1\" is no number.")).arg(value);
        }
        if (*number(values[0]) < *number(values[1])) return QString();
        return tr(QT_TRANSLATE_NOOP("MapDialogs", "The range must begin below its end: %1 is not below %2."))
            .arg(values[0], values[1]);
      },
      [take = std::move(take)](const QStringList& values) {
        if (values[0].isEmpty() && values[1].isEmpty()) return take(std::nullopt);
        take(core::ValueRange{*number(values[0]), *number(values[1])});
      },
      parent);
  dialog->open();
  return dialog;
}

QDialog* askForFirstKeys(std::int64_t hidden, std::int64_t tokens, std::function<void(std::int64_t)> take,
                         QWidget* parent) {
  auto* dialog = new FormDialog(
      tr(QT_TRANSLATE_NOOP("MapDialogs", "Hide the first keys")),
      {{tr(QT_TRANSLATE_NOOP("MapDialogs", "How many")), QString::number(std::max<std::int64_t>(1, hidden)),
        tr(QT_TRANSLATE_NOOP("MapDialogs",
                             "They are not drawn and do not count for the colours; the numbers stay. 0 hides none."))}},
      [tokens](const QStringList& values) {
        bool ok = false;
        const qlonglong count = values[0].toLongLong(&ok);
        if (ok && count >= 0 && count < tokens) return QString();
        return tr(QT_TRANSLATE_NOOP("MapDialogs", "Write a number from 0 to %1.")).arg(tokens - 1);
      },
      [take = std::move(take)](const QStringList& values) { take(values[0].toLongLong()); }, parent);
  dialog->open();
  return dialog;
}

}  // namespace widgets
