// S3, S11, T4: JSON files that are refused, opened as the window opens them. One file is one parsed document: were two
// in memory at once, these would take more than is allowed.
#include <gtest/gtest.h>

#include <functional>

#include "tests/core/checkpoint/huggingface_models.h"

namespace core::checkpoint {
namespace {

using support::HuggingfaceFolder;
using support::HuggingfaceModels;
using support::writeFile;

class JsonMemory : public HuggingfaceModels {
 protected:
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
    refusePath(ErrorKind::TooLarge, {"model.safetensors.index.json", "16,777,216"}, folder() / file);
}

TEST_F(JsonMemory, S11_LargestIndexWhoseOnlyShardIsMissingNamesIt) {
  writeIndex(129'000);
  for (const char* file : {"model.safetensors.index.json", "config.json", ""})
    refusePath(ErrorKind::NotFound, {"the file 'model-1' that holds the model is not beside it", "copy it"},
               folder() / file);
}

TEST_F(JsonMemory, S13_ConfigOfAMillionValuesIsTooLargeWhicheverFileIsOpened) {
  writeFile(folder() / "config.json", config(990'000));
  for (const char* file : {"config.json", ""}) refusePath(ErrorKind::TooLarge, {"config.json"}, folder() / file);
}

TEST_F(JsonMemory, S13_LargestConfigWithoutWeightsIsNotFound) {
  writeFile(folder() / "config.json", config(49'000));
  for (const char* file : {"config.json", ""})
    refusePath(ErrorKind::NotFound, {"no weights", "model.safetensors"}, folder() / file);
}

class VocabularyMemory : public JsonMemory {
 protected:
  void SetUp() override {
    HuggingfaceFolder("gpt2").writeSafetensors(folder());
    std::filesystem::create_directory(folder() / "other");
    writeFile(folder() / "other/vocab.json", object(1'000'000, [](int i) { return std::to_string(i); }));
  }
  void refuseTokenizer(ErrorKind kind, const std::vector<std::string>& parts, const std::string& file) {
    support::expectError(
        kind, parts, [&] { core::checkpoint::load(folder(), {.tokenizer = folder() / "other" / file}, Progress()); });
  }
};

TEST_F(VocabularyMemory, T4_AMillionTokensWithoutTheirMergesSayWhatIsMissing) {
  refuseTokenizer(ErrorKind::NotFound, {"vocab.json: it needs merges.txt beside it"}, "vocab.json");
}

TEST_F(VocabularyMemory, T1_AMillionTokensWithOneWrongMergeAreRefused) {
  writeFile(folder() / "other/merges.txt", "#version: 0.2\na b\n");
  for (const char* file : {"vocab.json", "merges.txt"})
    refuseTokenizer(ErrorKind::Corrupt, {"merges.txt: line 2", "'a'"}, file);
}

}  // namespace
}  // namespace core::checkpoint
