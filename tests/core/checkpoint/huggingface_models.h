// A test that writes Hugging Face folders and opens them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/huggingface_folder.h"
#include "tests/support/files.h"

namespace support {

class HuggingfaceModels : public testing::Test {
 protected:
  const std::filesystem::path& folder() const { return m_folder.path(); }

  static core::checkpoint::Checkpoint load(const std::filesystem::path& path) {
    return core::checkpoint::load(path, {}, core::Progress());
  }
  core::checkpoint::Checkpoint open(const HuggingfaceFolder& model) {
    model.writeSafetensors(folder());
    return load(folder());
  }
  void refuse(core::ErrorKind kind, const std::vector<std::string>& parts, const HuggingfaceFolder& model) {
    model.writeSafetensors(folder());
    refusePath(kind, parts, folder());
  }
  /// The sentence also has to name something in the folder.
  void refusePath(core::ErrorKind kind, std::vector<std::string> parts, const std::filesystem::path& path) {
    parts.push_back(folder().string());
    expectError(kind, parts, [&] { load(path); });
  }

  static std::vector<std::string> lines(const core::checkpoint::Checkpoint& checkpoint, core::ReportLine::Topic topic) {
    std::vector<std::string> texts;
    for (const core::ReportLine& line : checkpoint.info.report) {
      if (line.topic == topic) texts.push_back(line.text);
    }
    return texts;
  }

 private:
  TemporaryFolder m_folder;
};

}  // namespace support
