// S11, B25, B30: a model in several files is whole and means the same to its index and its shards, or is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "core/checkpoint/stores.h"
#include "core/error.h"
#include "core/verify.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/core/checkpoint/safetensors_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

namespace op = support::pickle;
using support::floats;
using support::SafetensorsBuilder;
using testing::HasSubstr;

const std::string kFirst = "model-00001-of-00002.safetensors", kSecond = "model-00002-of-00002.safetensors";

class Shards : public testing::Test {
 protected:
  void SetUp() override {
    write(kFirst, {"a.weight", "b.weight"});
    write(kSecond, {"c.weight"});
    writeIndex({{"a.weight", kFirst}, {"b.weight", kFirst}, {"c.weight", kSecond}});
  }

  void write(const std::string& shard, const std::vector<std::string>& tensors, const std::string& bytes = floats(4)) {
    SafetensorsBuilder file;
    for (const std::string& name : tensors) file.add(name, {static_cast<std::int64_t>(bytes.size()) / 4}, bytes);
    support::writeFile(m_folder / shard, file.build());
  }
  void writeIndex(const std::vector<std::pair<std::string, std::string>>& places) {
    std::string map;
    for (const auto& [tensor, shard] : places) map += (map.empty() ? "\"" : ",\"") + tensor + "\":\"" + shard + "\"";
    support::writeFile(index(), R"({"metadata":{"total_size":48},"weight_map":{)" + map + "}}");
  }
  std::filesystem::path index() const { return m_folder / "model.safetensors.index.json"; }
  void refuse(ErrorKind kind, std::vector<std::string> parts) {
    parts.push_back(m_folder.path().string());
    support::expectError(kind, parts, [&] { openShards(index()); });
  }

  support::TemporaryFolder m_folder;
};

TEST_F(Shards, AllTensorsOfAllShardsAreThere) {
  const auto store = openShards(index());
  EXPECT_EQ(store->names(), (std::vector<std::string>{"a.weight", "b.weight", "c.weight"}));
  EXPECT_EQ(store->fileOf("b.weight"), (m_folder / kFirst).string());
  EXPECT_EQ(store->fileOf("c.weight"), (m_folder / kSecond).string());
  EXPECT_EQ(store->fileOf("no such tensor"), (m_folder / kFirst).string());
  EXPECT_EQ(store->fileBytes(),
            std::filesystem::file_size(m_folder / kFirst) + std::filesystem::file_size(m_folder / kSecond));
  EXPECT_EQ(store->describe("c.weight").shape, std::vector<std::int64_t>{4});
  double last = 0;
  const Reading reading = store->read({{"x", "a.weight"}, {"y", "c.weight"}}, Progress([&](double fraction, auto) {
                                        EXPECT_GE(fraction, last);
                                        last = fraction;
                                        return true;
                                      }));
  EXPECT_EQ(last, 1);
  EXPECT_EQ(reading.bytes, 32);
  EXPECT_EQ(std::memcmp(reading.tensors.at("y").data.get(), floats(4).data(), 16), 0);
}

TEST_F(Shards, S11_MissingShardIsNamed) {
  std::filesystem::remove(m_folder / kSecond);
  refuse(ErrorKind::NotFound, {"index.json", "1 of the 2 files", "'" + kSecond + "'", "Download or copy it"});
  std::filesystem::remove(m_folder / kFirst);
  refuse(ErrorKind::NotFound, {"2 of the 2 files", "'" + kFirst + "'", "'" + kSecond + "'", "copy them"});
}

TEST_F(Shards, S11_OnlyShardIsNamedWithoutACount) {
  writeIndex({{"a.weight", "model-1"}});
  refuse(ErrorKind::NotFound, {"the file 'model-1' that holds the model is not beside it", "Download or copy it"});
}

TEST_F(Shards, S1_ShardThatIsNoLongerSafetensorsIsRefusedAsABrokenOne) {
  support::writeFile(m_folder / kSecond, std::string(8, '\0'));
  refuse(ErrorKind::Corrupt, {kSecond, "header has 0 bytes"});
  support::writeFile(m_folder / kSecond, std::string(3, '\1'));
  refuse(ErrorKind::Truncated, {kSecond, "3 bytes"});
}

TEST_F(Shards, S11_ShardNamesThatLeadElsewhereAreUnsafe) {
  const std::filesystem::path folder = m_folder / "inner";
  std::filesystem::create_directory(folder);
  write("inner/x", {"c.weight"});
  for (const std::string name : {"../../x", "inner/x", "/etc/passwd", "..", ".", "", "..\\\\x", "x\\u0000y"}) {
    writeIndex({{"a.weight", kFirst}, {"b.weight", kFirst}, {"c.weight", name}});
    refuse(ErrorKind::Unsafe, {"index.json", "no file beside it"});
  }
  writeIndex({{"a.weight", kFirst}, {"b.weight", kFirst}, {"c.weight", "../../x"}});
  refuse(ErrorKind::Unsafe, {"'../../x'"});
}

