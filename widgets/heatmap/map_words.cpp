#include "widgets/heatmap/map_words.h"

#include <QCoreApplication>
#include <cmath>

#include "widgets/heatmap/accents.h"

namespace widgets {

namespace {

struct Words {
  const char* name;
  const char* help;
};

constexpr std::array<Words, 5> kStageWords{{
    {QT_TRANSLATE_NOOP("Map", "scores"), QT_TRANSLATE_NOOP("Map", "q · k / √D of every pair, before the mask")},
    {QT_TRANSLATE_NOOP("Map", "masked"), QT_TRANSLATE_NOOP("Map", "The scores that the mask lets through")},
    {QT_TRANSLATE_NOOP("Map", "weights"),
     QT_TRANSLATE_NOOP("Map", "softmax of the masked scores: every row sums to 1")},
    {QT_TRANSLATE_NOOP("Map", "output"), QT_TRANSLATE_NOOP("Map", "y = weights · v of this head")},
    {QT_TRANSLATE_NOOP("Map", "re-assembled"),
     QT_TRANSLATE_NOOP("Map", "y of all heads side by side, this head's columns framed")},
}};

constexpr std::array<const char*, 5> kValueNames{QT_TRANSLATE_NOOP("Map", "score"), QT_TRANSLATE_NOOP("Map", "score"),
                                                 QT_TRANSLATE_NOOP("Map", "weight"), "y", "y"};

constexpr std::array<Words, 5> kScaleWords{{
    {QT_TRANSLATE_NOOP("Map", "linear"), QT_TRANSLATE_NOOP("Map", "Equal steps of colour are equal steps of value")},
    {"√", QT_TRANSLATE_NOOP("Map", "Square root: small values are easier to tell apart")},
    {QT_TRANSLATE_NOOP("Map", "log"), QT_TRANSLATE_NOOP("Map", "Logarithm: four decades below the largest value")},
    {QT_TRANSLATE_NOOP("Map", "per row"), QT_TRANSLATE_NOOP("Map", "Linear, every row up to its own largest value")},
    {QT_TRANSLATE_NOOP("Map", "percentile"),
     QT_TRANSLATE_NOOP("Map", "The colour is the share of the map's values that are smaller")},
}};

constexpr std::array<const char*, 6> kColormapNames{
    "viridis", "magma", "inferno", "cividis", QT_TRANSLATE_NOOP("Map", "grey"), QT_TRANSLATE_NOOP("Map", "diverging")};

QString translated(const char* text) { return QCoreApplication::translate("Map", text); }

template <class Table, class Enum>
const auto& at(const Table& table, Enum value) {
  return table.at(static_cast<std::size_t>(value));
}

}  // namespace

QString stageName(core::Stage stage) { return translated(at(kStageWords, stage).name); }
QString stageHelp(core::Stage stage) { return translated(at(kStageWords, stage).help); }
QString valueName(core::Stage stage) { return translated(at(kValueNames, stage)); }
QString scaleName(Scale scale) { return translated(at(kScaleWords, scale).name); }
QString scaleHelp(Scale scale) { return translated(at(kScaleWords, scale).help); }
QString colormapName(ColormapName name) { return translated(at(kColormapNames, name)); }

QString brokenRowsText(const core::BrokenRows& rows, std::int64_t tokens) {
  if (rows.count == 0) return {};
  if (rows.count == 1) return translated(QT_TRANSLATE_NOOP("Map", "1 of %1 rows does not sum to 1")).arg(tokens);
  return translated(QT_TRANSLATE_NOOP("Map", "%1 of %2 rows do not sum to 1")).arg(rows.count).arg(tokens);
}

QString brokenRowsHelp(const core::BrokenRows& rows, std::int64_t tokens) {
  if (rows.count == 0) return {};
  const QString lse = std::isnan(rows.lse) ? QStringLiteral("NaN") : rows.lse < 0 ? "-∞" : "∞";
  const QString which = rows.count == 1
                            ? translated(QT_TRANSLATE_NOOP("Map", "%1: query %2, its log-sum-exp is %3."))
                            : translated(QT_TRANSLATE_NOOP("Map", "%1: the first is query %2, its log-sum-exp is %3."));
  return which.arg(brokenRowsText(rows, tokens)).arg(rows.first).arg(lse);
}

QString shapesLine(const core::ModelConfig& config, std::int64_t tokens, core::Stage stage) {
  const QString whole = QStringLiteral("(%1, %2)").arg(tokens).arg(config.embedding);
  const QString split = QStringLiteral("(%1, %2, %3)").arg(config.heads).arg(tokens).arg(config.headSize);
  const QString maps = QStringLiteral("(%1, %2, %2)").arg(config.heads).arg(tokens);
  const std::array shapes{whole, split, maps, split, whole};
  const std::size_t current = stage == core::Stage::Output ? 3 : stage == core::Stage::Reassembled ? 4 : 2;
  QStringList parts;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    parts.append(i == current ? QStringLiteral("<b style=\"color:%1\">%2</b>").arg(kActionAccent.name(), shapes[i])
                              : shapes[i]);
  }
  return parts.join(QStringLiteral(" → "));
}

}  // namespace widgets
