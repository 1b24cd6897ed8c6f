// Claims of safetensors files: headers, shapes and what the header has inside.
#include <cstring>
#include <map>

#include "tests/core/checkpoint/claims.h"
#include "tests/core/checkpoint/huggingface_folder.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/core/checkpoint/safetensors_builder.h"
#include "tests/support/files.h"

namespace support {

namespace fs = std::filesystem;
using core::ErrorKind;

namespace {

using Write = std::function<Claim::Files(const fs::path&)>;

/// Beside a config, as the window opens it. `size`: of the file, as a hole behind `bytes`; 0: no more than they are.
Write file(const Bytes& bytes, std::uint64_t size = 0) {
  return [bytes, size](const fs::path& folder) -> Claim::Files {
    writeFile(folder / "config.json", R"({"model_type": "llama"})");
    const fs::path path = folder / "model.safetensors";
    writeFile(path, bytes.make());
    std::error_code error;
    if (size != 0) fs::resize_file(path, size, error);
    return error ? Claim::Files{} : Claim::Files{path, {}};
  };
}

std::string length(std::uint64_t number) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &number, 8);
  return bytes;
}

std::string tensors(int count) {
  std::string header = "{";
  for (int i = 0; i < count; ++i) {
    header += (i > 0 ? ",\"t" : "\"t") + std::to_string(i) + R"(":{"dtype":"F32","shape":[1],"data_offsets":[)" +
              std::to_string(4 * i) + "," + std::to_string(4 * i + 4) + "]}";
  }
  return header + "}";
}

std::string oneTensor(std::vector<std::int64_t> shape) {
  SafetensorsBuilder builder;
  builder.add("a.weight", std::move(shape), floats(6));
  return builder.build();
}

/// A llama of 16,384 x 16,777,216 that is really in the file, as a hole.
Claim::Files tebibyteTable(const fs::path& folder) {
  HuggingfaceFolder model("llama");
  model.config.update({{"hidden_size", 1 << 14}, {"vocab_size", 1 << 24}, {"tie_word_embeddings", true}});
  model.remove("lm_head.weight");
  const std::map<std::int64_t, std::int64_t> larger = {{4, 1 << 13}, {6, 1 << 24}, {8, 1 << 14}, {12, 12}};
  SafetensorsBuilder builder;
  std::int64_t at = 0;
  for (const FolderTensor& tensor : model.tensors) {
    std::int64_t bytes = 4;
    SafetensorsEntry& entry = builder.add(tensor.name, tensor.shape, "");
    for (std::int64_t& size : entry.shape) bytes *= size = larger.at(size);
    entry.offsets = {at, at + bytes};
    at += bytes;
  }
  const Claim::Files files = file(builder.build(), builder.build().size() + static_cast<std::uint64_t>(at))(folder);
  writeFile(folder / "config.json", model.config.dump());
  return files;
}

}  // namespace

std::vector<Claim> safetensorsClaims() {
  constexpr std::uint64_t kTebibyte = std::uint64_t{1} << 40;
  return {
      {"S1_headerOf2To64",
       file(length(~std::uint64_t{0}) + "{\"a\":1}"),
       ErrorKind::TooLarge,
       {"18,446,744,073,709,551,615", "100,000,000"}},
      {"S1_headerAboveTheLimit",
       file(length(100'000'001) + "{\"a\":1}", kTebibyte),
       ErrorKind::TooLarge,
       {"100,000,001", "100,000,000"}},
      {"S1_headerBeyondTheFile", file(length(100'000'000) + "{\"a\":1}"), ErrorKind::Truncated, {"100,000,008"}},
      {"S1_headerOf100MegabytesOfNothing",
       file(length(100'000'000) + "{\"a\":1}", kTebibyte),
       ErrorKind::Corrupt,
       {"the header", "NUL"}},
      {"S3_millionDeep",
       file([] { return safetensorsOf("{\"a\":" + std::string(1'000'000, '[')); }),
       ErrorKind::TooLarge,
       {"8 levels"}},
      {"S3_stringOf100Megabytes",
       file([] { return safetensorsOf("{\"a\":\"" + std::string(99'999'990, 'x') + "\"}"); }),
       ErrorKind::TooLarge,
       {"99,999,990 bytes of one string"}},
      {"S3_aMillionTensors",
       file([] { return safetensorsOf(tensors(1'000'000)); }),
       ErrorKind::TooLarge,
       {"1,000,000 values"}},
      {"S3_asManyTensorsAsAreRead",
       file([] { return safetensorsOf(tensors(120'000)); }),
       ErrorKind::Truncated,
       {"the file has"}},
      {"S5_shapeOf2To80",
       file(oneTensor({std::int64_t{1} << 40, std::int64_t{1} << 40})),
       ErrorKind::Corrupt,
       {"'a.weight'", "1099511627776"}},
      {"F12_tebibyteBehindASmallHeader",
       file(oneTensor({2, 3}), kTebibyte),
       ErrorKind::Corrupt,
       {"after its last tensor", "1,099,511,627,776"}},
      {"F12_tebibyteInOneTable", tebibyteTable, ErrorKind::OutOfMemory, {"its weights take 1,", "this computer has"}},
  };
}

}  // namespace support
