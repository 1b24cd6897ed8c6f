// Files that are no captures, or broken ones: each is refused by its name, the item inside it and the numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>

#include "core/arrays/array_values.h"
#include "core/arrays/float_array.h"
#include "core/capture_meta.h"
#include "core/error.h"
#include "core/export.h"
#include "core/saved_capture.h"
#include "core/session.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/safetensors_builder.h"
#include "tests/core/npy_builder.h"
#include "tests/support/files.h"

namespace core {
namespace {

using support::npy;
using support::npyOf;
using testing::HasSubstr;

constexpr auto kCorrupt = ErrorKind::Corrupt, kTruncated = ErrorKind::Truncated, kUnsupported = ErrorKind::Unsupported,
               kMismatch = ErrorKind::Mismatch, kTooLarge = ErrorKind::TooLarge, kNotAModel = ErrorKind::NotAModel;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

class SavedCaptureFaults : public testing::Test {
 protected:
  void refuse(ErrorKind kind, std::vector<std::string> parts, const std::string& bytes,
              const std::string& name = "a.npz") {
    support::writeFile(m_folder / name, bytes);
    parts.push_back((m_folder / name).string());
    support::expectError(kind, parts, [&] { openSavedCapture(m_folder / name, Progress()); });
  }
  void refuse(ErrorKind kind, std::vector<std::string> parts, const support::ZipBuilder& zip) {
    refuse(kind, std::move(parts), zip.build());
  }
  std::shared_ptr<const Capture> open(const std::string& bytes, const std::string& name = "a.npz") {
    support::writeFile(m_folder / name, bytes);
    return openSavedCapture(m_folder / name, Progress());
  }
  support::TemporaryFolder m_folder;
};

std::string weights(std::int64_t maps = 1, std::int64_t T = 3) {
  return npy("(" + std::to_string(maps) + ", " + std::to_string(T) + ", " + std::to_string(T) + ")",
             support::uniformWeights(maps, T));
}

support::ZipBuilder goodZip() {
  support::ZipBuilder zip;
  zip.zip64End = false;
  support::addStored(zip, "attn.npy", weights());
  support::addDeflated(zip, "more.npy", npy("(4,)", {1, 2, 3, 4}));
  return zip;
}

TEST_F(SavedCaptureFaults, OpenWithoutAny) { EXPECT_EQ(open(goodZip().build())->size(), 3); }

// --- what is no file of arrays

TEST_F(SavedCaptureFaults, OtherKindsOfFilesAreNamed) {
  refuse(kNotAModel, {"it begins with 'hello'", ".npy, .npz and .safetensors"}, "hello");
  refuse(kNotAModel, {"it begins with '{'", "Open a capture"}, "{", "a.json");
  refuse(kNotAModel, {"layer,he"}, "layer,head,query,key\n", "a.csv");
  refuse(kNotAModel, {"Git LFS"}, "version https://git-lfs.github.com/spec/v1\nsize 5\n", "a.npz");
  refuse(ErrorKind::Unsafe, {"'os.system'", "Nothing was run"}, "cos\nsystem\n(S'echo'\ntR.", "a.npy");
  support::ZipBuilder zip;
  support::addStored(zip, "ckpt/data.pkl", "x");
  refuse(kNotAModel, {"a zip without arrays", "as a model"}, zip);
}

TEST_F(SavedCaptureFaults, F1_F2_F4_PathsWithoutAFileAreNamed) {
  support::expectError(ErrorKind::NotFound, {"nothing.npz"},
                       [&] { openSavedCapture(m_folder / "nothing.npz", Progress()); });
  support::expectError(ErrorKind::NotAFile, {"a folder"}, [&] { openSavedCapture(m_folder.path(), Progress()); });
  refuse(kTruncated, {"0 bytes"}, "");
}

// --- the header of an array

TEST_F(SavedCaptureFaults, HeadersThatAreNotThoseOfNumpyAreRefused) {
  const std::string data = support::bytesOf(support::uniformWeights(1, 2));
  const auto header = [&](const std::string& text) { return npyOf(text, data); };
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
  ASSERT_EQ(open(header(good), "a.npy")->size(), 2);
  const std::pair<const char*, const char*> wrong[] = {
      {"", "has no '{' at byte 0"},
      {"{", "has no text in quotes at byte 1"},
      {"{'descr': '<f4'}", "lacks the key 'fortran_order'"},
      {"{'descr': '<f4', 'fortran_order': False}", "lacks the key 'shape'"},
      {"{'fortran_order': False, 'shape': (2, 2)}", "lacks the key 'descr'"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}", "the key 'descr' twice"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), 'x': 1}", "the key 'x' that no .npy file has"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 2)}", "neither True nor False"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, -2)}", "has no size at byte"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2.0, 2)}", "has a size in brackets, no tuple"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': [2, 2]}", "has no '(' at byte"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4)}", "has a size in brackets, no tuple"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2", "has no ')' at byte"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 2)}", "has a size above 2^63"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': "
       "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
       "more than 32 dimensions"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)} x", "goes on after its dictionary"},
      {"{'descr': '<f\\x34', 'fortran_order': False, 'shape': (2, 2)}", "has a backslash"},
      {"{'descr': '<f3', 'fortran_order': False, 'shape': (2, 2)}", "the type '<f3', which NumPy does not have"},
      {"{'descr': '<U999999999999', 'fortran_order': False, 'shape': (2, 2)}", "which NumPy does not have"},
      {"{'descr': __import__('os').system('x'), 'fortran_order': False, 'shape': (2, 2)}", "has no text in quotes"}};
  for (const auto& [text, words] : wrong) refuse(kCorrupt, {words}, header(text), "a.npy");
  refuse(kUnsupported, {"records of several values"},
         header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 2)}"), "a.npy");
  refuse(kUnsupported, {"version 4.0"}, npyOf(good, data, 4), "a.npy");
  refuse(kUnsupported, {"version 1.7"}, npyOf(good, data, 1, 7), "a.npy");
  refuse(kTooLarge, {"70,000 bytes", "65,535"}, npyOf(good + std::string(70'000 - good.size(), ' '), data, 2), "a.npy");
  refuse(kCorrupt, {"'attn'", "begins with 'hello,'"}, [] {
    support::ZipBuilder zip;
    support::addStored(zip, "attn.npy", "hello, this is no array");
    return zip.build();
  }());
}

TEST_F(SavedCaptureFaults, ACutOrPaddedArrayIsRefusedWithBothSizes) {
  const std::string whole = weights(2, 3);
  refuse(kTruncated, {"(2, 3, 3)", "72 bytes", "it has 60"}, whole.substr(0, whole.size() - 12), "a.npy");
  refuse(kCorrupt, {"5 bytes after its last element", "72 bytes", "77"}, whole + "12345", "a.npy");
  refuse(kTruncated, {"bytes more are needed"}, whole.substr(0, 20), "a.npy");
  refuse(kTruncated, {"8 bytes more are needed, it has 7"}, whole.substr(0, 7), "a.npy");
  refuse(kTruncated, {"(100000, 1000, 1000)", "400,000,000,000"}, npy("<f4", "(100000, 1000, 1000)", "abcd"), "a.npy");
  refuse(kCorrupt, {"more elements than there are numbers"}, npy("<f4", "(4294967296, 4294967296, 4294967296)", "abcd"),
         "a.npy");
  refuse(kCorrupt, {"more elements than there are numbers"}, npy("<f8", "(4611686018427387904, 2)", "abcd"), "a.npy");
}

// --- the archive

TEST_F(SavedCaptureFaults, Z1_ACutArchiveIsTruncated) {
  const std::string whole = goodZip().build();
  for (const std::size_t percent : {25, 50, 99})
    refuse(kTruncated, {"cut short"}, whole.substr(0, whole.size() * percent / 100));
}

TEST_F(SavedCaptureFaults, Z2_Z8_MembersOutsideOrOverEachOtherAreNamed) {
  auto zip = goodZip();
  zip.member("more.npy").headerOffset = 1'000'000;
  refuse(kCorrupt, {"'more.npy'", "byte 1,000,000"}, zip);
  zip = goodZip();
  zip.member("attn.npy").central.size = zip.member("attn.npy").central.compressedSize = 1 << 20;
  refuse(kCorrupt, {"'attn.npy'", "1,048,576 bytes"}, zip);
  // A second entry for the bytes of the first.
  zip = goodZip();
  support::ZipMember twin = zip.member("attn.npy");
  support::addStored(zip, "twin.npy", twin.data).writeData = false;
  zip.member("twin.npy").headerOffset = 1;
  refuse(kCorrupt, {"'twin.npy'"}, zip);
  zip = goodZip();
  support::addStored(zip, "attn.npy", weights());
  refuse(kCorrupt, {"'attn.npy'", "twice"}, zip);
}

TEST_F(SavedCaptureFaults, Z8_TwoMembersThatShareBytesAreRefused) {
  // The second member's local header lies inside the first one's data.
  support::ZipBuilder inner;
  inner.zip64End = false;
  support::addStored(inner, "twin.npy", weights());
  const std::string local = inner.build().substr(0, 30 + 8 + weights().size());
  support::ZipBuilder zip;
  zip.zip64End = false;
  support::addStored(zip, "attn.npy", local);
  support::addStored(zip, "twin.npy", weights()).writeData = false;
  zip.member("twin.npy").headerOffset = 30 + 8;
  refuse(kCorrupt, {"'twin.npy'", "overlaps the member 'attn.npy'"}, zip);
}

TEST_F(SavedCaptureFaults, AMemberThatIsDescribedInTwoWaysIsRefused) {
  for (int field = 0; field < 5; ++field) {
    auto zip = goodZip();
    support::ZipFields& local = zip.member("attn.npy").local;
    if (field == 0) local.name = "atto.npy";
    if (field == 1) local.flags = 0x0800;
    if (field == 2) local.method = 8;
    if (field == 3) local.size += 1;
    if (field == 4) local.crc += 1;
    refuse(kCorrupt, {"'attn.npy'", "described in two ways"}, zip);
  }
  auto zip = goodZip();
  zip.member("attn.npy").central.compressedSize = zip.member("attn.npy").local.compressedSize -= 8;
  refuse(kCorrupt, {"'attn.npy'", "two sizes"}, zip);
}

TEST_F(SavedCaptureFaults, Z12_EncryptedAndOtherwisePackedMembersAreRefused) {
  auto zip = goodZip();
  zip.member("attn.npy").local.flags = zip.member("attn.npy").central.flags = 1;
  refuse(kUnsupported, {"'attn.npy'", "encrypted"}, zip);
  zip = goodZip();
  zip.member("attn.npy").local.method = zip.member("attn.npy").central.method = 14;
  refuse(kUnsupported, {"'attn.npy'", "zip method 14"}, zip);
  zip = goodZip();
  zip.member("attn.npy").local.flags = zip.member("attn.npy").central.flags = 0x20;
  refuse(kUnsupported, {"'attn.npy'", "flags 0x0020"}, zip);
}

TEST_F(SavedCaptureFaults, Z13_AWrongChecksumIsRefused) {
  for (const bool packed : {false, true}) {
    support::ZipBuilder zip;
    zip.zip64End = false;
    support::ZipMember& member =
        packed ? support::addDeflated(zip, "attn.npy", weights()) : support::addStored(zip, "attn.npy", weights());
    member.local.crc = member.central.crc ^= 0xFF;
    refuse(kCorrupt, {"'attn'", "its checksum is"}, zip);
  }
}

TEST_F(SavedCaptureFaults, DataThatCannotBeInflatedIsRefused) {
  const std::string inside = weights(8, 16);
  const auto packed = [&](auto change) {
    support::ZipBuilder zip;
    zip.zip64End = false;
    support::ZipMember& member = support::addDeflated(zip, "attn.npy", inside);
    change(member);
    member.local.compressedSize = member.central.compressedSize = member.data.size();
    member.local.size = member.central.size;
    return zip.build();
  };
  EXPECT_EQ(open(packed([](support::ZipMember&) {}))->size(), 16);
  refuse(kCorrupt, {"'attn'", "inflated"}, packed([](support::ZipMember& member) { member.data[0] = '\x07'; }));
  refuse(kCorrupt, {"'attn'", "ends too early"},
         packed([](support::ZipMember& member) { member.data.resize(member.data.size() / 2); }));
  refuse(kCorrupt, {"'attn'", "ends before its packed bytes do"},
         packed([](support::ZipMember& member) { member.data += "more"; }));
  // The stream holds more than is said; then the shape does not take what is said.
  refuse(kTruncated, {"'attn'", "(8, 16, 16)"}, packed([](support::ZipMember& member) { member.central.size -= 4; }));
  support::ZipBuilder zip;
  zip.zip64End = false;
  support::ZipMember& member = support::addDeflated(zip, "attn.npy", inside);
  member.data = support::deflated(inside + "tail");
  member.local.compressedSize = member.central.compressedSize = member.data.size();
  refuse(kCorrupt, {"'attn'", "holds more than it is said to"}, zip);
}

TEST_F(SavedCaptureFaults, Z7_ABombIsRefusedByWhatDeflateCanPack) {
  support::ZipBuilder zip;
  zip.zip64End = false;
  support::ZipMember& member = support::addDeflated(zip, "attn.npy", npy("<f4", "(30000, 30000)", "abcd"));
  member.local.size = member.central.size = 3'600'000'080;
  refuse(kCorrupt, {"'attn.npy'", "3,600,000,080 bytes in", "more than deflate can pack"}, zip);
}

TEST_F(SavedCaptureFaults, MoreThanIsFreeIsNotHeld) {
  support::writeFile(m_folder / "a.npy", npy("<f8", "(3, 3)", std::string(72, '\0')));
  const auto file = std::make_shared<const arrays::ArrayFile>(checkpoint::File(m_folder / "a.npy"));
  const auto openWith = [&](std::int64_t freeBytes) {
    return arrays::openFloats(file, file->arrays().front(), 3, freeBytes, {},
                              [](std::uint64_t, std::span<const float>) {});
  };
  EXPECT_EQ(openWith(36)->bytesHeld(), 36u);
  support::expectError(ErrorKind::OutOfMemory, {"a.npy", "36 bytes of memory, 35 are free", "float32"},
                       [&] { openWith(35); });
  support::expectError(ErrorKind::OutOfMemory, {"0 are free"}, [&] { openWith(0); });
}

TEST_F(SavedCaptureFaults, F12_AHoleThatFitsItsHeaderTakesNoMemory) {
  // 64 GiB of zeros in a few kilobytes: 131,072 tokens. The first of them is looked at, then it is cancelled.
  support::writeFile(m_folder / "a.npy", npy("<f4", "(131072, 131072)", ""));
  std::error_code error;
  std::filesystem::resize_file(m_folder / "a.npy",
                               std::filesystem::file_size(m_folder / "a.npy") + (std::uint64_t{1} << 36), error);
  if (error) GTEST_SKIP() << "no files so large here";
  int seen = 0;
  support::expectError(ErrorKind::Cancelled, {}, [&] {
    openSavedCapture(m_folder / "a.npy", Progress([&](double, std::string_view) { return ++seen < 20; }));
  });
  EXPECT_EQ(seen, 20);
}

TEST_F(SavedCaptureFaults, TenThousandArraysAreTooMany) {
  support::ZipBuilder zip;
  zip.zip64End = false;
  const std::string small = npy("()", {1});
  for (int i = 0; i < 10'001; ++i) support::addStored(zip, std::to_string(i) + ".npy", small);
  refuse(kTooLarge, {"more than 10,000 arrays"}, zip);
}

// --- safetensors (its header is that of core/checkpoint, with tests of its own)

TEST_F(SavedCaptureFaults, ABrokenSafetensorsFileIsRefused) {
  support::SafetensorsBuilder builder;
  builder.add("attn", {2, 2}, support::bytesOf(support::uniformWeights(1, 2)));
  const std::string whole = builder.build();
  ASSERT_EQ(open(whole, "a.safetensors")->size(), 2);
  refuse(kTruncated, {"cut short"}, whole.substr(0, whole.size() - 1), "a.safetensors");
  refuse(kCorrupt, {"after its last tensor"}, whole + "x", "a.safetensors");
  builder.metadata = "{\"meta\": 1}";
  refuse(kCorrupt, {"__metadata__"}, builder.build(), "a.safetensors");
}

// --- the choice of the array

std::string npzOf(const std::vector<std::pair<std::string, std::string>>& arrays) {
  support::ZipBuilder zip;
  zip.zip64End = false;
  for (const auto& [name, bytes] : arrays) support::addStored(zip, name + ".npy", bytes);
  return zip.build();
}

std::string object(const std::string& shape) {
  return npyOf("{'descr': '|O', 'fortran_order': False, 'shape': " + shape + ", }\n", "\x80\x04\x95");
}

TEST_F(SavedCaptureFaults, PickledObjectsAreRefusedAndNeverRead) {
  refuse(kUnsupported, {"'attn'", "pickled Python objects", "could run code"}, npzOf({{"attn", object("(2, 2)")}}));
  refuse(kUnsupported, {"pickled Python objects"}, npzOf({{"x", object("(2, 2)")}}));
  refuse(kUnsupported, {"pickled Python objects"}, object("(12,)"), "a.npy");
}

TEST_F(SavedCaptureFaults, ArraysThatAreNoWeightsAreListedWithTheirShapes) {
  refuse(kUnsupported, {"none of its arrays", "'q' (4, 3, 2) <f4", "'ids' (3) <i8"},
         npzOf({{"q", npy("(4, 3, 2)", std::vector<float>(24))}, {"ids", npy("<i8", "(3,)", std::string(24, '\0'))}}));
  refuse(kUnsupported, {"several of its arrays", "'a' (1, 3, 3) <f4", "'b' (1, 3, 3) <f4"},
         npzOf({{"a", weights()}, {"b", weights()}}));
  refuse(kUnsupported, {"it is of the shape (4, 3, 2)", "(L, H, T, T)"}, npy("(4, 3, 2)", std::vector<float>(24)),
         "a.npy");
  refuse(kUnsupported, {"it is of the shape (9)"}, npy("(9,)", std::vector<float>(9)), "a.npy");
  refuse(kUnsupported, {"'attn'", "(2, 1, 3, 2, 2)", "batch of one", "attn[:, 0]"},
         npzOf({{"attn", npy("(2, 1, 3, 2, 2)", std::vector<float>(24))}}));
  refuse(kUnsupported, {"'attn'", "(2, 3)"}, npzOf({{"attn", npy("(2, 3)", std::vector<float>(6))}}));
  refuse(kUnsupported, {"'attn'", "<i8", "float32"}, npzOf({{"attn", npy("<i8", "(1, 1)", std::string(8, '\0'))}}));
  refuse(kUnsupported, {"'attn'", "<c8"}, npzOf({{"attn", npy("<c8", "(1, 1)", std::string(8, '\0'))}}));
  refuse(kUnsupported, {"'attn'", "<f16"}, npzOf({{"attn", npy("<f16", "(1, 1)", std::string(16, '\0'))}}));
  refuse(kUnsupported, {"(0, 0)", "nothing in it"}, npy("(0, 0)", std::vector<float>{}), "a.npy");
  refuse(kUnsupported, {"(0, 3, 3)", "nothing in it"}, npy("(0, 3, 3)", std::vector<float>{}), "a.npy");
  refuse(kTooLarge, {"(60000, 2, 1, 1)", "100,000 heads"}, npy("<f2", "(60000, 2, 1, 1)", std::string(240'000, '\0')),
         "a.npy");
  refuse(kTooLarge, {"(10001, 1, 1)"}, npy("(10001, 1, 1)", std::vector<float>(10001, 1.f)), "a.npy");
}

TEST_F(SavedCaptureFaults, APartOfARunIsRefusedWithoutItsMetaToo) {
  const auto numbers = [](const std::vector<std::int64_t>& values) {
    return npy("<i8", "(" + std::to_string(values.size()) + ",)", support::bytesOf(values));
  };
  for (const auto& rows : {std::vector<std::int64_t>{0, 1, 5}, {1, 0, 2}, {0, 1}}) {
    refuse(kUnsupported, {"a part of the queries or keys"},
           npzOf({{"attn", weights()}, {"rows", numbers(rows)}, {"cols", numbers({0, 1, 2})}}));
  }
  EXPECT_EQ(open(npzOf({{"attn", weights()}, {"rows", numbers({0, 1, 2})}, {"cols", numbers({0, 1, 2})}}))->size(), 3);
}

// --- the values

class SavedValues : public SavedCaptureFaults {
 protected:
  /// Two causal heads of three tokens with one cell changed.
  static std::string changed(std::size_t cell, float value) {
    std::vector<float> values = support::uniformWeights(2, 3);
    values[cell] = value;
    return npy("(2, 3, 3)", values);
  }
};

TEST_F(SavedValues, RowsThatDoNotSumToOneAreRefusedWithTheFirstOfThem) {
  refuse(kMismatch, {"shape (2, 3, 3)", "layer 0, head 1", "row 2 sums to 0.9166667", "not to 1 within 0.0001"},
         changed(9 + 8, 0.25f), "a.npy");
  refuse(kMismatch, {"head 0", "row 1 sums to 1.0002"}, changed(4, 0.5002f), "a.npy");
  EXPECT_NO_THROW(open(changed(4, 0.50009f), "a.npy"));
  EXPECT_NO_THROW(open(changed(4, 0.49991f), "a.npy"));
  refuse(kMismatch, {"row 1 sums to 0.9998"}, changed(4, 0.4998f), "a.npy");
  // The sums of softmax over heads instead of keys, or logits, are not 1 either.
  refuse(kMismatch, {"row 0 sums to 3"}, npy("(3, 3)", std::vector<float>(9, 1)), "a.npy");
}

TEST_F(SavedValues, ValuesThatAreNoShareAreRefusedWithTheirPlace) {
  refuse(kMismatch, {"shape (2, 3, 3)", "head 0", "row 1 has -0.5 at key 0"}, changed(3, -0.5f), "a.npy");
  refuse(kMismatch, {"row 2 has 1.5 at key 1"}, changed(7, 1.5f), "a.npy");
  refuse(kMismatch, {"row 2 has inf at key 1"}, changed(7, HUGE_VALF), "a.npy");
  refuse(kMismatch, {"row 2 has -inf at key 1"}, changed(7, -HUGE_VALF), "a.npy");
  refuse(kMismatch, {"head 1", "row 2 has weights and 1 NaN"}, changed(9 + 7, kNaN), "a.npy");
  EXPECT_NO_THROW(open(changed(0, 1.00009f), "a.npy"));
}

TEST_F(SavedValues, RoundingToHalfPrecisionIsForgivenAndMoreIsNot) {
  // 0x399A is 0.7 rounded to float16, 0x34CD 0.3; bfloat16: 0x3F33, 0x3E9A.
  const auto rows = [](unsigned one, unsigned first, unsigned second) {
    std::string data;
    for (const unsigned half : {one, 0u, first, second})
      data += {static_cast<char>(half & 0xFF), static_cast<char>(half >> 8)};
    return data;
  };
  EXPECT_NO_THROW(open(npy("<f2", "(2, 2)", rows(0x3C00, 0x399A, 0x34CD)), "a.npy"));
  refuse(kMismatch, {"row 1 sums to 1.00"}, npy("<f2", "(2, 2)", rows(0x3C00, 0x399E, 0x34CD)), "a.npy");
  support::SafetensorsBuilder builder;
  builder.add("attn", {2, 2}, rows(0x3F80, 0x3F33, 0x3E9A), "BF16");
  EXPECT_NO_THROW(open(builder.build(), "a.safetensors"));
}

// --- the meta

std::string metaOf(const std::shared_ptr<const Capture>& capture) {
  return captureMeta(*capture, ExportPlan(capture->model().config, capture->size(), {}, {}));
}

TEST_F(SavedValues, AWeightThatTheMaskOfTheMetaHidesIsRefused) {
  // A file of ours whose windows are said to be narrower than they were.
  const auto session = Session::open(support::repository("models/shakespeare-char"), {}, Progress());
  const auto run = session->run({.tokens = {1, 2, 3}}, Progress());
  std::string meta = metaOf(run);
  const std::string windows = "\"windows\":[null,null";
  const std::size_t at = meta.find(windows);
  ASSERT_NE(at, std::string::npos);
  meta.replace(at, windows.size(), "\"windows\":[null,0");
  exportCapture(run, m_folder / "a.npy", {.format = ExportFormat::Npy}, Progress());
  support::writeFile(m_folder / "a.json", meta);
  support::expectError(kMismatch, {"a.npy", "layer 1, head 0", "row 1 has a weight on a key that its mask hides"},
                       [&] { openSavedCapture(m_folder / "a.npy", Progress()); });
}

TEST_F(SavedValues, AMetaThatContradictsItselfIsNotUsedAndIsToldWhy) {
  const auto session = Session::open(support::repository("models/shakespeare-char"), {}, Progress());
  const auto run = session->run({.tokens = {1, 2, 3}}, Progress());
  exportCapture(run, m_folder / "a.npy", {.format = ExportFormat::Npy}, Progress());
  const std::string good = metaOf(run);
  const std::tuple<const char*, const char*, const char*> changes[] = {
      {"\"schema\":1", "\"schema\":2", "its schema is 2, this version reads 1"},
      {"\"schema\":1", "\"schema\":-1", "'schema' holds '-1'"},
      {"\"schema\":1", "\"schema\":1e400", "no JSON"},
      {"\"schema\":1", "\"schema\":18446744073709551615", "'schema' holds '18446744073709551615'"},
      {"\"layers\":6,\"heads\":6", "\"layers\":0,\"heads\":6",
       "'layers' holds '0', not a whole number from 1 to 10000"},
      {"\"layers\":6,\"heads\":6", "\"layers\":6000000,\"heads\":6", "'layers' holds '6000000'"},
      {"\"kv_heads\":6", "\"kv_heads\":4", "'kv_heads' does not divide the heads"},
      {"\"kv_heads\":6", "\"kv_heads\":7", "'kv_heads' holds '7'"},
      {"\"token_ids\":[1,2,3]", "\"token_ids\":[1,2]", "'token_ids' has 2 tokens and 'token_bytes' 3"},
      {"\"token_ids\":[1,2,3]", "\"token_ids\":[1,2,\"3\"]", "'token_ids' holds '\"3\"', not a whole number"},
      {"\"token_bytes\":[\"", "\"token_bytes\":[\"*", "which is no base64"},
      {"\"mask\":\"causal\"", "\"mask\":\"none\"", "'mask' is 'none'"},
      {"\"mask\":\"causal\"", "\"mask\":7", "'mask' is number, no text"},
      {"\"windows\":[null,", "\"windows\":[", "'windows' has 5 windows for 6 layers"},
      {"\"windows\":[null,", "\"windows\":[-1,", "'windows' holds '-1'"},
      {"\"differences\":[]", "\"differences\":[1]", "'differences' holds number, not only texts"},
      {"\"differences\":[]", "\"differences\":{}", "'differences' is object, no list"},
      {"\"seconds\":", "\"seconds\":\"now\",\"s\":", "'seconds' is no number"},
      {"\"layers\":[0,1,2,3,4,5]", "\"layers\":[0,1,2,3,4,4]", "'layers' names one twice"},
      {"\"layers\":[0,1,2,3,4,5]", "\"layers\":[0,1,2,3,4,6]", "'layers' holds '6'"},
      {"\"layers\":[0,1,2,3,4,5]", "\"layers\":[]", "'layers' is empty"},
      {"\"layers\":[0,1,2,3,4,5]", "\"layers\":[0,1,2]", "it speaks of 3 layers, the weights have 6"},
      {"\"heads\":[0,1,2,3,4,5]", "\"heads\":[2]", "it speaks of 1 head, the weights have 6"},
      {"\"model\":{", "\"model\":3,\"m\":{", "'model' is no object"},
      {"\"path\":\"", "\"pat\":\"", "'path' is missing"},
      {"\"mask\":", "\"mask\":\"causal\",\"mask\":", "stands twice"}};
  for (const auto& [from, to, words] : changes) {
    std::string meta = good;
    // The last one: some names are both in the model and beside it.
    const std::size_t at = meta.rfind(from);
    ASSERT_NE(at, std::string::npos) << from;
    meta.replace(at, std::string(from).size(), to);
    support::writeFile(m_folder / "a.json", meta);
    const auto saved = openSavedCapture(m_folder / "a.npy", Progress());
    ASSERT_FALSE(saved->facts().warnings.empty()) << to;
    EXPECT_THAT(saved->facts().warnings.front(), testing::AllOf(HasSubstr("not used"), HasSubstr(words))) << to;
    EXPECT_EQ(saved->tokens().front().label, "#0") << to;
    EXPECT_EQ(saved->model().config.layers, 6);
  }
  support::writeFile(m_folder / "a.json", good);
  EXPECT_TRUE(openSavedCapture(m_folder / "a.npy", Progress())->facts().warnings.empty());
}

TEST_F(SavedValues, AMetaOfMoreThan32MiBIsNotRead) {
  support::writeFile(m_folder / "a.npy", weights());
  support::writeFile(m_folder / "a.json", "{");
  std::filesystem::resize_file(m_folder / "a.json", (std::uint64_t{32} << 20) + 1);
  EXPECT_THAT(openSavedCapture(m_folder / "a.npy", Progress())->facts().warnings.front(),
              testing::AllOf(HasSubstr("a.json"), HasSubstr("33,554,433 bytes, the limit is 33,554,432")));
}

TEST_F(SavedValues, LinesOfAMetaStayLines) {
  const auto session = Session::open(support::repository("models/shakespeare-char"), {}, Progress());
  const auto run = session->run({.tokens = {1, 2, 3}}, Progress());
  exportCapture(run, m_folder / "a.npy", {.format = ExportFormat::Npy}, Progress());
  std::string meta = metaOf(run);
  const std::string name = "\"name\":\"shakespeare-char\"";
  meta.replace(meta.find(name), name.size(), "\"name\":\"a\\nb\\u0007c\\u007f\"");
  support::writeFile(m_folder / "a.json", meta);
  EXPECT_EQ(openSavedCapture(m_folder / "a.npy", Progress())->model().name, "a b c ");
}

/// Every place of a small file changed in turn: it opens or is refused, never anything else.
TEST_F(SavedCaptureFaults, AnyChangedByteIsReadOrRefused) {
  support::ZipBuilder zip = goodZip();
  support::addStored(zip, "tokens.npy",
                     npy("<U2", "(3,)", std::string("a\0\0\0b\0\0\0c\0\0\0d\0\0\0e\0\0\0f\0\0\0", 24)));
  support::SafetensorsBuilder tensors;
  tensors.metadata = "{\"meta\": \"{}\"}";
  tensors.add("attn", {2, 2}, support::bytesOf(support::uniformWeights(1, 2)));
  for (const std::string& whole : {zip.build(), weights(1, 2), tensors.build()}) {
    std::size_t opened = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const char change : {'\x01', '\x80', '\xff'}) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ change);
        try {
          open(bytes, "a.bin");
          ++opened;
        } catch (const Error&) {
        }
      }
    }
    EXPECT_LT(opened, 3 * whole.size());
    for (std::size_t size = 1; size < whole.size(); ++size) {
      try {
        open(whole.substr(0, size), "a.bin");
        ADD_FAILURE() << "cut to " << size << " it opened";
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace core
