// What arrays are read from, in every way that they may be stored; refusals are in saved_capture_faults_test.cpp.
#include "core/arrays/array_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/arrays/array_values.h"
#include "core/arrays/float_array.h"
#include "tests/core/checkpoint/safetensors_builder.h"
#include "tests/core/npy_builder.h"
#include "tests/support/files.h"
#include "tests/support/python.h"

namespace core::arrays {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kPlenty = std::int64_t{1} << 30;

class Arrays : public testing::Test {
 protected:
  std::shared_ptr<const ArrayFile> open(const std::string& bytes) {
    support::writeFile(m_folder / "a", bytes);
    return std::make_shared<const ArrayFile>(checkpoint::File(m_folder / "a"));
  }
  /// Read by place, which must be what the visit heard.
  static std::vector<float> floats(const std::shared_ptr<const ArrayFile>& file, const StoredArray& array,
                                   std::uint64_t row = 1) {
    std::vector<float> heard;
    const auto values =
        openFloats(file, array, row, kPlenty, {}, [&](std::uint64_t first, std::span<const float> part) {
          EXPECT_EQ(first, heard.size());
          EXPECT_EQ(part.size() % row, 0u);
          heard.insert(heard.end(), part.begin(), part.end());
        });
    std::vector<float> read(values->size());
    values->read(0, read);
    EXPECT_EQ(std::memcmp(read.data(), heard.data(), read.size() * sizeof(float)), 0);
    return read;
  }
  support::TemporaryFolder m_folder;
};

std::string stored(const std::string& inside) {
  support::ZipBuilder zip;
  zip.zip64End = false;
  support::addStored(zip, "x.npy", inside);
  return zip.build();
}

std::string packed(const std::string& inside) {
  support::ZipBuilder zip;
  zip.zip64End = false;
  support::addDeflated(zip, "x.npy", inside);
  return zip.build();
}

/// Sizes and checksum behind the data, as a zip that is written to a pipe has them.
std::string described(const std::string& inside) {
  support::ZipBuilder zip;
  zip.add("x.npy", inside);
  return zip.build();
}

TEST_F(Arrays, AreTheSameStoredDeflatedOrAlone) {
  const std::string inside = support::npy("(2, 3)", {0, 1, -2.5f, 3e-45f, 1e30f, 5});
  for (const std::string& bytes : {inside, stored(inside), packed(inside), described(inside)}) {
    const auto file = open(bytes);
    ASSERT_EQ(file->arrays().size(), 1u);
    const StoredArray& array = file->arrays().front();
    EXPECT_THAT(array.shape, ElementsAre(2, 3));
    EXPECT_THAT(floats(file, array), ElementsAre(0, 1, -2.5f, 3e-45f, 1e30f, 5));
    EXPECT_THAT(floats(file, array, 3), ElementsAre(0, 1, -2.5f, 3e-45f, 1e30f, 5));
  }
}

TEST_F(Arrays, OfFortranOrderAreTurnedRound) {
  // numpy.arange(24).reshape(2, 3, 4), first index fastest.
  std::vector<float> values;
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 2; ++i) values.push_back(static_cast<float>(12 * i + 4 * j + k));
    }
  }
  const auto file =
      open(support::npyOf("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3, 4), }", support::bytesOf(values)));
  std::vector<float> expected;
  for (int i = 0; i < 24; ++i) expected.push_back(static_cast<float>(i));
  EXPECT_EQ(floats(file, file->arrays().front(), 4), expected);
}

TEST_F(Arrays, HeadersMayBeWrittenInEveryWayThatPythonReads) {
  const std::string data = support::bytesOf(std::vector<float>{1, 2});
  for (const char* header : {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }      \n",
                             "{\"shape\":(2,),\"fortran_order\":True,\"descr\":\"<f4\"}",
                             " { 'shape' : ( 2 , ) , 'descr' "
                             ": '<f4' , 'fortran_order' : "
                             "False } \n"}) {
    for (const int version : {1, 2, 3}) {
      const auto file = open(support::npyOf(header, data, version));
      EXPECT_THAT(floats(file, file->arrays().front()), ElementsAre(1, 2)) << header;
    }
  }
}

TEST_F(Arrays, OfNoDimensionsAndOfNoElementsAreRead) {
  auto file = open(support::npy("()", {7}));
  EXPECT_EQ(file->arrays().front().elements, 1u);
  EXPECT_THAT(floats(file, file->arrays().front()), ElementsAre(7));
  file = open(support::npy("(3, 0)", std::vector<float>{}));
  EXPECT_EQ(file->arrays().front().elements, 0u);
  EXPECT_THAT(floats(file, file->arrays().front()), ElementsAre());
}

TEST_F(Arrays, EveryFloat16IsThatOfNumpy) {
  const auto python = support::pythonWithNumpy();
  if (!python) GTEST_SKIP() << "no python3 with numpy here";
  support::runPython(*python, R"(
import sys, numpy as np
folder = sys.argv[1]
halves = np.arange(65536, dtype=np.uint16).view(np.float16)
halves.astype("<f4").tofile(folder + "/expected")
np.save(folder + "/little.npy", halves.astype("<f2"))
np.save(folder + "/big.npy", halves.astype(">f2"))
)",
                     m_folder.path().string());
  std::vector<float> expected(65536);
  std::memcpy(expected.data(), support::readFile(m_folder / "expected").data(), 4 * expected.size());
  for (const char* name : {"little.npy", "big.npy"}) {
    const auto file = std::make_shared<const ArrayFile>(checkpoint::File(m_folder / name));
    const std::vector<float> read = floats(file, file->arrays().front());
    ASSERT_EQ(read.size(), expected.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (std::isnan(expected[i])) {
        EXPECT_TRUE(std::isnan(read[i])) << i;
      } else {
        EXPECT_EQ(std::memcmp(&read[i], &expected[i], 4), 0) << i;  // -0 too
      }
    }
  }
}

