// Rows F2 and F16: files dropped together.
#include "app/dropped_files.h"

#include <gtest/gtest.h>

#include "tests/app/nanochat_steps.h"

namespace app {
namespace {

namespace fs = std::filesystem;

TEST(DroppedFiles, F16_OneFileIsTheModelWhateverItsName) {
  for (const char* path : {"/a/ckpt.pt", "/a/folder", "/a/tokenizer.pkl"}) {
    const DroppedFiles dropped = sortDropped({path});
    EXPECT_EQ(dropped.model, path);
    EXPECT_TRUE(dropped.tokenizer.empty());
    EXPECT_FALSE(dropped.leftOver);
  }
}

TEST(DroppedFiles, F16_AModelAndItsMetaAreOne) {
  const support::TemporaryFolder folder;
  const fs::path models = support::nanochatSteps(folder / "set");
  for (const auto& [first, second] :
       {std::pair{"model_000020.pt", "meta_000020.json"}, std::pair{"meta_000020.json", "model_000020.pt"}}) {
    const DroppedFiles dropped = sortDropped({models / first, models / second});
    EXPECT_EQ(dropped.model, models / "model_000020.pt");
    EXPECT_FALSE(dropped.leftOver);
  }
}

TEST(DroppedFiles, F16_TheFilesOfAFolderAreOneModel) {
  const fs::path folder = support::data("hf-llama-bf16-sharded");
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  const DroppedFiles dropped = sortDropped(files);
  EXPECT_EQ(dropped.model, folder / "config.json");  // opens the folder
  EXPECT_TRUE(dropped.tokenizer.empty());
  EXPECT_FALSE(dropped.leftOver);
}

TEST(DroppedFiles, F16_ATokenizerGoesWithTheModelThatItCameWith) {
  for (const char* tokenizer : {"/b/letters.PKL", "/b/tokenizer.json"}) {
    const DroppedFiles dropped = sortDropped({tokenizer, "/a/ckpt.pt"});
    EXPECT_EQ(dropped.model, "/a/ckpt.pt");
    EXPECT_EQ(dropped.tokenizer, tokenizer);
    EXPECT_FALSE(dropped.leftOver);
  }
}

TEST(DroppedFiles, F16_OfModelsThatDoNotBelongTogetherTheFirstIsOpenedAndTheRestSaid) {
  const DroppedFiles dropped = sortDropped({"/a/one.pt", "/b/two.pt"});
  EXPECT_EQ(dropped.model, "/a/one.pt");
  EXPECT_TRUE(dropped.leftOver);
}

}  // namespace
}  // namespace app
