// Runs the built program without a display, as a script would.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/process.h"

namespace support {

using Words = std::vector<std::string>;

class Headless : public testing::Test {
 protected:
  ProcessResult run(const Words& words, std::map<std::string, std::string> environment = {}) const {
    return start(words, std::move(environment)).wait();
  }

  Process start(const Words& words, std::map<std::string, std::string> environment = {}) const {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR"})
      environment.try_emplace(name);
    return Process(HEADSCOPE_PROGRAM, words, environment, m_streams.path());
  }

  /// Expects the exit code and one error line of that beginning, no result, and no file in the output folder.
  std::string refusal(const Words& words, int code, const std::string& beginning) const {
    const ProcessResult result = run(words);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_THAT(result.err, testing::StartsWith("headscope: " + beginning));
    EXPECT_THAT(result.out, testing::IsEmpty());
    EXPECT_TRUE(std::filesystem::is_empty(m_folder.path()));
    return result.err;
  }

  Words capture(const Words& more) const {
    Words words{"capture", m_model, "-o", m_output};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  TemporaryFolder m_streams;
  TemporaryFolder m_folder;
  const std::string m_model = repository("models/shakespeare-char").string();
  const std::string m_output = (m_folder / "run.npz").string();
};

}  // namespace support
