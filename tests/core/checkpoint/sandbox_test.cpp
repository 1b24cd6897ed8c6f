// The sandbox itself: what it is to keep a loader from does end the process, and reading does not.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/core/checkpoint/confined.h"
#include "tests/support/files.h"

namespace {

class Sandbox : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!support::canConfine()) GTEST_SKIP() << "this build has no sandbox";
    support::writeFile(m_folder / "file", "content");
  }
  support::ProcessResult attempt(const std::string& action) const {
    return support::runConfined({"--try", action, (m_folder / "file").string()});
  }
  support::TemporaryFolder m_folder;
};

class ForbiddenAction : public Sandbox {};

TEST_P(ForbiddenAction, EndsTheProcessBeforeItIsDone) {
  const support::ProcessResult result = attempt(GetParam());
  EXPECT_EQ(result.code, 128 + SIGSYS) << result.out << result.err;
  EXPECT_EQ(support::readFile(m_folder / "file"), "content");
  EXPECT_FALSE(std::filesystem::exists(m_folder / "file.new"));
}

INSTANTIATE_TEST_SUITE_P(All, ForbiddenAction,
                         testing::Values("start a shell", "fork", "write a file", "make a file", "delete a file",
                                         "rename a file", "make a folder", "open a connection", "map a file",
                                         "make code"));

TEST_F(Sandbox, ReadingIsAllowedAndSaysWhatIsOpened) {
  const support::ProcessResult result = attempt("read a file");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "result c\n");
  EXPECT_EQ(result.err, "open " + (m_folder / "file").string() + "\n");
}

TEST_F(Sandbox, MoreMemoryThan256MebibytesIsNotThere) {
  const support::ProcessResult result = attempt("take memory");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "result bad_alloc\n");
}

}  // namespace
