#include "tests/support/files.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace support {

namespace fs = std::filesystem;

fs::path repository(const std::string& relative) { return fs::path(HEADSCOPE_SOURCE_DIR) / relative; }

fs::path data(const std::string& relative) {
  fs::path path = repository("tests/data") / relative;
  EXPECT_TRUE(fs::exists(path)) << path << " is missing; tests/data/make_cuts.py makes it";
  return path;
}

fs::path fixtures() {
  if (const char* folder = std::getenv("HEADSCOPE_FIXTURES")) return folder;
  return repository("../shared/fixtures");
}

fs::path smollm2() { return repository("models/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"); }

bool fixturesRequired() { return std::getenv("HEADSCOPE_REQUIRE_FIXTURES") != nullptr; }

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "headscope-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder " + pattern);
  m_path = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(m_path, ignored);
}

std::string readFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

void writeFile(const fs::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace support
