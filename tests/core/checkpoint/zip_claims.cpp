// Claims of archives: counts, sizes and storages.
#include "tests/core/checkpoint/claims.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/support/files.h"

namespace support {

namespace fs = std::filesystem;
using core::ErrorKind;

namespace {

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

/// The tiny model's archive with one thing changed.
std::function<Claim::Files(const fs::path&)> archive(std::function<void(ZipBuilder&)> change) {
  return [change = std::move(change)](const fs::path& folder) -> Claim::Files {
    ZipBuilder zip = ModelBuilder().archive();
    change(zip);
    const fs::path file = folder / "ckpt.pt";
    return zip.writeSparse(file) ? Claim::Files{file, {}} : Claim::Files{};
  };
}

void claimSize(ZipMember& member, std::uint64_t size) {
  member.zip64 = true;
  member.central.size = member.central.compressedSize = size;
  member.descriptor.size = member.descriptor.compressedSize = size;
}

/// A file that begins with `head` and goes on as a hole.
std::function<Claim::Files(const fs::path&)> sparse(const std::string& name, const std::string& head,
                                                    std::uint64_t size) {
  return [=](const fs::path& folder) -> Claim::Files {
    writeFile(folder / name, head);
    std::error_code error;
    fs::resize_file(folder / name, size, error);
    return error ? Claim::Files{} : Claim::Files{folder / name, {}};
  };
}

/// 1.06 TiB of weights that are really in the file, as a hole, with a config and views that fit.
Claim::Files tebibyteOfWeights(const fs::path& folder) {
  constexpr std::int64_t kWidth = 1 << 14, kContext = 1 << 24,
                         kElements = (std::int64_t{1} << 38) + (std::int64_t{1} << 34);
  ModelBuilder model;
  model.setArgument("n_embd", pickle::integer(kWidth));
  model.setArgument("block_size", pickle::integer(kContext));
  pickle::Pairs state;
  std::int64_t at = 0;
  const auto view = [&](const std::string& name, std::vector<std::int64_t> shape) {
    pickle::TensorSpec tensor;
    tensor.elements = kElements;
    tensor.offset = at++;
    tensor.sizes = std::move(shape);
    state.emplace_back(name, pickle::tensor(tensor));
  };
  view("transformer.wte.weight", {5, kWidth});
  view("transformer.wpe.weight", {kContext, kWidth});
  for (const char* name : {"transformer.h.0.ln_1.weight", "transformer.h.0.ln_2.weight", "transformer.ln_f.weight"})
    view(name, {kWidth});
  view("transformer.h.0.attn.c_attn.weight", {3 * kWidth, kWidth});
  view("transformer.h.0.attn.c_proj.weight", {kWidth, kWidth});
  view("transformer.h.0.mlp.c_fc.weight", {4 * kWidth, kWidth});
  view("transformer.h.0.mlp.c_proj.weight", {kWidth, 4 * kWidth});
  ZipBuilder zip;
  zip.add("ckpt/data.pkl", pickle::whole(pickle::dict({{"model", pickle::orderedDict(state)},
                                                       {"model_args", pickle::dict(model.modelArgs)}})));
  ZipMember& storage = zip.add("ckpt/data/0", "");
  storage.hole = static_cast<std::uint64_t>(4 * kElements);
  claimSize(storage, storage.hole);
  const fs::path file = folder / "ckpt.pt";
  return zip.writeSparse(file) ? Claim::Files{file, {}} : Claim::Files{};
}

/// The tiny model beside 1.5 GiB of an optimizer's moments.
Claim::Files largeOptimizer(const fs::path& folder) {
  ModelBuilder model;
  pickle::TensorSpec moments;
  moments.key = "moments";
  moments.elements = 3 * kGibibyte / 8;
  moments.sizes = {moments.elements};
  model.more = {{"optimizer", pickle::dict({{"exp_avg", pickle::tensor(moments)}})}};
  ZipBuilder zip = model.archive();
  ZipMember& storage = zip.add("ckpt/data/moments", "");
  storage.hole = 3 * kGibibyte / 2;
  claimSize(storage, storage.hole);
  const fs::path file = folder / "ckpt.pt";
  return zip.writeSparse(file) ? Claim::Files{file, {}} : Claim::Files{};
}

}  // namespace

std::vector<Claim> zipClaims() {
  const auto members = [](std::uint64_t count) {
    return archive([=](ZipBuilder& zip) { zip.claimedEntries = count; });
  };
  const auto size = [](std::uint64_t bytes) {
    return archive([=](ZipBuilder& zip) { claimSize(zip.member("ckpt/data/3"), bytes); });
  };
  return {
      {"Z3_count65535", members(65'535), ErrorKind::Corrupt, {"65,535 members"}},
      {"Z3_count2To32", members(std::uint64_t{1} << 32), ErrorKind::Corrupt, {"4,294,967,296 members"}},
      {"Z5_size2To64", size(~std::uint64_t{0}), ErrorKind::Corrupt, {"'ckpt/data/3'", "18,446,744,073,709,551,615"}},
      {"Z5_size2To63", size(std::uint64_t{1} << 63), ErrorKind::Corrupt, {"9,223,372,036,854,775,808"}},
      {"Z5_sizeOfOneTebibyte", size(1024 * kGibibyte), ErrorKind::Corrupt, {"1,099,511,627,776"}},
      {"Z7_pickleOf4GibibytesFrom4Mebibytes",
       archive([](ZipBuilder& zip) {
         ZipMember& bomb = zip.member("ckpt/data.pkl");
         bomb.data.assign(4u << 20, '\0');
         bomb.local.method = bomb.central.method = 8;
         claimSize(bomb, 4 * kGibibyte);
       }),
       ErrorKind::TooLarge,
       {"'ckpt/data.pkl'", "4,294,967,296", "33,554,432"}},
      {"Z7_pickleOf4GibibytesOfNothing",
       archive([](ZipBuilder& zip) {
         ZipMember& bomb = zip.member("ckpt/data.pkl");
         bomb.hole = 4 * kGibibyte;
         claimSize(bomb, bomb.data.size() + bomb.hole);
       }),
       ErrorKind::TooLarge,
       {"'ckpt/data.pkl'"}},
      {"F12_tebibyteThatBeginsAsAZip",
       sparse("ckpt.pt", "PK\x03\x04", 1024 * kGibibyte),
       ErrorKind::Truncated,
       {"1,099,511,627,776"}},
      {"F12_tebibyteOfZeros", sparse("ckpt.pt", "", 1024 * kGibibyte), ErrorKind::NotAModel, {"1,099,511,627,776"}},
      {"F12_tebibyteOfWeights",
       tebibyteOfWeights,
       ErrorKind::OutOfMemory,
       {"its weights take 1,", "this computer has"}},
      {"C8_optimizerOf1500Mebibytes", largeOptimizer, std::nullopt, {}},
  };
}

}  // namespace support
