// A GGUF file: its header, then every tensor that is read from it, its config and its tokenizer; and
// whole, if it is a model.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "core/checkpoint/file_store.h"
#include "core/checkpoint/format.h"
#include "core/checkpoint/gguf_config.h"
#include "core/checkpoint/gguf_file.h"
#include "core/checkpoint/gguf_tokenizer.h"
#include "core/error.h"
#include "tests/fuzz/encoded.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/whole_store.h"

namespace {

using core::checkpoint::GgufFile;
using core::checkpoint::GgufMetadata;
using core::checkpoint::TensorStore;

/// Tensors lie behind the header and within the file, aligned, and no two share a byte.
void requireApart(const GgufFile& file) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  const std::uint64_t alignment = file.metadata().wholeNumber("general.alignment").value_or(32);
  for (const auto& [name, entry] : file.entries()) {
    fuzz::require(entry.type != nullptr && !entry.shape.empty(), "a tensor has a type and a shape");
    fuzz::require(entry.begin < entry.end && entry.end <= file.file().size(), "a tensor lies within the file");
    fuzz::require(entry.begin % alignment == 0, "a tensor is aligned");
    ranges.emplace_back(entry.begin, entry.end);
  }
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 1; i < ranges.size(); ++i)
    fuzz::require(ranges[i - 1].second <= ranges[i].first, "tensors share no byte");
  fuzz::require(ranges.empty() || file.end() == ranges.back().second, "the end is that of the last tensor");
  for (const auto& [key, value] : file.metadata().values()) {
    const std::uint64_t data = ranges.empty() ? file.file().size() : ranges.front().first;
    fuzz::require(value.begin <= value.end && value.end <= data, "a value ends before the tensors begin");
  }
}

constexpr std::uint64_t kMostItems = 1'000;

/// Each as one of the types, mostly the wrong one: refusals take their time.
void askForAll(const GgufMetadata& metadata) {
  using Question = void (*)(const GgufMetadata&, std::string_view key);
  static constexpr Question kQuestions[] = {
      [](const GgufMetadata& values, std::string_view key) { values.wholeNumber(key); },
      [](const GgufMetadata& values, std::string_view key) { values.number(key); },
      [](const GgufMetadata& values, std::string_view key) { values.truth(key); },
      [](const GgufMetadata& values, std::string_view key) { values.text(key); },
      [](const GgufMetadata& values, std::string_view key) { values.texts(key, kMostItems); },
      [](const GgufMetadata& values, std::string_view key) { values.wholeNumbers(key, kMostItems); },
      [](const GgufMetadata& values, std::string_view key) { values.floats(key, kMostItems); }};
  for (const auto& [key, value] : metadata.values()) {
    try {
      kQuestions[(key.size() + value.begin) % std::size(kQuestions)](metadata, key);
    } catch (const core::Error&) {
    }
  }
}

/// Answers whether the metadata is that of a model.
bool readConfig(const GgufMetadata& metadata, const TensorStore& store) {
  try {
    const core::ModelConfig config = core::checkpoint::gguf::readConfig(metadata, store).numbers;
    fuzz::require(config.layers > 0 && config.kvHeads > 0 && config.heads % config.kvHeads == 0, "heads fit");
    fuzz::require(config.embedding > 0 && config.headSize > 0 && config.context > 0, "sizes are positive");
    return true;
  } catch (const core::Error&) {
    return false;
  }
}

void readTokenizer(const GgufMetadata& metadata) {
  try {
    fuzz::requireEncodes(*core::checkpoint::gguf::readTokenizer(metadata).tokenizer);
  } catch (const core::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile memory;
  try {
    GgufFile file(memory.open(fuzz::textOf(data, size)));
    requireApart(file);
    const GgufMetadata metadata = file.metadata();
    const auto store = core::checkpoint::ggufStore(std::move(file));
    askForAll(metadata);
    const bool isModel = readConfig(metadata, *store);
    readTokenizer(metadata);
    fuzz::readAll(*store);
    if (isModel) core::checkpoint::loadFile(memory.open(fuzz::textOf(data, size)), {}, core::Progress());
  } catch (const core::Error&) {
  }
  return 0;
}
