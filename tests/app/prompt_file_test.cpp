#include "app/prompt_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/files.h"

namespace app {
namespace {

core::ErrorKind refusal(const std::filesystem::path& path) {
  try {
    readPromptFile(path);
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
  EXPECT_EQ(readPromptFile(folder / "prompt"), bytes);
}

TEST(PromptFile, MayBeEmpty) { EXPECT_EQ(readPromptFile("/dev/null"), ""); }

TEST(PromptFile, SaysWhyItCannotBeRead) {
  const support::TemporaryFolder folder;
  EXPECT_EQ(refusal(folder / "none"), core::ErrorKind::NotFound);
  EXPECT_EQ(refusal(folder.path()), core::ErrorKind::NotAFile);
}

TEST(PromptFile, EndsWithAFileWithoutEnd) { EXPECT_EQ(refusal("/dev/zero"), core::ErrorKind::TooLarge); }

}  // namespace
}  // namespace app
