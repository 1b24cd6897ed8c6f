#include "app/picture_file.h"

#include <QBuffer>
#include <span>

#include "core/error.h"

namespace app {

std::string encodePng(const QImage& image) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  if (!image.save(&buffer, "PNG"))
    throw core::Error(core::ErrorKind::OutOfMemory, "The picture could not be encoded as PNG; make it smaller.");
  return bytes.toStdString();
}

void savePng(const QImage& image, const std::filesystem::path& path, core::Existing existing) {
  const std::string png = encodePng(image);
  core::OutputFile file(path, existing, png.size());
  file.append(std::as_bytes(std::span(png)));
  file.commit();
}

}  // namespace app
