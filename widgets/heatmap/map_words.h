// Words of the map: names of stages, scales and colour maps, and the line of shapes.
#pragma once

#include <QString>
#include <array>

#include "core/attention_map.h"
#include "core/model_info.h"
#include "widgets/state/view_state.h"

namespace widgets {

inline constexpr std::array kStages{core::Stage::Scores, core::Stage::MaskedScores, core::Stage::Weights,
                                    core::Stage::Output, core::Stage::Reassembled};
inline constexpr std::array kScales{Scale::Linear, Scale::SquareRoot, Scale::Log, Scale::PerRow, Scale::Percentile};
inline constexpr std::array kColormaps{ColormapName::Viridis, ColormapName::Magma, ColormapName::Inferno,
                                       ColormapName::Cividis, ColormapName::Grey,  ColormapName::Diverging};

QString stageName(core::Stage stage);  ///< for a button: "weights"
QString stageHelp(core::Stage stage);
QString valueName(core::Stage stage);  ///< of one value: "weight"
QString scaleName(Scale scale);
QString scaleHelp(Scale scale);
QString colormapName(ColormapName name);

/// "12 of 39 rows do not sum to 1"; empty when all rows do.
QString brokenRowsText(const core::BrokenRows& rows, std::int64_t tokens);

/// The same as a sentence, with the first of them and its log-sum-exp.
QString brokenRowsHelp(const core::BrokenRows& rows, std::int64_t tokens);

/// "(372, 256) → (4, 372, 64) → (4, 372, 372) → (4, 372, 64) → (372, 256)" as rich text, the stage's shape in bold.
QString shapesLine(const core::ModelConfig& config, std::int64_t tokens, core::Stage stage);

}  // namespace widgets
