// S1 to S10, B9, B13 to B15: a safetensors file is what upstream's own reader accepts, or is refused in words.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <ostream>
#include <random>

#include "core/checkpoint/safetensors_file.h"
#include "core/checkpoint/stores.h"
#include "core/error.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/core/checkpoint/safetensors_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

using namespace std::string_literals;
using support::floats;
using support::SafetensorsBuilder;
using support::SafetensorsEntry;
using support::safetensorsOf;

class Safetensors : public testing::Test {
 protected:
  SafetensorsFile open(const std::string& bytes) {
    support::writeFile(path(), bytes);
    return SafetensorsFile(File(path()));
  }
  void refuse(ErrorKind kind, std::vector<std::string> parts, const std::string& bytes) {
    parts.push_back(path().string());
    support::writeFile(path(), bytes);
    support::expectError(kind, parts, [&] { SafetensorsFile{File(path())}; });
  }
  std::filesystem::path path() const { return m_folder / "model.safetensors"; }
  support::TemporaryFolder m_folder;
};

/// A file of two tensors, (2, 3) and (4); a tensor without name is left out.
struct Parts {
  SafetensorsBuilder file;
  SafetensorsEntry a{"a.weight", "F32", {2, 3}, floats(6), {}, {}};
  SafetensorsEntry b{"b.weight", "F32", {4}, floats(4), {}, {}};

  std::string build() const {
    SafetensorsBuilder whole = file;
    for (const SafetensorsEntry& entry : {a, b}) {
      if (!entry.name.empty()) whole.add(entry.name, {}, "") = entry;
    }
    return whole.build();
  }
};

