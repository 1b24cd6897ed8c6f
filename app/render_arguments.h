// What `headscope render` is told beyond the options that other commands have too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/attention_mask.h"
#include "core/ids.h"
#include "widgets/state/colouring.h"

namespace app {

/// Of several heads: each of them as a map of its own, or their arithmetic mean.
enum class SeveralHeads { Each, Mean };

/// With title, axes, tokens, colour bar and settings, or the cells alone.
enum class PictureKind { Figure, Bare };

enum class PictureGround { Light, Dark };

struct RenderArguments {
  int layer = 0;
  std::vector<int> heads;
  SeveralHeads several = SeveralHeads::Each;
  std::optional<core::HeadId> minus;  ///< the difference to this head

  core::Stage stage = core::Stage::Weights;
  std::optional<core::PositionRange> rows;
  std::optional<core::PositionRange> columns;
  std::vector<core::Position> hiddenKeys;

  widgets::Scale scale = widgets::Scale::Linear;
  std::optional<widgets::ColormapName> colormap;  ///< nullopt: viridis, and diverging for a difference
  std::optional<core::ValueRange> range;
  core::Reduction reduction = core::Reduction::Max;

  PictureKind kind = PictureKind::Figure;
  PictureGround ground = PictureGround::Light;
  std::optional<std::string> title;
  std::optional<int> pixelRatio;
  std::optional<int> cell;  ///< pixels, of a bare map; nullopt: what gives about 1000 pixels
};

}  // namespace app
