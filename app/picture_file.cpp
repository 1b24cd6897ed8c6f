#include "app/picture_file.h"

#include "widgets/heatmap/figure_file.h"

namespace app {

void savePng(const QImage& image, const std::filesystem::path& path, core::Existing existing) {
  const QByteArray png = widgets::encodePng(image, {});
  widgets::writeBytes({png.data(), static_cast<std::size_t>(png.size())}, path, existing, {});
}

}  // namespace app