TEST_F(Arrays, EveryTypeOfNumberAndByteOrderIsThatOfNumpy) {
  const auto python = support::pythonWithNumpy();
  if (!python) GTEST_SKIP() << "no python3 with numpy here";
  support::runPython(*python, R"(
import sys, numpy as np
folder = sys.argv[1]
floats = np.array([0, 1, 0.25, 1/3, 65504, 1e-7, np.inf])
with np.errstate(over="ignore"):
    np.savez_compressed(folder + "/floats.npz", **{t + o: floats.astype(o + t) for t in ("f2", "f4", "f8") for o in "<>"})
whole = np.array([0, 1, 100, 127])
np.savez(folder + "/whole.npz", **{t + o: whole.astype(o + t) for t in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8") for o in "<>"})
texts = ["a", "", "\u4f60\U0001f600", " the"]
np.savez(folder + "/texts.npz", little=np.array(texts, "<U9"), big=np.array(texts, ">U9"), one=np.array("x\n"), bytes=np.array([b"a", b"\xff\n", b""]))
)",
                     m_folder.path().string());
  auto file = std::make_shared<const ArrayFile>(checkpoint::File(m_folder / "floats.npz"));
  ASSERT_EQ(file->arrays().size(), 6u);
  for (const StoredArray& array : file->arrays()) {
    const std::vector<float> read = floats(file, array);
    EXPECT_THAT(read, testing::Pointwise(testing::FloatNear(array.type.bytes == 2 ? 1e-4f : 0.f),
                                         std::vector<float>{0, 1, 0.25f, 1 / 3.f, 65504, 1e-7f, HUGE_VALF}))
        << array.name;
  }
  file = std::make_shared<const ArrayFile>(checkpoint::File(m_folder / "whole.npz"));
  ASSERT_EQ(file->arrays().size(), 16u);
  for (const StoredArray& array : file->arrays())
    EXPECT_THAT(readIntegers(*file, array, 4), ElementsAre(0, 1, 100, 127)) << array.name;
  file = std::make_shared<const ArrayFile>(checkpoint::File(m_folder / "texts.npz"));
  EXPECT_THAT(readTexts(*file, *file->find("little"), 4), ElementsAre("a", "", "\u4f60\U0001f600", " the"));
  EXPECT_THAT(readTexts(*file, *file->find("big"), 4), ElementsAre("a", "", "\u4f60\U0001f600", " the"));
  EXPECT_THAT(readTexts(*file, *file->find("one"), 1), ElementsAre("x\n"));
  EXPECT_THAT(readTexts(*file, *file->find("bytes"), 4), ElementsAre("a", "\xff\n", ""));
}

TEST_F(Arrays, TextsThatAreNoCharactersAreReplaced) {
  const auto file = open(support::npy("<U3", "(1,)", std::string("\0\xd8\0\0a\0\0\0\xff\xff\xff\xff", 12)));
  EXPECT_THAT(readTexts(*file, file->arrays().front(), 1), ElementsAre("\uFFFDa\uFFFD"));
}

TEST_F(Arrays, OfASafetensorsFileAreReadWithTheirTexts) {
  support::SafetensorsBuilder builder;
  builder.metadata = R"({"a": "b"})";
  builder.add("bf", {2}, std::string("\x80\x3f\x00\xbf", 4), "BF16");
  builder.add("odd", {4}, "abcd", "F8_E4M3");
  builder.add("f", {1}, support::bytesOf(std::vector<float>{0.5f}));
  builder.add("i", {1}, std::string("\xff\xff\xff\xff", 4), "I32");
  const auto file = open(builder.build());
  EXPECT_EQ(file->kind(), ArrayFile::Kind::Safetensors);
  EXPECT_EQ(file->texts().at("a"), "b");
  EXPECT_THAT(floats(file, *file->find("bf")), ElementsAre(1, -0.5f));
  EXPECT_THAT(floats(file, *file->find("f")), ElementsAre(0.5f));
  EXPECT_THAT(readIntegers(*file, *file->find("i"), 1), ElementsAre(-1));
  EXPECT_THAT(file->listing(), HasSubstr("'odd' (4) F8_E4M3"));
}

TEST_F(Arrays, OnlyWhatIsNotFloat32AsItLiesInMemoryIsHeld) {
  const std::string inside = support::npy("(2,)", {0.5f, 1});
  const auto held = [&](const std::string& bytes) {
    const auto file = open(bytes);
    return openFloats(file, file->arrays().front(), 1, kPlenty, {}, [](std::uint64_t, std::span<const float>) {})
        ->bytesHeld();
  };
  EXPECT_EQ(held(inside), 0u);
  EXPECT_EQ(held(stored(inside)), 0u);
  EXPECT_EQ(held(packed(inside)), 8u);
  EXPECT_EQ(held(support::npy(">f4", "(2,)", std::string(8, '\0'))), 8u);
  EXPECT_EQ(held(support::npy("<f2", "(3,)", std::string(6, '\0'))), 12u);
  EXPECT_EQ(held(support::npyOf("{'descr': '<f4', 'fortran_order': True, 'shape': (2,)}", std::string(8, '\0'))), 8u);
}

}  // namespace
}  // namespace core::arrays
