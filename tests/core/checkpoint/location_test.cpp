#include "core/checkpoint/location.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/checkpoint/checkpoint.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

namespace fs = std::filesystem;

TEST(Location, F16_TildeIsTheHomeFolder) {
  const char* home = std::getenv("HOME");
  ASSERT_NE(home, nullptr);
  EXPECT_EQ(resolve("~/models/ckpt.pt"), fs::path(home) / "models/ckpt.pt");
  EXPECT_EQ(resolve("/x/~/ckpt.pt"), fs::path("/x/~/ckpt.pt"));
}

TEST(Location, F16_RelativePathsBecomeAbsolute) {
  EXPECT_EQ(resolve("out/../ckpt.pt"), fs::current_path() / "ckpt.pt");
}

TEST(Location, F16_FileUrlsLoseSchemeHostAndEscapes) {
  EXPECT_EQ(resolve("file:///x/my%20model%c3%a9/ckpt.pt"), fs::path("/x/my model\xc3\xa9/ckpt.pt"));
  EXPECT_EQ(resolve("file://localhost/x/ckpt.pt"), fs::path("/x/ckpt.pt"));
  EXPECT_EQ(resolve("/x/100%25.pt"), fs::path("/x/100%25.pt")) << "a path is no URL";
}

TEST(Location, F16_WhatIsNoFileOfThisComputerIsSaidSo) {
  support::expectError(ErrorKind::NotAFile, {"https://example.org/ckpt.pt", "address"},
                       [] { resolve("https://example.org/ckpt.pt"); });
  support::expectError(ErrorKind::NotAFile, {"'server'", "another computer"},
                       [] { resolve("file://server/x/ckpt.pt"); });
  for (const char* url : {"file:///x%2", "file:///x%", "file:///x%zz", "file:///x%2g", "file:///x%-1"})
    support::expectError(ErrorKind::NotAFile, {"letter 3", "hexadecimal"}, [&] { resolve(url); });
  support::expectError(ErrorKind::NotAFile, {"NUL"}, [] { resolve("file:///x%00y"); });
  support::expectError(ErrorKind::NotFound, {"No file was named"}, [] { resolve(""); });
}

TEST(Location, F16_ModelsOpenByUrl) {
  const support::TemporaryFolder folder;
  fs::create_directory(folder / "my model");
  support::writeFile(folder / "my model/ckpt.pt", support::ModelBuilder().build());
  const Checkpoint checkpoint = load("file://" + folder.path().string() + "/my%20model/ckpt.pt", {}, Progress());
  EXPECT_EQ(checkpoint.info.name, "my model");
  EXPECT_EQ(checkpoint.info.path, folder / "my model/ckpt.pt");
}

}  // namespace
}  // namespace core::checkpoint
