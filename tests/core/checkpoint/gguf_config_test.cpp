// The metadata of GGUF files as a config, and their tensors under our names.
#include "core/checkpoint/gguf_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/error.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/gguf_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

using support::bytesOf;
using support::GgufBuilder;
using support::GgufId;
using support::tinyLlama;

constexpr ErrorKind kMismatch = ErrorKind::Mismatch, kUnsupported = ErrorKind::Unsupported;

class GgufConfigTest : public testing::Test {
 protected:
  Checkpoint open(const GgufBuilder& gguf) const {
    support::writeFile(m_folder / "tiny.gguf", gguf.build());
    return load(m_folder / "tiny.gguf", {}, Progress());
  }
  void expectRefused(const GgufBuilder& gguf, ErrorKind kind, std::vector<std::string> parts) const {
    parts.push_back((m_folder / "tiny.gguf").string());
    support::expectError(kind, parts, [&] { open(gguf); });
  }
  static bool reports(const Checkpoint& checkpoint, ReportLine::Topic topic, const std::string& part) {
    const auto& report = checkpoint.info.report;
    return std::any_of(report.begin(), report.end(), [&](const ReportLine& line) {
      return line.topic == topic && line.text.find(part) != std::string::npos;
    });
  }
  static std::vector<float> numbers(const Checkpoint& checkpoint, const std::string& name) {
    const Tensor& tensor = checkpoint.tensors.at(name);
    std::vector<float> numbers(static_cast<std::size_t>(tensor.elements()));
    std::memcpy(numbers.data(), tensor.data.get(), numbers.size() * sizeof(float));
    return numbers;
  }
  static std::vector<float> numbers(const GgufBuilder& gguf, const std::string& name) {
    for (const support::GgufTensor& tensor : const_cast<GgufBuilder&>(gguf).tensors()) {
      if (tensor.name != name) continue;
      std::vector<float> numbers(tensor.bytes.size() / sizeof(float));
      std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
      return numbers;
    }
    return {};
  }

  support::TemporaryFolder m_folder;
};

TEST_F(GgufConfigTest, LlamaIsReadWhole) {
  const Checkpoint checkpoint = open(tinyLlama());
  const ModelConfig& config = checkpoint.info.config;
  EXPECT_EQ(config.family, "Llama");
  EXPECT_EQ(config.layers, 2);
  EXPECT_EQ(config.heads, 2);
  EXPECT_EQ(config.kvHeads, 1);
  EXPECT_EQ(config.headSize, 4);
  EXPECT_EQ(config.embedding, 8);
  EXPECT_EQ(config.inner, 12);
  EXPECT_EQ(config.context, 16);
  EXPECT_EQ(config.vocabulary, 8);
  EXPECT_EQ(config.normEpsilon, double{1e-5f});
  EXPECT_EQ(config.norm, Norm::RmsNorm);
  EXPECT_EQ(config.positions, Positions::Rotary);
  EXPECT_EQ(config.mlp, Mlp::SwiGlu);
  EXPECT_EQ(config.qkNorm, QkNorm::None);
  EXPECT_EQ(config.trained.ropeBase, 10000);
  EXPECT_FALSE(config.biases.qkv || config.biases.out || config.biases.mlp || config.biases.norm);
  EXPECT_EQ(config.trained.windows, std::vector<Window>(2));
  EXPECT_EQ(checkpoint.info.name, "tiny");
  EXPECT_EQ(checkpoint.info.storedType, "fp32");
  EXPECT_FALSE(checkpoint.tokenizer);
  EXPECT_THAT(checkpoint.info.noTokenizer, testing::HasSubstr("the file has no tokenizer"));
}

