// C1: model_args that can't be, each with the file, the key and the numbers in the sentence.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/core/checkpoint/model_file.h"

namespace core::checkpoint {
namespace {

namespace op = support::pickle;
using support::ModelBuilder;

class NanogptConfig : public support::ModelFile {};

TEST_F(NanogptConfig, NumbersComeFromModelArgs) {
  const ModelConfig config = open(ModelBuilder()).info.config;
  EXPECT_EQ(config.family, "nanoGPT");
  EXPECT_EQ(config.layers, 1);
  EXPECT_EQ(config.heads, 2);
  EXPECT_EQ(config.kvHeads, 2);
  EXPECT_EQ(config.headSize, 2);
  EXPECT_EQ(config.embedding, 4);
  EXPECT_EQ(config.context, 3);
  EXPECT_EQ(config.vocabulary, 5);
  EXPECT_EQ(config.normEpsilon, 1e-5);
  EXPECT_EQ(config.trained.gelu, Gelu::Erf);
  EXPECT_FALSE(config.biases.qkv);
  EXPECT_TRUE(config.tiedHead);
}

TEST_F(NanogptConfig, C1_WidthThatIsNoMultipleOfTheHeadsIsAMismatch) {
  ModelBuilder model;
  model.setArgument("n_head", op::integer(3));
  refuse(ErrorKind::Mismatch, {"n_embd = 4", "n_head = 3"}, model);
}

struct WrongValue {
  std::string name;
  std::string value;
  std::string shown;
};
void PrintTo(const WrongValue& wrong, std::ostream* out) { *out << wrong.name; }

class WrongNumber : public NanogptConfig, public testing::WithParamInterface<WrongValue> {};

TEST_P(WrongNumber, C1_IsAMismatchForEveryKey) {
  for (const char* key : {"n_layer", "n_head", "n_embd", "block_size", "vocab_size"}) {
    ModelBuilder model;
    model.setArgument(key, GetParam().value);
    refuse(ErrorKind::Mismatch, {key, GetParam().shown}, model);
  }
}

INSTANTIATE_TEST_SUITE_P(
    C1, WrongNumber,
    testing::Values(WrongValue{"zero", op::integer(0), "is 0"}, WrongValue{"negative", op::integer(-6), "is -6"},
                    WrongValue{"real", op::real(4), "4.0"}, WrongValue{"text", op::text("4"), "'4'"},
                    WrongValue{"none", op::none(), "None"}, WrongValue{"boolean", op::boolean(true), "True"},
                    WrongValue{"huge", op::integer(std::int64_t{1} << 40), "1,099,511,627,776"},
                    WrongValue{"beyond64Bits", "\x8a\x09" + std::string(9, '\x7f'), "beyond 64 bits"}),
    [](const auto& instance) { return instance.param.name; });

TEST_F(NanogptConfig, C1_MissingKeyIsNamed) {
  for (const char* key : {"n_layer", "n_head", "n_embd", "block_size", "vocab_size"}) {
    ModelBuilder model;
    model.removeArgument(key);
    refuse(ErrorKind::Mismatch, {"model_args has no '" + std::string(key) + "'"}, model);
  }
}

TEST_F(NanogptConfig, C1_BiasThatIsNoTruthValueIsAMismatch) {
  ModelBuilder model;
  model.setArgument("bias", op::integer(1));
  refuse(ErrorKind::Mismatch, {"'bias'", "the number 1"}, model);
}

TEST_F(NanogptConfig, C1_ModelArgsThatAreNoDictAreAMismatch) {
  ModelBuilder model;
  model.more = {{"model_args", op::list({})}};  // the last one counts
  refuse(ErrorKind::Mismatch, {"'model_args'", "a list"}, model);
}

TEST_F(NanogptConfig, C1_LayersBeyondTheTensorsAreAMismatchBeforeAnythingIsWrittenOut) {
  ModelBuilder model;
  model.setArgument("n_layer", op::integer(9000));
  refuse(ErrorKind::Mismatch, {"9000", "1 layer"}, model);
  model.setArgument("n_layer", op::integer(1 << 24));
  refuse(ErrorKind::Mismatch, {"'n_layer'", "16,777,216", "10,000"}, model);
}

TEST_F(NanogptConfig, KeysThatMayChangeTheArithmeticAreRefusedByName) {
  ModelBuilder model;
  model.setArgument("n_kv_head", op::integer(1));
  refuse(ErrorKind::Unsupported, {"'n_kv_head'", "the number 1"}, model);
}

TEST_F(NanogptConfig, KeysThatAreSwitchedOffAreIgnoredAndReported) {
  ModelBuilder model;
  model.setArgument("use_rope", op::boolean(false));
  model.setArgument("rope_base", op::none());
  const Checkpoint checkpoint = open(model);
  bool told = false;
  for (const ReportLine& line : checkpoint.info.report)
    told = told ||
           (line.topic == ReportLine::Topic::Ignored && line.text.find("'use_rope', 'rope_base'") != std::string::npos);
  EXPECT_TRUE(told);
}

TEST_F(NanogptConfig, AbsentBiasMeansTrueAndIsReported) {
  ModelBuilder model(true);
  model.removeArgument("bias");
  const Checkpoint checkpoint = open(model);
  EXPECT_TRUE(checkpoint.info.config.biases.qkv);
  EXPECT_EQ(checkpoint.info.config.trained.gelu, Gelu::Tanh) << "files that old were trained with the tanh form";
  EXPECT_EQ(checkpoint.tensors.count("h.0.attn.qkv.bias"), 1u);
  bool told = false;
  for (const ReportLine& line : checkpoint.info.report)
    told = told || (line.topic == ReportLine::Topic::Patched && line.text.find("'bias'") != std::string::npos);
  EXPECT_TRUE(told);
}

/// The weights of the tiny model as a dict of their own.
op::Pairs stateDict() {
  op::Pairs state;
  for (const auto& built : ModelBuilder().tensors) {
    op::TensorSpec spec;
    spec.key = built.key;
    spec.elements = static_cast<std::int64_t>(built.bytes.size() / 4);
    spec.sizes = built.shape;
    state.emplace_back(built.name, op::tensor(spec));
  }
  return state;
}

class IncompleteFile : public NanogptConfig {
 protected:
  void refusePickle(const std::vector<std::string>& parts, const std::string& root) {
    support::ZipBuilder zip;
    zip.add("m/data.pkl", op::whole(root));
    support::writeFile(m_folder / "m.pt", zip.build());
    support::expectError(ErrorKind::Unsupported, parts, [&] { load(m_folder / "m.pt", {}, Progress()); });
  }
};

TEST_F(IncompleteFile, WeightsWithoutModelArgsAreUnsupportedAndSaySo) {
  refusePickle({(m_folder / "m.pt").string(), "no 'model_args'"}, op::orderedDict(stateDict()));
  refusePickle({(m_folder / "m.pt").string(), "no 'model_args'"}, op::dict({{"model", op::orderedDict(stateDict())}}));
}

TEST_F(IncompleteFile, WeightsBesideModelArgsInsteadOfUnderModelAreUnsupportedAndSaySo) {
  op::Pairs root = stateDict();
  root.emplace_back("model_args", op::dict(ModelBuilder().modelArgs));
  refusePickle({(m_folder / "m.pt").string(), "'model_args'", "no 'model'"}, op::dict(root));
}

}  // namespace
}  // namespace core::checkpoint
