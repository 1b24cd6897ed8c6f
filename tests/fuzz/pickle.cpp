// A pickle: parsed, every node looked at, and whatever is a tensor, a config or a tokenizer in it read as that.
#include "core/checkpoint/pickle.h"

#include "core/checkpoint/meta_pickle.h"
#include "core/checkpoint/nanogpt_config.h"
#include "core/checkpoint/tiktoken_pickle.h"
#include "core/checkpoint/torch_tensor.h"
#include "core/error.h"
#include "tests/core/checkpoint/zip_builder.h"
#include "tests/fuzz/encoded.h"
#include "tests/fuzz/fuzz.h"

namespace {

using core::checkpoint::TorchArchive;
using core::checkpoint::pickle::Document;
using core::checkpoint::pickle::Kind;
using core::checkpoint::pickle::Value;

constexpr const char* kOrigin = "input";

/// The storages that a tensor may name.
const TorchArchive& archive() {
  static const fuzz::MemoryFile memory;
  static const core::checkpoint::File file = [] {
    support::ZipBuilder zip;
    zip.add("a/data.pkl", ".");
    for (const std::size_t bytes : {0u, 4u, 16u, 64u})
      zip.add("a/data/" + std::to_string(bytes), std::string(bytes, 0));
    return memory.open(zip.build());
  }();
  static const TorchArchive archive(file, readZipDirectory(file));
  return archive;
}

/// In numbers that can't wrap: strides and sizes have 64 bits, and there are few of them.
void requireWithinStorage(const core::checkpoint::TorchTensor& tensor) {
  __extension__ using Wide = __int128;
  fuzz::require(tensor.sizes.size() == tensor.strides.size(), "a size has a stride");
  Wide last = tensor.offset;
  bool isEmpty = false;
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    fuzz::require(tensor.sizes[i] >= 0 && tensor.strides[i] >= 0, "sizes and strides are not negative");
    isEmpty |= tensor.sizes[i] == 0;
    last += Wide{tensor.sizes[i] - 1} * tensor.strides[i];
  }
  const Wide elements = static_cast<Wide>(tensor.record.size / itemSize(tensor.type));
  fuzz::require(tensor.offset >= 0 && tensor.offset <= elements, "a view begins within its storage");
  fuzz::require(isEmpty || last < elements, "a view ends within its storage");
}

void lookAt(const Value& value) {
  describe(value);
  for (const Value* item : value.items) fuzz::require(item != nullptr, "an item is there");
  fuzz::require(value.kind != Kind::Dict || value.items.size() % 2 == 0, "a key has a value");
  fuzz::require(value.kind != Kind::Object || value.items.size() >= 2, "an object says what to call with what");
  fuzz::require(value.kind != Kind::Persistent || value.items.size() == 1, "a persistent value has its id");
  keyTexts(value);
  find(value, "state_dict");
  callee(value);
  if (!core::checkpoint::isTensor(value)) return;
  try {
    requireWithinStorage(describeTensor(archive(), value, "w"));
  } catch (const core::Error&) {
  }
}

void readModelArgs(const Value& root) {
  const Value* args = find(root, "model_args");
  if (args == nullptr) return;
  const core::ModelConfig config = core::checkpoint::nanogpt::readConfig(*args, kOrigin).numbers;
  fuzz::require(config.heads > 0 && config.headSize > 0 && config.heads * config.headSize == config.embedding,
                "the heads fill the embedding");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile memory;
  try {
    const Document document = core::checkpoint::pickle::parse(std::string(fuzz::textOf(data, size)), kOrigin);
    for (const Value& value : document.values()) lookAt(value);
    const Value& root = document.root();
    if (find(root, "itos") != nullptr) {
      const core::checkpoint::File file = memory.open(fuzz::textOf(data, size));
      fuzz::requireEncodes(*core::checkpoint::readMetaPickle(file.path()));
    }
    if (core::checkpoint::isTiktoken(root)) fuzz::requireEncodes(*core::checkpoint::readTiktoken(root, kOrigin));
    readModelArgs(root);
  } catch (const core::Error&) {
  }
  return 0;
}
