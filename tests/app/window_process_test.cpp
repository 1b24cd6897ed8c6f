// The program as a process with a window: no display, the system's signals, a screenshot.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>

#include "tests/app/nanochat_steps.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

namespace {

using support::Process;
using support::ProcessResult;
using support::TemporaryFolder;
using testing::HasSubstr;
using testing::Not;

std::map<std::string, std::string> environment(const TemporaryFolder& folder, const std::string& platform) {
  return {{"DISPLAY", ""},
          {"WAYLAND_DISPLAY", ""},
          {"QT_QPA_PLATFORM", platform},
          {"XDG_CONFIG_HOME", folder.path().string()},
          {"XDG_RUNTIME_DIR", folder.path().string()}};
}

ProcessResult run(const TemporaryFolder& folder, const std::string& platform,
                  const std::vector<std::string>& arguments) {
  return Process(HEADSCOPE_PROGRAM, arguments, environment(folder, platform), folder.path()).wait();
}

TEST(WindowProcess, WithoutADisplayItNamesTheHeadlessCommandsAndQtDoesNotAbort) {
  const TemporaryFolder folder;
  const ProcessResult result = run(folder, "", {});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("neither DISPLAY nor WAYLAND_DISPLAY"));
  EXPECT_THAT(result.err, HasSubstr("headscope render"));
  EXPECT_THAT(result.err, Not(HasSubstr("qt.qpa")));
}

TEST(WindowProcess, ADisplayThatDoesNotAnswerIsNamed) {
  const TemporaryFolder folder;
  auto variables = environment(folder, "");
  variables["DISPLAY"] = ":4711";
  const ProcessResult result = Process(HEADSCOPE_PROGRAM, {}, variables, folder.path()).wait();
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("DISPLAY=:4711"));
}

TEST(WindowProcess, APlatformThatQtDoesNotHaveIsNamed) {
  const TemporaryFolder folder;
  const ProcessResult result = run(folder, "nonsense", {});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("QT_QPA_PLATFORM=nonsense"));
}

