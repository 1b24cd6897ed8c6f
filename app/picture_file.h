// Pictures as PNG files.
#pragma once

#include <QImage>
#include <filesystem>

#include "core/output_file.h"

namespace app {

/// The file appears whole or not at all. Errors: Io, OutOfMemory.
void savePng(const QImage& image, const std::filesystem::path& path, core::Existing existing);

}  // namespace app
