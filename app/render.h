// Heads' maps as the bytes of a picture.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/cli.h"
#include "core/capture.h"

namespace app {

struct Picture {
  std::string bytes;
  std::string what;  ///< "layer 2, head 3"
  int width = 0;
  int height = 0;
  std::string unit;    ///< of width and height: "pixels" or "points"
  int cell = 0;        ///< pixels, of a bare map; 0: a figure
  std::string notice;  ///< a sentence where letters could not be drawn
};

/// Errors: Mismatch, with the numbers, when the model has no such layer or head, or the run no such rows, columns or
/// keys.
void requireMaps(const core::ModelConfig& config, std::int64_t tokens, const RenderArguments& render);

/// A figure needs Qt's fonts: a Qt application without a display lives as long as this call. Cells alone need none.
/// Errors: TooLarge when the picture would have too many pixels, Unsupported when this installation of Qt can't draw
/// text without a display, OutOfMemory, Cancelled.
Picture renderPicture(const std::shared_ptr<const core::Capture>& capture, const Arguments& arguments,
                      const core::Progress& progress);

/// The file appears whole or not at all. Errors: Io, Cancelled.
void savePicture(const Picture& picture, const std::filesystem::path& path, core::Existing existing,
                 const core::Progress& progress);

}  // namespace app
