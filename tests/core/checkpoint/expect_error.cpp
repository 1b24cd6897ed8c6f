#include "tests/core/checkpoint/expect_error.h"

#include <gmock/gmock.h>

#include <ctime>
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
  const std::clock_t start = std::clock();
  std::optional<core::Error> caught;
  try {
    action();
  } catch (const core::Error& error) {
    caught = error;
  }
  // Processor time: the machine may be busy with other tests.
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  ASSERT_TRUE(caught.has_value()) << "nothing was refused";
  const std::string sentence = caught->what();
  EXPECT_EQ(name(caught->kind()), name(kind)) << sentence;
  for (const std::string& part : parts) EXPECT_THAT(sentence, testing::HasSubstr(part));
  EXPECT_TRUE(sentence.ends_with('.') || sentence.ends_with(')')) << sentence;
#if !defined(__SANITIZE_ADDRESS__)  // which takes time and memory of its own
  EXPECT_LT(seconds, 2.0) << sentence;
  EXPECT_LT(peakKib() - before, 256 * 1024) << sentence;
#else
  (void)seconds, (void)before;
#endif
}

}  // namespace support
