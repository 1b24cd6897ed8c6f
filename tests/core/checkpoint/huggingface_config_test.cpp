#include "core/checkpoint/huggingface_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/huggingface_folder.h"

namespace core::checkpoint::huggingface {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::IsEmpty;

const char* const kFile = "/x/config.json";
const std::vector<std::string> kRotary = {"llama", "mistral", "qwen2", "qwen3"};

/// The config of a tiny model with some keys changed and some taken out.
json configOf(const std::string& modelType, const json& changes = {}, const std::vector<std::string>& without = {}) {
  json config = support::HuggingfaceFolder(modelType).config;
  if (!changes.is_null()) config.update(changes);
  for (const std::string& key : without) config.erase(key);
  return config;
}

ModelConfig numbersOf(const std::string& modelType, const json& changes = {},
                      const std::vector<std::string>& without = {}) {
  return readConfig(configOf(modelType, changes, without), kFile).numbers;
}

void refuse(ErrorKind kind, std::vector<std::string> parts, const json& config) {
  parts.emplace_back(kFile);
  support::expectError(kind, parts, [&] { readConfig(config, kFile); });
}

TEST(HuggingfaceConfig, Gpt2IsReadWithItsOwnArithmetic) {
  const ModelConfig config = numbersOf("gpt2");
  EXPECT_EQ(config.family, "GPT-2");
  EXPECT_EQ(config.layers, 2);
  EXPECT_EQ(config.heads, 4);
  EXPECT_EQ(config.kvHeads, 4);
  EXPECT_EQ(config.headSize, 2);
  EXPECT_EQ(config.embedding, 8);
  EXPECT_EQ(config.inner, 32);
  EXPECT_EQ(config.context, 16);
  EXPECT_EQ(config.longestPrompt, 16);
  EXPECT_EQ(config.vocabulary, 6);
  EXPECT_EQ(config.vocabularyRows, 6);
  EXPECT_EQ(config.norm, Norm::LayerNorm);
  EXPECT_EQ(config.normEpsilon, 1e-5);
  EXPECT_EQ(config.positions, Positions::Learned);
  EXPECT_EQ(config.mlp, Mlp::Gelu);
  EXPECT_EQ(config.trained.gelu, Gelu::Tanh);
  EXPECT_TRUE(config.biases.qkv && config.biases.out && config.biases.mlp && config.biases.norm);
  EXPECT_TRUE(config.tiedHead);
  EXPECT_EQ(config.trained.windows, std::vector<Window>(2));
}

TEST(HuggingfaceConfig, RotaryFamiliesAreReadWithTheirOwnArithmetic) {
  for (const std::string& type : kRotary) {
    const ModelConfig config = numbersOf(type);
    SCOPED_TRACE(type);
    EXPECT_EQ(config.layers, 2);
    EXPECT_EQ(config.heads, 4);
    EXPECT_EQ(config.kvHeads, 2);
    EXPECT_EQ(config.headSize, type == "qwen3" ? 4 : 2);
    EXPECT_EQ(config.embedding, 8);
    EXPECT_EQ(config.inner, 12);
    EXPECT_EQ(config.context, 16);
    EXPECT_EQ(config.vocabularyRows, 6);
    EXPECT_EQ(config.norm, Norm::RmsNorm);
    EXPECT_EQ(config.normEpsilon, 1e-5);
    EXPECT_EQ(config.positions, Positions::Rotary);
    EXPECT_EQ(config.ropeDirection, RopeDirection::Forward);
    EXPECT_EQ(config.trained.ropeBase, 10000);
    EXPECT_EQ(config.mlp, Mlp::SwiGlu);
    EXPECT_EQ(config.qkNorm, type == "qwen3" ? QkNorm::Weighted : QkNorm::None);
    EXPECT_EQ(config.biases.qkv, type == "qwen2");
    EXPECT_FALSE(config.biases.out || config.biases.mlp || config.biases.norm);
    EXPECT_FALSE(config.tiedHead);
    EXPECT_EQ(config.trained.windows, std::vector<Window>(2));
  }
  EXPECT_EQ(numbersOf("llama").family, "Llama");
  EXPECT_EQ(numbersOf("mistral").family, "Mistral");
  EXPECT_EQ(numbersOf("qwen2").family, "Qwen2");
  EXPECT_EQ(numbersOf("qwen3").family, "Qwen3");
}

TEST(HuggingfaceConfig, AbsentKeysTakeTheDefaultsOfTransformersAndAreListed) {
  for (const std::string& type : kRotary) {
    SCOPED_TRACE(type);
    const Config config = readConfig(configOf(type, {}, {"rms_norm_eps", "rope_theta", "tie_word_embeddings"}), kFile);
    EXPECT_EQ(config.numbers.normEpsilon, 1e-6);
    EXPECT_EQ(config.numbers.trained.ropeBase, 10000);
    EXPECT_FALSE(config.numbers.tiedHead);
    EXPECT_THAT(config.defaults,
                testing::IsSupersetOf({"rms_norm_eps 1e-06", "rope_theta 10000", "tie_word_embeddings false"}));
  }
  const Config gpt2 = readConfig(configOf("gpt2"), kFile);
  EXPECT_THAT(gpt2.defaults, testing::UnorderedElementsAre("layer_norm_epsilon 1e-05", "activation_function gelu_new",
                                                           "tie_word_embeddings true"));
}

TEST(HuggingfaceConfig, KeyValueHeadsAreAsManyAsHeadsWhereNullAndTheClassDefaultWhereAbsent) {
  EXPECT_EQ(numbersOf("llama", {}, {"num_key_value_heads"}).kvHeads, 4);
  EXPECT_EQ(numbersOf("llama", {{"num_key_value_heads", nullptr}}).kvHeads, 4);
  EXPECT_EQ(numbersOf("qwen2", {{"num_key_value_heads", nullptr}}).kvHeads, 4);
  const json wide = {{"num_attention_heads", 64}, {"hidden_size", 128}};
  EXPECT_EQ(numbersOf("mistral", wide, {"num_key_value_heads"}).kvHeads, 8);
  EXPECT_EQ(numbersOf("qwen2", wide, {"num_key_value_heads"}).kvHeads, 32);
  EXPECT_EQ(numbersOf("qwen3", wide, {"num_key_value_heads"}).kvHeads, 32);
}

TEST(HuggingfaceConfig, HeadSizeIsTheKeyElseWidthByHeadsAndForQwen3Is128) {
  for (const std::string type : {"llama", "mistral", "qwen2"}) {
    EXPECT_EQ(numbersOf(type, {{"head_dim", 6}}).headSize, 6);
    EXPECT_EQ(numbersOf(type, {{"head_dim", nullptr}}).headSize, 2);
    EXPECT_EQ(numbersOf(type, {}, {"head_dim"}).headSize, 2);
  }
  EXPECT_EQ(numbersOf("qwen3", {}, {"head_dim"}).headSize, 128);
  EXPECT_EQ(numbersOf("mistral", {{"head_dim", 6}, {"hidden_size", 10}}).headSize, 6)
      << "the width need then be no multiple of the heads";
}

TEST(HuggingfaceConfig, Gpt2InnerWidthIsTheKeyElseFourTimesTheWidth) {
  EXPECT_EQ(numbersOf("gpt2", {{"n_inner", 20}}).inner, 20);
  EXPECT_EQ(numbersOf("gpt2", {{"n_inner", nullptr}}).inner, 32);
}

TEST(HuggingfaceConfig, Gpt2KeysMayHaveTheNamesOfOtherModels) {
  const json config = configOf(
      "gpt2",
      {{"hidden_size", 12}, {"num_hidden_layers", 3}, {"num_attention_heads", 2}, {"max_position_embeddings", 20}},
      {"n_embd", "n_layer", "n_head", "n_positions"});
  const ModelConfig numbers = readConfig(config, kFile).numbers;
  EXPECT_EQ(numbers.embedding, 12);
  EXPECT_EQ(numbers.layers, 3);
  EXPECT_EQ(numbers.heads, 2);
  EXPECT_EQ(numbers.context, 20);
  refuse(ErrorKind::Mismatch, {"'n_embd' is 8", "'hidden_size' is 12"}, configOf("gpt2", {{"hidden_size", 12}}));
}

TEST(HuggingfaceConfig, GeluNamesGiveTheirForm) {
  for (const char* name : {"gelu_new", "gelu_pytorch_tanh", "gelu_fast"})
    EXPECT_EQ(numbersOf("gpt2", {{"activation_function", name}}).trained.gelu, Gelu::Tanh) << name;
  EXPECT_EQ(numbersOf("gpt2", {{"activation_function", "gelu"}}).trained.gelu, Gelu::Erf);
}

TEST(HuggingfaceConfig, BiasKeysCountInTheFamiliesThatReadThem) {
  const Biases llama = numbersOf("llama", {{"attention_bias", true}}).biases;
  EXPECT_TRUE(llama.qkv && llama.out);
  EXPECT_FALSE(llama.mlp);
  EXPECT_TRUE(numbersOf("llama", {{"mlp_bias", true}}).biases.mlp);
  const Biases qwen3 = numbersOf("qwen3", {{"attention_bias", true}}).biases;
  EXPECT_TRUE(qwen3.qkv && qwen3.out);
  for (const std::string type : {"mistral", "qwen2"}) {
    const Config config = readConfig(configOf(type, {{"attention_bias", true}, {"mlp_bias", true}}), kFile);
    EXPECT_EQ(config.numbers.biases.qkv, type == "qwen2");
    EXPECT_FALSE(config.numbers.biases.out || config.numbers.biases.mlp);
    EXPECT_THAT(config.ignored, testing::UnorderedElementsAre("attention_bias", "mlp_bias"));
  }
}

TEST(HuggingfaceConfig, TieIsWhatTheKeySays) {
  EXPECT_FALSE(numbersOf("gpt2", {{"tie_word_embeddings", false}}).tiedHead);
  for (const std::string& type : kRotary) EXPECT_TRUE(numbersOf(type, {{"tie_word_embeddings", true}}).tiedHead);
}

TEST(HuggingfaceConfig, KeysThatNoClassReadsAreListedAndKnownOnesWithoutEffectAreNot) {
  const Config config = readConfig(configOf("llama", {{"sliding_window", 16},
                                                      {"is_llama_config", true},
                                                      {"torch_dtype", "bfloat16"},
                                                      {"pretraining_tp", 2},
                                                      {"use_cache", true},
                                                      {"attention_dropout", 0.1}}),
                                   kFile);
  EXPECT_THAT(config.ignored, testing::UnorderedElementsAre("sliding_window", "is_llama_config"));
  EXPECT_EQ(config.numbers.trained.windows, std::vector<Window>(2)) << "Llama has no windows";
  EXPECT_THAT(readConfig(configOf("gpt2", {{"n_ctx", 16}}), kFile).ignored, testing::ElementsAre("n_ctx"));
}

TEST(HuggingfaceConfig, S13_ModelTypesThatAreNotReadAreUnsupportedAndTheOthersListed) {
  for (const char* type : {"llama4", "t5", "mixtral", "gemma2", "Llama", ""}) {
    refuse(ErrorKind::Unsupported, {"'" + std::string(type) + "'", "gpt2, llama, mistral, qwen2 and qwen3"},
           configOf("llama", {{"model_type", type}}));
  }
  refuse(ErrorKind::Unsupported, {"neither 'model_type' nor 'architectures'", "gpt2, llama"},
         configOf("llama", {}, {"model_type", "architectures"}));
  refuse(ErrorKind::Unsupported, {"T5ForConditionalGeneration", "gpt2, llama"},
         configOf("llama", {{"architectures", {"T5ForConditionalGeneration"}}}, {"model_type"}));
}

TEST(HuggingfaceConfig, S13_ConfigThatIsNoConfigIsAMismatch) {
  refuse(ErrorKind::Mismatch, {"a list"}, json::array({1}));
  refuse(ErrorKind::Mismatch, {"'model_type'", "is 5"}, configOf("llama", {{"model_type", 5}}));
  refuse(ErrorKind::Mismatch, {"'architectures'"}, configOf("llama", {{"architectures", "LlamaForCausalLM"}}));
}

TEST(HuggingfaceConfig, S13_MapOfClassesThatIsNoMapIsAMismatch) {
  for (const json& wrong : {json("x"), json(1), json(true)})
    refuse(ErrorKind::Mismatch, {"'auto_map' is ", "not an object"}, configOf("llama", {{"auto_map", wrong}}));
}

TEST(HuggingfaceConfig, ArchitectureTellsTheFamilyWhereModelTypeIsAbsent) {
  EXPECT_EQ(readConfig(configOf("mistral", {}, {"model_type"}), kFile).numbers.family, "Mistral");
  EXPECT_EQ(readConfig(configOf("gpt2", {}, {"model_type"}), kFile).numbers.family, "GPT-2");
  EXPECT_EQ(numbersOf("llama", {{"architectures", {"LLaMAForCausalLM"}}}).family, "Llama");
  EXPECT_EQ(numbersOf("llama", {}, {"architectures"}).family, "Llama");
}

TEST(HuggingfaceConfig, ArchitectureOfAnotherHeadOrFamilyIsUnsupported) {
  refuse(ErrorKind::Unsupported, {"'LlamaForSequenceClassification'", "LlamaForCausalLM"},
         configOf("llama", {{"architectures", {"LlamaForSequenceClassification"}}}));
  refuse(ErrorKind::Unsupported, {"'MistralForCausalLM'", "'llama'"},
         configOf("llama", {{"architectures", {"MistralForCausalLM"}}}));
  refuse(ErrorKind::Unsupported, {"'GPT2ForTokenClassification'"},
         configOf("gpt2", {{"architectures", {"GPT2LMHeadModel", "GPT2ForTokenClassification"}}}));
}

TEST(HuggingfaceConfig, C1_NumbersThatDoNotFitEachOtherAreAMismatchWithBoth) {
  refuse(ErrorKind::Mismatch, {"hidden_size = 8", "num_attention_heads = 3"},
         configOf("llama", {{"num_attention_heads", 3}, {"num_key_value_heads", 1}}));
  refuse(ErrorKind::Mismatch, {"n_embd = 8", "n_head = 3"}, configOf("gpt2", {{"n_head", 3}}));
  for (const std::string& type : kRotary) {
    refuse(ErrorKind::Mismatch, {"num_attention_heads = 4", "num_key_value_heads = 3"},
           configOf(type, {{"num_key_value_heads", 3}}));
    refuse(ErrorKind::Mismatch, {"num_attention_heads = 4", "num_key_value_heads = 8"},
           configOf(type, {{"num_key_value_heads", 8}}));
    refuse(ErrorKind::Mismatch, {"'head_dim' is 3", "odd"}, configOf(type, {{"head_dim", 3}}));
    refuse(ErrorKind::Mismatch, {"'num_attention_heads' 16777216 of 'head_dim' 4"},
           configOf(type, {{"num_attention_heads", 1 << 24}, {"head_dim", 4}}));
  }
  refuse(ErrorKind::Mismatch, {"'head_dim' is null"}, configOf("qwen3", {{"head_dim", nullptr}}));
}

struct WrongValue {
  std::string name;
  json value;
  std::string shown;
};
void PrintTo(const WrongValue& wrong, std::ostream* out) { *out << wrong.name; }

class HuggingfaceWrongNumber : public testing::TestWithParam<WrongValue> {};

TEST_P(HuggingfaceWrongNumber, C1_IsAMismatchForEveryKey) {
  for (const char* key : {"num_hidden_layers", "num_attention_heads", "num_key_value_heads", "hidden_size",
                          "intermediate_size", "max_position_embeddings", "vocab_size", "head_dim"}) {
    for (const std::string& type : kRotary)
      refuse(ErrorKind::Mismatch, {"'" + std::string(key) + "' is " + GetParam().shown},
             configOf(type, {{key, GetParam().value}}));
  }
  for (const char* key : {"n_layer", "n_head", "n_embd", "n_positions", "vocab_size", "n_inner"}) {
    refuse(ErrorKind::Mismatch, {"'" + std::string(key) + "' is " + GetParam().shown},
           configOf("gpt2", {{key, GetParam().value}}));
  }
}

INSTANTIATE_TEST_SUITE_P(C1, HuggingfaceWrongNumber,
                         testing::Values(WrongValue{"zero", 0, "0"}, WrongValue{"negative", -6, "-6"},
                                         WrongValue{"real", 4.5, "4.5"}, WrongValue{"wholeReal", 4.0, "4.0"},
                                         WrongValue{"text", "4", "'4'"}, WrongValue{"boolean", true, "true"},
                                         WrongValue{"list", json::array({4}), "a list"},
                                         WrongValue{"huge", std::int64_t{1} << 40, "1099511627776"},
                                         WrongValue{"beyond64Bits", 1e30, "1e+30"}),
                         [](const auto& instance) { return instance.param.name; });

TEST(HuggingfaceConfig, C1_MissingSizesAreNamed) {
  for (const char* key : {"num_hidden_layers", "num_attention_heads", "hidden_size", "intermediate_size",
                          "max_position_embeddings", "vocab_size"}) {
    for (const std::string& type : kRotary)
      refuse(ErrorKind::Mismatch, {"has no '" + std::string(key) + "'"}, configOf(type, {}, {key}));
  }
  for (const char* key : {"n_layer", "n_head", "n_embd", "n_positions", "vocab_size"})
    refuse(ErrorKind::Mismatch, {"has no '" + std::string(key) + "'"}, configOf("gpt2", {}, {key}));
}

TEST(HuggingfaceConfig, C1_LayersBeyondAnyModelAreRefusedBeforeAnythingIsWrittenOut) {
  refuse(ErrorKind::Mismatch, {"'num_hidden_layers' is 16,777,216"},
         configOf("llama", {{"num_hidden_layers", 1 << 24}}));
}

TEST(HuggingfaceConfig, C1_SwitchesAndRealNumbersOfAnotherTypeAreAMismatch) {
  for (const json& wrong : {json(1), json("true"), json(nullptr)}) {
    for (const char* key : {"tie_word_embeddings", "attention_bias", "mlp_bias"})
      refuse(ErrorKind::Mismatch, {"'" + std::string(key) + "'", "true or false"}, configOf("llama", {{key, wrong}}));
  }
  for (const json& wrong : {json(0), json(-1e-5), json("1e-5"), json(nullptr), json(true)}) {
    refuse(ErrorKind::Mismatch, {"'rms_norm_eps'", "above 0"}, configOf("llama", {{"rms_norm_eps", wrong}}));
    refuse(ErrorKind::Mismatch, {"'rope_theta'", "above 0"}, configOf("llama", {{"rope_theta", wrong}}));
    refuse(ErrorKind::Mismatch, {"'layer_norm_epsilon'", "above 0"}, configOf("gpt2", {{"layer_norm_epsilon", wrong}}));
  }
}

struct OtherArithmetic {
  std::string type;
  std::string key;
  json value;
  std::string shown;
};
void PrintTo(const OtherArithmetic& other, std::ostream* out) { *out << other.type << ' ' << other.key; }

class HuggingfaceOtherArithmetic : public testing::TestWithParam<OtherArithmetic> {};

TEST_P(HuggingfaceOtherArithmetic, IsRefusedByNameAndValue) {
  refuse(ErrorKind::Unsupported, {"'" + GetParam().key + "'", GetParam().shown},
         configOf(GetParam().type, {{GetParam().key, GetParam().value}}));
}

INSTANTIATE_TEST_SUITE_P(
    Keys, HuggingfaceOtherArithmetic,
    testing::Values(
        OtherArithmetic{"gpt2", "scale_attn_weights", false, "false"},
        OtherArithmetic{"gpt2", "scale_attn_by_inverse_layer_idx", true, "true"},
        OtherArithmetic{"gpt2", "add_cross_attention", true, "true"},
        OtherArithmetic{"gpt2", "activation_function", "relu", "'relu'"},
        OtherArithmetic{"gpt2", "activation_function", "quick_gelu", "'quick_gelu'"},
        OtherArithmetic{"gpt2", "pruned_heads", json{{"0", {1}}}, "an object"},
        OtherArithmetic{"llama", "hidden_act", "gelu", "'gelu'"},
        OtherArithmetic{"qwen2", "hidden_act", "relu", "'relu'"}, OtherArithmetic{"llama", "is_causal", false, "false"},
        OtherArithmetic{"llama", "is_encoder_decoder", true, "true"},
        OtherArithmetic{"llama", "quantization_config", json{{"quant_method", "gptq"}}, "an object"},
        OtherArithmetic{"llama", "partial_rotary_factor", 0.5, "0.5"},
        OtherArithmetic{"llama", "rope_interleaved", true, "true"},
        OtherArithmetic{"llama", "attn_logit_softcapping", 50.0, "50.0"},
        OtherArithmetic{"llama", "embedding_multiplier", 12.0, "12.0"},
        OtherArithmetic{"llama", "per_layer_config", json{{"0", {{"head_dim", 4}}}}, "an object"},
        OtherArithmetic{"llama", "layer_types", {"full_attention", "sliding_attention"}, "'sliding_attention'"},
        OtherArithmetic{"qwen2", "layer_types", {"full_attention", "linear_attention"}, "'linear_attention'"},
        OtherArithmetic{"llama", "auto_map", json{{"AutoModelForCausalLM", "modeling_mine.Mine"}},
                        "'modeling_mine.Mine'"},
        OtherArithmetic{"qwen2", "auto_map", json{{"AutoConfig", "configuration_mine.Mine"}},
                        "'configuration_mine.Mine'"}));

TEST(HuggingfaceConfig, KeysOfOtherArithmeticAtTheirHarmlessValueChangeNothing) {
  const json harmless = {{"scale_attn_weights", true},
                         {"scale_attn_by_inverse_layer_idx", false},
                         {"add_cross_attention", false},
                         {"is_encoder_decoder", false},
                         {"is_causal", true},
                         {"pruned_heads", json::object()},
                         {"quantization_config", nullptr},
                         {"partial_rotary_factor", 1.0},
                         {"rope_interleaved", false},
                         {"embedding_multiplier", 1},
                         {"attn_logit_softcapping", nullptr}};
  const Config config = readConfig(configOf("llama", harmless), kFile);
  EXPECT_THAT(config.ignored, IsEmpty());
  EXPECT_THAT(
      readConfig(configOf("llama", {{"auto_map", {{"AutoTokenizer", "a.B"}}}, {"hidden_act", "swish"}}), kFile).ignored,
      IsEmpty());
}

TEST(HuggingfaceConfig, EveryKeyWithAValueOfEveryKindOpensOrIsRefusedByItsName) {
  const json kinds = {nullptr,
                      true,
                      false,
                      0,
                      1,
                      -1,
                      0.5,
                      1e300,
                      "x",
                      json::array(),
                      json::object(),
                      json::array({1}),
                      json{{"a", 1}},
                      json::array({nullptr})};
  const std::vector<std::string> further = {"architectures",
                                            "head_dim",
                                            "hidden_act",
                                            "attention_bias",
                                            "mlp_bias",
                                            "rope_scaling",
                                            "rope_parameters",
                                            "layer_types",
                                            "sliding_window",
                                            "use_sliding_window",
                                            "max_window_layers",
                                            "auto_map",
                                            "activation_function",
                                            "n_inner",
                                            "layer_norm_epsilon",
                                            "partial_rotary_factor",
                                            "pruned_heads",
                                            "quantization_config",
                                            "is_causal",
                                            "scale_attn_weights",
                                            "embedding_multiplier",
                                            "query_pre_attn_scalar"};
  int refused = 0;
  for (const char* type : {"gpt2", "llama", "mistral", "qwen2", "qwen3"}) {
    std::vector<std::string> keys = further;
    const json right = configOf(type);
    for (const auto& item : right.items()) keys.push_back(item.key());
    for (const std::string& key : keys) {
      for (const json& value : kinds) {
        try {
          readConfig(configOf(type, {{key, value}}), kFile);
        } catch (const Error& error) {
          ++refused;
          EXPECT_THAT(error.what(), testing::HasSubstr(key)) << type << ' ' << value;
        }
      }
    }
  }
  EXPECT_GT(refused, 700);
}

}  // namespace
}  // namespace core::checkpoint::huggingface
