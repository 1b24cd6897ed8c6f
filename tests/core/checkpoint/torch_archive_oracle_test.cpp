// LibTorch's own reader of the same container against ours, on real files.
#include <caffe2/serialize/inline_container.h>
#include <gtest/gtest.h>

#include "core/checkpoint/torch_archive.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

void expectEqualRecords(const std::filesystem::path& path) {
  caffe2::serialize::PyTorchStreamReader oracle(path.string());
  const File file(path);
  const TorchArchive archive(file, readZipDirectory(file));
  const std::vector<std::string> names = oracle.getAllRecords();
  ASSERT_GT(names.size(), 3u);
  EXPECT_EQ(archive.records().size(), names.size());
  for (const std::string& name : names) {
    const auto [data, size] = oracle.getRecord(name);
    const std::string ours = archive.read(name, size);
    ASSERT_EQ(ours.size(), size) << name;
    EXPECT_TRUE(ours == std::string_view(static_cast<const char*>(data.get()), size)) << name;
    EXPECT_EQ(archive.record(name).offset, oracle.getRecordOffset(name)) << name;
  }
}

TEST(TorchArchiveOracle, BundledModel) { expectEqualRecords(support::repository("models/shakespeare-char/ckpt.pt")); }

TEST(TorchArchiveOracle, WhatTheTestsWrite) {
  const support::TemporaryFolder folder;
  support::writeFile(folder / "ckpt.pt", support::ModelBuilder().build());
  expectEqualRecords(folder / "ckpt.pt");
}

TEST(TorchArchiveOracle, TrainedNanogptWithOptimizer) {
  HEADSCOPE_FIXTURE(path, "nanogpt-shakespeare-char/ckpt.pt");
  expectEqualRecords(path);
}

TEST(TorchArchiveOracle, Nanochat) {
  HEADSCOPE_FIXTURE(path, "nanochat-shakespeare/model_000799.pt");
  expectEqualRecords(path);
}

TEST(TorchArchiveOracle, NanochatWithBfloat16) {
  HEADSCOPE_FIXTURE(path, "nanochat-2025-10/base_checkpoints/d4/model_000100.pt");
  expectEqualRecords(path);
}

}  // namespace
}  // namespace core::checkpoint
