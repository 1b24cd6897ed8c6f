#include "tests/core/checkpoint/expect_error.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <fstream>
#include <optional>
#include <string>

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

/// Without it the peak is that of the whole program so far, and nothing would be measured.
void resetPeak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  ASSERT_TRUE(file.good()) << "/proc/self/clear_refs can't be written";
}

/// Whether the sentence has a word that tells what to do.
bool advises(std::string sentence) {
  const auto isLetter = [](unsigned char letter) { return std::isalpha(letter) != 0; };
  std::transform(sentence.begin(), sentence.end(), sentence.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  for (const std::string verb : {" download", " save", " open", " choose", " don't use", " try", " close", " copy",
                                 " give", " run git", " unpack", " convert", " get"}) {
    for (std::size_t at = sentence.find(verb); at != std::string::npos; at = sentence.find(verb, at + 1)) {
      if (!isLetter(sentence[at + verb.size()])) return true;  // "save", not "saved"
    }
  }
  return false;
}

}  // namespace

void expectError(core::ErrorKind kind, const std::vector<std::string>& parts, const std::function<void()>& action) {
  ASSERT_NO_FATAL_FAILURE(resetPeak());
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
  // A job that the user cancelled asks for nothing.
  EXPECT_TRUE(kind == core::ErrorKind::Cancelled || advises(sentence)) << "no advice: " << sentence;
#if !defined(__SANITIZE_ADDRESS__)  // which takes time and memory of its own
  EXPECT_LT(seconds, 2.0) << sentence;
  EXPECT_LT(peakKib() - before, 256 * 1024) << sentence;
#else
  (void)seconds, (void)before;
#endif
}

}  // namespace support