TEST_F(GgufConfigTest, G16_AbsentOutputIsTiedToTheEmbedding) {
  const Checkpoint tied = open(tinyLlama());
  EXPECT_TRUE(tied.info.config.tiedHead);
  EXPECT_EQ(tied.tensors.at("lm_head.weight").data, tied.tensors.at("wte.weight").data);
  GgufBuilder gguf = tinyLlama();
  gguf.add("output.weight", {8, 8});
  const Checkpoint untied = open(gguf);
  EXPECT_FALSE(untied.info.config.tiedHead);
  EXPECT_EQ(numbers(untied, "lm_head.weight"), numbers(gguf, "output.weight"));
}

TEST_F(GgufConfigTest, G16_TensorsThatTheFamilyDoesNotHaveAreListedAsIgnored) {
  GgufBuilder gguf = tinyLlama();
  gguf.add("blk.0.attn_rot_embd.weight", {4});
  gguf.add("for.another.program", {3});
  const Checkpoint checkpoint = open(gguf);
  EXPECT_TRUE(reports(checkpoint, ReportLine::Topic::Ignored,
                      "2 tensors that Llama does not have: 'blk.0.attn_rot_embd.weight', 'for.another.program'"));
  EXPECT_EQ(checkpoint.tensors.count("for.another.program"), 0U);
}

// Row 2 i of a head was row i, row 2 i + 1 was row D/2 + i: llama.cpp's permutation, written out for D = 4.
TEST_F(GgufConfigTest, G17_RowsOfQAndKGetBackToTheHalvesOfEachHead) {
  const GgufBuilder gguf = tinyLlama();
  const Checkpoint checkpoint = open(gguf);
  const auto expectRows = [&](const std::string& ours, const std::string& theirs, const std::vector<int>& order) {
    const std::vector<float> got = numbers(checkpoint, ours), there = numbers(gguf, theirs);
    ASSERT_EQ(got.size(), order.size() * 8);
    for (std::size_t row = 0; row < order.size(); ++row) {
      for (std::size_t i = 0; i < 8; ++i)
        EXPECT_EQ(got[row * 8 + i], there[static_cast<std::size_t>(order[row]) * 8 + i]) << ours << " row " << row;
    }
  };
  for (const std::string layer : {"0", "1"}) {
    expectRows("h." + layer + ".attn.q.weight", "blk." + layer + ".attn_q.weight", {0, 2, 1, 3, 4, 6, 5, 7});
    expectRows("h." + layer + ".attn.k.weight", "blk." + layer + ".attn_k.weight", {0, 2, 1, 3});
    expectRows("h." + layer + ".attn.v.weight", "blk." + layer + ".attn_v.weight", {0, 1, 2, 3});
  }
  EXPECT_TRUE(reports(checkpoint, ReportLine::Topic::Patched, "rows of q and k"));
}

TEST_F(GgufConfigTest, G16_PackedQkvIsTheSameModel) {
  GgufBuilder gguf = tinyLlama(), packed = tinyLlama();
  for (const std::string layer : {"blk.0.", "blk.1."}) {
    std::string bytes, biases;
    for (const char* part : {"attn_q", "attn_k", "attn_v"}) {
      const std::uint64_t rows = gguf.tensor(layer + part + ".weight").dimensions[1];
      gguf.add(layer + part + ".bias", {rows});
      bytes += gguf.tensor(layer + part + ".weight").bytes;
      biases += gguf.tensor(layer + part + ".bias").bytes;
      packed.removeTensor(layer + part + ".weight");
    }
    packed.add(layer + "attn_qkv.weight", {8, 16}, bytes);
    packed.add(layer + "attn_qkv.bias", {16}, biases);
  }
  const Checkpoint apart = open(gguf), together = open(packed);
  EXPECT_TRUE(apart.info.config.biases.qkv);
  EXPECT_TRUE(together.info.config.biases.qkv);
  for (const std::string layer : {"h.0.attn.", "h.1.attn."}) {
    for (const char* part : {".weight", ".bias"}) {
      std::vector<float> expected;
      for (const char* name : {"q", "k", "v"}) {
        const std::vector<float> rows = numbers(apart, layer + name + part);
        expected.insert(expected.end(), rows.begin(), rows.end());
      }
      EXPECT_EQ(numbers(together, layer + "qkv" + part), expected) << layer << part;
    }
  }
}

