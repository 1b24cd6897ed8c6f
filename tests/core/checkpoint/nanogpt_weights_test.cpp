#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "core/checkpoint/file.h"
#include "core/checkpoint/format.h"
#include "tests/core/checkpoint/model_file.h"

namespace core::checkpoint {
namespace {

namespace op = support::pickle;
using support::BuiltTensor;
using support::ModelBuilder;
using Topic = ReportLine::Topic;

class NanogptWeights : public support::ModelFile {
 protected:
  static std::vector<std::string> lines(const Checkpoint& checkpoint, Topic topic) {
    std::vector<std::string> texts;
    for (const ReportLine& line : checkpoint.info.report) {
      if (line.topic == topic) texts.push_back(line.text);
    }
    return texts;
  }
  static std::vector<float> values(const Tensor& tensor) {
    std::vector<float> floats(static_cast<std::size_t>(tensor.elements()));
    std::memcpy(floats.data(), tensor.data.get(), floats.size() * sizeof(float));
    return floats;
  }
};

TEST_F(NanogptWeights, TensorsComeUnderOurNamesWithTheirNumbers) {
  const Checkpoint checkpoint = open(ModelBuilder());
  std::vector<std::string> names;
  for (const auto& [name, tensor] : checkpoint.tensors) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAre("h.0.attn.out.weight", "h.0.attn.qkv.weight", "h.0.attn_norm.weight",
                                          "h.0.mlp.down.weight", "h.0.mlp.up.weight", "h.0.mlp_norm.weight",
                                          "lm_head.weight", "norm.weight", "wpe.weight", "wte.weight"));
  EXPECT_EQ(checkpoint.tensors.at("wpe.weight").shape, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(values(checkpoint.tensors.at("wpe.weight"))[11], 111.5f);
  EXPECT_EQ(values(checkpoint.tensors.at("h.0.mlp.down.weight"))[63], 763.5f);
  EXPECT_EQ(checkpoint.info.parameters, 236);  // 20 + 12 + 4 + 48 + 16 + 4 + 64 + 64 + 4
  EXPECT_EQ(checkpoint.info.bytesRead, 4 * 236);
  EXPECT_EQ(checkpoint.info.storedType, "fp32");
}

TEST_F(NanogptWeights, ReportLinesComeInTheOrderOfTheirTopics) {
  ModelBuilder model;
  model.more = {{"optimizer", op::dict({})}};
  const auto report = open(model).info.report;
  EXPECT_TRUE(
      std::is_sorted(report.begin(), report.end(), [](const auto& a, const auto& b) { return a.topic < b.topic; }));
  EXPECT_GE(report.size(), 5u);
}

TEST_F(NanogptWeights, GeluIsReportedWithTheDateItChanged) {
  EXPECT_THAT(lines(open(ModelBuilder()), Topic::Version),
              testing::Contains(testing::AllOf(testing::HasSubstr("erf"), testing::HasSubstr("17 May 2023"))));
}

TEST_F(NanogptWeights, NameIsTheFoldersForCkptElseTheFiles) {
  EXPECT_EQ(open(ModelBuilder()).info.name, m_folder.path().filename());
  support::writeFile(m_folder / "my-gpt.pt", ModelBuilder().build());
  EXPECT_EQ(load(m_folder / "my-gpt.pt", {}, Progress()).info.name, "my-gpt");
}

TEST_F(NanogptWeights, C3_VocabularyThatDiffersFromTheEmbeddingIsAMismatch) {
  ModelBuilder model;
  model.setArgument("vocab_size", op::integer(6));
  refuse(ErrorKind::Mismatch, {"'transformer.wte.weight'", "(5, 4)", "(6, 4)"}, model);
}

TEST_F(NanogptWeights, ContextThatDiffersFromThePositionTableIsAMismatch) {
  ModelBuilder model;
  model.setArgument("block_size", op::integer(4));
  refuse(ErrorKind::Mismatch, {"'transformer.wpe.weight'", "(3, 4)", "(4, 4)"}, model);
}

TEST_F(NanogptWeights, C5_Conv1dLayoutIsTurnedTheSquareOneByFamily) {
  ModelBuilder model;
  for (BuiltTensor& tensor : model.tensors) {
    if (tensor.shape.size() == 2 && tensor.name.find(".h.") != std::string::npos)
      std::swap(tensor.shape[0], tensor.shape[1]);
  }
  const Checkpoint checkpoint = open(model);
  EXPECT_EQ(checkpoint.tensors.at("h.0.attn.qkv.weight").shape, (std::vector<std::int64_t>{12, 4}));
  // The bytes stay as they are and are looked at the other way. The projection after attention is square, so only the
  // others tell that it is turned too.
  EXPECT_EQ(values(checkpoint.tensors.at("h.0.attn.qkv.weight"))[1], 301.5f);
  for (const char* name : {"h.0.attn.qkv.weight", "h.0.attn.out.weight", "h.0.mlp.up.weight", "h.0.mlp.down.weight"})
    EXPECT_EQ(checkpoint.tensors.at(name).order, Order::ColumnMajor) << name;
  EXPECT_EQ(checkpoint.tensors.at("wpe.weight").order, Order::RowMajor);
  EXPECT_THAT(lines(checkpoint, Topic::Patched), testing::Contains(testing::HasSubstr("Conv1D")));
}

TEST_F(NanogptWeights, C5_OneTensorTheOtherWayRoundIsAMismatch) {
  ModelBuilder model;
  std::swap(model.tensor("transformer.h.0.mlp.c_fc.weight").shape[0],
            model.tensor("transformer.h.0.mlp.c_fc.weight").shape[1]);
  refuse(ErrorKind::Mismatch, {"'transformer.h.0.mlp.c_fc.weight'", "(4, 16)", "(16, 4)", "other way round"}, model);
}

TEST_F(NanogptWeights, C6_PrefixesThatAllWeightsCarryAreRemovedAndReported) {
  for (const char* prefix : {"_orig_mod.", "module.", "_orig_mod.module.", "module._orig_mod.", "model."}) {
    ModelBuilder model;
    for (BuiltTensor& tensor : model.tensors) tensor.name.insert(0, prefix);
    const Checkpoint checkpoint = open(model);
    EXPECT_EQ(checkpoint.tensors.count("wte.weight"), 1u);
    EXPECT_THAT(lines(checkpoint, Topic::Prefix),
                testing::ElementsAre(testing::HasSubstr("'" + std::string(prefix) + "'")));
  }
}

TEST_F(NanogptWeights, C6_NamesWithoutTransformerOpen) {
  ModelBuilder model;
  for (BuiltTensor& tensor : model.tensors) {
    if (tensor.name.starts_with("transformer.")) tensor.name.erase(0, 12);
  }
  EXPECT_EQ(open(model).tensors.size(), 10u);
}

TEST_F(NanogptWeights, C6_PrefixThatOnlySomeCarryIsNotRemoved) {
  ModelBuilder model;
  model.tensor("transformer.wpe.weight").name = "_orig_mod.transformer.wpe.weight";
  refuse(ErrorKind::Mismatch, {"'transformer.wpe.weight'", "'_orig_mod.transformer.wpe.weight'"}, model);
}

TEST_F(NanogptWeights, C7_MaskBuffersAreIgnoredAndReported) {
  ModelBuilder model;
  for (const char* name : {"transformer.h.0.attn.bias", "transformer.h.0.attn.masked_bias"}) {
    BuiltTensor buffer;
    buffer.name = name;
    buffer.shape = {1, 1, 3, 3};
    buffer.bytes = support::floats(9);
    buffer.key = name;
    model.tensors.push_back(buffer);
  }
  const Checkpoint checkpoint = open(model);
  EXPECT_EQ(checkpoint.tensors.size(), 10u);
  EXPECT_EQ(checkpoint.info.bytesRead, 4 * 236) << "the buffers are not read";
  EXPECT_THAT(lines(checkpoint, Topic::Ignored),
              testing::Contains(testing::HasSubstr("'transformer.h.0.attn.masked_bias'")));
}

TEST_F(NanogptWeights, C7_SharedHeadIsTiedWithoutAlarm) {
  const Checkpoint checkpoint = open(ModelBuilder());
  EXPECT_TRUE(checkpoint.info.config.tiedHead);
  EXPECT_EQ(checkpoint.tensors.at("lm_head.weight").data, checkpoint.tensors.at("wte.weight").data);
}

TEST_F(NanogptWeights, C7_AbsentHeadIsTiedAndReported) {
  ModelBuilder model;
  model.tensors.pop_back();
  const Checkpoint checkpoint = open(model);
  EXPECT_TRUE(checkpoint.info.config.tiedHead);
  EXPECT_EQ(checkpoint.tensors.at("lm_head.weight").data, checkpoint.tensors.at("wte.weight").data);
  EXPECT_THAT(lines(checkpoint, Topic::Patched),
              testing::Contains(testing::HasSubstr("lm_head.weight is not in the file")));
}

TEST_F(NanogptWeights, EqualHeadInAStorageOfItsOwnIsTied) {
  ModelBuilder model;
  model.tensors.back().key = "head";
  const Checkpoint checkpoint = open(model);
  EXPECT_TRUE(checkpoint.info.config.tiedHead);
  EXPECT_EQ(checkpoint.tensors.at("lm_head.weight").data, checkpoint.tensors.at("wte.weight").data);
  EXPECT_EQ(checkpoint.info.parameters, 236);
}

TEST_F(NanogptWeights, HeadThatDiffersIsHonouredAndReported) {
  ModelBuilder model;
  model.tensors.back().key = "head";
  model.tensors.back().bytes = support::floats(20, 9000);
  const Checkpoint checkpoint = open(model);
  EXPECT_FALSE(checkpoint.info.config.tiedHead);
  EXPECT_EQ(values(checkpoint.tensors.at("lm_head.weight"))[0], 9000.5f);
  EXPECT_EQ(checkpoint.info.parameters, 256);
  EXPECT_THAT(lines(checkpoint, Topic::Version), testing::Contains(testing::HasSubstr("14 January 2023")));
}

std::vector<std::pair<off_t, std::size_t>> recordedReads;

ssize_t recordingRead(int descriptor, void* into, std::size_t size, off_t offset) {
  recordedReads.emplace_back(offset, size);
  return ::pread(descriptor, into, size, offset);
}

TEST_F(NanogptWeights, C8_OptimizerStoragesAreNeverRead) {
  ModelBuilder model;
  op::TensorSpec moment;
  moment.key = "optimizer";
  moment.elements = 1 << 20;
  moment.sizes = {1 << 20};
  model.more = {{"optimizer", op::dict({{"state", op::dict({{"exp_avg", op::tensor(moment)}})}})}};
  support::ZipBuilder zip = model.archive();
  const std::string marker = "OPTIMIZER";
  std::string state((4u << 20), 'x');
  state.replace(0, marker.size(), marker);
  zip.add("ckpt/data/optimizer", state);
  const std::string bytes = zip.build();
  support::writeFile(m_folder / "ckpt.pt", bytes);

  recordedReads.clear();
  const Checkpoint checkpoint = loadFile(File(m_folder / "ckpt.pt", recordingRead), {}, Progress());
  const off_t begin = static_cast<off_t>(bytes.find(marker));
  const off_t end = begin + (4 << 20);
  std::size_t total = 0;
  for (const auto& [offset, size] : recordedReads) {
    total += size;
    const bool tail =
        offset + static_cast<off_t>(size) == static_cast<off_t>(bytes.size());  // looks for the end record
    EXPECT_TRUE(tail || offset + static_cast<off_t>(size) <= begin || offset >= end) << offset << " " << size;
  }
  EXPECT_GT(recordedReads.size(), 10u);
  EXPECT_LT(total, 100'000u);
  EXPECT_EQ(checkpoint.info.bytesRead, 4 * 236);
  EXPECT_THAT(lines(checkpoint, Topic::Ignored), testing::Contains(testing::HasSubstr("optimizer")));
}

TEST_F(NanogptWeights, C8_OptimizerMayBeBrokenWithoutHarm) {
  ModelBuilder model;
  op::TensorSpec moment;
  moment.key = "absent";
  moment.elements = 7;
  moment.sizes = {1 << 20};
  model.more = {{"optimizer", op::dict({{"exp_avg", op::tensor(moment)}})}};
  EXPECT_EQ(open(model).tensors.size(), 10u);
}

TEST_F(NanogptWeights, C10_MixedTypesKeepTheirType) {
  ModelBuilder model;
  const auto store = [&](const std::string& name, const std::string& storage, std::size_t bytes) {
    model.tensor(name).storage = storage;
    model.tensor(name).bytes = std::string(bytes, '\x11');
  };
  store("transformer.wpe.weight", "BFloat16Storage", 24);
  store("transformer.ln_f.weight", "HalfStorage", 8);
  store("transformer.h.0.ln_1.weight", "DoubleStorage", 32);
  const Checkpoint checkpoint = open(model);
  EXPECT_EQ(checkpoint.tensors.at("wpe.weight").type, DType::BF16);
  EXPECT_EQ(checkpoint.tensors.at("norm.weight").type, DType::F16);
  EXPECT_EQ(checkpoint.tensors.at("h.0.attn_norm.weight").type, DType::F64);
  EXPECT_EQ(checkpoint.info.storedType, "fp32 + fp64 + bf16 + fp16");
}

TEST_F(NanogptWeights, C11_NanAndInfinityOpenWithAWarningThatNamesTheTensors) {
  ModelBuilder model;
  std::string& wpe = model.tensor("transformer.wpe.weight").bytes;
  std::memcpy(wpe.data() + 4, "\x00\x00\xc0\x7f", 4);  // NaN
  std::memcpy(wpe.data() + 8, "\x00\x00\x80\xff", 4);  // -infinity
  BuiltTensor& half = model.tensor("transformer.ln_f.weight");
  half.storage = "HalfStorage";
  half.bytes = std::string("\x00\x7c\x00\x3c\x00\x3c\x00\x3c", 8);  // infinity, 1, 1, 1
  const Checkpoint checkpoint = open(model);
  EXPECT_THAT(lines(checkpoint, Topic::Warning),
              testing::Contains(testing::AllOf(testing::HasSubstr("3 weights of 2 tensors"),
                                               testing::HasSubstr("'transformer.wpe.weight'"),
                                               testing::HasSubstr("'transformer.ln_f.weight'"))));
}

TEST_F(NanogptWeights, C11_AllZeroWeightsOpenWithAWarningZeroBiasesWithout) {
  ModelBuilder model(true);
  model.tensor("transformer.h.0.attn.c_proj.weight").bytes.assign(64, '\0');
  model.tensor("transformer.h.0.attn.c_proj.bias").bytes.assign(16, '\0');
  const auto warnings = lines(open(model), Topic::Warning);
  EXPECT_THAT(warnings,
              testing::Contains(testing::HasSubstr("zeros in 1 tensor: 'transformer.h.0.attn.c_proj.weight'")));
}

TEST_F(NanogptWeights, C11_GoodWeightsGiveNoWarning) {
  for (const std::string& line : lines(open(ModelBuilder()), Topic::Warning))
    EXPECT_THAT(line, testing::HasSubstr("No tokenizer"));
}

TEST_F(NanogptWeights, MissingAndOddNamesAreListedWithTheNearestFamily) {
  ModelBuilder model;
  model.tensor("transformer.wpe.weight").name = "transformer.rope.freqs";
  refuse(ErrorKind::Mismatch,
         {"nearest family is nanoGPT", "1 tensor missing: 'transformer.wpe.weight'", "'transformer.rope.freqs'"},
         model);
}

TEST_F(NanogptWeights, TensorsThatWouldChangeTheArithmeticAreRefusedByName) {
  ModelBuilder model;
  BuiltTensor gate = model.tensors.front();
  gate.name = "transformer.h.0.attn.gate.weight";
  model.tensors.push_back(gate);
  refuse(ErrorKind::Unsupported, {"'transformer.h.0.attn.gate.weight'"}, model);
}

TEST_F(NanogptWeights, MissingBiasesAreNamed) {
  ModelBuilder model(false);
  model.setArgument("bias", op::boolean(true));
  refuse(ErrorKind::Mismatch, {"7 tensors missing", "'transformer.h.0.attn.c_attn.bias'"}, model);
}

TEST_F(NanogptWeights, B18_TorchFileWithoutModelListsItsTopLevel) {
  support::ZipBuilder zip;
  zip.add("m/data.pkl", op::whole(op::dict({{"epoch", op::integer(3)}, {"history", op::list({})}})));
  support::writeFile(m_folder / "m.pt", zip.build());
  support::expectError(ErrorKind::NotAModel, {(m_folder / "m.pt").string(), "2 keys ('epoch', 'history')"},
                       [&] { load(m_folder / "m.pt", {}, Progress()); });
}

TEST_F(NanogptWeights, B18_WhatIsNoDictOfTensorsIsNamed) {
  const auto path = m_folder / "ckpt.pt";
  const auto refuseRoot = [&](const std::string& root, const std::string& part) {
    support::writeFile(path, support::archiveOf(op::whole(root), {}).build());
    support::expectError(ErrorKind::NotAModel, {path.string(), part}, [&] { load(path, {}, Progress()); });
  };
  const ModelBuilder model;
  const std::string weights = support::stateDict(model.tensors);
  // Lists in which every second item is what a dict would have for a key.
  for (const std::string& list :
       {op::list({op::text("model"), weights, op::text("model_args"), op::dict(model.modelArgs)}),
        op::list({op::text("transformer.wte.weight"), op::none(), op::text("transformer.h.0.attn.c_attn.weight"),
                  op::none()})})
    refuseRoot(list, "it holds a list of 4 items, not a dict of tensors");
  refuseRoot(op::list({op::text("transformer.h.0.attn.c_q.weight"), op::none()}), "it holds a list of 2 items");
  op::TensorSpec tensor;
  tensor.elements = 1;
  refuseRoot(op::tensor(tensor), "a single tensor");
  refuseRoot(op::dict({{"stuff", op::list({op::integer(1), op::tensor(tensor)})}}), "none holds tensors by name");
}

TEST_F(NanogptWeights, B18_OtherFamiliesAreToldFromNanogptByName) {
  op::TensorSpec weight;
  weight.elements = 4;
  weight.sizes = {4};
  support::ZipBuilder zip;
  zip.add("m/data.pkl", op::whole(op::dict({{"state_dict", op::orderedDict({{"conv1.weight", op::tensor(weight)},
                                                                            {"fc.weight", op::tensor(weight)}})}})));
  support::writeFile(m_folder / "m.pt", zip.build());
  support::expectError(
      ErrorKind::Unsupported,
      {"'state_dict' has 2 tensors", "nearest family is nanoGPT", "wte.weight", "'transformer.conv1.weight'"},
      [&] { load(m_folder / "m.pt", {}, Progress()); });
}

TEST_F(NanogptWeights, ProgressNamesTensorsAndRises) {
  support::writeFile(m_folder / "ckpt.pt", ModelBuilder().build());
  std::vector<double> fractions;
  std::set<std::string> stages;
  load(m_folder / "ckpt.pt", {}, Progress([&](double fraction, std::string_view stage) {
         fractions.push_back(fraction);
         stages.emplace(stage);
         return true;
       }));
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1.0);
  EXPECT_EQ(stages.count("reading transformer.h.0.attn.c_attn.weight"), 1u);
}

TEST_F(NanogptWeights, R11_CancelIsHonouredAtEveryReport) {
  support::writeFile(m_folder / "ckpt.pt", ModelBuilder().build());
  int reports = 0;
  load(m_folder / "ckpt.pt", {}, Progress([&](double, std::string_view) { return ++reports > 0; }));
  ASSERT_GT(reports, 10);
  for (int stopAt = 1; stopAt <= reports; ++stopAt) {
    int heard = 0;
    support::expectError(ErrorKind::Cancelled, {"Cancelled"}, [&] {
      load(m_folder / "ckpt.pt", {}, Progress([&](double, std::string_view) { return ++heard < stopAt; }));
    });
    EXPECT_EQ(heard, stopAt);
  }
}

}  // namespace
}  // namespace core::checkpoint