TEST(WindowProcess, AScreenshotNeedsNoDisplayAndRemembersNothing) {
  const TemporaryFolder folder;
  const ProcessResult result = run(folder, "", {"--screenshot", (folder / "window.png").string()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(support::readFile(folder / "window.png").substr(1, 3), "PNG");
  EXPECT_FALSE(std::filesystem::exists(folder / "Headscope"));
}

TEST(WindowProcess, QtSaysNothingOfItsOffscreenPlatformAlsoWhenThatIsAskedFor) {
  for (const char* platform : {"", "offscreen"}) {
    const TemporaryFolder folder;
    const ProcessResult result = run(folder, platform, {"--screenshot", (folder / "window.png").string()});
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.err, "") << platform;
  }
}

TEST(WindowProcess, AScreenshotTakesThePlaceOfAFileOnlyByForce) {
  const TemporaryFolder folder;
  const std::string picture = (folder / "window.png").string();
  support::writeFile(picture, "mine");
  const ProcessResult refused = run(folder, "offscreen", {"--screenshot", picture});
  EXPECT_EQ(refused.code, 5);
  EXPECT_THAT(refused.err, HasSubstr("window.png"));
  EXPECT_THAT(refused.err, HasSubstr("exists already"));
  EXPECT_EQ(support::readFile(picture), "mine");
  EXPECT_EQ(run(folder, "offscreen", {"--screenshot", picture, "--force"}).code, 0);
  EXPECT_EQ(support::readFile(picture).substr(1, 3), "PNG");
  EXPECT_EQ(run(folder, "offscreen", {"--force"}).code, 2);
}

TEST(WindowProcess, APromptThatTheEditorWouldChangeIsNotRun) {
  const TemporaryFolder folder;
  const std::string picture = (folder / "window.png").string();
  const std::string file = (folder / "prompt.txt").string();
  for (const char* bytes : {"ROMEO:\r\nWhat light", "caf\xe9", "\xed\xa0\x80", "a\xe2\x80\xa9z"}) {
    support::writeFile(file, bytes);
    const ProcessResult result = run(folder, "offscreen", {"--prompt-file", file, "--screenshot", picture});
    EXPECT_EQ(result.code, 4) << bytes;
    EXPECT_THAT(result.err, HasSubstr("headscope render"));
    EXPECT_FALSE(std::filesystem::exists(picture));
  }
  support::writeFile(file, "ROMEO:\nWhat light\n");
  EXPECT_EQ(run(folder, "offscreen", {"--prompt-file", file, "--screenshot", picture}).code, 0);
}

TEST(WindowProcess, AModelMayBeNamedByItsAddressOrFromTheHomeFolder) {
  const TemporaryFolder folder;
  const std::filesystem::path home = support::repository("models");
  auto variables = environment(folder, "offscreen");
  variables["HOME"] = home.string();
  int number = 0;
  for (const std::string& model : {"file://" + (home / "shakespeare%2Dchar/ckpt.pt").string(),
                                   std::string("~/shakespeare-char/ckpt.pt"), std::string("~/shakespeare-char")}) {
    const std::string picture = (folder / (std::to_string(++number) + ".png")).string();
    const ProcessResult result =
        Process(HEADSCOPE_PROGRAM, {model, "--screenshot", picture}, variables, folder.path()).wait();
    EXPECT_EQ(result.code, 0) << model << ": " << result.err;
  }
}

TEST(WindowProcess, TokenIdsOfTheCommandLineAreThePrompt) {
  const TemporaryFolder folder;
  const std::string picture = (folder / "window.png").string();
  EXPECT_EQ(run(folder, "offscreen", {"--tokens", "1,2,3", "--screenshot", picture}).code, 0);
  const ProcessResult result = run(folder, "offscreen", {"--tokens", "1,2,65", "--screenshot", picture, "--force"});
  EXPECT_EQ(result.code, 4);
  EXPECT_THAT(result.err, HasSubstr("Token 3 is 65"));
}

TEST(WindowProcess, F2_AScreenshotOfSeveralStepsNeedsOne) {
  const TemporaryFolder folder;
  const std::string picture = (folder / "window.png").string();
  const std::string models = support::nanochatSteps(folder / "set").string();
  const ProcessResult several = run(folder, "offscreen", {models, "--screenshot", picture});
  EXPECT_EQ(several.code, 2);
  EXPECT_THAT(several.err, HasSubstr("--step 20"));
  EXPECT_EQ(run(folder, "offscreen", {models, "--step", "50"}).code, 2);
  const ProcessResult one = run(folder, "offscreen",
                                {models, "--step", "20", "--prompt", "First", "--no-bos", "--pattern", "L",
                                 "--rope-base", "500", "--screenshot", picture});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(support::readFile(picture).substr(1, 3), "PNG");
  const ProcessResult wrong =
      run(folder, "offscreen", {models, "--step", "20", "--pattern", "X", "--screenshot", picture, "--force"});
  EXPECT_EQ(wrong.code, 4);
  EXPECT_THAT(wrong.err, HasSubstr("'X'"));
}

TEST(WindowProcess, AScreenshotThatCanNotBeMadeSaysWhy) {
  const TemporaryFolder folder;
  EXPECT_EQ(run(folder, "offscreen", {"--screenshot", "/nowhere/window.png"}).code, 5);
  support::writeFile(folder / "letter.pt", "not a model");
  const ProcessResult result =
      run(folder, "offscreen", {(folder / "letter.pt").string(), "--screenshot", (folder / "window.png").string()});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("letter.pt"));
}

TEST(WindowProcess, SigtermSavesTheSessionAndEndsWithZero) {
  const TemporaryFolder folder;
  Process process(HEADSCOPE_PROGRAM, {}, environment(folder, "offscreen"), folder.path());
  const std::filesystem::path settings = folder / "Headscope/Headscope.conf";
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  // Written when the bundled model has become a recent file: the window is there.
  while (!std::filesystem::exists(settings) && std::chrono::steady_clock::now() < end)
    ASSERT_FALSE(process.endsWithin(std::chrono::milliseconds(20)));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait().code, 0);
  EXPECT_THAT(support::readFile(settings), HasSubstr("prompt=\"GLOUCESTER:"));
}

}  // namespace