// Every number of every tensor, each of which has its own: no two names can be taken for each other.
TEST_F(GgufConfigTest, TensorsGetTheirOwnNames) {
  using Names = std::vector<std::pair<std::string, std::string>>;
  const auto expectNames = [&](const GgufBuilder& gguf, const Names& names) {
    const Checkpoint checkpoint = open(gguf);
    for (const auto& [ours, theirs] : names) EXPECT_EQ(numbers(checkpoint, ours), numbers(gguf, theirs)) << ours;
  };
  GgufBuilder qwen3 = support::tinyModel("qwen3");
  Names names = {{"wte.weight", "token_embd.weight"}, {"norm.weight", "output_norm.weight"}};
  for (const std::string n : {"0", "1"}) {
    const std::string h = "h." + n + ".", blk = "blk." + n + ".";
    qwen3.add(blk + "attn_q_norm.weight", {4});
    qwen3.add(blk + "attn_k_norm.weight", {4});
    for (const auto& [ours, theirs] : Names{{"attn_norm", "attn_norm"},
                                            {"attn.q", "attn_q"},
                                            {"attn.k", "attn_k"},
                                            {"attn.v", "attn_v"},
                                            {"attn.q_norm", "attn_q_norm"},
                                            {"attn.k_norm", "attn_k_norm"},
                                            {"attn.out", "attn_output"},
                                            {"mlp_norm", "ffn_norm"},
                                            {"mlp.gate", "ffn_gate"},
                                            {"mlp.up", "ffn_up"},
                                            {"mlp.down", "ffn_down"}})
      names.emplace_back(h + ours + ".weight", blk + theirs + ".weight");
  }
  expectNames(qwen3, names);

  GgufBuilder gpt2 = support::tinyGpt2();
  names = {{"wte.weight", "token_embd.weight"},
           {"wpe.weight", "position_embd.weight"},
           {"norm.weight", "output_norm.weight"},
           {"norm.bias", "output_norm.bias"}};
  for (const std::string part : {".weight", ".bias"}) {
    for (const auto& [ours, theirs] : Names{{"attn_norm", "attn_norm"},
                                            {"attn.qkv", "attn_qkv"},
                                            {"attn.out", "attn_output"},
                                            {"mlp_norm", "ffn_norm"},
                                            {"mlp.up", "ffn_up"},
                                            {"mlp.down", "ffn_down"}})
      names.emplace_back("h.0." + ours + part, "blk.0." + theirs + part);
  }
  expectNames(gpt2, names);
}

// Each bias alone: an absent one is 0, and none is left out because another is not there.
TEST_F(GgufConfigTest, EachBiasIsReadWhereItIs) {
  for (const auto& [ours, theirs, size] : {std::tuple("attn.q", "attn_q", 8U),
                                           {"attn.k", "attn_k", 4U},
                                           {"attn.v", "attn_v", 4U},
                                           {"attn.out", "attn_output", 8U},
                                           {"mlp.gate", "ffn_gate", 12U},
                                           {"mlp.up", "ffn_up", 12U},
                                           {"mlp.down", "ffn_down", 8U}}) {
    GgufBuilder gguf = support::tinyModel("qwen2");
    const std::string name = std::string("blk.1.") + theirs + ".bias", our = std::string("h.1.") + ours + ".bias";
    gguf.add(name, {size});
    const Checkpoint checkpoint = open(gguf);
    EXPECT_EQ(numbers(checkpoint, our), numbers(gguf, name));
    EXPECT_EQ(checkpoint.tensors.count(std::string("h.0.") + ours + ".bias"), 0U);
    const Biases& biases = checkpoint.info.config.biases;
    EXPECT_EQ(biases.qkv + biases.out + biases.mlp, 1) << name;
  }
}

