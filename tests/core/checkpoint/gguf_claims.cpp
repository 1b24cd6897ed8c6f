// Claims of GGUF files: counts, lists, shapes and places.
#include "tests/core/checkpoint/claims.h"
#include "tests/core/checkpoint/gguf_builder.h"
#include "tests/support/files.h"

namespace support {

namespace fs = std::filesystem;
using core::ErrorKind;

namespace {

using Write = std::function<Claim::Files(const fs::path&)>;

constexpr std::uint64_t kTebibyte = std::uint64_t{1} << 40;

/// `size`: of the file, as a hole behind what is built; 0: no more than that.
Claim::Files write(const fs::path& folder, const GgufBuilder& gguf, std::uint64_t size) {
  const fs::path path = folder / "m.gguf";
  writeFile(path, gguf.build());
  std::error_code error;
  if (size != 0) fs::resize_file(path, size, error);
  return error ? Claim::Files{} : Claim::Files{path, {}};
}

Write changed(std::function<void(GgufBuilder&)> change, std::uint64_t size = 0) {
  return [=](const fs::path& folder) -> Claim::Files {
    GgufBuilder gguf = tinyLlama();
    change(gguf);
    return write(folder, gguf, size);
  };
}

/// A key whose value is a list of `count` items that are the zeros of the hole behind it.
Write listInAHole(const std::string& key, GgufId element, std::uint64_t count, std::uint64_t size) {
  return changed(
      [=](GgufBuilder& gguf) {
        gguf.tensors().clear();
        gguf.extraKey = ggufText(key) + bytesOf(static_cast<std::uint32_t>(GgufId::List)) +
                        bytesOf(static_cast<std::uint32_t>(element)) + bytesOf(count);
      },
      size);
}

/// A llama of 16,384 x 16,777,216 in Q4_0 that is really in the file, as a hole.
Claim::Files largeTable(const fs::path& folder) {
  constexpr std::uint64_t kWidth = 1 << 14, kRows = 1 << 24, kBlockBytes = 18, kBlock = 32;
  GgufBuilder gguf = tinyLlama();
  gguf.setWord("llama.embedding_length", kWidth);
  gguf.setWord("llama.attention.key_length", 4);
  gguf.setWord("llama.feed_forward_length", kBlock);
  std::uint64_t at = 0;
  for (GgufTensor& tensor : gguf.tensors()) {
    std::uint64_t count = 1;
    for (std::uint64_t& size : tensor.dimensions) {
      const bool isVocabulary = tensor.name == "token_embd.weight" && &size == &tensor.dimensions.back();
      const bool isHeads = tensor.name.find("attn_q") != std::string::npos && &size == &tensor.dimensions.back();
      const bool isOut = tensor.name.find("attn_output") != std::string::npos && &size == &tensor.dimensions.front();
      size = isVocabulary ? kRows : isHeads || isOut ? 8 : size == 8 ? kWidth : size == 12 ? kBlock : size;
      count *= size;
    }
    tensor.bytes.clear();
    tensor.offset = at;
    const bool isQuantized = tensor.name == "token_embd.weight";
    tensor.type = isQuantized ? 2 : 0;
    at += isQuantized ? count / kBlock * kBlockBytes : count * sizeof(float);
    at = (at + 31) / 32 * 32;
  }
  return write(folder, gguf, gguf.build().size() + at);
}

}  // namespace

std::vector<Claim> ggufClaims() {
  return {
      {"G2_keysOf2To64",
       changed([](GgufBuilder& gguf) { gguf.claimedKeys = ~std::uint64_t{0}; }, kTebibyte),
       ErrorKind::Corrupt,
       {"18,446,744,073,709,551,615 keys", "have room for"}},
      {"G2_keysForWhichAHoleHasRoom",
       changed([](GgufBuilder& gguf) { gguf.claimedKeys = std::uint64_t{1} << 36; }, kTebibyte),
       ErrorKind::TooLarge,
       {"68,719,476,736 keys", "65,536"}},
      {"G2_tensorsForWhichAHoleHasRoom",
       changed([](GgufBuilder& gguf) { gguf.claimedTensors = std::uint64_t{1} << 34; }, kTebibyte),
       ErrorKind::TooLarge,
       {"17,179,869,184 tensors", "100,000"}},
      {"G2_listOf2To39BytesInAHole",
       listInAHole("junk", GgufId::U8, std::uint64_t{1} << 39, kTebibyte),
       ErrorKind::TooLarge,
       {"'junk'", "67,108,864"}},
      {"G2_listOf2To36TextsInAHole",
       listInAHole("junk", GgufId::Text, std::uint64_t{1} << 36, kTebibyte),
       ErrorKind::TooLarge,
       {"'junk'", "67,108,864"}},
      {"G2_eightMillionEmptyTextsAreRead",
       listInAHole("junk", GgufId::Text, 8'000'000, 64'100'000),
       ErrorKind::NotAModel,
       {"no tensor"}},
      {"G2_layersAsALongList",
       changed([](GgufBuilder& gguf) {
         gguf.set("llama.block_count", GgufId::List,
                  bytesOf(0u) + bytesOf(std::uint64_t{60'000'000}) + std::string(60'000'000, '\2'));
       }),
       ErrorKind::TooLarge,
       {"'llama.block_count' is a list of 60,000,000 items", "10,000"}},
      {"G2_asManyKeysAsAreReadOpen",
       changed([](GgufBuilder& gguf) {
         for (int i = 0; i < 65'000; ++i) gguf.extraKey += ggufText("k" + std::to_string(i)) + bytesOf(0u) + "x";
         gguf.extraKeyCount = 65'000;
       }),
       std::nullopt,
       {}},
      {"G2_asManyTensorsAsAreReadOpen",
       changed([](GgufBuilder& gguf) {
         for (int i = 0; i < 99'000; ++i) gguf.add("t" + std::to_string(i), {1}, "1234");
       }),
       std::nullopt,
       {}},
      {"G5_shapeOf2To60",
       changed([](GgufBuilder& gguf) {
         gguf.tensor("blk.1.ffn_down.weight").dimensions = {std::uint64_t{1} << 30, std::uint64_t{1} << 30};
       }),
       ErrorKind::Truncated,
       {"the file was cut short"}},
      {"G13_layersAboveTheLimit",
       changed([](GgufBuilder& gguf) { gguf.setWord("llama.block_count", 1 << 24); }),
       ErrorKind::Mismatch,
       {"'llama.block_count'", "16,777,216", "10,000"}},
      {"G13_layersUpToTheLimit",
       changed([](GgufBuilder& gguf) { gguf.setWord("llama.block_count", 10'000); }),
       ErrorKind::Mismatch,
       {"10000", "2 layers"}},
      {"G13_contextOpens",
       changed([](GgufBuilder& gguf) { gguf.setWord("llama.context_length", 1 << 24); }),
       std::nullopt,
       {}},
      {"F12_ggufTebibyteBehindAModelOpens", changed([](GgufBuilder&) {}, kTebibyte), std::nullopt, {}},
      {"F12_ggufTableOfHundredGibibytes", largeTable, ErrorKind::OutOfMemory, {"its weights take"}},
  };
}

}  // namespace support
