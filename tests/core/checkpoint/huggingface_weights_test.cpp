#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/core/checkpoint/huggingface_models.h"
#include "tests/core/checkpoint/model_builder.h"

namespace core::checkpoint {
namespace {

namespace fs = std::filesystem;
using support::HuggingfaceFolder;
using support::HuggingfaceModels;
using testing::Contains;
using testing::HasSubstr;
using Topic = ReportLine::Topic;

class HuggingfaceWeights : public HuggingfaceModels {};

/// The value of an element of a tensor, which HuggingfaceFolder counts up from a thousand for each tensor.
float element(const Tensor& tensor, std::size_t index) {
  float value = 0;
  std::memcpy(&value, tensor.data.get() + index * sizeof value, sizeof value);
  return value;
}

TEST_F(HuggingfaceWeights, AreReadForEveryFamilyUnderOurNames) {
  for (const char* type : {"gpt2", "llama", "mistral", "qwen2", "qwen3"}) {
    SCOPED_TRACE(type);
    const HuggingfaceFolder model(type);
    const Checkpoint checkpoint = open(model);
    const std::size_t ties = std::string(type) == "gpt2" ? 1 : 0;
    EXPECT_EQ(checkpoint.tensors.size(), model.tensors.size() + ties);
    EXPECT_EQ(element(checkpoint.tensors.at("wte.weight"), 0), 0.5f);
    EXPECT_EQ(element(checkpoint.tensors.at("wte.weight"), 47), 47.5f);
    EXPECT_EQ(checkpoint.info.config.tiedHead, ties == 1);
    EXPECT_EQ(checkpoint.info.storedType, "fp32");
    EXPECT_EQ(checkpoint.info.path, folder());
    EXPECT_EQ(checkpoint.info.name, folder().filename().string());
  }
}

TEST_F(HuggingfaceWeights, C5_Gpt2LinearsLieInOutAlsoWhereTheyAreSquare) {
  const Checkpoint checkpoint = open(HuggingfaceFolder("gpt2"));
  const Tensor& packed = checkpoint.tensors.at("h.0.attn.qkv.weight");
  EXPECT_EQ(packed.shape, (std::vector<std::int64_t>{24, 8}));
  EXPECT_EQ(packed.order, Order::ColumnMajor);
  EXPECT_EQ(checkpoint.tensors.at("h.0.attn.out.weight").order, Order::ColumnMajor);
}

TEST_F(HuggingfaceWeights, C5_Gpt2LinearsTheOtherWayRoundAreAMismatchWithBothShapes) {
  HuggingfaceFolder model("gpt2");
  model.tensor("transformer.h.0.attn.c_attn.weight").shape = {24, 8};
  refuse(ErrorKind::Mismatch, {"'transformer.h.0.attn.c_attn.weight'", "(24, 8)", "(8, 24)"}, model);
}

TEST_F(HuggingfaceWeights, B1_Gpt2WhoseLinearsAllLieOutInOpensAndSaysSo) {
  HuggingfaceFolder model("gpt2");
  for (support::FolderTensor& tensor : model.tensors) {
    if (tensor.shape.size() == 2 && tensor.name.find(".h.") != std::string::npos)
      std::swap(tensor.shape[0], tensor.shape[1]);
  }
  const Checkpoint checkpoint = open(model);
  EXPECT_EQ(checkpoint.tensors.at("h.0.attn.qkv.weight").shape, (std::vector<std::int64_t>{24, 8}));
  EXPECT_EQ(checkpoint.tensors.at("h.0.attn.qkv.weight").order, Order::RowMajor);
  EXPECT_EQ(checkpoint.tensors.at("h.0.attn.out.weight").order, Order::RowMajor) << "square, by the others";
  EXPECT_THAT(lines(checkpoint, Topic::Patched), testing::Contains(testing::HasSubstr("lie (out, in)")));
}

TEST_F(HuggingfaceWeights, C5_LinearsThatAreAllSquareLieAsThoseOfTheFamily) {
  HuggingfaceFolder model("llama");
  model.config["intermediate_size"] = 8;
  model.config["num_key_value_heads"] = 4;
  for (support::FolderTensor& tensor : model.tensors) {
    if (tensor.shape.size() != 2 || tensor.name.find(".layers.") == std::string::npos) continue;
    tensor.shape = {8, 8};
    tensor.bytes = support::floats(64);
  }
  const Checkpoint checkpoint = open(model);
  EXPECT_EQ(checkpoint.tensors.at("h.0.mlp.up.weight").order, Order::RowMajor);
  EXPECT_THAT(lines(checkpoint, Topic::Patched), testing::Each(testing::Not(HasSubstr("linear weights"))));
}

TEST_F(HuggingfaceWeights, WithoutAnyTensorTheLayersAreAMismatch) {
  HuggingfaceFolder model("llama");
  model.tensors.clear();
  model.config["tie_word_embeddings"] = true;
  refuse(ErrorKind::Mismatch, {"0 layers"}, model);
}

TEST_F(HuggingfaceWeights, C10_Bf16IsNamedAndReadFromEveryContainer) {
  HuggingfaceFolder model("llama");
  model.toBf16();
  EXPECT_EQ(open(model).info.storedType, "bf16");
  fs::remove(folder() / "model.safetensors");
  model.writeTorch(folder());
  EXPECT_EQ(load(folder()).info.storedType, "bf16");
}

TEST_F(HuggingfaceWeights, C10_IntegerWeightsAreUnsupportedByName) {
  HuggingfaceFolder model("llama");
  model.tensor("model.layers.0.mlp.up_proj.weight").dtype = "I32";
  refuse(ErrorKind::Unsupported, {"'model.layers.0.mlp.up_proj.weight'", "model.safetensors"}, model);
}

TEST_F(HuggingfaceWeights, C3_VocabularyOtherThanTheTableIsAMismatch) {
  HuggingfaceFolder model("llama");
  model.config["vocab_size"] = 7;
  refuse(ErrorKind::Mismatch, {"'model.embed_tokens.weight'", "(6, 8)", "(7, 8)", "config.json"}, model);
}

TEST_F(HuggingfaceWeights, C1_LayersOtherThanTheTensorsAreAMismatch) {
  HuggingfaceFolder model("qwen3");
  model.config["num_hidden_layers"] = 3;
  refuse(ErrorKind::Mismatch, {"'num_hidden_layers'", "is 3", "2 layers"}, model);
}

TEST_F(HuggingfaceWeights, C6_NamesMayLackThePrefixOrHaveAWrapper) {
  for (const char* type : {"gpt2", "llama"}) {
    HuggingfaceFolder bare(type);
    for (support::FolderTensor& tensor : bare.tensors) {
      if (tensor.name != "lm_head.weight") tensor.name.erase(0, tensor.name.find('.') + 1);
    }
    EXPECT_EQ(element(open(bare).tensors.at("wte.weight"), 0), 0.5f) << type;
    HuggingfaceFolder wrapped(type);
    for (support::FolderTensor& tensor : wrapped.tensors) tensor.name.insert(0, "_orig_mod.");
    EXPECT_THAT(lines(open(wrapped), Topic::Prefix), Contains(HasSubstr("'_orig_mod.'"))) << type;
  }
}

TEST_F(HuggingfaceWeights, C7_BuffersAreIgnoredAndListed) {
  HuggingfaceFolder gpt2("gpt2");
  gpt2.add("transformer.h.0.attn.bias", {1, 1, 16, 16});
  gpt2.add("transformer.h.0.attn.masked_bias", {});
  EXPECT_THAT(lines(open(gpt2), Topic::Ignored), Contains(HasSubstr("'transformer.h.0.attn.masked_bias'")));
  HuggingfaceFolder llama("llama");
  llama.add("model.layers.0.self_attn.rotary_emb.inv_freq", {1});
  EXPECT_THAT(lines(open(llama), Topic::Ignored), Contains(HasSubstr("inv_freq")));
}

TEST_F(HuggingfaceWeights, TensorsThatTheFamilyHasNotAreUnsupportedByName) {
  HuggingfaceFolder model("llama");
  model.add("model.layers.0.self_attn.q_norm.weight", {2});
  refuse(ErrorKind::Unsupported, {"'model.layers.0.self_attn.q_norm.weight'"}, model);
  HuggingfaceFolder biased("mistral");
  biased.config["attention_bias"] = true;  // Mistral's class reads no such key
  biased.add("model.layers.0.self_attn.q_proj.bias", {8});
  refuse(ErrorKind::Unsupported, {"Mistral does not have", "'model.layers.0.self_attn.q_proj.bias'"}, biased);
}

TEST_F(HuggingfaceWeights, LlamaBiasesAreReadWhereTheConfigHasThem) {
  HuggingfaceFolder model("llama");
  model.config["attention_bias"] = true;
  refuse(ErrorKind::Mismatch, {"'model.layers.0.self_attn.q_proj.bias'"}, model);
  for (const std::string layer : {"model.layers.0.self_attn.", "model.layers.1.self_attn."}) {
    model.add(layer + "q_proj.bias", {8});
    model.add(layer + "k_proj.bias", {4});
    model.add(layer + "v_proj.bias", {4});
    model.add(layer + "o_proj.bias", {8});
  }
  EXPECT_EQ(open(model).tensors.count("h.1.attn.out.bias"), 1u);
}

TEST_F(HuggingfaceWeights, HeadIsItsOwnUnlessTheConfigTiesIt) {
  HuggingfaceFolder model("llama");
  const Checkpoint own = open(model);
  EXPECT_NE(own.tensors.at("lm_head.weight").data, own.tensors.at("wte.weight").data);
  model.remove("lm_head.weight");
  refuse(ErrorKind::Mismatch, {"'lm_head.weight'", "'tie_word_embeddings'"}, model);
  model.config["tie_word_embeddings"] = true;
  const Checkpoint tied = open(model);
  EXPECT_TRUE(tied.info.config.tiedHead);
  EXPECT_EQ(tied.tensors.at("lm_head.weight").data, tied.tensors.at("wte.weight").data);
  EXPECT_THAT(lines(tied, Topic::Warning), testing::Each(HasSubstr("No tokenizer")));
}

// Measured with transformers 5.24: of two tensors that differ neither replaces the other.
TEST_F(HuggingfaceWeights, TiedHeadThatDiffersIsKeptAsTransformers5DoesAndReported) {
  HuggingfaceFolder model("llama");
  model.config["tie_word_embeddings"] = true;
  const Checkpoint checkpoint = open(model);
  EXPECT_FALSE(checkpoint.info.config.tiedHead);
  EXPECT_NE(checkpoint.tensors.at("lm_head.weight").data, checkpoint.tensors.at("wte.weight").data);
  EXPECT_THAT(lines(checkpoint, Topic::Warning), Contains(HasSubstr("two that differ")));
  // 48 in each table, twice 8 + 64 + 32 + 32 + 64 + 8 + 3 x 96, and 8 of the last norm
  EXPECT_EQ(checkpoint.info.parameters, 2 * 48 + 2 * 496 + 8);
}

// Their first bytes are equal.
TEST_F(HuggingfaceWeights, HeadOfAnotherTypeThanTheEmbeddingIsItsOwn) {
  HuggingfaceFolder model("llama");
  support::FolderTensor &head = model.tensor("lm_head.weight"), &table = model.tensor("model.embed_tokens.weight");
  head.bytes.assign(head.bytes.size(), '\0');
  table.bytes.assign(table.bytes.size() / 2, '\0');
  table.dtype = "F16";
  EXPECT_FALSE(open(model).info.config.tiedHead);
}

TEST_F(HuggingfaceWeights, TiedHeadStandsForAnAbsentEmbedding) {
  HuggingfaceFolder model("llama");
  model.remove("model.embed_tokens.weight");
  refuse(ErrorKind::Mismatch, {"'embed_tokens.weight'", "'tie_word_embeddings'"}, model);
  model.config["tie_word_embeddings"] = true;
  const Checkpoint checkpoint = open(model);
  EXPECT_TRUE(checkpoint.info.config.tiedHead);
  EXPECT_EQ(checkpoint.tensors.at("lm_head.weight").data, checkpoint.tensors.at("wte.weight").data);
  EXPECT_THAT(lines(checkpoint, Topic::Patched), Contains(HasSubstr("the embedding is not in the file")));
  model.remove("lm_head.weight");
  refuse(ErrorKind::Mismatch, {"2 tensors missing", "'lm_head.weight'", "'model.embed_tokens.weight'"}, model);
}

TEST_F(HuggingfaceWeights, ReportNamesFamilyRopeWindowsDefaultsAndIgnoredKeys) {
  HuggingfaceFolder model("mistral");
  model.config["sliding_window"] = 5;
  model.config["rope_scaling"] = {{"type", "linear"}, {"factor", 4.0}};
  model.config.erase("rms_norm_eps");
  model.config["is_llama_config"] = true;
  const Checkpoint checkpoint = open(model);
  EXPECT_THAT(lines(checkpoint, Topic::Family),
              Contains("Mistral: 2 layers, 4 heads of 2 on 2 for keys and values, 8 wide, context 16, vocabulary 6"));
  const std::vector<std::string> version = lines(checkpoint, Topic::Version);
  EXPECT_THAT(version, Contains("RoPE base 10,000, all frequencies divided by 4 (linear)"));
  EXPECT_THAT(version, Contains("window of 5 keys in every layer (sliding_window 5 of config.json)"));
  EXPECT_THAT(version, Contains(HasSubstr("rms_norm_eps 1e-06")));
  EXPECT_THAT(lines(checkpoint, Topic::Ignored), Contains(HasSubstr("'is_llama_config'")));
}

TEST_F(HuggingfaceWeights, ReportWritesNumbersAsTheyAre) {
  for (const auto& [base, text] : {std::pair(1e6, "1,000,000"), {10000.5, "10000.5"}, {1e16, "1e+16"}}) {
    HuggingfaceFolder model("llama");
    model.config["rope_theta"] = base;
    EXPECT_THAT(lines(open(model), Topic::Version), Contains(HasSubstr("RoPE base " + std::string(text)))) << base;
  }
}

TEST_F(HuggingfaceWeights, RenamedFolderChangesNothingButTheTitle) {
  const HuggingfaceFolder model("llama");
  fs::create_directories(folder() / "gpt2-finetune");
  model.writeSafetensors(folder() / "gpt2-finetune");
  const Checkpoint checkpoint = load(folder() / "gpt2-finetune");
  EXPECT_EQ(checkpoint.info.config.family, "Llama");
  EXPECT_EQ(checkpoint.info.name, "gpt2-finetune");
}

TEST_F(HuggingfaceWeights, Gpt2WithoutATokenizerHasTheBuiltInOneWhereTheVocabularyIsIts) {
  HuggingfaceFolder model("gpt2");
  EXPECT_EQ(open(model).tokenizer, nullptr);
  support::FolderTensor& table = model.tensor("transformer.wte.weight");
  table.shape[0] = 50257;
  table.bytes.assign(std::size_t{50257} * 8 * 4, '\0');
  model.config["vocab_size"] = 50257;
  const Checkpoint checkpoint = open(model);
  ASSERT_NE(checkpoint.tokenizer, nullptr);
  EXPECT_EQ(checkpoint.tokenizer->size(), 50257);
  EXPECT_THAT(lines(checkpoint, Topic::Tokenizer), Contains(HasSubstr("GPT-2 byte-level BPE")));
}

TEST_F(HuggingfaceWeights, T4_LlamaWithGpt2sVocabularyHasNotItsTokenizer) {
  HuggingfaceFolder model("llama");
  for (const char* name : {"model.embed_tokens.weight", "lm_head.weight"}) {
    model.tensor(name).shape[0] = 50257;
    model.tensor(name).bytes.assign(std::size_t{50257} * 8 * 4, '\0');
  }
  model.config["vocab_size"] = 50257;
  EXPECT_EQ(open(model).tokenizer, nullptr);
}

TEST_F(HuggingfaceWeights, Gpt2TakesTheVocabularyAndMergesInItsFolder) {
  support::writeFile(folder() / "vocab.json", R"({"a": 0, "b": 1, "ab": 2})");
  support::writeFile(folder() / "merges.txt", "#version: 0.2\na b\n");
  const Checkpoint gpt2 = open(HuggingfaceFolder("gpt2"));
  ASSERT_NE(gpt2.tokenizer, nullptr);
  EXPECT_EQ(gpt2.tokenizer->encode("ab").ids, (std::vector<TokenId>{2}));
  const Checkpoint llama = open(HuggingfaceFolder("llama"));
  EXPECT_EQ(llama.tokenizer, nullptr) << "whose split rule is another";
  EXPECT_THAT(lines(llama, Topic::Warning), Contains(HasSubstr("which does not tell how a text is split")));
}

TEST_F(HuggingfaceWeights, T4_MissingTokenizerIsAWarningThatSaysWhatIsThereInstead) {
  const HuggingfaceFolder model("llama");
  EXPECT_THAT(lines(open(model), Topic::Warning), Contains(HasSubstr("there is no tokenizer.json")));
  support::writeFile(folder() / "tokenizer.model", "\x0a");
  EXPECT_THAT(lines(open(model), Topic::Warning), Contains(HasSubstr("tokenizer.model, a SentencePiece model")));
}

TEST_F(HuggingfaceWeights, TokenizerThatCannotBeReadIsAWarningAndTheModelOpens) {
  support::writeFile(folder() / "tokenizer.json", "{\"model\": {\"type\": \"Unigram\"}}");
  const Checkpoint checkpoint = open(HuggingfaceFolder("llama"));
  EXPECT_EQ(checkpoint.tokenizer, nullptr);
  EXPECT_THAT(lines(checkpoint, Topic::Warning), Contains(HasSubstr("tokenizer.json")));
}

}  // namespace
}  // namespace core::checkpoint
