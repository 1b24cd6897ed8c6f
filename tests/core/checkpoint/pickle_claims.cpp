// Claims of pickles: numbers, lengths, depths, and few bytes that ask for many copies.
#include "tests/core/checkpoint/claims.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/support/files.h"

namespace support {

namespace fs = std::filesystem;
using core::ErrorKind;

namespace {

using Write = std::function<Claim::Files(const fs::path&)>;

std::string times(std::size_t count, const std::string& operations) {
  std::string bytes;
  bytes.reserve(count * operations.size());
  for (std::size_t i = 0; i < count; ++i) bytes += operations;
  return bytes;
}

/// An archive whose pickle is `bytes`.
Write program(const Bytes& bytes) {
  return [bytes](const fs::path& folder) -> Claim::Files {
    ZipBuilder zip;
    zip.add("ckpt/data.pkl", bytes.make());
    writeFile(folder / "ckpt.pt", zip.build());
    return {folder / "ckpt.pt", {}};
  };
}

/// The tiny model with one more value under its 'config'.
Write beside(const std::string& value) {
  return [value](const fs::path& folder) -> Claim::Files {
    ModelBuilder model;
    model.more = {{"config", value}};
    writeFile(folder / "ckpt.pt", model.build());
    return {folder / "ckpt.pt", {}};
  };
}

/// The tiny model, of one tensor of which the storage or the shape says something else.
Write tensor(std::int64_t elements, const std::vector<std::int64_t>& sizes) {
  return [=](const fs::path& folder) -> Claim::Files {
    const ModelBuilder model;
    pickle::TensorSpec spec;
    spec.key = "1";
    spec.elements = elements;
    spec.sizes = sizes;
    spec.strides = {4, 1};
    std::string bytes = model.pickleBytes();
    const std::string key = pickle::text("transformer.wpe.weight"), next = pickle::text("transformer.h.0.ln_1.weight");
    const std::size_t begin = bytes.find(key) + key.size();
    bytes.replace(begin, bytes.find(next) - begin, pickle::tensor(spec));
    ZipBuilder zip = model.archive();
    zip.remove("ckpt/data.pkl");
    zip.add("ckpt/data.pkl", bytes);
    writeFile(folder / "ckpt.pt", zip.build());
    return {folder / "ckpt.pt", {}};
  };
}

/// Thirty lists, each of the one before twice: 2^30 leaves for who walks all of them.
std::string bomb() {
  std::string bytes = "(]q" + std::string(1, '\0');
  for (char i = 0; i < 30; ++i) bytes += std::string("]q") + static_cast<char>(i + 1) + "(h" + i + "h" + i + "e";
  return bytes + "t";
}

const std::string kMegabyte(1u << 20, 'k');

}  // namespace

std::vector<Claim> pickleClaims() {
  const std::string protocol = "\x80\x04";
  const std::string all(8, '\xff'), half = std::string(7, '\xff') + '\x7f';
  return {
      {"P6_memoNumber2To32",
       program("\x80\x02Nr" + std::string(4, '\xff') + "."),
       ErrorKind::Corrupt,
       {"4,294,967,295"}},
      {"P9_sharedBombBesideAModel", beside(bomb()), std::nullopt, {}},
      {"P9_sharedBombAlone", program(pickle::whole(bomb())), ErrorKind::NotAModel, {"a tuple of 31 items"}},
      {"P9_bytesDecodedAgainAndAgain",
       program([] {
         return pickle::whole(pickle::global("_codecs", "encode") + "q" + std::string(1, '\0') + "0" +
                              pickle::tuple({pickle::text(kMegabyte), pickle::text("latin1")}) + "q\x01" + "0(" +
                              times(20'000, std::string("h\0h\x01R", 5)) + "t");
       }),
       ErrorKind::TooLarge,
       {"33,554,432 bytes"}},
      {"P10_nestedLists100000",
       program(std::string(100'000, ']') + std::string(99'999, 'a') + "."),
       ErrorKind::TooLarge,
       {"nesting > 256"}},
      {"P10_nestedTuples100000",
       program(")" + std::string(100'000, '\x85') + "."),
       ErrorKind::TooLarge,
       {"nesting > 256"}},
      {"P12_textOf2To63",
       program(protocol + "\x8d" + half + "ab."),
       ErrorKind::Truncated,
       {"9,223,372,036,854,775,807"}},
      {"P12_textOf2To64",
       program(protocol + "\x8d" + all + "ab."),
       ErrorKind::Truncated,
       {"18,446,744,073,709,551,615"}},
      {"P12_bytesOf2To64",
       program(protocol + "\x8e" + all + "ab."),
       ErrorKind::Truncated,
       {"18,446,744,073,709,551,615"}},
      {"P12_byteArrayOf2To64",
       program(protocol + "\x96" + all + "ab."),
       ErrorKind::Truncated,
       {"18,446,744,073,709,551,615"}},
      {"P14_frameOf2To64", program(protocol + "\x95" + all + "N."), ErrorKind::Corrupt, {"18,446,744,073,709,551,615"}},
      {"P16_64MebibytesOfOperations",
       program([] { return times(32u << 20, "N0"); }),
       ErrorKind::TooLarge,
       {"67,108,864", "33,554,432"}},
      {"P16_asManyOperationsAsFit",
       program([] { return times(16u << 20, "N0"); }),
       ErrorKind::TooLarge,
       {"4,000,000 operations"}},
      {"P16_asManyListsAsFit",
       program([] { return std::string(32u << 20, ']'); }),
       ErrorKind::TooLarge,
       {"1,000,000 values"}},
      {"P16_asManyMarksAsFit",
       program([] { return std::string(32u << 20, '('); }),
       ErrorKind::TooLarge,
       {"nesting > 256"}},
      {"P20_storageOf2To63", tensor(INT64_MAX, {3, 4}), ErrorKind::Corrupt, {"9,223,372,036,854,775,807 elements"}},
      {"P20_shapeOf2To64", tensor(12, {std::int64_t{1} << 62, 4}), ErrorKind::Corrupt, {"4611686018427387904"}},
  };
}

}  // namespace support
