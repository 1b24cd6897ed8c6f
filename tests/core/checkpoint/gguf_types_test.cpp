// What quantized GGUF tensors stand for, against gguf-py's own dequantization.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/checkpoint/file_store.h"
#include "core/checkpoint/gguf_file.h"
#include "core/checkpoint/gguf_types.h"
#include "core/checkpoint/safetensors_file.h"
#include "core/error.h"
#include "tests/core/checkpoint/gguf_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

namespace fs = std::filesystem;

std::vector<float> widened(const GgufFile& file, const std::string& name) {
  const GgufFile::Entry& entry = file.entries().at(name);
  const std::string bytes = file.file().read(entry.begin, entry.end - entry.begin);
  std::vector<float> numbers(bytes.size() / entry.type->blockBytes * entry.type->blockElements);
  widen(*entry.type, std::as_bytes(std::span(bytes)), numbers);
  return numbers;
}

std::vector<float> referenceOf(const SafetensorsFile& file, const std::string& name) {
  const SafetensorsFile::Entry& entry = file.entries().at(name);
  const std::string bytes = file.file().read(entry.begin, entry.end - entry.begin);
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

class GgufTypes : public testing::TestWithParam<std::string> {};

TEST_P(GgufTypes, WidenToTheReferenceBitForBit) {
  const fs::path folder = support::data("gguf-types");
  const GgufFile file(File(folder / "types.gguf"));
  const SafetensorsFile reference(File(folder / "reference.safetensors"));
  const std::string name = "tensor." + GetParam();
  ASSERT_EQ(file.entries().at(name).type->name, GetParam());
  const std::vector<float> expected = referenceOf(reference, name);
  ASSERT_EQ(expected.size(), 2048U);
  const std::vector<float> numbers = widened(file, name);
  ASSERT_EQ(numbers.size(), expected.size());
  EXPECT_EQ(std::memcmp(numbers.data(), expected.data(), expected.size() * sizeof(float)), 0);
}

INSTANTIATE_TEST_SUITE_P(Quantized, GgufTypes,
                         testing::Values("Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q4_K", "Q5_K", "Q6_K"),
                         [](const auto& instance) { return instance.param; });

// Plain types keep their bits; the reader of weights that all formats share widens them.
TEST(GgufPlainTypes, AreReadAsTheyLie) {
  const fs::path folder = support::data("gguf-types");
  const auto store = ggufStore(GgufFile(File(folder / "types.gguf")));
  const Reading reading = store->read({{"a", "tensor.F32"}, {"b", "tensor.F16"}, {"c", "tensor.BF16"}}, Progress());
  EXPECT_EQ(reading.tensors.at("a").type, DType::F32);
  EXPECT_EQ(reading.tensors.at("b").type, DType::F16);
  EXPECT_EQ(reading.tensors.at("c").type, DType::BF16);
  EXPECT_EQ(reading.bytes, 2048 * (4 + 2 + 2));
  const std::vector<float> expected =
      referenceOf(SafetensorsFile(File(folder / "reference.safetensors")), "tensor.F32");
  EXPECT_EQ(std::memcmp(reading.tensors.at("a").data.get(), expected.data(), 2048 * sizeof(float)), 0);
}

TEST(GgufStore, WidensAllTypesWithTheirNamesAndCountsTheBytesOfTheFile) {
  const fs::path folder = support::data("gguf-types");
  const auto store = ggufStore(GgufFile(File(folder / "types.gguf")));
  const FileStore::Wanted wanted = {{"x", "tensor.Q4_K"}, {"y", "tensor.Q6_K"}, {"z", "tensor.Q4_K"}};
  EXPECT_EQ(store->bytesToRead(wanted), 8 * 144U + 8 * 210U);
  EXPECT_EQ(store->memoryToFill(wanted), 2 * 2048 * sizeof(float));
  const Reading reading = store->read(wanted, Progress());
  EXPECT_EQ(reading.bytes, 8 * 144 + 8 * 210);
  EXPECT_EQ(reading.tensors.at("x").quantized, "Q4_K");
  EXPECT_EQ(reading.tensors.at("x").type, DType::F32);
  EXPECT_EQ(reading.tensors.at("x").shape, (std::vector<std::int64_t>{4, 512}));
  EXPECT_EQ(reading.tensors.at("x").data, reading.tensors.at("z").data);
  const std::vector<float> expected =
      referenceOf(SafetensorsFile(File(folder / "reference.safetensors")), "tensor.Q6_K");
  EXPECT_EQ(std::memcmp(reading.tensors.at("y").data.get(), expected.data(), 2048 * sizeof(float)), 0);
}

// fp16 scales of every kind: the value of one Q8_0 block whose first number is 1.
TEST(GgufScales, HalvesAreExactForNormalAndSmallAndSpecialOnes) {
  struct Half {
    std::uint16_t bits;
    float value;
  };
  const GgufType& type = *ggufType(8);
  for (const Half half : {Half{0x3c00, 1.0f},
                          {0xc000, -2.0f},
                          {0x7bff, 65504.0f},
                          {0x0400, 0x1p-14f},
                          {0x0001, 0x1p-24f},
                          {0x83ff, -1023 * 0x1p-24f},
                          {0x0000, 0.0f},
                          {0x3555, 0.333251953125f}}) {
    std::string block = support::bytesOf(half.bits) + std::string(32, '\1');
    std::vector<float> numbers(32);
    widen(type, std::as_bytes(std::span(block)), numbers);
    EXPECT_EQ(numbers[0], half.value) << std::hex << half.bits;
    EXPECT_EQ(numbers[31], half.value) << std::hex << half.bits;
  }
  std::string block = support::bytesOf(std::uint16_t{0x7c00}) + std::string(32, '\1');
  std::vector<float> numbers(32);
  widen(type, std::as_bytes(std::span(block)), numbers);
  EXPECT_TRUE(std::isinf(numbers[0]) && numbers[0] > 0);
  block[0] = '\1';
  widen(type, std::as_bytes(std::span(block)), numbers);
  EXPECT_TRUE(std::isnan(numbers[0]));
}

TEST(GgufTypesRead, AreThoseThatTheReadmeNames) {
  EXPECT_EQ(ggufTypesRead(), "F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, F64, BF16");
  for (const std::uint32_t removed : {4u, 5u, 31u, 32u, 33u, 36u, 37u, 38u, 40u, 1000u})
    EXPECT_EQ(ggufType(removed), nullptr) << removed;
}

}  // namespace
}  // namespace core::checkpoint
