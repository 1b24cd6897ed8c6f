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

template <class Value>
std::span<const std::byte> bytesOf(const std::vector<Value>& values) {
  return std::as_bytes(std::span(values));
}

/// The values 1.5, NaN, -0 ... of a small file with five arrays.
void writeSample(const std::filesystem::path& path, std::uint64_t zip64From = NpzWriter::kZip64From) {
  NpzWriter writer(path, Existing::Refuse, kBytes, zip64From);
  writer.add({"attn", ArrayType::Float32, {1, 2, 1, 3}, 1, [](const AppendBytes& append) {
                append(bytesOf(std::vector<float>{1.5f, std::numeric_limits<float>::quiet_NaN(), -0.0f}));
                append(bytesOf(std::vector<float>{}));
                append(bytesOf(std::vector<float>{0.25f}));
                append(bytesOf(std::vector<float>{-std::numeric_limits<float>::infinity(), 1e-45f}));
              }});
  writer.add(numbersArray("token_ids", {50256, -1}));
  writer.add(numbersArray("empty", {}));
  writer.add(textsArray("tokens", {"a", "", "你好😀"}));
  writer.add(textArray("meta", "{\"a\": \"é\"}"));
  writer.finish();
}

void expectSample(const std::filesystem::path& path) {
  const auto arrays = support::readNpz(path);
  ASSERT_EQ(arrays.size(), 5u);
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
  EXPECT_EQ(arrays.at("tokens").header, "{'descr': '<U3', 'fortran_order': False, 'shape': (3,), }");
  EXPECT_THAT(arrays.at("tokens").texts, ElementsAre("a", "", "你好😀"));
  EXPECT_EQ(arrays.at("meta").header, "{'descr': '<U10', 'fortran_order': False, 'shape': (), }");
  EXPECT_THAT(arrays.at("meta").texts, ElementsAre("{\"a\": \"é\"}"));
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
for name in d.files[:3]:
    print(name, d[name].dtype, d[name].shape, d[name].ravel().tolist(), d[name].flags.c_contiguous)
print(ascii(d["tokens"].tolist()), d["tokens"].dtype, ascii(d["meta"].item()))
)",
                                 (folder / name).string()),
              "attn float32 (1, 2, 1, 3) [1.5, nan, -0.0, 0.25, -inf, 1.401298464324817e-45] True\n"
              "token_ids int64 (2,) [50256, -1] True\n"
              "empty int64 (0,) [] True\n"
              "['a', '', '\\u4f60\\u597d\\U0001f600'] <U3 '{\"a\": \"\\xe9\"}'\n");
  }
}

TEST(NpzWriter, TakesExactlyTheValuesOfTheShape) {
  const support::TemporaryFolder folder;
  NpzWriter writer(folder / "a.npz", Existing::Refuse, kBytes);
  const auto ofLength = [](std::size_t length) {
    return OutputArray{"a", ArrayType::Float32, {2}, 1, [length](const AppendBytes& append) {
                         append(bytesOf(std::vector<float>(length)));
                       }};
  };
  EXPECT_THROW(writer.add(ofLength(3)), std::logic_error);
  EXPECT_THROW(writer.add(ofLength(1)), std::logic_error);
}

TEST(NpzWriter, LeavesNothingBehindWhenItIsNotFinished) {
  const support::TemporaryFolder folder;
  {
    NpzWriter writer(folder / "a.npz", Existing::Refuse, kBytes);
    writer.add(numbersArray("a", {1}));
    EXPECT_FALSE(std::filesystem::is_empty(folder.path()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace core
