// S3, S11, T4: JSON files that are refused, opened as the window opens them. One file is one parsed document: were two
// in memory at once, these would take more than is allowed.
#include <gtest/gtest.h>
#include <malloc.h>

#include <functional>

#include "tests/core/checkpoint/huggingface_models.h"

namespace core::checkpoint {
namespace {

using support::HuggingfaceFolder;
using support::HuggingfaceModels;
using support::writeFile;

class JsonMemory : public HuggingfaceModels {
 protected:
  /// What other tests have freed would hide what this one takes.
  void refuseFile(ErrorKind kind, const std::vector<std::string>& parts, const std::string& file) {
    malloc_trim(0);
    refusePath(kind, parts, folder() / file);
  }
  /// An object of as many members, whose names are 28 letters and the number: "aa..0000000".
  static std::string object(int members, const std::function<std::string(int)>& value) {
    std::string text = "{";
    for (int i = 0; i < members; ++i) {
      const std::string digits = std::to_string(i);
      text += (i > 0 ? ",\"" : "\"") + std::string(28, 'a') + std::string(7 - digits.size(), '0') + digits +
              "\":" + value(i);
    }
    return text + "}";
  }
  void writeIndex(int tensors) {
    HuggingfaceFolder("llama").writeSafetensors(folder());
    std::filesystem::remove(folder() / "model.safetensors");
    writeFile(folder() / "model.safetensors.index.json",
              R"({"weight_map":)" + object(tensors, [](int) { return "\"model-1\""; }) + "}");
  }
  /// A config of GPT-2 with a list of objects that nothing reads.
  static std::string config(int objects) {
    std::string text = HuggingfaceFolder("gpt2").config.dump();
    text.back() = ',';
    text += R"("a":[{"":1})";
    for (int i = 1; i < objects; ++i) text += R"(,{"":1})";
    return text + "]}";
  }
};

TEST_F(JsonMemory, S11_IndexOfMoreTensorsThanAnyModelHasIsTooLarge) {
  writeIndex(700'000);
  for (const char* file : {"model.safetensors.index.json", "config.json", ""})
    refuseFile(ErrorKind::TooLarge, {"model.safetensors.index.json", "16,777,216"}, file);
}

TEST_F(JsonMemory, S11_LargestIndexWhoseOnlyShardIsMissingNamesIt) {
  writeIndex(129'000);
  for (const char* file : {"model.safetensors.index.json", "config.json", ""})
    refuseFile(ErrorKind::NotFound, {"the file 'model-1' that holds the model is not beside it", "copy it"}, file);
}

TEST_F(JsonMemory, S13_ConfigOfAMillionValuesIsTooLargeWhicheverFileIsOpened) {
  writeFile(folder() / "config.json", config(990'000));
  for (const char* file : {"config.json", ""}) refuseFile(ErrorKind::TooLarge, {"config.json"}, file);
}

TEST_F(JsonMemory, S13_LargestConfigWithoutWeightsIsNotFound) {
  writeFile(folder() / "config.json", config(49'000));
  for (const char* file : {"config.json", ""})
    refuseFile(ErrorKind::NotFound, {"no weights", "model.safetensors"}, file);
}

class VocabularyMemory : public JsonMemory {
 protected:
  void refuseTokenizer(ErrorKind kind, const std::vector<std::string>& parts, const std::string& file, int tokens,
                       const std::string& merges) {
    HuggingfaceFolder("gpt2").writeSafetensors(folder());
    std::filesystem::create_directory(folder() / "other");
    writeFile(folder() / "other/vocab.json", object(tokens, [](int i) { return std::to_string(i); }));
    if (!merges.empty()) writeFile(folder() / "other/merges.txt", merges);
    malloc_trim(0);
    support::expectError(
        kind, parts, [&] { core::checkpoint::load(folder(), {.tokenizer = folder() / "other" / file}, Progress()); });
  }
  static constexpr const char* kOneMerge = "#version: 0.2\na b\n";
  static constexpr const char* kFiles[] = {"vocab.json", "merges.txt"};
};

TEST_F(VocabularyMemory, T4_AMillionTokensWithoutTheirMergesSayWhatIsMissing) {
  refuseTokenizer(ErrorKind::NotFound, {"vocab.json: it needs merges.txt beside it"}, "vocab.json", 1'000'000, "");
}

TEST_F(VocabularyMemory, T1_AMillionTokensAreTooLarge) {
  for (const char* file : kFiles)
    refuseTokenizer(ErrorKind::TooLarge, {"vocab.json", "1,000,000 tokens", "400,000"}, file, 1'000'000, kOneMerge);
}

TEST_F(VocabularyMemory, T1_AsManyTokensAsAreReadWithAWrongMergeAreRefused) {
  for (const char* file : kFiles)
    refuseTokenizer(ErrorKind::Corrupt, {"merges.txt: line 2", "'a'"}, file, 400'000, kOneMerge);
}

}  // namespace
}  // namespace core::checkpoint