/// One way to break it.
struct Fault {
  std::string name;
  std::function<void(Parts& file)> breakIt;
  ErrorKind kind;
  std::vector<std::string> parts;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class BrokenSafetensors : public Safetensors, public testing::WithParamInterface<Fault> {};

TEST_P(BrokenSafetensors, IsRefused) {
  Parts parts;
  EXPECT_EQ(open(parts.build()).entries().size(), 2u);
  GetParam().breakIt(parts);
  refuse(GetParam().kind, GetParam().parts, parts.build());
}

constexpr auto kCorrupt = ErrorKind::Corrupt, kTruncated = ErrorKind::Truncated, kTooLarge = ErrorKind::TooLarge,
               kUnsupported = ErrorKind::Unsupported;

INSTANTIATE_TEST_SUITE_P(
    Rows, BrokenSafetensors,
    testing::Values(
        Fault{"S1_headerBeyondTheFile",
              [](Parts& p) { p.file.claimedLength = 1'000; }  // namespace
              ,
              kTruncated,
              {"1,008", "file has"}}  // namespace core::checkpoint
        ,
        Fault{"S1_headerOfNothing", [](Parts& p) { p.file.claimedLength = 0; }, kCorrupt, {"0 bytes"}},
        Fault{"S1_headerAboveTheLimit",
              [](Parts& p) { p.file.claimedLength = 100'000'001; },
              kTooLarge,
              {"100,000,001", "100,000,000"}},
        Fault{"B13_headerOf126Megabytes",
              [](Parts& p) { p.file.claimedLength = 126'000'000; },
              kTooLarge,
              {"126,000,000", "100,000,000"}},
        Fault{"S1_headerOfAllBytes",
              [](Parts& p) { p.file.claimedLength = ~std::uint64_t{0}; },
              kTooLarge,
              {"18,446,744,073,709,551,615"}},
        Fault{"S2_notUtf8",
              [](Parts& p) { p.file.headerText = "{\"\xff\":1}"; },
              kCorrupt,
              {"header", "byte 2", "UTF-8"}},
        Fault{"S2_notJson", [](Parts& p) { p.file.headerText = "{weights}"; }, kCorrupt, {"header", "byte 1"}},
        Fault{"S2_notAnObject", [](Parts& p) { p.file.headerText = "[1, 2]"; }, kCorrupt, {"'['", "byte 8"}},
        Fault{"S2_leadingWhiteSpace",
              [](Parts& p) { p.file.headerText = " " + SafetensorsBuilder().header(); },
              kCorrupt,
              {"' '", "byte 8"}},
        Fault{"S2_byteOrderMark", [](Parts& p) { p.file.headerText = "\xef\xbb\xbf{}"; }, kCorrupt, {"byte 8"}},
        Fault{"S2_notANumber",
              [](Parts& p) { p.a.text = R"({"dtype":"F32","shape":[NaN],"data_offsets":[0,24]})"; },
              kCorrupt,
              {"header", "byte "}},
        Fault{"S2_hugeNumber",
              [](Parts& p) { p.a.text = R"({"dtype":"F32","shape":[1e999],"data_offsets":[0,24]})"; },
              kCorrupt,
              {"header", "1e999"}},
        Fault{"S2_trailingBytes", [](Parts& p) { p.file.headerText = "{}  x"; }, kCorrupt, {"header", "byte 4"}},
        Fault{"S2_trailingNul", [](Parts& p) { p.file.headerText = "{}\0\0"s; }, kCorrupt, {"header", "byte 2"}},
        Fault{"S2_cutInTheMiddle", [](Parts& p) { p.file.claimedLength = 20; }, kCorrupt, {"header"}},
        Fault{"duplicateTensor", [](Parts& p) { p.b.name = "a.weight"; }, kCorrupt, {"'a.weight'", "twice"}},
        Fault{"duplicateKeyInATensor",
              [](Parts& p) { p.a.text = R"({"dtype":"F32","dtype":"F16","shape":[6],"data_offsets":[0,24]})"; },
              kCorrupt,
              {"'dtype'", "twice"}},
        Fault{"S5_overlap",
              [](Parts& p) {
                p.b.offsets = {20, 36};
              },
              kCorrupt,
              {"'b.weight'", "'a.weight'", "byte 20", "byte 24"}},
        Fault{"S5_same",
              [](Parts& p) {
                p.b.offsets = {0, 16};
              },
              kCorrupt,
              {"'a.weight'", "'b.weight'"}},
        Fault{"S5_reversed",
              [](Parts& p) {
                p.b.offsets = {40, 24};
              },
              kCorrupt,
              {"'b.weight'", "24", "40"}},
        Fault{"S5_negative",
              [](Parts& p) {
                p.b.offsets = {-16, 0};
              },
              kCorrupt,
              {"'b.weight'", "-16", "'data_offsets'"}},
        Fault{"S5_fractional",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","shape":[4],"data_offsets":[24.0,40]})"; },
              kCorrupt,
              {"'b.weight'", "fractional"}},
        Fault{"S5_text",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","shape":[4],"data_offsets":["24",40]})"; },
              kCorrupt,
              {"'b.weight'", "string"}},
        Fault{"S5_three",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","shape":[4],"data_offsets":[24,40,40]})"; },
              kCorrupt,
              {"'b.weight'", "pair"}},
        Fault{"S5_none",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","shape":[4]})"; },
              kCorrupt,
              {"'b.weight'", "'data_offsets'"}},
        Fault{"S5_above2To53",
              [](Parts& p) {
                p.b.offsets = {24, (std::int64_t{1} << 53) + 24};
              }  // namespace
              ,
              kCorrupt,
              {"'b.weight'", "9,007,199,254,741,016"}}  // namespace core::checkpoint
        ,
        Fault{"S5_2To64",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","shape":[4],"data_offsets":[24,18446744073709551616]})"; },
              kCorrupt,
              {"'b.weight'"}},
        Fault{"S5_shapeNegative", [](Parts& p) { p.b.shape = {-4}; }, kCorrupt, {"'b.weight'", "-4", "'shape'"}},
        Fault{"S5_shapeFractional",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","shape":[4.5],"data_offsets":[24,40]})"; },
              kCorrupt,
              {"'b.weight'", "fractional", "'shape'"}},
        Fault{"S5_shapeNoList",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","shape":4,"data_offsets":[24,40]})"; },
              kCorrupt,
              {"'b.weight'", "number", "'shape'"}},
        Fault{"S5_shapeOfOtherSize",
              [](Parts& p) { p.b.shape = {5}; },
              kCorrupt,
              {"'b.weight'", "(5)", "20 bytes", "16 bytes"}},
        Fault{"S5_shapeThatWraps",
              [](Parts& p) {
                p.b.shape = {std::int64_t{1} << 40, std::int64_t{1} << 40};
              },
              kCorrupt,
              {"'b.weight'", "1099511627776"}},
        Fault{"S5_shapeWhoseBitsWrap",
              [](Parts& p) {
                p.b.shape = {std::int64_t{1} << 51, std::int64_t{1} << 12};
              },
              kCorrupt,
              {"'b.weight'"}},
        Fault{"S5_tooManyDimensions",
              [](Parts& p) { p.b.shape = std::vector<std::int64_t>(65, 1); },
              kCorrupt,
              {"'b.weight'", "65 dimensions"}},
        Fault{"S5_notAnObject", [](Parts& p) { p.b.text = "[1]"; }, kCorrupt, {"'b.weight'", "array"}},
        Fault{"S6_hole",
              [](Parts& p) {
                p.b.offsets = {28, 44};
              },
              kCorrupt,
              {"'b.weight'", "'a.weight'", "4 bytes"}},
        Fault{"S6_holeAtTheBegin",
              [](Parts& p) {
                p.a.name = "";
                p.b.offsets = {8, 24};
              },
              kCorrupt,
              {"'b.weight'", "the header", "8 bytes"}},
        Fault{"S6_bytesAfterTheLast", [](Parts& p) { p.file.afterwards = "xy"; }, kCorrupt, {"2 bytes", "last tensor"}},
        Fault{"B14_lastBeyondTheEnd",
              [](Parts& p) {
                p.b.bytes.resize(10);
                p.b.offsets = {24, 40};
              },
              kTruncated,
              {"expected 176 bytes", "has 170"}},
        Fault{"S8_unknownType", [](Parts& p) { p.b.dtype = "Q4_K"; }, kUnsupported, {"'b.weight'", "'Q4_K'"}},
        Fault{"S8_typeNoText",
              [](Parts& p) { p.b.text = R"({"dtype":32,"shape":[4],"data_offsets":[24,40]})"; },
              kCorrupt,
              {"'b.weight'", "'dtype'", "number"}},
        Fault{"S8_packedHalfByte",
              [](Parts& p) {
                p.b.dtype = "F4";
                p.b.shape = {31};
              },
              kCorrupt,
              {"'b.weight'", "F4", "no whole number"}},
        Fault{
            "S10_metadataOfNumbers", [](Parts& p) { p.file.metadata = R"({"step":1})"; }, kCorrupt, {"'__metadata__'"}},
        Fault{"S10_metadataNoObject", [](Parts& p) { p.file.metadata = R"("pt")"; }, kCorrupt, {"'__metadata__'"}},
        Fault{"S10_metadataNested",
              [](Parts& p) { p.file.metadata = R"({"a":{"b":"c"}})"; },
              kCorrupt,
              {"'__metadata__'"}}),
    [](const auto& instance) { return instance.param.name; });

