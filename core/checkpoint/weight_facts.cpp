#include "core/checkpoint/weight_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "core/checkpoint/printable.h"

namespace core::checkpoint {

namespace {

/// A float type as bits: not finite when all exponent bits are set, zero when all bits but the sign are clear.
struct FloatBits {
  std::uint64_t exponent = 0;
  std::uint64_t magnitude = 0;
};

FloatBits bitsOf(DType type) {
  switch (type) {
    case DType::F16: return {0x7c00, 0x7fff};
    case DType::BF16: return {0x7f80, 0x7fff};
    case DType::F64: return {0x7ff0000000000000, 0x7fffffffffffffff};
    default: return {0x7f800000, 0x7fffffff};
  }
}

/// In blocks whose count fits an element: so the compiler keeps both sums in vector registers.
template <class Bits>
void look(FloatBits bits, std::span<const std::byte> bytes, WeightFacts& facts) {
  constexpr std::size_t kBlock = 8192;
  const auto exponent = static_cast<Bits>(bits.exponent);
  const auto magnitude = static_cast<Bits>(bits.magnitude);
  const std::size_t count = bytes.size() / sizeof(Bits);
  Bits any = 0;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::byte* const block = bytes.data() + begin * sizeof(Bits);
    const std::size_t size = std::min(kBlock, count - begin);
    Bits notFinite = 0;
    for (std::size_t i = 0; i < size; ++i) {
      Bits value = 0;
      std::memcpy(&value, block + i * sizeof(Bits), sizeof(Bits));
      any = static_cast<Bits>(any | (value & magnitude));
      notFinite = static_cast<Bits>(notFinite + ((value & exponent) == exponent ? 1 : 0));
    }
    facts.notFinite += notFinite;
  }
  facts.elements += count;
  facts.allZero = facts.allZero && any == 0;
}

}  // namespace

void lookAt(DType type, std::span<const std::byte> bytes, WeightFacts& facts) {
  const FloatBits bits = bitsOf(type);
  switch (itemSize(type)) {
    case 2: look<std::uint16_t>(bits, bytes, facts); break;
    case 8: look<std::uint64_t>(bits, bytes, facts); break;
    default: look<std::uint32_t>(bits, bytes, facts); break;
  }
}

std::vector<std::string> weightWarnings(const std::map<std::string, WeightFacts>& facts) {
  std::vector<std::string> broken, zero;
  std::uint64_t count = 0;
  for (const auto& [name, found] : facts) {
    count += found.notFinite;
    if (found.notFinite > 0) broken.push_back(name);
    // A bias of zeros is how every bias begins.
    if (found.allZero && found.elements > 0 && name.ends_with(".weight")) zero.push_back(name);
  }
  std::vector<std::string> sentences;
  if (!broken.empty()) {
    sentences.push_back(fmt::format(
        "NaN or infinity in {} of {}: {}. Training diverged or the file is damaged; maps that use them show "
        "NaN.",
        counted(count, "weight"), counted(broken.size(), "tensor"), listed(broken)));
  }
  if (!zero.empty()) {
    sentences.push_back(
        fmt::format("Nothing but zeros in {}: {}. They were never trained or were lost when the file was written.",
                    counted(zero.size(), "tensor"), listed(zero)));
  }
  return sentences;
}

std::string storedTypes(const std::map<std::string, Tensor>& tensors) {
  std::map<std::pair<DType, std::string>, std::int64_t> bytes;
  for (const auto& [name, tensor] : tensors) {
    bytes[{tensor.type, tensor.quantized}] += tensor.elements() * static_cast<std::int64_t>(itemSize(tensor.type));
  }
  std::vector<std::pair<std::pair<DType, std::string>, std::int64_t>> types(bytes.begin(), bytes.end());
  std::stable_sort(types.begin(), types.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [type, size] : types) {
    const auto& [plain, quantized] = type;
    text += (text.empty() ? "" : " + ") + (quantized.empty() ? checkpoint::name(plain) : quantized);
  }
  return text;
}

std::int64_t parameterCount(const std::map<std::string, Tensor>& tensors) {
  std::int64_t count = 0;
  std::set<const std::byte*> seen;
  for (const auto& [name, tensor] : tensors) {
    if (seen.insert(tensor.data.get()).second) count += tensor.elements();
  }
  return count;
}

}  // namespace core::checkpoint
