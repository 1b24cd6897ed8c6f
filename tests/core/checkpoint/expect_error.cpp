#include "tests/core/checkpoint/expect_error.h"

#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <optional>

namespace support {

namespace {

/// Peak of resident memory in KiB since resetPeak.
long peakKib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib;
  }
  ADD_FAILURE() << "no VmHWM in /proc/self/status";
  return 0;
}

void resetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace

void expectError(core::ErrorKind kind, const std::vector<std::string>& parts, const std::function<void()>& action) {
  resetPeak();
  const long before = peakKib();
  const auto start = std::chrono::steady_clock::now();
  std::optional<core::Error> caught;
  try {
    action();
  } catch (const core::Error& error) {
    caught = error;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ASSERT_TRUE(caught.has_value()) << "nothing was refused";
  const std::string sentence = caught->what();
  EXPECT_EQ(name(caught->kind()), name(kind)) << sentence;
  for (const std::string& part : parts) EXPECT_THAT(sentence, testing::HasSubstr(part));
  EXPECT_TRUE(sentence.ends_with('.') || sentence.ends_with(')')) << sentence;
  EXPECT_LT(seconds, 2.0) << sentence;
  EXPECT_LT(peakKib() - before, 256 * 1024) << sentence;
}

}  // namespace support