TEST_F(GgufConfigTest, TensorsOfLayersThatTheFamilyDoesNotHaveAreAWarning) {
  GgufBuilder gguf = tinyLlama();
  gguf.add("blk.0.attn_q_norm.weight", {4});
  gguf.add("blk.1.rotary_emb.inv_freq", {2});
  EXPECT_TRUE(reports(open(gguf), ReportLine::Topic::Warning,
                      "The layers have 1 tensor that Llama does not have, and the maps are those of the model without "
                      "it: 'blk.0.attn_q_norm.weight'."));
  gguf.removeTensor("blk.0.attn_q_norm.weight");
  EXPECT_FALSE(reports(open(gguf), ReportLine::Topic::Warning, "does not have"));
}

TEST_F(GgufConfigTest, WhatIsNoModelByItselfIsCalledThat) {
  GgufBuilder gguf = tinyLlama();
  gguf.setText("general.type", "adapter");
  expectRefused(gguf, ErrorKind::NotAModel, {"'general.type', 'adapter' (LoRA)", "Open the file of the model"});
  gguf.setText("general.type", "imatrix");
  expectRefused(gguf, ErrorKind::NotAModel, {"'general.type', 'imatrix'."});
  gguf.setText("general.type", "model");
  EXPECT_EQ(open(gguf).info.config.layers, 2);
}

TEST_F(GgufConfigTest, BiasesAreThereWhereTheirTensorsAre) {
  GgufBuilder gguf = tinyLlama();
  for (const std::string layer : {"blk.0.", "blk.1."}) {
    gguf.add(layer + "attn_output.bias", {8});
    for (const char* part : {"ffn_gate.bias", "ffn_up.bias"}) gguf.add(layer + part, {12});
    gguf.add(layer + "ffn_down.bias", {8});
  }
  const Checkpoint checkpoint = open(gguf);
  EXPECT_TRUE(checkpoint.info.config.biases.out);
  EXPECT_TRUE(checkpoint.info.config.biases.mlp);
  EXPECT_EQ(numbers(checkpoint, "h.1.mlp.up.bias"), numbers(gguf, "blk.1.ffn_up.bias"));
}

TEST_F(GgufConfigTest, RopeFactorsComeFromTheirTensor) {
  GgufBuilder gguf = tinyLlama();
  gguf.add("rope_freqs.weight", {2}, support::f32Bytes({1, 8.5f}));
  const Checkpoint checkpoint = open(gguf);
  EXPECT_EQ(checkpoint.info.config.ropeScaling.rule, RopeScaling::Rule::Factors);
  EXPECT_EQ(checkpoint.info.config.ropeScaling.factors, (std::vector<float>{1, 8.5f}));
  EXPECT_EQ(checkpoint.tensors.count("rope_factors"), 0U);
  EXPECT_TRUE(reports(checkpoint, ReportLine::Topic::Version, "each frequency divided by a factor"));
  for (const float wrong : {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN()}) {
    gguf.tensor("rope_freqs.weight").bytes = support::f32Bytes({1, wrong});
    expectRefused(gguf, kMismatch, {"'rope_freqs.weight'", "above 0"});
  }
  gguf.tensor("rope_freqs.weight") = {"rope_freqs.weight", {2}, 1, std::string("\0\x3c\0\x3c", 4), {}};  // F16
  expectRefused(gguf, kMismatch, {"'rope_freqs.weight'", "in F32"});
  gguf.tensor("rope_freqs.weight") = {"rope_freqs.weight", {1}, 0, support::f32Bytes({1}), {}};
  expectRefused(gguf, kMismatch, {"'rope_freqs.weight' has the shape (1)", "(2)"});
}