TEST_F(Safetensors, TheUnbrokenFileOpens) {
  SafetensorsBuilder file;
  file.metadata = R"({"format":"pt"})";
  file.add("a.weight", {2, 3}, floats(6));
  file.add("b.weight", {4}, floats(4));
  const SafetensorsFile opened = open(file.build());
  ASSERT_EQ(opened.entries().size(), 2u);
  const SafetensorsFile::Entry& b = opened.entries().at("b.weight");
  EXPECT_EQ(b.dtype, "F32");
  EXPECT_EQ(b.type, DType::F32);
  EXPECT_EQ(b.shape, std::vector<std::int64_t>{4});
  EXPECT_EQ(b.end, opened.file().size());
  EXPECT_EQ(opened.file().read(b.begin, b.end - b.begin), floats(4));
}

TEST_F(Safetensors, S1_FilesShorterThanALengthAreTruncated) {
  refuse(kTruncated, {"7 bytes", "8 bytes"}, std::string("\x02\0\0\0\0\0\0", 7));
  refuse(kTruncated, {"expected at least 10 bytes", "has 8"}, std::string("\x02\0\0\0\0\0\0\0", 8));
}

TEST_F(Safetensors, B9_GitLfsPointerIsNamedAsThat) {
  refuse(ErrorKind::NotAModel, {"Git LFS pointer", "272,123,144 bytes", "git lfs pull"},
         "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 272123144\n");
}

