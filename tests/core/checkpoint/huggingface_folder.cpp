#include "tests/core/checkpoint/huggingface_folder.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "tests/core/checkpoint/model_builder.h"
#include "tests/core/checkpoint/pickle_builder.h"
#include "tests/core/checkpoint/safetensors_builder.h"
#include "tests/core/checkpoint/zip_builder.h"
#include "tests/support/files.h"

namespace support {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::int64_t kWidth = 8, kInner = 12, kVocabulary = 6, kContext = 16, kHeads = 4, kKvHeads = 2;

const std::string kFirst = "-00001-of-00002", kSecond = "-00002-of-00002";

}  // namespace

HuggingfaceFolder::HuggingfaceFolder(const std::string& modelType) {
  config = {{"model_type", modelType}, {"vocab_size", kVocabulary}};
  modelType == "gpt2" ? addGpt2() : addRotary(modelType);
}

void HuggingfaceFolder::addGpt2() {
  config.update({{"architectures", {"GPT2LMHeadModel"}},
                 {"n_layer", 2},
                 {"n_head", kHeads},
                 {"n_embd", kWidth},
                 {"n_positions", kContext}});
  add("transformer.wte.weight", {kVocabulary, kWidth});
  add("transformer.wpe.weight", {kContext, kWidth});
  const auto linear = [&](const std::string& name, std::int64_t in, std::int64_t out) {
    add(name + ".weight", {in, out});
    add(name + ".bias", {out});
  };
  const auto norm = [&](const std::string& name) {
    add(name + ".weight", {kWidth});
    add(name + ".bias", {kWidth});
  };
  for (const std::string layer : {"transformer.h.0.", "transformer.h.1."}) {
    norm(layer + "ln_1");
    linear(layer + "attn.c_attn", kWidth, 3 * kWidth);
    linear(layer + "attn.c_proj", kWidth, kWidth);
    norm(layer + "ln_2");
    linear(layer + "mlp.c_fc", kWidth, 4 * kWidth);
    linear(layer + "mlp.c_proj", 4 * kWidth, kWidth);
  }
  norm("transformer.ln_f");
}

void HuggingfaceFolder::addRotary(const std::string& modelType) {
  const std::int64_t headSize = modelType == "qwen3" ? 4 : kWidth / kHeads;
  const std::string stem = modelType == "llama"     ? "Llama"
                           : modelType == "mistral" ? "Mistral"
                                                    : "Qwen" + modelType.substr(4);
  config.update({{"architectures", {stem + "ForCausalLM"}},
                 {"num_hidden_layers", 2},
                 {"num_attention_heads", kHeads},
                 {"num_key_value_heads", kKvHeads},
                 {"hidden_size", kWidth},
                 {"intermediate_size", kInner},
                 {"max_position_embeddings", kContext},
                 {"rms_norm_eps", 1e-5},
                 {"rope_theta", 10000.0},
                 {"tie_word_embeddings", false}});
  if (modelType == "qwen3") config["head_dim"] = headSize;
  if (modelType == "mistral") config["sliding_window"] = nullptr;
  add("model.embed_tokens.weight", {kVocabulary, kWidth});
  for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
    add(layer + "input_layernorm.weight", {kWidth});
    const auto project = [&](const std::string& name, std::int64_t heads) {
      add(layer + "self_attn." + name + ".weight", {heads * headSize, kWidth});
      if (modelType == "qwen2") add(layer + "self_attn." + name + ".bias", {heads * headSize});
    };
    project("q_proj", kHeads);
    project("k_proj", kKvHeads);
    project("v_proj", kKvHeads);
    add(layer + "self_attn.o_proj.weight", {kWidth, kHeads * headSize});
    if (modelType == "qwen3") {
      add(layer + "self_attn.q_norm.weight", {headSize});
      add(layer + "self_attn.k_norm.weight", {headSize});
    }
    add(layer + "post_attention_layernorm.weight", {kWidth});
    add(layer + "mlp.gate_proj.weight", {kInner, kWidth});
    add(layer + "mlp.up_proj.weight", {kInner, kWidth});
    add(layer + "mlp.down_proj.weight", {kWidth, kInner});
  }
  add("model.norm.weight", {kWidth});
  add("lm_head.weight", {kVocabulary, kWidth});
}

