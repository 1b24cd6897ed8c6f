// Claims of tokenizers, chosen by hand for a model that is right.
#include "tests/core/checkpoint/claims.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/support/files.h"

namespace support {

namespace fs = std::filesystem;
using core::ErrorKind;

namespace {

/// `size`: of the file, as a hole behind `bytes`; 0: no more than they are.
std::function<Claim::Files(const fs::path&)> tokenizer(const std::string& name, const Bytes& bytes,
                                                       std::uint64_t size = 0) {
  return [name, bytes, size](const fs::path& folder) -> Claim::Files {
    writeFile(folder / "ckpt.pt", ModelBuilder().build());
    writeFile(folder / name, bytes.make());
    std::error_code error;
    if (size != 0) fs::resize_file(folder / name, size, error);
    return error ? Claim::Files{} : Claim::Files{folder / "ckpt.pt", folder / name};
  };
}

std::string vocabulary(const std::string& id) {
  return R"({"model": {"type": "BPE", "vocab": {"a": )" + id +
         R"(}, "merges": []}, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}})";
}

/// A meta.pkl of one letter for millions of ids.
std::string letters() {
  std::string items = "](";
  items += pickle::text("a") + "q" + std::string(1, '\0');
  for (int i = 0; i < 3'000'000; ++i) items += std::string("h\0", 2);
  return pickle::whole(pickle::dict({{"itos", items + "e"}}));
}

}  // namespace

std::vector<Claim> tokenizerClaims() {
  constexpr std::uint64_t kTebibyte = std::uint64_t{1} << 40;
  constexpr auto kTooLarge = ErrorKind::TooLarge;
  return {
      {"T1_idOf2To64", tokenizer("tokenizer.json", vocabulary("18446744073709551615")), kTooLarge, {"'a'"}},
      {"T1_idOf2To24", tokenizer("tokenizer.json", vocabulary("16777216")), kTooLarge, {"16,777,216", "1,048,575"}},
      {"T1_largestIdOpens", tokenizer("tokenizer.json", vocabulary("1048575")), std::nullopt, {}},
      {"T1_millionDeep",
       tokenizer("tokenizer.json", [] { return "{\"model\":" + std::string(1'000'000, '['); }),
       kTooLarge,
       {"tokenizer.json"}},
      {"F12_tebibyteOfJson", tokenizer("tokenizer.json", "{\"model\":", kTebibyte), kTooLarge, {"1,099,511,627,776"}},
      {"F12_tebibyteOfPickle", tokenizer("tokenizer.pkl", "\x80\x04", kTebibyte), kTooLarge, {"1,099,511,627,776"}},
      {"T7_millionsOfEqualLetters", tokenizer("meta.pkl", letters), ErrorKind::Corrupt, {"'a'", "twice"}},
  };
}

}  // namespace support
