// Where tests find real checkpoints: cuts in tests/data (always there) and the whole fixtures (where present).
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace support {

/// A file or folder below the repository ("models/shakespeare-char").
std::filesystem::path repository(const std::string& relative);

/// A file or folder below tests/data. Fails the test when it is missing: the repository is incomplete.
std::filesystem::path data(const std::string& relative);

/// Folder of the whole fixtures: $HEADSCOPE_FIXTURES, else ../shared/fixtures beside the repository; may not exist.
std::filesystem::path fixtures();

/// True when scripts/test was given --require-fixtures: a missing fixture is then a failure, not a skip.
bool fixturesRequired();

/// SmolLM2 as scripts/setup --with-smollm2 puts it into this clone; may not exist.
std::filesystem::path smollm2();

/// A folder that is deleted with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return m_path; }
  std::filesystem::path operator/(const std::string& name) const { return m_path / name; }

 private:
  std::filesystem::path m_path;
};

std::string readFile(const std::filesystem::path& path);
void writeFile(const std::filesystem::path& path, const std::string& bytes);

}  // namespace support

/// Skips the test (or fails it, see fixturesRequired) when the fixture `relative` is not there; else defines
/// `variable`.
#define HEADSCOPE_FIXTURE(variable, relative)                                                                       \
  const std::filesystem::path variable = support::fixtures() / (relative);                                          \
  if (!std::filesystem::exists(variable)) {                                                                         \
    if (support::fixturesRequired()) FAIL() << "the fixture " << (relative) << " is required, not at " << variable; \
    GTEST_SKIP() << "the whole fixture " << (relative) << " is not beside this clone";                              \
  }                                                                                                                 \
  static_assert(true, "")

/// The same for SmolLM2, which is fetched and not in the repository.
#define HEADSCOPE_SMOLLM2(variable)                                                          \
  const std::filesystem::path variable = support::smollm2();                                 \
  if (!std::filesystem::exists(variable)) {                                                  \
    if (support::fixturesRequired()) FAIL() << "SmolLM2 is required, not at " << variable;   \
    GTEST_SKIP() << "SmolLM2 is not in this clone: scripts/setup --with-smollm2 fetches it"; \
  }                                                                                          \
  static_assert(true, "")
