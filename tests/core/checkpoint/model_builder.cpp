#include "tests/core/checkpoint/model_builder.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <set>
#include <stdexcept>

namespace support {

namespace {

std::int64_t storageItem(const std::string& storage) {
  if (storage == "HalfStorage" || storage == "BFloat16Storage" || storage == "ShortStorage") return 2;
  if (storage == "DoubleStorage" || storage == "LongStorage") return 8;
  return storage == "CharStorage" || storage == "QInt8Storage" ? 1 : 4;
}

}  // namespace

std::string floats(std::size_t count, float first) {
  std::string bytes(count * sizeof(float), '\0');
  for (std::size_t i = 0; i < count; ++i) {
    const float value = first + static_cast<float>(i) + 0.5f;
    std::memcpy(bytes.data() + i * sizeof(float), &value, sizeof(float));
  }
  return bytes;
}

ModelBuilder::ModelBuilder(bool bias) {
  using pickle::boolean, pickle::integer;
  modelArgs = {{"n_layer", integer(1)},       {"n_head", integer(2)},  {"n_embd", integer(4)},
               {"block_size", integer(3)},    {"bias", boolean(bias)}, {"vocab_size", integer(5)},
               {"dropout", pickle::real(0.1)}};
  const auto add = [&](const std::string& name, std::vector<std::int64_t> shape) {
    const auto count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    BuiltTensor built;
    built.name = name;
    built.shape = std::move(shape);
    built.bytes = floats(static_cast<std::size_t>(count), static_cast<float>(100 * tensors.size()));
    built.key = std::to_string(tensors.size());
    tensors.push_back(built);
  };
  const auto linear = [&](const std::string& name, std::int64_t out, std::int64_t in) {
    add(name + ".weight", {out, in});
    if (bias) add(name + ".bias", {out});
  };
  const auto norm = [&](const std::string& name) {
    add(name + ".weight", {4});
    if (bias) add(name + ".bias", {4});
  };
  add("transformer.wte.weight", {5, 4});
  add("transformer.wpe.weight", {3, 4});
  norm("transformer.h.0.ln_1");
  linear("transformer.h.0.attn.c_attn", 12, 4);
  linear("transformer.h.0.attn.c_proj", 4, 4);
  norm("transformer.h.0.ln_2");
  linear("transformer.h.0.mlp.c_fc", 16, 4);
  linear("transformer.h.0.mlp.c_proj", 4, 16);
  norm("transformer.ln_f");
  BuiltTensor head = tensors.front();
  head.name = "lm_head.weight";
  tensors.push_back(head);
}

BuiltTensor& ModelBuilder::tensor(const std::string& name) {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const BuiltTensor& tensor) { return tensor.name == name; });
  if (found == tensors.end()) throw std::logic_error("no tensor " + name);
  return *found;
}

void ModelBuilder::setArgument(const std::string& key, const std::string& value) {
  removeArgument(key);
  modelArgs.emplace_back(key, value);
}

void ModelBuilder::removeArgument(const std::string& key) {
  std::erase_if(modelArgs, [&](const auto& pair) { return pair.first == key; });
}

std::string stateDict(const std::vector<BuiltTensor>& tensors) {
  pickle::Pairs model;
  for (const BuiltTensor& built : tensors) {
    pickle::TensorSpec spec;
    spec.key = built.key;
    spec.storage = built.storage;
    spec.elements = static_cast<std::int64_t>(built.bytes.size()) / storageItem(built.storage);
    spec.sizes = built.shape;
    spec.strides = built.strides;
    model.emplace_back(built.name, pickle::tensor(spec));
  }
  return pickle::orderedDict(model);
}

ZipBuilder archiveOf(const std::string& pickleBytes, const std::vector<BuiltTensor>& tensors) {
  ZipBuilder zip;
  zip.add("ckpt/data.pkl", pickleBytes);
  zip.add("ckpt/byteorder", "little");
  std::set<std::string> written;
  for (const BuiltTensor& built : tensors) {
    if (written.insert(built.key).second) zip.add("ckpt/data/" + built.key, built.bytes);
  }
  zip.add("ckpt/version", "3\n");
  return zip;
}

std::string ModelBuilder::pickleBytes() const {
  pickle::Pairs top = {{"model", stateDict(tensors)}, {"model_args", pickle::dict(modelArgs)}};
  top.insert(top.end(), more.begin(), more.end());
  return pickle::whole(pickle::dict(top));
}

ZipBuilder ModelBuilder::archive() const { return archiveOf(pickleBytes(), tensors); }

}  // namespace support
