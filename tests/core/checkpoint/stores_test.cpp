// A store gives the same tensors whatever the container, reads each stretch of bytes once, and can be stopped.
#include "core/checkpoint/stores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <set>

#include "core/checkpoint/format.h"
#include "core/checkpoint/weight_facts.h"
#include "core/error.h"
#include "core/verify.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/core/checkpoint/safetensors_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

namespace op = support::pickle;
using support::expectError;
using support::floats;
using support::ModelBuilder;
using support::SafetensorsBuilder;
using testing::HasSubstr;
using Names = std::map<std::string, std::string>;

std::string bytesOf(const Tensor& tensor) {
  return std::string(reinterpret_cast<const char*>(tensor.data.get()),
                     static_cast<std::size_t>(tensor.elements()) * itemSize(tensor.type));
}

std::string floatsOf(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Every tensor under the name that the file gives it.
Names all(const TensorStore& store) {
  Names names;
  for (const std::string& name : store.names()) names.emplace(name, name);
  return names;
}

class Stores : public testing::Test {
 protected:
  std::unique_ptr<TensorStore> safetensors(const SafetensorsBuilder& builder,
                                           File::ReadFunction readFunction = nullptr) {
    support::writeFile(m_folder / "m.safetensors", builder.build());
    return makeStore(SafetensorsFile(File(m_folder / "m.safetensors", readFunction)));
  }
  const TorchFile& torchFile(const support::ZipBuilder& zip, File::ReadFunction readFunction = nullptr) {
    support::writeFile(m_folder / "m.pt", zip.build());
    File file(m_folder / "m.pt", readFunction);
    const ZipDirectory directory = torchDirectory(file);
    m_torch = std::make_unique<TorchFile>(std::move(file), directory);
    return *m_torch;
  }
  std::unique_ptr<TensorStore> torch(const support::ZipBuilder& zip, File::ReadFunction readFunction = nullptr) {
    const TorchFile& file = torchFile(zip, readFunction);
    return makeStore(file, *pickle::find(file.root(), "model"), "'model'");
  }
  /// A torch file whose dict of tensors has these pairs, all over the storage data/0.
  std::unique_ptr<TensorStore> torchOf(const op::Pairs& model, const std::string& storage) {
    support::ZipBuilder zip;
    zip.add("m/data.pkl", op::whole(op::dict({{"model", op::dict(model)}})));
    zip.add("m/data/0", storage);
    return torch(zip);
  }
  support::TemporaryFolder m_folder;
  std::unique_ptr<TorchFile> m_torch;
};

TEST_F(Stores, TheSameModelInBothContainersIsTheSame) {
  const ModelBuilder model(true);
  SafetensorsBuilder builder;
  for (const support::BuiltTensor& tensor : model.tensors) builder.add(tensor.name, tensor.shape, tensor.bytes);
  const auto ofTorch = torch(model.archive()), ofSafetensors = safetensors(builder);
  EXPECT_EQ(ofTorch->names(), ofSafetensors->names());
  EXPECT_EQ(ofTorch->names().size(), model.tensors.size());
  EXPECT_TRUE(std::is_sorted(ofTorch->names().begin(), ofTorch->names().end()));
  const Reading a = ofTorch->read(all(*ofTorch), Progress()), b = ofSafetensors->read(all(*ofTorch), Progress());
  for (const support::BuiltTensor& tensor : model.tensors) {
    const std::string& name = tensor.name;
    EXPECT_EQ(ofTorch->describe(name).shape, tensor.shape) << name;
    EXPECT_EQ(ofSafetensors->describe(name).shape, tensor.shape) << name;
    EXPECT_EQ(a.tensors.at(name).shape, tensor.shape) << name;
    EXPECT_EQ(bytesOf(a.tensors.at(name)), tensor.bytes) << name;
    EXPECT_EQ(bytesOf(b.tensors.at(name)), tensor.bytes) << name;
    EXPECT_EQ(b.tensors.at(name).type, DType::F32) << name;
  }
  // lm_head shares the embedding's storage in the torch file; safetensors has it twice.
  EXPECT_EQ(b.bytes, a.bytes + 5 * 4 * 4);
  EXPECT_TRUE(a.warnings.empty() && b.warnings.empty());
  EXPECT_EQ(ofTorch->fileOf("lm_head.weight"), (m_folder / "m.pt").string());
  EXPECT_EQ(ofSafetensors->fileOf("no such tensor"), (m_folder / "m.safetensors").string());
  EXPECT_EQ(ofTorch->fileBytes(), std::filesystem::file_size(m_folder / "m.pt"));
  EXPECT_EQ(ofSafetensors->fileBytes(), std::filesystem::file_size(m_folder / "m.safetensors"));
}

TEST_F(Stores, TensorsOfOneStorageShareTheirData) {
  const auto store = torch(ModelBuilder().archive());
  const Reading reading = store->read({{"head", "lm_head.weight"}, {"table", "transformer.wte.weight"}}, Progress());
  EXPECT_EQ(reading.tensors.at("head").data, reading.tensors.at("table").data);
  EXPECT_EQ(reading.bytes, 5 * 4 * 4);
  EXPECT_EQ(parameterCount(reading.tensors), 20);
}

TEST_F(Stores, ATensorWantedTwiceIsReadOnce) {
  SafetensorsBuilder builder;
  builder.add("w", {3}, floats(3));
  const Reading reading = safetensors(builder)->read({{"a", "w"}, {"b", "w"}}, Progress());
  EXPECT_EQ(reading.tensors.at("a").data, reading.tensors.at("b").data);
  EXPECT_EQ(reading.bytes, 12);
}

TEST_F(Stores, OnlyWhatIsWantedIsRead) {
  SafetensorsBuilder builder;
  builder.add("a", {1 << 20}, std::string(4 << 20, 'x'));
  builder.add("b", {2}, floats(2));
  const Reading reading = safetensors(builder)->read({{"ours", "b"}}, Progress());
  EXPECT_EQ(reading.bytes, 8);
  EXPECT_EQ(bytesOf(reading.tensors.at("ours")), floats(2));
  EXPECT_EQ(reading.tensors.size(), 1u);
}

TEST_F(Stores, TransposedAndShiftedViewsAreReadInTheirOwnOrder) {
  op::TensorSpec view;
  view.elements = 12;
  view.offset = 1;
  view.sizes = {2, 3};
  view.strides = {1, 4};
  const Tensor tensor = torchOf({{"v", op::tensor(view)}}, floats(12))->read({{"v", "v"}}, Progress()).tensors.at("v");
  EXPECT_EQ(bytesOf(tensor), floatsOf({1.5f, 5.5f, 9.5f, 2.5f, 6.5f, 10.5f}));
}

TEST_F(Stores, ATensorWithoutElementsReadsNothing) {
  op::TensorSpec nothing;
  nothing.elements = 12;
  nothing.offset = 12;
  nothing.sizes = {4, 0};
  nothing.strides = {1, 1};
  const Reading reading = torchOf({{"v", op::tensor(nothing)}}, floats(12))->read({{"v", "v"}}, Progress());
  EXPECT_EQ(reading.bytes, 0);
  EXPECT_EQ(reading.tensors.at("v").shape, (std::vector<std::int64_t>{4, 0}));
}

TEST_F(Stores, ARecordThatIsNotInTheArchiveIsNamed) {
  const TorchArchive& archive = torchFile(ModelBuilder().archive()).archive();
  expectError(ErrorKind::Corrupt, {"m.pt", "'data/999' is not in the archive"}, [&] { archive.record("data/999"); });
}

TEST_F(Stores, OverlappingTensorsThatOutgrowTheFileAreCorrupt) {
  op::Pairs model;
  Names wanted;
  for (int i = 0; i < 40; ++i) {
    op::TensorSpec view;
    view.elements = 1'000;
    view.offset = i;
    view.sizes = {900};
    model.emplace_back("t" + std::to_string(i), op::tensor(view));
    wanted.emplace(model.back().first, model.back().first);
  }
  const auto store = torchOf(model, floats(1'000));
  expectError(ErrorKind::Corrupt, {"m.pt", "overlap"}, [&] { store->read(wanted, Progress()); });
  EXPECT_EQ(store->read({{"t7", "t7"}}, Progress()).bytes, 3'600);
}

TEST_F(Stores, OtherThingsThanADictOfTensorsAreRefusedAsWhatTheyAre) {
  const auto refuse = [&](ErrorKind kind, const std::vector<std::string>& parts, const std::string& value) {
    support::ZipBuilder zip;
    zip.add("m/data.pkl", op::whole(op::dict({{"model", value}})));
    const TorchFile& file = torchFile(zip);
    expectError(kind, parts, [&] { makeStore(file, *pickle::find(file.root(), "model"), "'model'"); });
  };
  refuse(ErrorKind::Unsupported, {"m.pt: 'model' is a whole object", "'my.Net'"},
         op::reduce(op::global("my", "Net"), {}));
  refuse(ErrorKind::Mismatch, {"m.pt: 'model' is ", "a list"}, op::list({op::none()}));
  refuse(ErrorKind::Corrupt, {"m.pt: 'model' has ", "tensor's name"}, "}(K\x01Nu");
  refuse(ErrorKind::Corrupt, {"'a'", "there twice"}, op::dict({{"a", op::none()}, {"a", op::none()}}));
}

TEST_F(Stores, BuffersBesideTheWeightsBlockOnlyWhereTheyAreWanted) {
  op::TensorSpec weight, steps;
  weight.elements = 2;
  weight.sizes = {2};
  steps.storage = "LongStorage";
  steps.elements = 1;
  const auto store =
      torchOf({{"w", op::tensor(weight)}, {"steps", op::tensor(steps)}, {"nothing", op::none()}}, floats(2));
  EXPECT_EQ(store->names(), (std::vector<std::string>{"nothing", "steps", "w"}));
  EXPECT_EQ(bytesOf(store->read({{"w", "w"}}, Progress()).tensors.at("w")), floats(2));
  expectError(ErrorKind::Unsupported, {"'steps'", "int64", "float32"}, [&] { store->describe("steps"); });
  expectError(ErrorKind::Unsupported, {"'nothing'", "not a tensor"}, [&] { store->describe("nothing"); });
}

TEST_F(Stores, C11_WarningsNameTheTensorsAsTheFileDoes) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  SafetensorsBuilder builder;
  builder.add("broken.weight", {4}, floatsOf({1, nan, -infinity, 2}));
  builder.add("zero.weight", {2}, floatsOf({0, -0.0f}));
  builder.add("zero.bias", {2}, floatsOf({0, 0}));
  builder.add("fine.weight", {2}, floatsOf({0, 1e-45f}));
  const auto store = safetensors(builder);
  const std::vector<std::string> warnings =
      store->read({{"a", "broken.weight"}, {"b", "zero.weight"}, {"c", "zero.bias"}, {"d", "fine.weight"}}, Progress())
          .warnings;
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_THAT(warnings[0], HasSubstr("2 weights of 1 tensor: 'broken.weight'"));
  EXPECT_THAT(warnings[1], HasSubstr("1 tensor: 'zero.weight'"));
  EXPECT_TRUE(store->read({{"d", "fine.weight"}}, Progress()).warnings.empty());
}

TEST_F(Stores, C11_ATransposedViewIsLookedAtWithoutItsNeighbours) {
  op::TensorSpec view;
  view.elements = 4;
  view.sizes = {2};
  view.strides = {2};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(torchOf({{"v.weight", op::tensor(view)}}, floatsOf({1, nan, 2, nan}))
                  ->read({{"v", "v.weight"}}, Progress())
                  .warnings.empty());
  view.offset = 1;
  EXPECT_EQ(torchOf({{"v.weight", op::tensor(view)}}, floatsOf({1, nan, 2, nan}))
                ->read({{"v", "v.weight"}}, Progress())
                .warnings.size(),
            1u);
}

TEST_F(Stores, Z13_AnotherChecksumIsAWarningThatNamesTheRecord) {
  support::ZipBuilder zip = ModelBuilder().archive();
  support::ZipMember& member = zip.member("ckpt/data/3");
  member.central.crc = member.descriptor.crc = 0x12345678;
  const auto store = torch(zip);
  const Reading reading = store->read(all(*store), Progress());
  ASSERT_EQ(reading.warnings.size(), 1u);
  EXPECT_THAT(reading.warnings[0], HasSubstr("1 record with another checksum"));
  EXPECT_THAT(reading.warnings[0], HasSubstr("'data/3'"));
}

int g_reads = 0;

ssize_t countingRead(int descriptor, void* into, std::size_t size, off_t offset) {
  ++g_reads;
  return ::pread(descriptor, into, size, offset);
}

/// Wants no more after the first piece.
Progress onePiece() {
  return Progress([](double fraction, std::string_view) { return fraction == 0; });
}

TEST_F(Stores, ReadingStopsWithinALargeTensor) {
  const std::string large(16 << 20, '\1');
  SafetensorsBuilder builder;
  builder.add("large.weight", {4 << 20}, large);
  const auto ofSafetensors = safetensors(builder, countingRead);
  g_reads = 0;
  expectError(ErrorKind::Cancelled, {"Cancelled"}, [&] { ofSafetensors->read({{"l", "large.weight"}}, onePiece()); });
  EXPECT_EQ(g_reads, 1);

  op::TensorSpec tensor;
  tensor.elements = 4 << 20;
  tensor.sizes = {4 << 20};
  support::ZipBuilder zip;
  zip.add("m/data.pkl", op::whole(op::dict({{"model", op::dict({{"large.weight", op::tensor(tensor)}})}})));
  zip.add("m/data/0", large);
  const auto ofTorch = torch(zip, countingRead);
  g_reads = 0;
  expectError(ErrorKind::Cancelled, {"Cancelled"}, [&] { ofTorch->read({{"l", "large.weight"}}, onePiece()); });
  EXPECT_EQ(g_reads, 1);
}

TEST_F(Stores, ProgressGrowsToTheWholeAndNamesTheTensors) {
  SafetensorsBuilder builder;
  builder.add("a.weight", {1 << 20}, std::string(4 << 20, '\1'));
  builder.add("b.weight", {1 << 20}, std::string(4 << 20, '\1'));
  double last = 0;
  std::set<std::string> stages;
  safetensors(builder)->read({{"ours", "b.weight"}, {"other", "a.weight"}},
                             Progress([&](double fraction, std::string_view stage) {
                               EXPECT_GE(fraction, last);
                               last = fraction;
                               stages.emplace(stage);
                               return true;
                             }));
  EXPECT_EQ(last, 1);
  EXPECT_EQ(stages, (std::set<std::string>{"reading a.weight", "reading b.weight"}));
}

TEST_F(Stores, F13_AFileThatShrinksWhileItIsOpenIsTruncated) {
  SafetensorsBuilder builder;
  builder.add("a.weight", {1'000}, floats(1'000));
  const auto store = safetensors(builder);
  ASSERT_EQ(truncate((m_folder / "m.safetensors").c_str(), 2'000), 0);
  expectError(ErrorKind::Truncated, {"m.safetensors", "byte 2,000"}, [&] {
    store->read({{"a", "a.weight"}}, Progress());
  });
}

TEST_F(Stores, VerifyingASafetensorsFileReadsItAndSaysThatNothingCouldBeCompared) {
  SafetensorsBuilder builder;
  builder.add("a.weight", {1'000}, floats(1'000));
  builder.add("steps", {1}, "abcdefgh", "I64");
  support::writeFile(m_folder / "m.safetensors", builder.build());
  const Verification verified = verifyChecksums(m_folder / "m.safetensors", Progress());
  EXPECT_EQ(verified.members, 2);
  EXPECT_EQ(verified.bytes, 4'008);
  EXPECT_EQ(verified.note,
            "2 tensors could be read whole; this kind of file has no checksums that they could be compared with.");
  const std::string whole = builder.build();
  support::writeFile(m_folder / "m.safetensors", whole.substr(0, whole.size() - 1));
  expectError(ErrorKind::Truncated, {"m.safetensors", "expected"},
              [&] { verifyChecksums(m_folder / "m.safetensors", Progress()); });
}

TEST_F(Stores, VerifyingATorchFileHasNothingToAdd) {
  support::writeFile(m_folder / "m.pt", ModelBuilder().build());
  EXPECT_EQ(verifyChecksums(m_folder / "m.pt", Progress()).note, "");
}

}  // namespace
}  // namespace core::checkpoint
