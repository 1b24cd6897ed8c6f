// A head's map as the bytes of a PNG.
#pragma once

#include <memory>
#include <string>

#include "app/cli.h"
#include "core/capture.h"

namespace app {

struct Picture {
  std::string png;
  int width = 0;
  int height = 0;
  int cell = 0;  ///< pixels
};

/// Colours pixels of a QImage, which needs no display and no Qt application. Errors: TooLarge when the picture would
/// have too many pixels, OutOfMemory.
Picture renderPicture(const std::shared_ptr<const core::Capture>& capture, const Arguments& arguments);

}  // namespace app
