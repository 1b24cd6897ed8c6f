#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/openable.h"
#include "tests/core/checkpoint/huggingface_models.h"
#include "tests/core/checkpoint/model_builder.h"

// Which files of a folder belong together, whichever of them is opened.
namespace core::checkpoint {
namespace {

namespace fs = std::filesystem;
namespace op = support::pickle;
using nlohmann::json;
using support::HuggingfaceFolder;
using support::HuggingfaceModels;
using support::writeFile;
using testing::Contains;
using testing::HasSubstr;
using Topic = ReportLine::Topic;

class HuggingfaceSet : public HuggingfaceModels {
 protected:
  /// Every one of these opens the whole model and calls the folder its path.
  void expectAllOpen(const HuggingfaceFolder& model, const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      SCOPED_TRACE(file);
      const Checkpoint checkpoint = load(folder() / file);
      EXPECT_EQ(checkpoint.tensors.size(), model.tensors.size());
      EXPECT_EQ(checkpoint.info.path, folder());
      EXPECT_EQ(checkpoint.info.name, folder().filename().string());
    }
  }
};

TEST_F(HuggingfaceSet, F2_FolderAndEachFileOfASafetensorsModelOpenIt) {
  const HuggingfaceFolder model("llama");
  model.writeSafetensors(folder());
  expectAllOpen(model, {"", "config.json", "model.safetensors"});
}

TEST_F(HuggingfaceSet, F2_FolderAndEachFileOfAShardedModelOpenIt) {
  const HuggingfaceFolder model("qwen2");
  model.writeShards(folder());
  expectAllOpen(model, {"", "config.json", "model.safetensors.index.json", "model-00001-of-00002.safetensors",
                        "model-00002-of-00002.safetensors"});
}

TEST_F(HuggingfaceSet, F2_FolderAndEachFileOfATorchModelOpenIt) {
  const HuggingfaceFolder model("mistral");
  model.writeTorch(folder());
  expectAllOpen(model, {"", "config.json", "pytorch_model.bin"});
}

TEST_F(HuggingfaceSet, F2_FolderAndEachFileOfAShardedTorchModelOpenIt) {
  const HuggingfaceFolder model("qwen3");
  model.writeTorchShards(folder());
  expectAllOpen(model, {"", "config.json", "pytorch_model.bin.index.json", "pytorch_model-00001-of-00002.bin",
                        "pytorch_model-00002-of-00002.bin"});
}

TEST_F(HuggingfaceSet, Gpt2TorchFileWithoutTheHeadOpensByEachFile) {
  HuggingfaceFolder("gpt2").writeTorch(folder());
  for (const char* file : {"", "config.json", "pytorch_model.bin"})
    EXPECT_EQ(load(folder() / file).info.config.family, "GPT-2") << file;
}

TEST_F(HuggingfaceSet, FolderOffersItselfOnce) {
  HuggingfaceFolder("llama").writeShards(folder());
  const std::vector<Openable> offers = openable(folder().string());
  ASSERT_EQ(offers.size(), 1u);
  EXPECT_EQ(offers[0].label, folder().filename().string());
  EXPECT_EQ(commonSet({folder() / "model-00001-of-00002.safetensors", folder() / "config.json"}), offers[0].path);
}

TEST_F(HuggingfaceSet, OnlySafetensorsFileOfAnyNameHasTheWeights) {
  const HuggingfaceFolder model("llama");
  model.writeSafetensors(folder());
  fs::rename(folder() / "model.safetensors", folder() / "weights-step7.safetensors");
  expectAllOpen(model, {"", "config.json", "weights-step7.safetensors"});
}

TEST_F(HuggingfaceSet, FileThatIsOpenedIsTheOneThatIsRead) {
  HuggingfaceFolder model("llama");
  model.writeSafetensors(folder());
  model.toBf16();
  writeFile(folder() / "other.safetensors", model.safetensors());
  EXPECT_EQ(load(folder()).info.storedType, "fp32");
  EXPECT_EQ(load(folder() / "other.safetensors").info.storedType, "bf16");
}

TEST_F(HuggingfaceSet, F9_ContentCountsNotTheEnding) {
  const HuggingfaceFolder model("llama");
  model.writeSafetensors(folder());
  writeFile(folder() / "model.safetensors", model.torchFile());
  EXPECT_THAT(lines(load(folder()), Topic::Family), Contains(HasSubstr("a torch archive, although")));
  fs::remove(folder() / "model.safetensors");
  writeFile(folder() / "pytorch_model.bin", model.safetensors());
  EXPECT_THAT(lines(load(folder()), Topic::Family),
              Contains(HasSubstr("safetensors, although its name ends in '.bin'")));
}

TEST_F(HuggingfaceSet, F9_NamesThatFitTheContentAreNotRemarkedOn) {
  const HuggingfaceFolder model("llama");
  const auto expectNoRemark = [&] {
    EXPECT_THAT(lines(load(folder()), Topic::Family), testing::Each(testing::Not(HasSubstr("recognised"))));
    for (const auto& entry : fs::directory_iterator(folder())) fs::remove(entry.path());
  };
  model.writeSafetensors(folder());
  expectNoRemark();
  model.writeTorch(folder());
  expectNoRemark();
  model.writeShards(folder());
  expectNoRemark();
  model.writeTorchShards(folder());
  expectNoRemark();
}

TEST_F(HuggingfaceSet, S11_MissingShardIsNamedWhicheverFileIsOpened) {
  HuggingfaceFolder("llama").writeShards(folder());
  fs::remove(folder() / "model-00002-of-00002.safetensors");
  for (const char* file : {"", "config.json", "model-00001-of-00002.safetensors", "model.safetensors.index.json"})
    refusePath(ErrorKind::NotFound, {"model-00002-of-00002.safetensors"}, folder() / file);
}

TEST_F(HuggingfaceSet, S11_ShardWithoutItsIndexIsNotFoundNamingTheIndex) {
  HuggingfaceFolder("llama").writeShards(folder());
  fs::remove(folder() / "model.safetensors.index.json");
  for (const char* file : {"", "config.json", "model-00001-of-00002.safetensors"})
    refusePath(ErrorKind::NotFound, {"model.safetensors.index.json"}, folder() / file);
}

TEST_F(HuggingfaceSet, S13_MissingConfigIsNotFoundAndNamed) {
  HuggingfaceFolder("llama").writeSafetensors(folder());
  fs::remove(folder() / "config.json");
  for (const char* file : {"", "model.safetensors"})
    refusePath(ErrorKind::NotFound, {"config.json", "gpt2, llama, mistral, qwen2 and qwen3"}, folder() / file);
  fs::remove(folder() / "model.safetensors");
  writeFile(folder() / "pytorch_model.bin", HuggingfaceFolder("llama").torchFile());
  refusePath(ErrorKind::NotFound, {"config.json"}, folder() / "pytorch_model.bin");
}

TEST_F(HuggingfaceSet, S13_ConfigThatIsNoJsonIsCorrupt) {
  HuggingfaceFolder("llama").writeSafetensors(folder());
  writeFile(folder() / "config.json", "{\"model_type\": \"llama\",");
  for (const char* file : {"", "model.safetensors"}) refusePath(ErrorKind::Corrupt, {"config.json"}, folder() / file);
}

TEST_F(HuggingfaceSet, WhiteSpaceBeforeTheConfigAndTheIndexIsSkipped) {
  const HuggingfaceFolder model("llama");
  model.writeShards(folder());
  for (const std::string& space : {std::string("\n"), std::string("\r\n \t"), std::string(3'000, ' ')}) {
    for (const char* name : {"config.json", "model.safetensors.index.json"})
      writeFile(folder() / name, space + support::readFile(folder() / name));
    expectAllOpen(model, {"", "config.json", "model.safetensors.index.json"});
  }
}

TEST_F(HuggingfaceSet, S13_ByteOrderMarkBeforeTheConfigIsNamed) {
  HuggingfaceFolder("llama").writeSafetensors(folder());
  writeFile(folder() / "config.json", "\xef\xbb\xbf" + HuggingfaceFolder("llama").config.dump());
  for (const char* file : {"", "config.json", "model.safetensors"})
    refusePath(ErrorKind::Corrupt, {"config.json", "byte-order mark"}, folder() / file);
}

TEST_F(HuggingfaceSet, S13_ConfigThatIsCutAnywhereIsRefused) {
  const std::string whole = HuggingfaceFolder("llama").config.dump();
  HuggingfaceFolder("llama").writeSafetensors(folder());
  for (std::size_t length = 1; length < whole.size(); ++length) {
    writeFile(folder() / "config.json", whole.substr(0, length));
    try {
      load(folder() / "model.safetensors");
      FAIL() << "opened with " << length << " bytes of " << whole.size();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Corrupt) << error.what();
    }
  }
}

TEST_F(HuggingfaceSet, S13_UnknownModelTypeIsUnsupportedWithoutAnyWeights) {
  writeFile(folder() / "config.json", R"({"model_type": "t5", "d_model": 512})");
  refusePath(ErrorKind::Unsupported, {"'t5'", "gpt2, llama, mistral, qwen2 and qwen3"}, folder());
  writeFile(folder() / "config.json", "{}");
  refusePath(ErrorKind::Unsupported, {"neither 'model_type' nor 'architectures'"}, folder());
}

TEST_F(HuggingfaceSet, MissingWeightsAreNotFoundWithWhatWasLookedFor) {
  writeFile(folder() / "config.json", HuggingfaceFolder("llama").config.dump());
  refusePath(ErrorKind::NotFound, {"model.safetensors.index.json", "pytorch_model.bin"}, folder());
  for (const char* name : {"a.safetensors", "b.safetensors"})
    writeFile(folder() / name, HuggingfaceFolder("llama").safetensors());
  refusePath(ErrorKind::NotFound, {"'a.safetensors', 'b.safetensors'", "Open one"}, folder());
}

TEST_F(HuggingfaceSet, S11_OnlyNamesWithTwoNumbersAreThoseOfParts) {
  const HuggingfaceFolder model("llama");
  writeFile(folder() / "config.json", model.config.dump());
  for (const char* name : {"model-00001-of-two", "model-one-of-00002", "model-of-00002", "model"}) {
    const fs::path file = folder() / (std::string(name) + ".safetensors");
    writeFile(file, model.safetensors());
    EXPECT_EQ(load(file).tensors.size(), model.tensors.size()) << name;
    fs::remove(file);
  }
  for (const char* name : {"model-00001-of-00002", "-1-of-2"}) {
    const fs::path file = folder() / (std::string(name) + ".safetensors");
    writeFile(file, model.safetensors());
    refusePath(ErrorKind::NotFound, {file.string(), "by its name it is one part"}, file);
  }
  refusePath(ErrorKind::NotFound, {"by its name it is one part"}, folder());
}

TEST_F(HuggingfaceSet, TorchFileThatIsNoDictOfTensorsIsNotTaken) {
  HuggingfaceFolder("llama").writeTorch(folder());
  op::TensorSpec tensor;
  tensor.elements = 1;
  const auto refuseRoot = [&](const std::string& root, const char* part) {
    writeFile(folder() / "pytorch_model.bin", support::archiveOf(op::whole(root), {}).build());
    refusePath(ErrorKind::NotAModel, {part}, folder() / "pytorch_model.bin");
  };
  refuseRoot(op::list({op::text("lm_head.weight"), op::tensor(tensor)}), "it holds a list of 2 items");
  refuseRoot(op::dict({}), "its top level has 0 keys");
  refuseRoot(op::dict({{"epoch", op::integer(3)}}), "its top level has 1 key ('epoch')");
}

TEST_F(HuggingfaceSet, BytesBehindThePickleOfATorchFileAreWarnedOf) {
  const HuggingfaceFolder model("llama");
  model.writeTorch(folder());
  std::vector<support::BuiltTensor> tensors;
  for (const support::FolderTensor& tensor : model.tensors)
    tensors.push_back({tensor.name, tensor.shape, tensor.bytes, "FloatStorage", tensor.name, {}});
  writeFile(folder() / "pytorch_model.bin",
            support::archiveOf(op::whole(support::stateDict(tensors)) + "more", tensors).build());
  EXPECT_THAT(lines(load(folder()), Topic::Warning), Contains(HasSubstr("data.pkl has 4 bytes after its end")));
}

class HuggingfaceAdapter : public HuggingfaceModels {
 protected:
  HuggingfaceAdapter() {
    HuggingfaceFolder adapter("llama");
    adapter.tensors.clear();
    adapter.add("base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", {2, 8});
    adapter.add("base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight", {8, 2});
    writeFile(folder() / "adapter_model.safetensors", adapter.safetensors());
    writeFile(folder() / "adapter_config.json", R"({"peft_type": "LORA", "base_model_name_or_path": "x/y", "r": 2})");
  }
};

TEST_F(HuggingfaceAdapter, S14_AloneIsUnsupportedWhicheverFileIsOpened) {
  for (const char* file : {"", "adapter_config.json", "adapter_model.safetensors"})
    refusePath(ErrorKind::Unsupported, {"adapter without its base model", "merge"}, folder() / file);
  refusePath(ErrorKind::Unsupported, {"its 'peft_type' says so"}, folder() / "adapter_config.json");
  writeFile(folder() / "other.safetensors", HuggingfaceFolder("llama").safetensors());
  refusePath(ErrorKind::Unsupported, {"beside it is adapter_config.json, and no config.json"},
             folder() / "other.safetensors");
}

TEST_F(HuggingfaceAdapter, S14_IsToldByItsTensorsAlone) {
  fs::remove(folder() / "adapter_config.json");
  refusePath(ErrorKind::Unsupported, {"adapter", "lora_A.weight'"}, folder() / "adapter_model.safetensors");
  writeFile(folder() / "config.json", HuggingfaceFolder("llama").config.dump());
  refusePath(ErrorKind::Unsupported, {"adapter", "lora_A.weight'"}, folder());
}

TEST_F(HuggingfaceAdapter, S14_BesideTheBaseModelIsNotAppliedWhichIsSaid) {
  EXPECT_THAT(lines(open(HuggingfaceFolder("llama")), Topic::Warning), Contains(HasSubstr("is not applied")));
}

}  // namespace
}  // namespace core::checkpoint
