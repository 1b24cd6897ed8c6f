#include "core/checkpoint/gguf_types.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>

namespace core::checkpoint {

namespace {

constexpr std::size_t kBlock = 32;        // numbers of the older types
constexpr std::size_t kSuperBlock = 256;  // of the K types

/// Bytes of a block, read one after another.
struct Bytes {
  const std::byte* at;

  unsigned next() { return std::to_integer<unsigned>(*at++); }
  int nextSigned() { return static_cast<std::int8_t>(next()); }

  /// fp16 to float32, exactly.
  float nextHalf() {
    const unsigned low = next();
    const unsigned bits = low | next() << 8;
    const unsigned sign = bits >> 15, exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float magnitude = exponent == 31 ? std::bit_cast<float>(0x7f800000u | fraction << 13)
                            : exponent > 0 ? std::bit_cast<float>((exponent + 112) << 23 | fraction << 13)
                                           : static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }

  std::uint32_t nextWord() {
    std::uint32_t word = 0;
    std::memcpy(&word, at, sizeof word);
    at += sizeof word;
    return word;
  }
};

/// A block of 4 bits a number: byte i holds the low half of number i and that of number i + 16. valueOf(half, i).
template <class Value>
void widenHalves(Bytes bytes, float* numbers, const Value& valueOf) {
  for (std::size_t i = 0; i < kBlock / 2; ++i) {
    const unsigned both = bytes.next();
    numbers[i] = valueOf(both & 15, i);
    numbers[i + kBlock / 2] = valueOf(both >> 4, i + kBlock / 2);
  }
}

float centred(unsigned value, int centre) { return static_cast<float>(static_cast<int>(value) - centre); }

void widenQ4_0(const std::byte* block, float* numbers) {
  Bytes bytes{block};
  const float scale = bytes.nextHalf();
  widenHalves(bytes, numbers, [&](unsigned half, std::size_t) { return scale * centred(half, 8); });
}

void widenQ4_1(const std::byte* block, float* numbers) {
  Bytes bytes{block};
  const float scale = bytes.nextHalf();
  const float least = bytes.nextHalf();
  widenHalves(bytes, numbers, [&](unsigned half, std::size_t) { return scale * static_cast<float>(half) + least; });
}

/// 5 bits: the fifth of number i is bit i of a word.
unsigned fiveBits(unsigned half, std::uint32_t high, std::size_t i) { return half | (high >> i & 1) << 4; }

void widenQ5_0(const std::byte* block, float* numbers) {
  Bytes bytes{block};
  const float scale = bytes.nextHalf();
  const std::uint32_t high = bytes.nextWord();
  widenHalves(bytes, numbers,
              [&](unsigned half, std::size_t i) { return scale * centred(fiveBits(half, high, i), 16); });
}

void widenQ5_1(const std::byte* block, float* numbers) {
  Bytes bytes{block};
  const float scale = bytes.nextHalf();
  const float least = bytes.nextHalf();
  const std::uint32_t high = bytes.nextWord();
  widenHalves(bytes, numbers, [&](unsigned half, std::size_t i) {
    return scale * static_cast<float>(fiveBits(half, high, i)) + least;
  });
}

void widenQ8_0(const std::byte* block, float* numbers) {
  Bytes bytes{block};
  const float scale = bytes.nextHalf();
  for (std::size_t i = 0; i < kBlock; ++i) numbers[i] = scale * static_cast<float>(bytes.nextSigned());
}

/// The scale and the least value of each of the 8 parts of a super-block, 6 bits each in 12 bytes: those of the first
/// four whole, those of the others with their two high bits in the spare bits of the first.
struct Parts {
  std::array<float, 8> scale, least;

