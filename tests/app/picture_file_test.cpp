#include "app/picture_file.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "tests/support/files.h"

namespace app {
namespace {

QImage picture(QRgb color) {
  QImage image(3, 2, QImage::Format_RGB32);
  image.fill(color);
  return image;
}

QImage read(const std::filesystem::path& path) {
  return QImage(QString::fromStdString(path.string())).convertToFormat(QImage::Format_RGB32);
}

TEST(PictureFile, TakesThePlaceOfAnotherOnlyWhenAsked) {
  const support::TemporaryFolder folder;
  savePng(picture(0xff102030), folder / "map.png", core::Existing::Refuse);
  EXPECT_EQ(read(folder / "map.png"), picture(0xff102030));
  EXPECT_THROW(savePng(picture(0xffffffff), folder / "map.png", core::Existing::Refuse), core::Error);
  EXPECT_EQ(read(folder / "map.png"), picture(0xff102030));
  savePng(picture(0xffffffff), folder / "map.png", core::Existing::Replace);
  EXPECT_EQ(read(folder / "map.png"), picture(0xffffffff));
}

TEST(PictureFile, APlaceThatIsNotThereIsNamed) {
  try {
    savePng(picture(0), "/nowhere/map.png", core::Existing::Replace);
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::Io);
    EXPECT_THAT(error.what(), testing::HasSubstr("/nowhere/map.png"));
  }
}

}  // namespace
}  // namespace app