TEST_F(GgufConfigTest, RopeScalingIsLinearOrNone) {
  GgufBuilder gguf = tinyLlama();
  EXPECT_EQ(open(gguf).info.config.ropeScaling.rule, RopeScaling::Rule::None);
  gguf.setText("llama.rope.scaling.type", "linear");
  gguf.setFloat("llama.rope.scaling.factor", 4);
  EXPECT_EQ(open(gguf).info.config.ropeScaling.rule, RopeScaling::Rule::Linear);
  EXPECT_EQ(open(gguf).info.config.ropeScaling.factor, 4);
  gguf.setText("llama.rope.scaling.type", "yarn");
  expectRefused(gguf, kUnsupported, {"llama.rope.scaling.type", "'yarn'", "'linear'"});
  gguf.setText("llama.rope.scaling.type", "none");
  EXPECT_EQ(open(gguf).info.config.ropeScaling.rule, RopeScaling::Rule::None);
  gguf.remove("llama.rope.scaling.type");
  EXPECT_EQ(open(gguf).info.config.ropeScaling.factor, 4);
  gguf.remove("llama.rope.scaling.factor");
  gguf.setFloat("llama.rope.scale_linear", 2);
  EXPECT_EQ(open(gguf).info.config.ropeScaling.factor, 2);
  gguf.setFloat("llama.rope.scaling.factor", 0);
  EXPECT_EQ(open(gguf).info.config.ropeScaling.rule, RopeScaling::Rule::None);
  gguf.remove("llama.rope.scaling.factor");
  gguf.setFloat("llama.rope.scale_linear", -2);
  expectRefused(gguf, kMismatch, {"'llama.rope.scale_linear' is -2", "above 0"});
  gguf.setFloat("llama.rope.scale_linear", 2);
  gguf.add("rope_freqs.weight", {2}, support::f32Bytes({1, 8.5f}));
  expectRefused(gguf, kUnsupported, {"'rope_freqs.weight'", "linear"});
}

TEST_F(GgufConfigTest, AbsentRopeBaseIsTakenAsLlamaCppDoesAndSaid) {
  GgufBuilder gguf = tinyLlama();
  gguf.remove("llama.rope.freq_base");
  const Checkpoint checkpoint = open(gguf);
  EXPECT_EQ(checkpoint.info.config.trained.ropeBase, 10000);
  EXPECT_TRUE(reports(checkpoint, ReportLine::Topic::Version, "llama.rope.freq_base 10000"));
}

TEST_F(GgufConfigTest, SlidingWindowIsEveryLayersWindow) {
  GgufBuilder gguf = tinyLlama();
  gguf.setWord("llama.attention.sliding_window", 5);
  EXPECT_EQ(open(gguf).info.config.trained.windows, std::vector<Window>(2, Window{4}));
  gguf.set("llama.attention.sliding_window_pattern", GgufId::List,
           bytesOf(std::uint32_t{7}) + bytesOf(std::uint64_t{2}) + std::string("\0\1", 2));
  expectRefused(gguf, kUnsupported, {"llama.attention.sliding_window_pattern"});
  gguf.remove("llama.attention.sliding_window_pattern");
  gguf.setWord("llama.attention.sliding_window", 0);
  EXPECT_EQ(open(gguf).info.config.trained.windows, std::vector<Window>(2));
}

TEST_F(GgufConfigTest, G13_UnknownOrAbsentArchitectureIsNamed) {
  GgufBuilder gguf = tinyLlama();
  gguf.setText("general.architecture", "gemma3");
  expectRefused(gguf, kUnsupported, {"'gemma3'", "llama, qwen2, qwen3 and gpt2"});
  gguf.remove("general.architecture");
  expectRefused(gguf, kMismatch, {"'general.architecture' is not there"});
  gguf.setWord("general.architecture", 1);
  expectRefused(gguf, kMismatch, {"'general.architecture' is of the type u32, not a text"});
}

TEST_F(GgufConfigTest, G13_AbsentKeysAreNamed) {
  for (const std::string key : {"block_count", "context_length", "embedding_length", "feed_forward_length",
                                "attention.head_count", "attention.layer_norm_rms_epsilon"}) {
    GgufBuilder gguf = tinyLlama();
    gguf.remove("llama." + key);
    expectRefused(gguf, kMismatch, {"the key 'llama." + key + "' is not there", "Convert"});
  }
}

