// The container: what a GGUF file says of itself, and every way in which that can be wrong.
#include "core/checkpoint/gguf_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/error.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/gguf_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

using namespace std::string_literals;
using support::bytesOf;
using support::GgufBuilder;
using support::GgufId;
using support::ggufText;
using support::tinyLlama;

constexpr ErrorKind kCorrupt = ErrorKind::Corrupt, kTruncated = ErrorKind::Truncated, kTooLarge = ErrorKind::TooLarge,
                    kUnsupported = ErrorKind::Unsupported, kMismatch = ErrorKind::Mismatch;

class GgufFileTest : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& bytes) const {
    support::writeFile(m_folder / "m.gguf", bytes);
    return m_folder / "m.gguf";
  }
  /// The sentence names the file, and all of it is loaded as a user would.
  void expectRefused(const std::string& bytes, ErrorKind kind, std::vector<std::string> parts) const {
    const auto path = write(bytes);
    parts.push_back(path.string());
    support::expectError(kind, parts, [&] { load(path, {}, Progress()); });
  }
  void expectRefused(const GgufBuilder& gguf, ErrorKind kind, const std::vector<std::string>& parts) const {
    expectRefused(gguf.build(), kind, parts);
  }

  support::TemporaryFolder m_folder;
};

TEST_F(GgufFileTest, GivesKeysAndTensorsAsTheyAreWritten) {
  GgufBuilder gguf;
  gguf.setText("a.text", "caf\xc3\xa9");
  gguf.set("u8", GgufId::U8, "\xff");
  gguf.set("i8", GgufId::I8, "\xff");
  gguf.set("u16", GgufId::U16, bytesOf(std::uint16_t{65535}));
  gguf.set("i16", GgufId::I16, bytesOf(std::int16_t{-2}));
  gguf.setWord("u32", 4'000'000'000);
  gguf.set("i32", GgufId::I32, bytesOf(std::int32_t{-3}));
  gguf.setFloat("f32", 0.5f);
  gguf.setBool("yes", true);
  gguf.setBool("no", false);
  gguf.set("u64", GgufId::U64, bytesOf(std::uint64_t{1} << 63));
  gguf.set("i64", GgufId::I64, bytesOf(std::int64_t{-4}));
  gguf.set("f64", GgufId::F64, bytesOf(0.1));
  gguf.setTexts("texts", {"a", "", "bc"});
  gguf.setInts("ints", {3, 1});
  gguf.setFloats("floats", {0.25f, -1});
  gguf.add("t", {3, 2});
  gguf.add("s", {5});
  const GgufFile file(File(write(gguf.build())));
  const GgufMetadata& keys = file.metadata();
  EXPECT_EQ(keys.text("a.text"), "caf\xc3\xa9");
  EXPECT_EQ(keys.wholeNumber("u8"), 255U);
  EXPECT_EQ(keys.number("i8"), -1);
  EXPECT_EQ(keys.wholeNumber("u16"), 65535U);
  EXPECT_EQ(keys.number("i16"), -2);
  EXPECT_EQ(keys.wholeNumber("u32"), 4'000'000'000U);
  EXPECT_EQ(keys.number("i32"), -3);
  EXPECT_EQ(keys.number("f32"), 0.5);
  EXPECT_EQ(keys.truth("yes"), true);
  EXPECT_EQ(keys.truth("no"), false);
  EXPECT_EQ(keys.wholeNumber("u64"), std::uint64_t{1} << 63);
  EXPECT_EQ(keys.number("i64"), -4);
  EXPECT_EQ(keys.number("f64"), 0.1);
  EXPECT_EQ(keys.texts("texts", 9), (std::vector<std::string_view>{"a", "", "bc"}));
  EXPECT_EQ(keys.wholeNumbers("ints", 9), (std::vector<std::uint64_t>{3, 1}));
  EXPECT_EQ(keys.wholeNumbers("u8", 9), (std::vector<std::uint64_t>{255}));
  EXPECT_EQ(keys.floats("floats", 9), (std::vector<float>{0.25f, -1}));
  EXPECT_EQ(keys.text("absent"), std::nullopt);
  EXPECT_FALSE(keys.has("absent"));

  ASSERT_EQ(file.entries().size(), 2U);
  const GgufFile::Entry &t = file.entries().at("t"), &s = file.entries().at("s");
  EXPECT_EQ(t.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(s.shape, (std::vector<std::int64_t>{5}));
  EXPECT_EQ(t.end - t.begin, 24U);
  EXPECT_EQ(s.begin - t.begin, 32U);
  EXPECT_EQ(file.file().read(s.begin, 20), gguf.tensor("s").bytes);
  EXPECT_EQ(file.end(), s.end);
}

TEST_F(GgufFileTest, VersionTwoAndAnotherAlignmentOpen) {
  GgufBuilder gguf = tinyLlama();
  gguf.version = 2;
  gguf.alignment = 256;
  gguf.setWord("general.alignment", 256);
  EXPECT_EQ(load(write(gguf.build()), {}, Progress()).info.config.layers, 2);
}

TEST_F(GgufFileTest, MistypedKeysAreNamedWithBothTypes) {
  GgufBuilder gguf;
  gguf.setText("text", "x");
  gguf.setTexts("texts", {"x"});
  gguf.setFloat("float", 1);
  gguf.set("minus", GgufId::I32, bytesOf(std::int32_t{-3}));
  gguf.setInts("ints", {1, 2, 3});
  gguf.setFloats("floats", {1, 2, 3});
  gguf.set("bools", GgufId::List, bytesOf(std::uint32_t{7}) + bytesOf(std::uint64_t{1}) + "\1");
  const GgufFile file(File(write(gguf.build())));
  const GgufMetadata& keys = file.metadata();
  const auto expect = [&](const std::string& part, const std::function<void()>& action) {
    support::expectError(kMismatch, {"m.gguf", part}, action);
  };
  expect("'text' is of the type text, not a whole number", [&] { keys.wholeNumber("text"); });
  expect("'texts' is a list of text, not a text", [&] { keys.text("texts"); });
  expect("'text' is of the type text, not a list of texts", [&] { keys.texts("text", 9); });
  expect("'float' is of the type f32, not a whole number", [&] { keys.wholeNumber("float"); });
  expect("'float' is of the type f32, not a whole number or a list", [&] { keys.wholeNumbers("float", 9); });
  expect("'float' is of the type f32, not a bool", [&] { keys.truth("float"); });
  expect("'text' is of the type text, not a number", [&] { keys.number("text"); });
  expect("'texts' is a list of text, not a number", [&] { keys.number("texts"); });
  expect("'float' is of the type f32, not a list of f32", [&] { keys.floats("float", 9); });
  // A list of other elements than are asked for: a vocabulary of numbers.
  expect("'texts' is a list of text, not a list of f32", [&] { keys.floats("texts", 9); });
  expect("'minus' has the negative number -3", [&] { keys.wholeNumber("minus"); });
  // Lists where one value is asked for.
  expect("'ints' is a list of i32, not a whole number", [&] { keys.wholeNumber("ints"); });
  expect("'ints' is a list of i32, not a number", [&] { keys.number("ints"); });
  expect("'floats' is a list of f32, not a number", [&] { keys.number("floats"); });
  expect("'bools' is a list of bool, not a bool", [&] { keys.truth("bools"); });
  const auto expectTooLarge = [&](const std::string& part, const std::function<void()>& action) {
    support::expectError(kTooLarge, {"m.gguf", part}, action);
  };
  expectTooLarge("'ints' is a list of 3 items; the limit is 2", [&] { keys.wholeNumbers("ints", 2); });
  expectTooLarge("'floats' is a list of 3 items; the limit is 2", [&] { keys.floats("floats", 2); });
  expectTooLarge("'texts' is a list of 1 items; the limit is 0", [&] { keys.texts("texts", 0); });
}

// G1
TEST_F(GgufFileTest, G1_OtherMagicIsNoModel) {
  GgufBuilder gguf = tinyLlama();
  gguf.magic = "GGUE";
  expectRefused(gguf, ErrorKind::NotAModel, {"begins with 'GGUE", "*.gguf (llama.cpp)"});
}
TEST_F(GgufFileTest, G1_OtherVersionsAreUnsupported) {
  for (const std::uint32_t version : {0u, 1u, 4u, 77u}) {
    GgufBuilder gguf = tinyLlama();
    gguf.version = version;
    expectRefused(gguf, kUnsupported, {"GGUF version " + std::to_string(version), "versions 2 and 3", "Convert"});
  }
}
TEST_F(GgufFileTest, G1_BigEndianIsSaid) {
  GgufBuilder gguf = tinyLlama();
  gguf.version = 0x03000000;
  expectRefused(gguf, kUnsupported, {"big-endian file", "version 3", "little-endian"});
}

// G2
TEST_F(GgufFileTest, G2_CountsAreBoundedByTheBytesThatAreThere) {
  for (const std::uint64_t count : {~std::uint64_t{0}, std::uint64_t{1} << 40, std::uint64_t{100'000}}) {
    GgufBuilder keys = tinyLlama();
    keys.claimedKeys = count;
    expectRefused(keys, kCorrupt, {"keys", "have room for at most"});
    GgufBuilder tensors = tinyLlama();
    tensors.claimedTensors = count;
    expectRefused(tensors, kCorrupt, {"tensors", "have room for at most"});
  }
}
TEST_F(GgufFileTest, G2_OneKeyMoreThanThereAreIsFoundOut) {
  GgufBuilder gguf = tinyLlama();
  gguf.claimedKeys = 10;  // there are 9: the tenth is made of the first tensor's name and sizes
  expectRefused(gguf, kCorrupt, {"the name of tensor 1 of 20 is said to have 2,251,799,813,685,248 bytes", "65,535"});
}
TEST_F(GgufFileTest, G2_MoreKeysOrTensorsThanAnyModelHasAreTooMany) {
  const std::string padding(8'000'000, '\0');
  GgufBuilder keys = tinyLlama();
  keys.claimedKeys = 65'537;
  keys.afterwards = padding;
  expectRefused(keys, kTooLarge, {"65,537 keys", "65,536"});
  GgufBuilder tensors = tinyLlama();
  tensors.claimedTensors = 100'001;
  tensors.afterwards = padding;
  expectRefused(tensors, kTooLarge, {"100,001 tensors", "100,000"});
}
TEST_F(GgufFileTest, G2_ListsAreBoundedByTheBytesThatAreThere) {
  const auto refuse = [&](GgufId element, std::uint64_t count, ErrorKind kind, const std::string& part) {
    GgufBuilder gguf = tinyLlama();
    gguf.extraKey = ggufText("long") + bytesOf(static_cast<std::uint32_t>(GgufId::List)) +
                    bytesOf(static_cast<std::uint32_t>(element)) + bytesOf(count);
    expectRefused(gguf, kind, {"the value of the key 'long'", part});
  };
  refuse(GgufId::U8, std::uint64_t{1} << 40, kTruncated, "takes 1,099,511,627,776 bytes");
  refuse(GgufId::U64, std::uint64_t{1} << 61, kCorrupt, "more than there are numbers");
  refuse(GgufId::U64, ~std::uint64_t{0}, kCorrupt, "more than there are numbers");
  refuse(GgufId::Text, std::uint64_t{1} << 40, kCorrupt, "is said to have");
}
TEST_F(GgufFileTest, G2_HeaderBeyondItsLimitIsTooLarge) {
  GgufBuilder gguf = tinyLlama();
  gguf.extraKey = ggufText("long") + bytesOf(static_cast<std::uint32_t>(GgufId::List)) +
                  bytesOf(static_cast<std::uint32_t>(GgufId::U8)) + bytesOf(std::uint64_t{70} << 20);
  const auto path = write(gguf.build());
  std::filesystem::resize_file(path, std::uint64_t{80} << 20);
  support::expectError(kTooLarge, {path.string(), "the value of the key 'long'", "the limit is 67,108,864"},
                       [&] { load(path, {}, Progress()); });
}

// G3
TEST_F(GgufFileTest, G3_KeyWithoutAName) {
  GgufBuilder gguf = tinyLlama();
  gguf.setWord("", 1);
  expectRefused(gguf, kCorrupt, {"the name of key 10 of 10 is empty"});
}
TEST_F(GgufFileTest, G3_KeyLongerThanTheLimit) {
  GgufBuilder gguf = tinyLlama();
  gguf.setWord(std::string(65'536, 'k'), 1);
  expectRefused(gguf, kCorrupt, {"the name of key 10 of 10", "65,536 bytes", "65,535"});
}
TEST_F(GgufFileTest, G3_KeyLengthOf2To64) {
  GgufBuilder gguf = tinyLlama();
  gguf.extraKey = bytesOf(~std::uint64_t{0}) + std::string(32, 'k');
  expectRefused(gguf, kCorrupt, {"the name of key 10 of 10", "18,446,744,073,709,551,615 bytes"});
}
TEST_F(GgufFileTest, G3_TextLengthOf2To64) {
  GgufBuilder gguf = tinyLlama();
  gguf.set("text", GgufId::Text, bytesOf(~std::uint64_t{0}));
  expectRefused(gguf, kCorrupt, {"the value of the key 'text'", "18,446,744,073,709,551,615 bytes"});
}
TEST_F(GgufFileTest, G3_TextThatGoesOnBehindTheFile) {
  GgufBuilder gguf = tinyLlama();
  gguf.tensors().clear();
  gguf.setText("a.text", std::string(300, 'x'));
  const std::string whole = gguf.build();
  expectRefused(whole.substr(0, whole.find("xxx") + 200), kTruncated,
                {"the value of the key 'a.text' takes 300 bytes"});
}

TEST_F(GgufFileTest, G3_KeyTwice) {
  GgufBuilder gguf = tinyLlama();
  gguf.extraKey = ggufText("llama.block_count") + bytesOf(static_cast<std::uint32_t>(GgufId::U32)) + bytesOf(3u);
  expectRefused(gguf, kCorrupt, {"the key 'llama.block_count' is there twice"});
}
TEST_F(GgufFileTest, G3_UnknownValueTypesAndListsOfLists) {
  GgufBuilder unknown = tinyLlama();
  unknown.set("odd", static_cast<GgufId>(13), bytesOf(0u));
  expectRefused(unknown, kCorrupt, {"the value of the key 'odd'", "type 13", "0 to 12"});
  GgufBuilder nested = tinyLlama();
  nested.set("odd", GgufId::List, bytesOf(9u) + bytesOf(std::uint64_t{1}));
  expectRefused(nested, kCorrupt, {"the value of the key 'odd'", "list of lists"});
}
TEST_F(GgufFileTest, G3_BoolsAreZeroOrOne) {
  GgufBuilder gguf = tinyLlama();
  gguf.set("odd", GgufId::Bool, "\2");
  expectRefused(gguf, kCorrupt, {"the value of the key 'odd'", "neither true (1) nor false (0)"});
}

// G5
TEST_F(GgufFileTest, G5_DimensionsAreOneToFour) {
  GgufBuilder none = tinyLlama();
  none.tensor("output_norm.weight").dimensions = {};
  expectRefused(none, kCorrupt, {"'output_norm.weight' has 0 dimensions", "1 to 4"});
  GgufBuilder five = tinyLlama();
  five.tensor("output_norm.weight").dimensions = {8, 1, 1, 1, 1};
  expectRefused(five, kCorrupt, {"'output_norm.weight' has 5 dimensions", "1 to 4"});
}
TEST_F(GgufFileTest, G5_SizesAreAboveZero) {
  GgufBuilder zero = tinyLlama();
  zero.tensor("blk.0.attn_q.weight").dimensions = {8, 0};
  expectRefused(zero, kCorrupt, {"'blk.0.attn_q.weight' has the size 0 as its dimension 2"});
  GgufBuilder negative = tinyLlama();
  negative.tensor("blk.0.attn_q.weight").dimensions = {~std::uint64_t{0}, 8};
  expectRefused(negative, kCorrupt, {"'blk.0.attn_q.weight' has the size -1 as its dimension 1"});
}
TEST_F(GgufFileTest, G5_ProductsThatWrapAreFoundOut) {
  const std::uint64_t big = std::uint64_t{1} << 62;
  for (const std::vector<std::uint64_t>& dimensions :
       {std::vector<std::uint64_t>{big, 4}, {big, 8}, {big}, {std::uint64_t{1} << 32, std::uint64_t{1} << 32}}) {
    GgufBuilder gguf = tinyLlama();
    gguf.tensor("blk.0.attn_q.weight").dimensions = dimensions;
    expectRefused(gguf, kCorrupt, {"'blk.0.attn_q.weight'", "takes more bytes than there are numbers"});
  }
  GgufBuilder place = tinyLlama();
  place.tensor("blk.0.attn_q.weight").offset = ~std::uint64_t{31};
  expectRefused(place, kCorrupt, {"'blk.0.attn_q.weight'", "takes more bytes than there are numbers"});
}
TEST_F(GgufFileTest, G5_TensorTwiceOrWithoutAName) {
  GgufBuilder twice = tinyLlama();
  twice.add("output_norm.weight", {8});
  expectRefused(twice, kCorrupt, {"the tensor 'output_norm.weight' is there twice"});
  GgufBuilder nameless = tinyLlama();
  nameless.add("", {8});
  expectRefused(nameless, kCorrupt, {"the name of tensor 21 of 21 is empty"});
}

// G6
TEST_F(GgufFileTest, G6_UnknownAndRemovedTypesAreNamed) {
  for (const std::uint32_t id : {4u, 5u, 31u, 38u, 200u, 0xffffffffu}) {
    GgufBuilder gguf = tinyLlama();
    gguf.tensor("blk.1.attn_k.weight").type = id;
    expectRefused(gguf, kUnsupported, {"'blk.1.attn_k.weight' is of the type " + std::to_string(id), "read are F32"});
  }
}

// G8
TEST_F(GgufFileTest, G8_PlacesAreAligned) {
  GgufBuilder gguf = tinyLlama();
  gguf.tensor("output_norm.weight").offset = 260;
  expectRefused(gguf, kCorrupt, {"'output_norm.weight' begins at byte 260", "no multiple of the alignment 32"});
}
TEST_F(GgufFileTest, G8_TensorsDoNotOverlap) {
  GgufBuilder gguf = tinyLlama();
  gguf.tensor("output_norm.weight").offset = 224;  // within the 256 bytes of token_embd.weight
  expectRefused(gguf, kCorrupt, {"'output_norm.weight' begins at byte 224", "within 'token_embd.weight'", "byte 256"});
}
TEST_F(GgufFileTest, G8_TensorsLieWithinTheFile) {
  GgufBuilder gguf = tinyLlama();
  gguf.tensor("blk.1.ffn_down.weight").offset = 1 << 20;
  expectRefused(gguf, kTruncated, {"the file was cut short", "'blk.1.ffn_down.weight'", "the file has"});
  GgufBuilder far = tinyLlama();
  far.tensor("blk.1.ffn_down.weight").offset = (std::uint64_t{1} << 63) + (std::uint64_t{1} << 62);
  expectRefused(far, kTruncated, {"the file was cut short", "'blk.1.ffn_down.weight'"});
  far.tensor("blk.1.ffn_down.weight").offset = ~std::uint64_t{511};  // with the header before it beyond 2^64
  expectRefused(far, kTruncated, {"end at byte 2^64", "'blk.1.ffn_down.weight'"});
}
TEST_F(GgufFileTest, G8_FileCutAnywhereIsRefused) {
  const std::string whole = tinyLlama().build();
  for (const std::size_t kept : {5u, 11u, 23u, 24u, 40u, 200u, 700u, 1500u}) {
    ASSERT_LT(kept, whole.size());
    const auto path = write(whole.substr(0, kept));
    try {
      load(path, {}, Progress());
      ADD_FAILURE() << kept;
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == kTruncated || error.kind() == kCorrupt) << kept << ": " << error.what();
    }
  }
  expectRefused(whole.substr(0, whole.size() - 1), kTruncated,
                {"'blk.1.ffn_down.weight'", "the file has " + std::to_string(whole.size() - 1).insert(1, ",")});
}
TEST_F(GgufFileTest, G8_RowsAreWholeBlocks) {
  GgufBuilder gguf = tinyLlama();
  gguf.tensor("blk.0.ffn_up.weight").type = 2;  // Q4_0 has blocks of 32, the rows have 8
  expectRefused(gguf, kCorrupt, {"'blk.0.ffn_up.weight' has rows of 8 numbers, no multiple of 32, a block of Q4_0"});
}
TEST_F(GgufFileTest, G8_RegionSmallerThanTheTypeNeeds) {
  GgufBuilder gguf = tinyLlama();
  gguf.tensor("blk.1.ffn_down.weight").type = 28;  // F64: twice the bytes that are there
  expectRefused(gguf, kTruncated, {"'blk.1.ffn_down.weight'", "the file was cut short"});
}
TEST_F(GgufFileTest, G8_AlignmentIsASmallPowerOfTwoOfTypeU32) {
  const auto refuse = [&](GgufId type, const std::string& bytes, const std::string& part) {
    GgufBuilder gguf = tinyLlama();
    gguf.set("general.alignment", type, bytes);
    expectRefused(gguf, kCorrupt, {"the key 'general.alignment'", part});
  };
  refuse(GgufId::U32, bytesOf(0u), "is 0; it must be a power of two up to 65,536");
  refuse(GgufId::U32, bytesOf(33u), "is 33; it must be a power of two");
  refuse(GgufId::U32, bytesOf(131'072u), "is 131,072; it must be a power of two up to 65,536");
  refuse(GgufId::U64, bytesOf(std::uint64_t{32}), "is a u64, not a u32");
  refuse(GgufId::Text, ggufText("32"), "is a text, not a u32");
  refuse(GgufId::List, bytesOf(4u) + bytesOf(std::uint64_t{1}) + bytesOf(32u), "is a list of u32, not a u32");
}

// G10
TEST_F(GgufFileTest, G10_OtherQuantizedTypesAreListedBesideThoseThatAreRead) {
  GgufBuilder gguf = tinyLlama();
  // Rows of 256 make whole blocks of any type; the shape is looked at later.
  for (const std::string layer : {"blk.0.", "blk.1."}) {
    gguf.tensor(layer + "attn_q.weight").dimensions = {256, 1};
    gguf.tensor(layer + "attn_q.weight").type = 23;  // IQ4_XS
    gguf.tensor(layer + "attn_q.weight").bytes = std::string(136, '\1');
  }
  expectRefused(gguf, kUnsupported,
                {"'blk.0.attn_q.weight' is of the type IQ4_XS", "The file has F32, IQ4_XS", "read are F32, F16, Q4_0"});
  gguf.tensor("blk.0.attn_q.weight").type = 39;  // MXFP4
  gguf.tensor("blk.0.attn_q.weight").bytes = std::string(136, '\1');
  expectRefused(gguf, kUnsupported, {"MXFP4"});
}

// G11
TEST_F(GgufFileTest, G11_FileOfAVocabularyAloneIsNoModel) {
  GgufBuilder gguf = support::tinyLlamaWithTokenizer();
  gguf.tensors().clear();
  expectRefused(gguf, ErrorKind::NotAModel, {"a tokenizer only", "Open the model's file"});
}

TEST_F(GgufFileTest, HeaderLargerThanAPieceIsReadWhole) {
  GgufBuilder gguf = tinyLlama();
  gguf.setText("a.long.text", std::string(300'000, 'x') + "end");
  const GgufFile file(File(write(gguf.build())));
  EXPECT_EQ(file.metadata().text("a.long.text")->substr(300'000), "end");
  EXPECT_EQ(file.entries().size(), 20U);
}

}  // namespace
}  // namespace core::checkpoint