TEST_F(Shards, S11_TensorInAnotherShardThanTheIndexSaysIsAMismatch) {
  write(kFirst, {"a.weight"});
  write(kSecond, {"b.weight", "c.weight"});
  refuse(ErrorKind::Mismatch, {kFirst, "1 tensor", "'b.weight'", "not in it"});
  write(kFirst, {"a.weight", "b.weight", "c.weight"});
  refuse(ErrorKind::Mismatch, {kFirst, "'c.weight'", "places in '" + kSecond + "'"});
}

TEST_F(Shards, S11_B25_TensorsInNoShardAndTensorsInNoIndexAreListed) {
  writeIndex({{"a.weight", kFirst},
              {"b.weight", kFirst},
              {"c.weight", kSecond},
              {"d.weight", kSecond},
              {"e.weight", kSecond}});
  refuse(ErrorKind::Mismatch, {kSecond, "2 tensors", "'d.weight', 'e.weight'", "not in it"});
  writeIndex({{"a.weight", kFirst}, {"c.weight", kSecond}});
  refuse(ErrorKind::Mismatch, {kFirst, "1 tensor", "'b.weight'", "does not know"});
}

TEST_F(Shards, B9_ShardThatIsAGitLfsPointerIsNamedAsThat) {
  support::writeFile(m_folder / kSecond,
                     "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 4976698672\n");
  refuse(ErrorKind::NotAModel, {kSecond, "Git LFS pointer", "4,976,698,672 bytes", "git lfs pull"});
}

TEST_F(Shards, B15_ShardThatWasCutIsTruncated) {
  const std::string whole = support::readFile(m_folder / kSecond);
  support::writeFile(m_folder / kSecond, whole.substr(0, whole.size() - 5));
  refuse(ErrorKind::Truncated, {kSecond, "expected"});
}

TEST_F(Shards, IndexOfAnotherFormIsCorrupt) {
  for (const auto& [text, part] : {std::pair("[]", "it has no 'weight_map'"),
                                   {"{}", "it has no 'weight_map'"},
                                   {R"({"weight_map":[]})", "names no tensor"},
                                   {R"({"weight_map":["x"]})", "names no tensor"},
                                   {R"({"weight_map":"x"})", "names no tensor"},
                                   {R"({"weight_map":{}})", "names no tensor"},
                                   {R"({"weight_map":{"a.weight":1}})", "number for 'a.weight'"},
                                   {R"({"weight_map":{"a":"x","a":"y"}})", "twice"},
                                   {"{\"weight_map\"", "byte 13"}}) {
    support::writeFile(index(), text);
    refuse(ErrorKind::Corrupt, {"index.json", part});
  }
}

TEST_F(Shards, ThousandsOfShardsAreTooLarge) {
  std::vector<std::pair<std::string, std::string>> places;
  for (int i = 0; i < 10'000; ++i) places.emplace_back("t" + std::to_string(i), "s" + std::to_string(i));
  writeIndex(places);
  refuse(ErrorKind::TooLarge, {"index.json", "10,000 files", "512"});
}

TEST_F(Shards, TorchShardsAreOpenedByTheirContent) {
  op::TensorSpec tensor;
  tensor.elements = 4;
  tensor.sizes = {2, 2};
  support::ZipBuilder zip;
  zip.add("m/data.pkl", op::whole(op::orderedDict({{"c.weight", op::tensor(tensor)}})));
  zip.add("m/data/0", floats(4, 50));
  support::writeFile(m_folder / "pytorch_model-00002-of-00002.bin", zip.build());
  writeIndex({{"a.weight", kFirst}, {"b.weight", kFirst}, {"c.weight", "pytorch_model-00002-of-00002.bin"}});
  const auto store = openShards(index());
  const Reading reading = store->read({{"c", "c.weight"}, {"a", "a.weight"}}, Progress());
  EXPECT_EQ(reading.tensors.at("c").shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(std::memcmp(reading.tensors.at("c").data.get(), floats(4, 50).data(), 16), 0);
  EXPECT_EQ(std::memcmp(reading.tensors.at("a").data.get(), floats(4).data(), 16), 0);
}

TEST_F(Shards, C11_WarningsOfAllShardsAreOneSentence) {
  std::string broken = floats(4);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(broken.data(), &nan, sizeof nan);
  write(kFirst, {"a.weight", "b.weight"}, broken);
  write(kSecond, {"c.weight"}, broken);
  const Reading reading = openShards(index())->read({{"x", "a.weight"}, {"y", "c.weight"}}, Progress());
  ASSERT_EQ(reading.warnings.size(), 1u);
  EXPECT_THAT(reading.warnings[0], HasSubstr("2 weights of 2 tensors: 'a.weight', 'c.weight'"));
}

TEST_F(Shards, VerifyReadsEveryShard) {
  const Verification verified = verifyChecksums(index(), Progress());
  EXPECT_EQ(verified.members, 3);
  EXPECT_EQ(verified.bytes, 48);
  EXPECT_THAT(verified.note, HasSubstr("3 tensors"));
}

}  // namespace
}  // namespace core::checkpoint