FolderTensor& HuggingfaceFolder::tensor(const std::string& name) {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const FolderTensor& tensor) { return tensor.name == name; });
  if (found == tensors.end()) throw std::logic_error("no tensor " + name);
  return *found;
}

void HuggingfaceFolder::add(const std::string& name, std::vector<std::int64_t> shape) {
  const auto count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  FolderTensor tensor;
  tensor.name = name;
  tensor.bytes = floats(static_cast<std::size_t>(count), static_cast<float>(1000 * tensors.size()));
  tensor.shape = std::move(shape);
  tensors.push_back(tensor);
}

void HuggingfaceFolder::remove(const std::string& name) {
  std::erase_if(tensors, [&](const FolderTensor& tensor) { return tensor.name == name; });
}

void HuggingfaceFolder::toBf16() {
  for (FolderTensor& tensor : tensors) {
    std::string upper;
    for (std::size_t i = 0; i < tensor.bytes.size(); i += 4) upper += tensor.bytes.substr(i + 2, 2);
    tensor.bytes = upper;
    tensor.dtype = "BF16";
  }
}

std::string HuggingfaceFolder::safetensors(std::size_t first, std::size_t last) const {
  SafetensorsBuilder builder;
  builder.metadata = R"({"format":"pt"})";
  for (std::size_t i = first; i < last; ++i)
    builder.add(tensors[i].name, tensors[i].shape, tensors[i].bytes, tensors[i].dtype);
  return builder.build();
}

std::string HuggingfaceFolder::torchFile(std::size_t first, std::size_t last) const {
  pickle::Pairs state;
  ZipBuilder zip;
  for (std::size_t i = first; i < last; ++i) {
    const FolderTensor& tensor = tensors[i];
    pickle::TensorSpec spec;
    spec.key = std::to_string(i);
    spec.storage = tensor.dtype == "F32" ? "FloatStorage" : tensor.dtype == "BF16" ? "BFloat16Storage" : "HalfStorage";
    spec.elements = static_cast<std::int64_t>(tensor.bytes.size()) / (tensor.dtype == "F32" ? 4 : 2);
    spec.sizes = tensor.shape;
    state.emplace_back(tensor.name, pickle::tensor(spec));
  }
  zip.add("archive/data.pkl", pickle::whole(pickle::orderedDict(state)));
  zip.add("archive/byteorder", "little");
  for (std::size_t i = first; i < last; ++i) zip.add("archive/data/" + std::to_string(i), tensors[i].bytes);
  zip.add("archive/version", "3\n");
  return zip.build();
}

void HuggingfaceFolder::writeSafetensors(const fs::path& folder) const {
  writeFile(folder / "config.json", config.dump());
  writeFile(folder / "model.safetensors", safetensors());
}

void HuggingfaceFolder::writeTorch(const fs::path& folder) const {
  writeFile(folder / "config.json", config.dump());
  writeFile(folder / "pytorch_model.bin", torchFile());
}

void HuggingfaceFolder::writeShards(const fs::path& folder) const {
  const std::string first = "model" + kFirst + ".safetensors", second = "model" + kSecond + ".safetensors";
  writeFile(folder / "config.json", config.dump());
  writeFile(folder / first, safetensors(0, half()));
  writeFile(folder / second, safetensors(half(), tensors.size()));
  writeIndex(folder / "model.safetensors.index.json", first, second);
}

void HuggingfaceFolder::writeTorchShards(const fs::path& folder) const {
  const std::string first = "pytorch_model" + kFirst + ".bin", second = "pytorch_model" + kSecond + ".bin";
  writeFile(folder / "config.json", config.dump());
  writeFile(folder / first, torchFile(0, half()));
  writeFile(folder / second, torchFile(half(), tensors.size()));
  writeIndex(folder / "pytorch_model.bin.index.json", first, second);
}

void HuggingfaceFolder::writeIndex(const fs::path& path, const std::string& first, const std::string& second) const {
  json map = json::object();
  for (std::size_t i = 0; i < tensors.size(); ++i) map[tensors[i].name] = i < half() ? first : second;
  writeFile(path, json{{"metadata", {{"total_size", 1}}}, {"weight_map", map}}.dump());
}

}  // namespace support
