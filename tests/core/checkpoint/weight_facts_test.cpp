// The look at weights while they are read: exact in every float type.
#include "core/checkpoint/weight_facts.h"

#include <gtest/gtest.h>

#include <limits>

namespace core::checkpoint {
namespace {

template <class Bits>
WeightFacts factsOf(DType type, const std::vector<Bits>& values) {
  WeightFacts facts;
  lookAt(type, std::as_bytes(std::span(values)), facts);
  return facts;
}

TEST(WeightFacts, EveryFloatTypeIsCountedExactlyAcrossBlocks) {
  std::vector<std::uint16_t> half(100'000, 0x7c00), bfloat(100'000, 0xff80);
  std::vector<std::uint32_t> single(100'000, 0x7fc00000);
  std::vector<std::uint64_t> twice(100'000, 0xfff0000000000001);
  half[77'777] = 0x7bff, bfloat[3] = 0x7f7f, single[99'999] = 0x7f7fffff, twice[0] = 0x7fefffffffffffff;
  for (const WeightFacts& facts : {factsOf(DType::F16, half), factsOf(DType::BF16, bfloat), factsOf(DType::F32, single),
                                   factsOf(DType::F64, twice)}) {
    EXPECT_EQ(facts.elements, 100'000u);
    EXPECT_EQ(facts.notFinite, 99'999u);
    EXPECT_FALSE(facts.allZero);
  }
}

TEST(WeightFacts, NegativeZerosAreZerosAndTheSmallestNumberIsNone) {
  std::vector<std::uint16_t> half(20'000, 0x8000);
  EXPECT_TRUE(factsOf(DType::F16, half).allZero);
  half.back() = 0x8001;
  EXPECT_FALSE(factsOf(DType::F16, half).allZero);
  EXPECT_EQ(factsOf(DType::F16, half).notFinite, 0u);
}

TEST(WeightFacts, PiecesAddUp) {
  WeightFacts facts;
  const std::vector<float> first = {0, 0}, second = {0, std::numeric_limits<float>::quiet_NaN()};
  lookAt(DType::F32, std::as_bytes(std::span(first)), facts);
  EXPECT_TRUE(facts.allZero);
  lookAt(DType::F32, std::as_bytes(std::span(second)), facts);
  EXPECT_EQ(facts.elements, 4u);
  EXPECT_EQ(facts.notFinite, 1u);
  EXPECT_FALSE(facts.allZero);
}

}  // namespace
}  // namespace core::checkpoint
