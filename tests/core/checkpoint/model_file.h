// A test that writes models and opens them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/support/files.h"

namespace support {

class ModelFile : public testing::Test {
 protected:
  core::checkpoint::Checkpoint open(const ModelBuilder& model) {
    writeFile(m_folder / "ckpt.pt", model.build());
    return core::checkpoint::load(m_folder / "ckpt.pt", {}, core::Progress());
  }
  void refuse(core::ErrorKind kind, std::vector<std::string> parts, const ModelBuilder& model) {
    parts.push_back((m_folder / "ckpt.pt").string());
    expectError(kind, parts, [&] { open(model); });
  }
  TemporaryFolder m_folder;
};

}  // namespace support
