// Every input of a target's corpus once more, in the ordinary build. HEADSCOPE_CORPUS is the target's folder.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/fuzz/fuzz.h"
#include "tests/support/files.h"

namespace {

TEST(Corpus, EveryInputIsReadOrRefused) {
  ASSERT_TRUE(std::filesystem::is_directory(HEADSCOPE_CORPUS)) << HEADSCOPE_CORPUS << ": the repository is incomplete";
  std::vector<std::filesystem::path> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(HEADSCOPE_CORPUS)) inputs.push_back(entry.path());
  std::sort(inputs.begin(), inputs.end());
  ASSERT_FALSE(inputs.empty()) << HEADSCOPE_CORPUS << ": the repository is incomplete";
  for (const std::filesystem::path& input : inputs) {
    SCOPED_TRACE(input.filename());
    const std::string bytes = support::readFile(input);
    EXPECT_NO_THROW(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  }
}

}  // namespace
