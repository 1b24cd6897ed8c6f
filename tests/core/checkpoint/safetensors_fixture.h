// A test that writes safetensors files and opens them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/safetensors_file.h"
#include "core/error.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/core/checkpoint/safetensors_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {

inline constexpr auto kCorrupt = ErrorKind::Corrupt, kTruncated = ErrorKind::Truncated, kTooLarge = ErrorKind::TooLarge,
                      kUnsupported = ErrorKind::Unsupported;

class Safetensors : public testing::Test {
 protected:
  SafetensorsFile open(const std::string& bytes) {
    support::writeFile(path(), bytes);
    return SafetensorsFile(File(path()));
  }
  /// Opened as the window opens it, beside a config.
  void refuse(ErrorKind kind, std::vector<std::string> parts, const std::string& bytes) {
    parts.push_back(path().string());
    support::writeFile(path(), bytes);
    support::writeFile(m_folder / "config.json", R"({"model_type": "llama"})");
    support::expectError(kind, parts, [&] { load(path(), {}, Progress()); });
  }
  std::filesystem::path path() const { return m_folder / "model.safetensors"; }
  support::TemporaryFolder m_folder;
};

}  // namespace core::checkpoint
