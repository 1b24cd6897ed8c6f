// Models in several GGUF files.
#include "core/checkpoint/gguf_parts.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/error.h"
#include "core/openable.h"
#include "core/verify.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/gguf_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

using support::bytesOf;
using support::GgufBuilder;
using support::GgufId;

constexpr std::uint16_t kParts = 3;

class GgufParts : public testing::Test {
 protected:
  GgufParts() {
    m_parts.push_back(support::tinyLlama());
    std::vector<support::GgufTensor> all = m_parts[0].tensors();
    m_parts[0].tensors().clear();
    for (std::uint16_t i = 0; i < kParts; ++i) {
      if (i > 0) m_parts.emplace_back();
      m_parts[i].set("split.no", GgufId::U16, bytesOf(i));
      m_parts[i].set("split.count", GgufId::U16, bytesOf(kParts));
      m_parts[i].set("split.tensors.count", GgufId::I32, bytesOf(static_cast<std::int32_t>(all.size())));
    }
    for (std::size_t n = 0; n < all.size(); ++n) m_parts[n * kParts / all.size()].tensors().push_back(all[n]);
    m_whole = support::tinyLlama();
  }

  std::filesystem::path path(int number) const {
    return m_folder / ("m-0000" + std::to_string(number) + "-of-00003.gguf");
  }
  void write() const {
    for (int i = 0; i < kParts; ++i) support::writeFile(path(i + 1), m_parts[static_cast<std::size_t>(i)].build());
  }
  void expectRefused(int opened, ErrorKind kind, std::vector<std::string> parts) const {
    support::expectError(kind, parts, [&] { load(path(opened), {}, Progress()); });
  }

  support::TemporaryFolder m_folder;
  std::vector<GgufBuilder> m_parts;
  GgufBuilder m_whole;
};

TEST_F(GgufParts, G12_OpenByAnyOfThemAsTheWholeFileDoes) {
  write();
  support::writeFile(m_folder / "whole.gguf", m_whole.build());
  const Checkpoint whole = load(m_folder / "whole.gguf", {}, Progress());
  for (int opened = 1; opened <= kParts; ++opened) {
    const Checkpoint checkpoint = load(path(opened), {}, Progress());
    EXPECT_EQ(checkpoint.info.path, path(1));
    EXPECT_EQ(checkpoint.info.bytesRead, whole.info.bytesRead);
    ASSERT_EQ(checkpoint.tensors.size(), whole.tensors.size());
    for (const auto& [name, tensor] : whole.tensors) {
      const Tensor& other = checkpoint.tensors.at(name);
      ASSERT_EQ(other.shape, tensor.shape) << name;
      EXPECT_EQ(std::memcmp(other.data.get(), tensor.data.get(), static_cast<std::size_t>(tensor.elements()) * 4), 0)
          << name;
    }
  }
}

TEST_F(GgufParts, G12_FolderOffersTheFirstAlone) {
  write();
  const std::vector<Openable> offers = openable(m_folder.path().string());
  ASSERT_EQ(offers.size(), 1U);
  EXPECT_EQ(offers[0].path, path(1));
  EXPECT_EQ(commonSet({path(2), path(1), path(3)}), path(1));
}

TEST_F(GgufParts, AllAreVerified) {
  write();
  EXPECT_EQ(verifyChecksums(path(2), Progress()).members, 20);
}

TEST_F(GgufParts, G12_MissingPartsAreNamed) {
  write();
  std::filesystem::remove(path(2));
  expectRefused(1, ErrorKind::NotFound, {path(1).string(), "1 of the 3 parts", "'m-00002-of-00003.gguf'"});
  std::filesystem::remove(path(1));
  expectRefused(3, ErrorKind::NotFound,
                {path(3).string(), "2 of the 3 parts", "'m-00001-of-00003.gguf', 'm-00002-of-00003.gguf'"});
}

TEST_F(GgufParts, G12_RenamedPartSaysWhatItsNameShouldBe) {
  write();
  const auto renamed = m_folder / "mine.gguf";
  std::filesystem::rename(path(2), renamed);
  support::expectError(ErrorKind::Mismatch, {renamed.string(), "part 2 of 3", "'-00002-of-00003.gguf'"},
                       [&] { load(renamed, {}, Progress()); });
  for (const char* name : {"a-name-as-long-as-a-part-has.gguf", "-00002-of-00003.gguf"}) {
    const auto other = m_folder / name;
    std::filesystem::copy_file(renamed, other);
    support::expectError(ErrorKind::Mismatch, {other.string(), "should end in '-00002-of-00003.gguf'"},
                         [&] { load(other, {}, Progress()); });
  }
}

TEST_F(GgufParts, G12_PartInAnothersPlaceIsFoundOut) {
  write();
  std::filesystem::copy_file(path(3), path(2), std::filesystem::copy_options::overwrite_existing);
  expectRefused(1, ErrorKind::Mismatch, {path(2).string(), "part 2 of 3", "it says part 3 of 3"});
  m_parts[1].set("split.count", GgufId::U16, bytesOf(std::uint16_t{4}));
  write();
  expectRefused(1, ErrorKind::Mismatch, {path(2).string(), "part 2 of 3", "it says part 2 of 4"});
}

TEST_F(GgufParts, G12_TensorInTwoPartsAndTooFewTensorsAreFoundOut) {
  m_parts[2].add("output_norm.weight", {8});
  write();
  expectRefused(1, ErrorKind::Corrupt, {path(3).string(), "'output_norm.weight' is in", path(1).string()});
  m_parts[2].removeTensor("output_norm.weight");
  m_parts[2].removeTensor("blk.1.ffn_down.weight");
  write();
  expectRefused(1, ErrorKind::Mismatch, {path(1).string(), "split.tensors.count says 20 tensors", "they have 19"});
}

TEST_F(GgufParts, G12_PartsPutTogetherWithCatAreNamedWithTheToolThatJoinsThem) {
  write();
  std::string together;
  for (int i = 1; i <= kParts; ++i) together += support::readFile(path(i));
  support::writeFile(m_folder / "joined.gguf", together);
  support::expectError(ErrorKind::Unsupported, {"joined.gguf", "cat", "llama-gguf-split --merge"},
                       [&] { load(m_folder / "joined.gguf", {}, Progress()); });
}

TEST_F(GgufParts, G12_MorePartsThanAnyModelHas) {
  m_parts[0].setWord("split.count", 100'000);
  support::writeFile(path(1), m_parts[0].build());
  expectRefused(1, ErrorKind::TooLarge, {path(1).string(), "100,000 parts", "512"});
}

TEST_F(GgufParts, G12_PiecesOfACutFileSayHowTheyArePutTogether) {
  const std::string whole = m_whole.build();
  const auto first = m_folder / "m.gguf.part1of2", second = m_folder / "m.gguf.part2of2";
  support::writeFile(first, whole.substr(0, 2000));
  support::expectError(ErrorKind::Truncated,
                       {first.string(), "piece 1 of 2", "'m.gguf.part2of2' is not beside it",
                        "cat m.gguf.part1of2 m.gguf.part2of2 > m.gguf"},
                       [&] { load(first, {}, Progress()); });
  support::writeFile(second, whole.substr(2000));
  support::expectError(ErrorKind::Truncated, {second.string(), "piece 2 of 2 of one file. Put"},
                       [&] { load(second, {}, Progress()); });
}

}  // namespace
}  // namespace core::checkpoint
