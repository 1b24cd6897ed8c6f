// S1 to S10, B9, B15: a safetensors file is what upstream's own reader accepts, or is refused in words.
#include <cstring>
#include <random>

#include "core/checkpoint/stores.h"
#include "tests/core/checkpoint/safetensors_fixture.h"

namespace core::checkpoint {
namespace {

using namespace std::string_literals;
using support::floats;
using support::SafetensorsBuilder;
using support::safetensorsOf;

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
  refuse(kTruncated, {"3 bytes", "8 bytes"}, "\x01\0\0"s);
  refuse(kTruncated, {"2 bytes", "8 bytes"}, "HH");  // a length of 18,504, and letters
  refuse(kCorrupt, {"header has 0 bytes"}, std::string(8, '\0'));
}

TEST_F(Safetensors, S2_LengthThatLooksLikeAPickleIsALength) {
  refuse(kCorrupt, {"' '", "byte 8"}, safetensorsOf(std::string(0x280, ' ')));
}

TEST_F(Safetensors, B9_GitLfsPointerIsNamedAsThat) {
  refuse(ErrorKind::NotAModel, {"Git LFS pointer", "272,123,144 bytes", "git lfs pull"},
         "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 272123144\n");
}

TEST_F(Safetensors, S6_B15_EveryCutOfAFileIsTruncatedWithBothSizes) {
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

TEST_F(Safetensors, S10_AHundredMegabytesOfMetadataAreIgnored) {
  std::string metadata = "{";
  for (int i = 0; i < 25; ++i)
    metadata += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":\"" + std::string(3'900'000, 'x') + "\"";
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
  EXPECT_FALSE(looksLikeSafetensors("GGUF\x03\0\0\0{ \0\0"s));   // of 8,315
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
