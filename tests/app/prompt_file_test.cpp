#include "app/prompt_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/error.h"
#include "tests/support/files.h"

namespace app {
namespace {

core::ErrorKind refusal(const std::filesystem::path& path) {
  try {
    readPromptFile(path, {});
  } catch (const core::Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(path.string()));
    return error.kind();
  }
  ADD_FAILURE() << "read " << path;
  return core::ErrorKind::Io;
}

TEST(PromptFile, KeepsEveryByte) {
  const support::TemporaryFolder folder;
  const std::string bytes("\xEF\xBB\xBF \r\n a\0b\xFF\n\n", 13);
  support::writeFile(folder / "prompt", bytes);
  EXPECT_EQ(readPromptFile(folder / "prompt", {}), bytes);
}

TEST(PromptFile, MayBeEmpty) { EXPECT_EQ(readPromptFile("/dev/null", {}), ""); }

TEST(PromptFile, SaysWhyItCannotBeRead) {
  const support::TemporaryFolder folder;
  EXPECT_EQ(refusal(folder / "none"), core::ErrorKind::NotFound);
  EXPECT_EQ(refusal(folder.path()), core::ErrorKind::NotAFile);
}

TEST(PromptFile, WaitingForAWriterThatNeverComesCanBeCancelled) {
  const support::TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  int asked = 0;
  try {
    readPromptFile(folder / "pipe", core::Progress([&](double, std::string_view) { return ++asked < 3; }));
    FAIL() << "it did not wait";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::Cancelled);
  }
  EXPECT_EQ(asked, 3);
}

TEST(PromptFile, EndsWithAFileWithoutEnd) { EXPECT_EQ(refusal("/dev/zero"), core::ErrorKind::TooLarge); }

}  // namespace
}  // namespace app