  Parts(float all, float allLeast, const std::byte* packed) {
    const auto byte = [&](std::size_t i) { return std::to_integer<unsigned>(packed[i]); };
    for (std::size_t i = 0; i < 4; ++i) {
      scale[i] = all * static_cast<float>(byte(i) & 63);
      least[i] = allLeast * static_cast<float>(byte(i + 4) & 63);
      scale[i + 4] = all * static_cast<float>((byte(i + 8) & 15) | byte(i) >> 6 << 4);
      least[i + 4] = allLeast * static_cast<float>(byte(i + 8) >> 4 | byte(i + 4) >> 6 << 4);
    }
  }
};
constexpr std::size_t kPackedParts = 12;

// Of 64 numbers the first 32 are the low halves of 32 bytes, the others their high halves.

void widenQ4_K(const std::byte* block, float* numbers) {
  Bytes bytes{block};
  const float all = bytes.nextHalf();
  const float allLeast = bytes.nextHalf();
  const Parts parts(all, allLeast, bytes.at);
  const std::byte* packed = bytes.at + kPackedParts;
  for (std::size_t part = 0; part < 8; ++part) {
    const std::byte* from = packed + part / 2 * 32;
    for (std::size_t i = 0; i < 32; ++i) {
      const unsigned both = std::to_integer<unsigned>(from[i]);
      const unsigned value = part % 2 == 0 ? both & 15 : both >> 4;
      *numbers++ = parts.scale[part] * static_cast<float>(value) - parts.least[part];
    }
  }
}

void widenQ5_K(const std::byte* block, float* numbers) {
  Bytes bytes{block};
  const float all = bytes.nextHalf();
  const float allLeast = bytes.nextHalf();
  const Parts parts(all, allLeast, bytes.at);
  const std::byte* high = bytes.at + kPackedParts;  // bit `part` of byte i: the fifth bit of number i of that part
  const std::byte* packed = high + 32;
  for (std::size_t part = 0; part < 8; ++part) {
    const std::byte* from = packed + part / 2 * 32;
    for (std::size_t i = 0; i < 32; ++i) {
      const unsigned both = std::to_integer<unsigned>(from[i]);
      const unsigned low = part % 2 == 0 ? both & 15 : both >> 4;
      const unsigned value = low | (std::to_integer<unsigned>(high[i]) >> part & 1) << 4;
      *numbers++ = parts.scale[part] * static_cast<float>(value) - parts.least[part];
    }
  }
}

/// 128 low halves, 64 bytes of four pairs of high bits, 16 scales of 16 numbers each, and the scale of all.
void widenQ6_K(const std::byte* block, float* numbers) {
  constexpr std::size_t kLow = 128, kHigh = 64, kScales = 16;
  const std::byte* scales = block + kLow + kHigh;
  const float all = Bytes{scales + kScales}.nextHalf();
  for (std::size_t n = 0; n < kSuperBlock; ++n) {
    const std::size_t half = n / 128, within = n % 128, quarter = within / 32, i = within % 32;
    const unsigned both = std::to_integer<unsigned>(block[half * 64 + quarter % 2 * 32 + i]);
    const unsigned low = quarter < 2 ? both & 15 : both >> 4;
    const unsigned high = std::to_integer<unsigned>(block[kLow + half * 32 + i]) >> (2 * quarter) & 3;
    const float scale = all * static_cast<float>(Bytes{scales + n / 16}.nextSigned());
    numbers[n] = scale * static_cast<float>(static_cast<int>(low | high << 4) - 32);
  }
}

// Ids 4, 5, 31 to 33 and 36 to 38 were types that ggml has removed.
constexpr GgufType kTypes[] = {{0, "F32", 1, 4, DType::F32},
                               {1, "F16", 1, 2, DType::F16},
                               {2, "Q4_0", 32, 18, std::nullopt, widenQ4_0},
                               {3, "Q4_1", 32, 20, std::nullopt, widenQ4_1},
                               {6, "Q5_0", 32, 22, std::nullopt, widenQ5_0},
                               {7, "Q5_1", 32, 24, std::nullopt, widenQ5_1},
                               {8, "Q8_0", 32, 34, std::nullopt, widenQ8_0},
                               {9, "Q8_1", 32, 36},
                               {10, "Q2_K", 256, 84},
                               {11, "Q3_K", 256, 110},
                               {12, "Q4_K", 256, 144, std::nullopt, widenQ4_K},
                               {13, "Q5_K", 256, 176, std::nullopt, widenQ5_K},
                               {14, "Q6_K", 256, 210, std::nullopt, widenQ6_K},
                               {15, "Q8_K", 256, 292},
                               {16, "IQ2_XXS", 256, 66},
                               {17, "IQ2_XS", 256, 74},
                               {18, "IQ3_XXS", 256, 98},
                               {19, "IQ1_S", 256, 50},
                               {20, "IQ4_NL", 32, 18},
                               {21, "IQ3_S", 256, 110},
                               {22, "IQ2_S", 256, 82},
                               {23, "IQ4_XS", 256, 136},
                               {24, "I8", 1, 1, DType::I8},
                               {25, "I16", 1, 2, DType::I16},
                               {26, "I32", 1, 4, DType::I32},
                               {27, "I64", 1, 8, DType::I64},
                               {28, "F64", 1, 8, DType::F64},
                               {29, "IQ1_M", 256, 56},
                               {30, "BF16", 1, 2, DType::BF16},
                               {34, "TQ1_0", 256, 54},
                               {35, "TQ2_0", 256, 66},
                               {39, "MXFP4", 32, 17}};

}  // namespace

const GgufType* ggufType(std::uint32_t id) {
  const auto* found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const GgufType& type) { return type.id == id; });
  return found == std::end(kTypes) ? nullptr : found;
}

std::string ggufTypesRead() {
  std::string names;
  for (const GgufType& type : kTypes) {
    if (type.isRead()) names.append(names.empty() ? "" : ", ").append(type.name);
  }
  return names;
}

void widen(const GgufType& type, std::span<const std::byte> blocks, std::span<float> numbers) {
  const std::size_t count = blocks.size() / type.blockBytes;
  for (std::size_t i = 0; i < count; ++i)
    type.widen(blocks.data() + i * type.blockBytes, numbers.data() + i * type.blockElements);
}

}  // namespace core::checkpoint
