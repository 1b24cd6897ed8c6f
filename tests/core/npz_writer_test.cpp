#include "core/npz_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/files.h"
#include "tests/support/npz.h"
#include "tests/support/python.h"

namespace core {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kBytes = 100;  // "at least" is all that a small file needs

/// The values 1.5, NaN, -0 ... of a small file with three arrays.
void writeSample(const std::filesystem::path& path, std::uint64_t zip64From = NpzWriter::kZip64From) {
  NpzWriter writer(path, Existing::Refuse, kBytes, zip64From);
  writer.begin("attn", NpzWriter::Type::Float32, {1, 2, 1, 3});
  writer.append(std::vector<float>{1.5f, std::numeric_limits<float>::quiet_NaN(), -0.0f});
  writer.append(std::vector<float>{0.25f});
  writer.append(std::vector<float>{-std::numeric_limits<float>::infinity(), 1e-45f});
  writer.begin("token_ids", NpzWriter::Type::Int64, {2});
  writer.append(std::vector<std::int64_t>{50256, -1});
  writer.begin("empty", NpzWriter::Type::Int64, {0});
  writer.finish();
}

void expectSample(const std::filesystem::path& path) {
  const auto arrays = support::readNpz(path);
  ASSERT_EQ(arrays.size(), 3u);
  const auto& attn = arrays.at("attn");
  EXPECT_EQ(attn.header, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 1, 3), }");
  ASSERT_EQ(attn.floats.size(), 6u);
  EXPECT_EQ(attn.floats[0], 1.5f);
  EXPECT_TRUE(std::isnan(attn.floats[1]));
  EXPECT_TRUE(std::signbit(attn.floats[2]));
  EXPECT_EQ(attn.floats[4], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(attn.floats[5], 1e-45f);
  EXPECT_EQ(arrays.at("token_ids").header, "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }");
  EXPECT_THAT(arrays.at("token_ids").integers, ElementsAre(50256, -1));
  EXPECT_THAT(arrays.at("empty").integers, ElementsAre());
}

TEST(NpzWriter, WritesArraysThatAnIndependentReaderFinds) {
  const support::TemporaryFolder folder;
  writeSample(folder / "a.npz");
  expectSample(folder / "a.npz");
}

TEST(NpzWriter, WritesTheSameBytesForTheSameValues) {
  const support::TemporaryFolder folder;
  writeSample(folder / "a.npz");
  writeSample(folder / "b.npz");
  EXPECT_EQ(support::readFile(folder / "a.npz"), support::readFile(folder / "b.npz"));
}

// With a low border each kind of zip64 field comes up in a file of a few hundred bytes: sizes, offsets, directory.
TEST(NpzWriter, UsesZip64FromTheBorderOn) {
  const support::TemporaryFolder folder;
  for (const std::uint64_t border : {1, 100, 145, 200, 400, 500}) {
    const auto path = folder / ("from-" + std::to_string(border) + ".npz");
    writeSample(path, border);
    expectSample(path);
  }
}

TEST(NpzWriter, PleasesNumpyWithoutPickle) {
  const auto python = support::pythonWithNumpy();
  if (!python) GTEST_SKIP() << "no python3 with numpy here";
  const support::TemporaryFolder folder;
  writeSample(folder / "plain.npz");
  writeSample(folder / "zip64.npz", 1);
  for (const char* name : {"plain.npz", "zip64.npz"}) {
    EXPECT_EQ(support::runPython(*python, R"(
import sys, zipfile, numpy as np
assert zipfile.ZipFile(sys.argv[1]).testzip() is None
d = np.load(sys.argv[1], allow_pickle=False)
for name in d.files:
    print(name, d[name].dtype, d[name].shape, d[name].ravel().tolist(), d[name].flags.c_contiguous)
)",
                                 (folder / name).string()),
              "attn float32 (1, 2, 1, 3) [1.5, nan, -0.0, 0.25, -inf, 1.401298464324817e-45] True\n"
              "token_ids int64 (2,) [50256, -1] True\n"
              "empty int64 (0,) [] True\n");
  }
}

TEST(NpzWriter, TakesExactlyTheValuesOfTheShape) {
  const support::TemporaryFolder folder;
  NpzWriter writer(folder / "a.npz", Existing::Refuse, kBytes);
  EXPECT_THROW(writer.append(std::vector<float>{1}), std::logic_error);
  writer.begin("a", NpzWriter::Type::Float32, {2});
  EXPECT_THROW(writer.append(std::vector<std::int64_t>{1}), std::logic_error);
  EXPECT_THROW(writer.append(std::vector<float>{1, 2, 3}), std::logic_error);
  writer.append(std::vector<float>{1});
  EXPECT_THROW(writer.finish(), std::logic_error);
}

TEST(NpzWriter, LeavesNothingBehindWhenItIsNotFinished) {
  const support::TemporaryFolder folder;
  {
    NpzWriter writer(folder / "a.npz", Existing::Refuse, kBytes);
    writer.begin("a", NpzWriter::Type::Float32, {2});
    EXPECT_FALSE(std::filesystem::is_empty(folder.path()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace core