TEST_F(Safetensors, B15_EveryCutOfAFileIsTruncatedWithBothSizes) {
  SafetensorsBuilder file;
  file.add("a.weight", {16, 16}, floats(256));
  const std::string whole = file.build();
  const std::size_t header = 8 + file.header().size();
  for (std::size_t size = header; size < whole.size(); size += 101) {
    refuse(kTruncated, {"expected 1,104 bytes", "has"}, whole.substr(0, size));
  }
  ASSERT_EQ(whole.size(), 1'104u);
  for (std::size_t size = 1; size < header; ++size)
    refuse(kTruncated, {size < 8 ? "8 bytes" : "expected at least 80 bytes"}, whole.substr(0, size));
}

TEST_F(Safetensors, S3_MillionDeepHeaderIsTooLarge) {
  refuse(kTooLarge, {"header", "8 levels"}, safetensorsOf("{\"a\":" + std::string(1'000'000, '[')));
}

TEST_F(Safetensors, S3_HundredMegabytesInOneStringAreTooLarge) {
  refuse(kTooLarge, {"header", "99,999,990 bytes of one string"},
         safetensorsOf("{\"a\":\"" + std::string(99'999'990, 'x') + "\"}"));
}

std::string manyTensors(int count) {
  std::string header = "{";
  for (int i = 0; i < count; ++i) {
    header += (i > 0 ? ",\"t" : "\"t") + std::to_string(i) + R"(":{"dtype":"F32","shape":[1],"data_offsets":[)" +
              std::to_string(4 * i) + "," + std::to_string(4 * i + 4) + "]}";
  }
  return header + "}";
}

TEST_F(Safetensors, S3_AMillionTensorsAreTooLarge) {
  refuse(kTooLarge, {"header", "1,000,000 values"}, safetensorsOf(manyTensors(1'000'000)));
}

TEST_F(Safetensors, S3_AHundredThousandTensorsAreReadAndMissOneByteInLittleMemory) {
  const std::string header = manyTensors(100'000);
  EXPECT_EQ(open(safetensorsOf(header, std::string(400'000, 'x'))).entries().size(), 100'000u);
  refuse(kTruncated, {"the file has"}, safetensorsOf(header, std::string(399'999, 'x')));
}

TEST_F(Safetensors, S3_AHundredMegabytesOfMetadataAreIgnored) {
  std::string metadata = "{";
  for (int i = 0; i < 30; ++i)
    metadata += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":\"" + std::string(3'300'000, 'x') + "\"";
  SafetensorsBuilder file;
  file.metadata = metadata + "}";
  file.add("a.weight", {4}, floats(4));
  const std::string whole = file.build();
  EXPECT_EQ(open(whole).entries().size(), 1u);
  refuse(kCorrupt, {"1 byte"}, whole + "x");
}

TEST_F(Safetensors, S5_TensorsMayStandInAnyOrderOfNames) {
  SafetensorsBuilder file;
  file.add("z.weight", {2}, floats(2, 100));
  file.add("a.weight", {3}, floats(3, 200));
  const SafetensorsFile opened = open(file.build());
  EXPECT_LT(opened.entries().at("z.weight").begin, opened.entries().at("a.weight").begin);
}

TEST_F(Safetensors, TensorsWithoutElementsAreLegalAnywhere) {
  SafetensorsBuilder file;
  file.add("first", {0}, "");
  file.add("a", {2}, floats(2));
  file.add("between", {5, 0, std::int64_t{1} << 40}, "");
  file.add("b", {2}, floats(2));
  file.add("last", {0, 7}, "");
  const SafetensorsFile opened = open(file.build());
  EXPECT_EQ(opened.entries().size(), 5u);
  const Reading reading = makeStore(open(file.build()))->read({{"x", "between"}, {"y", "b"}}, Progress());
  EXPECT_EQ(reading.tensors.at("x").elements(), 0);
  EXPECT_EQ(reading.bytes, 8);
  EXPECT_TRUE(reading.warnings.empty());
}

TEST_F(Safetensors, ScalarsHaveOneElement) {
  SafetensorsBuilder file;
  file.add("s", {}, floats(1));
  EXPECT_EQ(makeStore(open(file.build()))->read({{"s", "s"}}, Progress()).tensors.at("s").elements(), 1);
}

TEST_F(Safetensors, FilesWithoutTensorsOpenAsThat) {
  EXPECT_TRUE(open(safetensorsOf("{}")).entries().empty());
  EXPECT_TRUE(open(safetensorsOf("{}      ")).entries().empty());
  refuse(kCorrupt, {"3 bytes", "last tensor"}, safetensorsOf("{}", "abc"));
}

TEST_F(Safetensors, UnknownKeysOfATensorAreIgnoredAsUpstreamDoes) {
  const std::string header = R"({"a":{"shape":[1],"x":{"y":[null]},"data_offsets":[0,4],"dtype":"F32"}})";
  EXPECT_EQ(open(safetensorsOf(header, floats(1))).entries().size(), 1u);
}

TEST_F(Safetensors, S8_TypesThatNoWeightIsReadFromBlockOnlyWhereTheyAreWanted) {
  SafetensorsBuilder file;
  file.add("w", {2}, floats(2));
  for (const char* type : {"F8_E4M3", "F8_E5M2", "F8_E8M0", "BOOL", "U8", "I8"}) file.add(type, {4}, "abcd", type);
  for (const char* type : {"U16", "I16"}) file.add(type, {2}, "abcd", type);
  for (const char* type : {"I64", "U64", "C64"}) file.add(type, {1}, "abcdefgh", type);
  for (const char* type : {"I32", "U32"}) file.add(type, {1}, "abcd", type);
  file.add("F4", {8}, "abcd", "F4");
  file.add("F6_E2M3", {4}, "abc", "F6_E2M3");
  const auto store = makeStore(open(file.build()));
  EXPECT_EQ(store->describe("w").shape, std::vector<std::int64_t>{2});
  for (const std::string& name : store->names()) {
    if (name == "w") continue;
    const std::string type = name == "I64"    ? "int64"
                             : name == "BOOL" ? "bool"
                             : name == "F4"   ? "F4"
                                              : "weights are read";
    support::expectError(kUnsupported, {path().string(), "'" + name + "'", type, "float32"},
                         [&] { store->describe(name); });
    support::expectError(kUnsupported, {"'" + name + "'"}, [&] { store->read({{"x", name}}, Progress()); });
  }
}

TEST_F(Safetensors, S8_FloatsOfEveryWidthAreRead) {
  SafetensorsBuilder file;
  file.add("F64", {1}, "abcdefgh", "F64");
  file.add("F32", {2}, "abcdefgh", "F32");
  file.add("F16", {4}, "abcdefgh", "F16");
  file.add("BF16", {2, 2}, "abcdefgh", "BF16");
  const Reading reading = makeStore(open(file.build()))
                              ->read({{"F64", "F64"}, {"F32", "F32"}, {"F16", "F16"}, {"BF16", "BF16"}}, Progress());
  EXPECT_EQ(reading.tensors.at("F64").type, DType::F64);
  EXPECT_EQ(reading.tensors.at("F32").type, DType::F32);
  EXPECT_EQ(reading.tensors.at("F16").type, DType::F16);
  EXPECT_EQ(reading.tensors.at("BF16").type, DType::BF16);
  EXPECT_EQ(reading.tensors.at("BF16").shape, (std::vector<std::int64_t>{2, 2}));
  for (const auto& [name, tensor] : reading.tensors)
    EXPECT_EQ(std::memcmp(tensor.data.get(), "abcdefgh", 8), 0) << name;
}

TEST(SafetensorsHead, LengthAndBraceTellTheFormat) {
  EXPECT_TRUE(looksLikeSafetensors(safetensorsOf("{}").substr(0, 10)));
  EXPECT_TRUE(looksLikeSafetensors(safetensorsOf("{}").substr(0, 9)));
  EXPECT_TRUE(looksLikeSafetensors(safetensorsOf("{\"a\":1}").substr(0, 10)));
  EXPECT_TRUE(looksLikeSafetensors("\x78\x01\0\0\0\0\0\0{\""s));  // a length that looks like zlib data
  EXPECT_TRUE(looksLikeSafetensors("\xff\xff\xff\xff\xff\xff\xff\xff{\""));
  EXPECT_FALSE(looksLikeSafetensors(safetensorsOf("{}").substr(0, 8)));
  EXPECT_FALSE(looksLikeSafetensors(safetensorsOf("[]")));
  EXPECT_FALSE(looksLikeSafetensors("        {\"a\": 1}"));
  EXPECT_FALSE(looksLikeSafetensors("int f() {}"));
  EXPECT_FALSE(looksLikeSafetensors("GGUF\x03\0\0\0{\0\0\0"s));  // of 123 tensors
  EXPECT_FALSE(looksLikeSafetensors(""));
}

TEST_F(Safetensors, ChangedFilesOpenOrAreRefused) {
  std::mt19937 random(5);
  SafetensorsBuilder file;
  file.metadata = R"({"format":"pt"})";
  file.add("a.weight", {2, 3}, floats(6));
  file.add("b.bias", {8}, floats(4), "BF16");
  file.add("c", {1}, "abcdefgh", "I64");
  const std::string whole = file.build();
  const std::size_t header = 8 + file.header().size();
  int refused = 0, opened = 0;
  for (int i = 0; i < 1'000; ++i) {
    std::string bytes = whole;
    for (std::size_t j = 0, changes = 1 + random() % 3; j < changes; ++j) {
      const std::size_t at = random() % (random() % 4 == 0 ? 8 : std::min(header, bytes.size()));
      switch (random() % 5) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes[at] = "0123456789-[]{},:\" "[random() % 19]; break;
        case 2: bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8))); break;
        case 3: bytes.erase(at, 1 + random() % 4); break;
        default: bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 8)); break;
      }
      if (bytes.size() < 16) bytes = whole;
    }
    try {
      const auto store = makeStore(open(bytes));
      ++opened;
      for (const std::string& name : store->names()) store->read({{"x", name}}, Progress());
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(opened, 10);
}

}  // namespace
}  // namespace core::checkpoint