TEST_F(GgufConfigTest, G13_ImpossibleNumbersAreNamedWithTheirKeys) {
  const auto refuse = [&](const std::string& key, std::uint32_t number, const std::vector<std::string>& parts) {
    GgufBuilder gguf = tinyLlama();
    gguf.setWord("llama." + key, number);
    expectRefused(gguf, kMismatch, parts);
  };
  refuse("block_count", 0, {"'llama.block_count' is 0", "1 to 10,000"});
  refuse("block_count", 4'000'000'000, {"'llama.block_count' is 4,000,000,000", "1 to 10,000"});
  refuse("block_count", 3, {"metadata['llama.block_count'] is 3", "2 layers"});
  refuse("attention.head_count", 0, {"'llama.attention.head_count' is 0"});
  refuse("attention.head_count", 3, {"llama.embedding_length = 8 is no multiple of llama.attention.head_count = 3"});
  refuse("attention.head_count_kv", 3,
         {"llama.attention.head_count = 2 is no multiple of llama.attention.head_count_kv = 3"});
  refuse("attention.key_length", 5, {"odd"});
  refuse("attention.key_length", 1 << 24, {"2 heads of 16777216"});
  refuse("embedding_length", 16, {"'token_embd.weight' has the shape (8, 8)", "(8, 16)"});
  refuse("vocab_size", 9, {"llama.vocab_size is 9", "has 8 rows"});
  refuse("context_length", 0, {"'llama.context_length' is 0"});
  for (const float wrong : {0.0f, -1.0f, std::numeric_limits<float>::infinity()}) {
    GgufBuilder gguf = tinyLlama();
    gguf.setFloat("llama.attention.layer_norm_rms_epsilon", wrong);
    expectRefused(gguf, kMismatch, {"'llama.attention.layer_norm_rms_epsilon' is", "above 0"});
  }
}

TEST_F(GgufConfigTest, OtherArithmeticIsRefusedByName) {
  for (const std::string key : {"expert_count", "attention.max_alibi_bias", "attention.clamp_kqv",
                                "attn_logit_softcapping", "final_logit_softcapping", "attention.scale", "logit_scale",
                                "residual_scale", "embedding_scale", "rope.scaling.attn_factor"}) {
    GgufBuilder gguf = tinyLlama();
    gguf.setWord("llama." + key, 8);
    expectRefused(gguf, kUnsupported, {"'llama." + key + "' is 8"});
    gguf.setWord("llama." + key, 0);
    EXPECT_EQ(open(gguf).info.config.layers, 2) << key;
  }
  GgufBuilder partial = tinyLlama();
  partial.setWord("llama.rope.dimension_count", 2);
  expectRefused(partial, kUnsupported, {"llama.rope.dimension_count is 2 of the 4"});
  GgufBuilder values = tinyLlama();
  values.setWord("llama.attention.value_length", 8);
  expectRefused(values, kUnsupported, {"llama.attention.value_length is 8"});
  GgufBuilder embedding = tinyLlama();
  embedding.setBool("llama.attention.causal", false);
  expectRefused(embedding, kUnsupported, {"'llama.attention.causal' is false"});
}

TEST_F(GgufConfigTest, NumbersForEachLayerMayBeAListOfEqualOnes) {
  GgufBuilder gguf = tinyLlama();
  gguf.setInts("llama.attention.head_count", {2, 2});
  gguf.setInts("llama.feed_forward_length", {12, 12});
  EXPECT_EQ(open(gguf).info.config.heads, 2);
  gguf.setInts("llama.feed_forward_length", {12, 16});
  expectRefused(gguf, kUnsupported, {"'llama.feed_forward_length' is a list of 2 numbers", "not all are equal"});
  gguf.setInts("llama.feed_forward_length", {});
  expectRefused(gguf, kUnsupported, {"'llama.feed_forward_length' is a list of 0 numbers"});
}

TEST_F(GgufConfigTest, AbsentTensorsAndOtherShapesAreNamed) {
  GgufBuilder absent = tinyLlama();
  absent.removeTensor("blk.1.attn_k.weight");
  expectRefused(absent, kMismatch, {"1 tensor missing: 'blk.1.attn_k.weight'"});
  GgufBuilder table = tinyLlama();
  table.removeTensor("token_embd.weight");
  expectRefused(table, kMismatch, {"'token_embd.weight' is not there"});
  table.add("token_embd.weight", {64});
  expectRefused(table, kMismatch, {"'token_embd.weight' has the shape (64); it must be (vocabulary, 8)"});
  table.removeTensor("token_embd.weight");
  table.add("token_embd.weight", {1, (1u << 24) + 1}, "");
  support::writeFile(m_folder / "tiny.gguf", table.build());
  std::filesystem::resize_file(m_folder / "tiny.gguf", 128u << 20);
  support::expectError(kMismatch, {"tiny.gguf", "'token_embd.weight' has the shape (16777217, 1); it must be"},
                       [&] { load(m_folder / "tiny.gguf", {}, Progress()); });
  GgufBuilder shape = tinyLlama();
  shape.tensor("blk.1.ffn_down.weight").dimensions = {8, 12};
  expectRefused(shape, kMismatch, {"'blk.1.ffn_down.weight' has the shape (12, 8)", "(8, 12)"});
}

TEST_F(GgufConfigTest, QuantizedWeightsAreReportedByTheirTypes) {
  GgufBuilder gguf = tinyLlama();
  gguf.setWord("llama.feed_forward_length", 32);
  for (const std::string layer : {"blk.0.", "blk.1."}) {
    for (const char* part : {"ffn_gate.weight", "ffn_up.weight"}) gguf.tensor(layer + part).dimensions = {8, 32};
    for (const char* part : {"ffn_gate.weight", "ffn_up.weight"})
      gguf.tensor(layer + part).bytes = support::f32Bytes(support::someNumbers(256, 5));
    gguf.tensor(layer + "ffn_down.weight") = {layer + "ffn_down.weight", {32, 8}, 8, std::string(8 * 34, '\1'), {}};
  }
  const Checkpoint checkpoint = open(gguf);
  EXPECT_EQ(checkpoint.info.storedType, "fp32 + Q8_0");
  EXPECT_TRUE(reports(checkpoint, ReportLine::Topic::Read, "weights in fp32 + Q8_0"));
}

TEST_F(GgufConfigTest, RightContentUnderAnotherNameOpensAndIsSaid) {
  support::writeFile(m_folder / "m.bin", tinyLlama().build());
  const Checkpoint checkpoint = load(m_folder / "m.bin", {}, Progress());
  EXPECT_TRUE(reports(checkpoint, ReportLine::Topic::Family, "GGUF, although its name ends in '.bin'"));
}

TEST_F(GgufConfigTest, FolderOffersItsGgufFilesAndOpensTheOnlyOne) {
  support::writeFile(m_folder / "a.gguf", tinyLlama().build());
  EXPECT_EQ(load(m_folder.path(), {}, Progress()).info.name, "a");
  support::writeFile(m_folder / "b.gguf", tinyLlama().build());
  support::expectError(ErrorKind::NotAFile, {"a.gguf", "b.gguf"}, [&] { load(m_folder.path(), {}, Progress()); });
}

TEST_F(GgufConfigTest, HuggingFaceFolderWithAGgufFileUnderItsNameIsRefused) {
  support::writeFile(m_folder / "config.json",
                     R"({"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
                         "intermediate_size": 12, "vocab_size": 8, "max_position_embeddings": 16})");
  support::writeFile(m_folder / "model.safetensors", tinyLlama().build());
  support::expectError(kMismatch, {"model.safetensors", "GGUF file under another name"},
                       [&] { load(m_folder.path(), {}, Progress()); });
}

}  // namespace
}  // namespace core::checkpoint
