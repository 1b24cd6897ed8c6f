#include "core/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>

#include "core/error.h"
#include "tests/support/files.h"

namespace core {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::size_t filesIn(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

template <class Action>
std::string ioSentence(Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Io);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(OutputFile, AppearsWholeOnCommitAndNotBefore) {
  const support::TemporaryFolder folder;
  OutputFile file(folder / "a", Existing::Refuse, 3);
  file.append(bytes("abc"));
  file.patch(1, bytes("B"));
  file.append(bytes("d"));
  EXPECT_EQ(file.size(), 4u);
  EXPECT_FALSE(fs::exists(folder / "a"));
  file.commit();
  EXPECT_EQ(support::readFile(folder / "a"), "aBcd");
  EXPECT_EQ(filesIn(folder.path()), 1u);
}

TEST(OutputFile, LeavesTheOldFileWhenNotCommitted) {
  const support::TemporaryFolder folder;
  support::writeFile(folder / "a", "old");
  {
    OutputFile file(folder / "a", Existing::Replace, 3);
    file.append(bytes("new"));
  }
  EXPECT_EQ(support::readFile(folder / "a"), "old");
  EXPECT_EQ(filesIn(folder.path()), 1u);
}

TEST(OutputFile, ReplacesTheOldFileWhenAskedAndKeepsItsPermissions) {
  const support::TemporaryFolder folder;
  support::writeFile(folder / "a", "old");
  fs::permissions(folder / "a", fs::perms(0640));
  OutputFile file(folder / "a", Existing::Replace, 3);
  file.append(bytes("new"));
  file.commit();
  EXPECT_EQ(support::readFile(folder / "a"), "new");
  EXPECT_EQ(fs::status(folder / "a").permissions(), fs::perms(0640));
  EXPECT_EQ(filesIn(folder.path()), 1u);
}

TEST(OutputFile, GivesANewFileThePermissionsOfTheUmask) {
  const support::TemporaryFolder folder;
  const mode_t before = ::umask(027);
  OutputFile file(folder / "a", Existing::Refuse, 0);
  file.commit();
  ::umask(before);
  EXPECT_EQ(fs::status(folder / "a").permissions(), fs::perms(0640));
}

TEST(OutputFile, ReplacesTheFileBehindALinkAndKeepsTheLink) {
  const support::TemporaryFolder folder;
  support::writeFile(folder / "real", "old");
  fs::create_symlink("real", folder / "link");
  OutputFile file(folder / "link", Existing::Replace, 3);
  file.append(bytes("new"));
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(support::readFile(folder / "real"), "new");
}

TEST(OutputFile, RefusesAFileThatIsThere) {
  const support::TemporaryFolder folder;
  support::writeFile(folder / "a", "old");
  EXPECT_THAT(ioSentence([&] { OutputFile(folder / "a", Existing::Refuse, 3); }),
              AllOf(HasSubstr((folder / "a").string()), HasSubstr("exists already")));
  EXPECT_EQ(support::readFile(folder / "a"), "old");
}

TEST(OutputFile, RefusesAFileThatCameIntoBeingMeanwhile) {
  const support::TemporaryFolder folder;
  {
    OutputFile file(folder / "a", Existing::Refuse, 3);
    support::writeFile(folder / "a", "someone else's");
    EXPECT_THAT(ioSentence([&] { file.commit(); }), HasSubstr("exists already"));
  }
  EXPECT_EQ(support::readFile(folder / "a"), "someone else's");
  EXPECT_EQ(filesIn(folder.path()), 1u);
}

TEST(OutputFile, SaysWhatItCannotWriteInto) {
  const support::TemporaryFolder folder;
  EXPECT_THAT(ioSentence([&] { OutputFile::check(folder.path(), Existing::Replace); }), HasSubstr("is a folder"));
  EXPECT_THAT(ioSentence([&] { OutputFile::check(folder / "no/a", Existing::Refuse); }),
              AllOf(HasSubstr("There is no folder"), HasSubstr((folder / "no").string())));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(ioSentence([&] { OutputFile::check(folder / "pipe", Existing::Replace); }),
              HasSubstr("neither a file nor a device"));
}

TEST(OutputFile, SaysThatAFolderIsNotWritable) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const support::TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms(0500));
  EXPECT_THAT(ioSentence([&] { OutputFile(folder / "a", Existing::Refuse, 3); }), HasSubstr("Permission denied"));
  fs::permissions(folder.path(), fs::perms(0700));
}

TEST(OutputFile, SaysHowMuchSpaceIsNeededAndFree) {
  const support::TemporaryFolder folder;
  constexpr auto kTooMuch = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(ioSentence([&] { OutputFile(folder / "a", Existing::Refuse, kTooMuch); }),
              AllOf(HasSubstr(std::to_string(kTooMuch) + " bytes"), HasSubstr("free")));
  EXPECT_EQ(filesIn(folder.path()), 0u);
}

TEST(OutputFile, SaysThatADeviceIsFull) {
  OutputFile file("/dev/full", Existing::Refuse, 1234);
  EXPECT_THAT(ioSentence([&] { file.append(bytes("abc")); }),
              AllOf(HasSubstr("/dev/full"), HasSubstr("No space left on device"), HasSubstr("1234 bytes")));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(OutputFile, WritesADeviceInPlace) {
  OutputFile file("/dev/null", Existing::Refuse, 3);
  file.append(bytes("abc"));
  file.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace core
