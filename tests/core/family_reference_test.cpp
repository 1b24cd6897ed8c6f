// Every family of models against upstream's own numbers: the cuts in tests/data, and the whole runs where they are.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/capture_data.h"
#include "core/session.h"
#include "tests/core/reference_comparison.h"
#include "tests/support/files.h"

namespace core {
namespace {

/// How the cut is asked for its prompt: a cut vocabulary has no tokenizer.
enum class CutPrompt { Text, Ids };

struct Family {
  std::string folder;
  std::vector<std::string> files;  ///< each opens the same model as the folder
  Lefts lefts;
  int kvHeads;
  CutPrompt cutPrompt = CutPrompt::Text;
};

const std::string kStep100D4 = "base_checkpoints/d4/model_000100.pt",
                  kStep100D5 = "base_checkpoints/d5/model_000100.pt";
const std::vector<std::string> kSafetensors = {"model.safetensors", "config.json"};

// Windows as upstream's code has them: nanochat's short one is i - j <= 128, Mistral's of 16 keys is i - j < 16.
const Family kFamilies[] = {
    {"nanochat-2025-10", {kStep100D4}, Lefts(4, kWhole), 2},
    {"nanochat-2026-01", {kStep100D4}, {128, 128, 128, kWhole}, 4},
    {"nanochat-2026-07", {kStep100D5}, {128, kWhole, 128, kWhole, kWhole}, 1},
    {"hf-gpt2", kSafetensors, Lefts(4, kWhole), 4, CutPrompt::Ids},
    {"hf-llama-gqa", kSafetensors, Lefts(3, kWhole), 2, CutPrompt::Ids},
    {"hf-llama-bf16-sharded", {"model.safetensors.index.json", "config.json"}, Lefts(3, kWhole), 2},
    {"hf-mistral-window", kSafetensors, Lefts(3, 15), 2, CutPrompt::Ids},
    {"hf-qwen2-bias", kSafetensors, Lefts(3, kWhole), 2, CutPrompt::Ids},
    {"hf-qwen3-qknorm", kSafetensors, Lefts(3, kWhole), 2, CutPrompt::Ids},
    {"gguf-llama-spm", {"llama-spm.gguf"}, Lefts(3, kWhole), 2},
};

std::shared_ptr<const Session> open(const std::filesystem::path& path) { return Session::open(path, {}, Progress()); }

class FamilyReference : public testing::TestWithParam<Family> {
 protected:
  /// By its folder's path and by each main file.
  void expectOpensByEveryPath(const std::filesystem::path& folder) const {
    const auto session = open(folder);
    for (const std::string& file : GetParam().files) {
      const auto other = open(folder / file);
      EXPECT_EQ(other->info().name, session->info().name) << file;
      EXPECT_EQ(other->info().config.family, session->info().config.family) << file;
      EXPECT_EQ(other->info().parameters, session->info().parameters) << file;
      EXPECT_EQ(other->info().bytesRead, session->info().bytesRead) << file;
      EXPECT_EQ(other->info().tokenizer, session->info().tokenizer) << file;
      const std::vector<TokenId> tokens = {3, 1, 2};
      const PositionRange last{2, 3};
      EXPECT_EQ(other->run({tokens, {}}, {})->logits(last), session->run({tokens, {}}, {})->logits(last)) << file;
    }
  }
};

TEST_P(FamilyReference, CutEqualsUpstream) {
  const auto folder = support::data(GetParam().folder);
  const auto session = open(folder);
  const auto reference = support::readReference(folder);
  ASSERT_EQ(session->info().config.kvHeads, GetParam().kvHeads);
  ASSERT_EQ(session->hasTokenizer(), GetParam().cutPrompt == CutPrompt::Text);
  const auto tokens = session->hasTokenizer() ? tokensOfPrompt(*session, reference) : reference.tokens;
  expectEqual(session->run({tokens, {}}, {}), reference, GetParam().lefts);
}

TEST_P(FamilyReference, WholeRunEqualsUpstream) {
  HEADSCOPE_FIXTURE(folder, GetParam().folder);
  const auto session = open(folder);
  const auto reference = support::readReference(folder);
  ASSERT_EQ(session->info().config.kvHeads, GetParam().kvHeads);
  ASSERT_TRUE(session->hasTokenizer());
  expectEqual(session->run({tokensOfPrompt(*session, reference), {}}, {}), reference, GetParam().lefts);
}

TEST_P(FamilyReference, CutOpensByItsFolderAndByItsMainFile) {
  expectOpensByEveryPath(support::data(GetParam().folder));
}

TEST_P(FamilyReference, WholeCheckpointOpensByItsFolderAndByItsMainFile) {
  HEADSCOPE_FIXTURE(folder, GetParam().folder);
  expectOpensByEveryPath(folder);
}

// Would a wrong grouping of heads show? The last row of each map, computed here with the keys of every key/value head.
TEST_P(FamilyReference, EachQueryHeadReadsTheKeysOfItsOwnGroupAndNoOther) {
  const auto folder = support::data(GetParam().folder);
  const auto reference = support::readReference(folder);
  const auto capture = open(folder)->run({reference.tokens, {}}, {});
  const std::int64_t T = reference.size, H = reference.heads, Hkv = GetParam().kvHeads;
  const auto lastRow = static_cast<std::int64_t>(reference.rows.size()) - 1;
  ASSERT_EQ(reference.rows.back(), T - 1);
  for (int l = 0; l < reference.layers; ++l) {
    const model::LayerRecord& layer = capture->data().layer(Layer(l));
    const std::int64_t first =
        std::max<std::int64_t>(0, T - 1 - std::min(GetParam().lefts[static_cast<std::size_t>(l)], T));
    ASSERT_EQ(layer.k.size(0), Hkv);
    for (std::int64_t h = 0; h < H; ++h) {
      const at::Tensor expected = at::empty({T});
      for (std::int64_t j = 0; j < T; ++j) expected[j] = reference.weight(l, h, lastRow, j);
      const at::Tensor q = layer.q[h][T - 1];  // (D)
      for (std::int64_t g = 0; g < Hkv; ++g) {
        at::Tensor scores = layer.k[g].matmul(q) / std::sqrt(static_cast<double>(q.size(0)));  // (T)
        scores.slice(0, 0, first).fill_(-std::numeric_limits<float>::infinity());
        const double worst = (at::softmax(scores, 0) - expected).abs().max().item<double>();
        const bool own = g == h / (H / Hkv);
        EXPECT_EQ(worst <= 1e-5, own) << "layer " << l << ", head " << h << ", key/value head " << g << ": " << worst;
      }
    }
  }
}

// Heads that share keys still look elsewhere: each has a query of its own.
TEST_P(FamilyReference, NoTwoHeadsAreTheSame) {
  const auto reference = support::readReference(support::data(GetParam().folder));
  const auto perHead = static_cast<std::int64_t>(reference.rows.size()) * reference.size;
  for (std::int64_t l = 0; l < reference.layers; ++l) {
    for (std::int64_t h = 0; h + 1 < reference.heads; ++h) {
      float worst = 0;
      for (std::int64_t n = 0; n < perHead; ++n)
        worst = std::max(worst, std::abs(reference.weight(l, h, 0, n) - reference.weight(l, h + 1, 0, n)));  // all rows
      EXPECT_GT(worst, 0.01F) << "layer " << l << ", heads " << h << " and " << h + 1;
    }
  }
}

std::string nameOf(const testing::TestParamInfo<Family>& info) {
  std::string name = info.param.folder;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Families, FamilyReference, testing::ValuesIn(kFamilies), nameOf);

// Converted from the Hugging Face folders, whose references are theirs too: the rows of q and k get back to their
// places.
class GgufReference : public testing::TestWithParam<std::string> {};

TEST_P(GgufReference, G17_WholeRunEqualsThatOfTheFolderItWasConvertedFrom) {
  HEADSCOPE_FIXTURE(folder, "gguf-" + GetParam());
  const auto session = open(folder);
  const auto reference = support::readReference(folder);
  EXPECT_EQ(session->info().name, GetParam());
  expectEqual(session->run({tokensOfPrompt(*session, reference), {}}, {}), reference,
              Lefts(static_cast<std::size_t>(reference.layers), kWhole));
}

INSTANTIATE_TEST_SUITE_P(Architectures, GgufReference, testing::Values("llama", "qwen2", "qwen3", "gpt2"),
                         [](const auto& instance) { return instance.param; });

// A real pretrained model with quantized weights, beside transformers on the same weights.
class SmolLm2Reference : public testing::Test {
 protected:
  static void expectRome(const std::filesystem::path& file, const support::Reference& reference) {
    const auto session = open(file);
    const auto capture = session->run({tokensOfPrompt(*session, reference), {}}, {});
    expectEqual(capture, reference, Lefts(30, kWhole), 1e-4);
    const std::vector<float> logits = capture->logits({reference.size - 1, reference.size});
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    EXPECT_EQ(session->texts({static_cast<TokenId>(best)}).front().bytes, " Rome");
  }
};

TEST_F(SmolLm2Reference, PredictsRomeAndItsMapsEqualTheCutReference) {
  HEADSCOPE_SMOLLM2(file);
  expectRome(file, support::readReference(support::data("smollm2")));
}

TEST_F(SmolLm2Reference, MapsEqualTheWholeReference) {
  HEADSCOPE_SMOLLM2(file);
  HEADSCOPE_FIXTURE(folder, "smollm2");
  expectRome(file, support::readReference(folder));
}

TEST_F(SmolLm2Reference, ReportSaysWhatTheWeightsAre) {
  HEADSCOPE_SMOLLM2(file);
  const ModelInfo info = open(file)->info();
  EXPECT_EQ(info.name, "SmolLM2-135M-Instruct.Q4_1");
  EXPECT_EQ(info.storedType, "Q4_1 + Q8_0 + fp32");
  EXPECT_EQ(info.config.heads, 9);
  EXPECT_EQ(info.config.kvHeads, 3);
  EXPECT_EQ(info.parameters, 134'515'008);
}

TEST(NanoGptReference, BundledModelEqualsUpstreamOnCuts) {
  const auto session = open(support::repository("models/shakespeare-char"));
  for (const std::string name : {"reference", "reference_long"}) {
    SCOPED_TRACE(name);
    const auto reference = support::readReference(support::data("nanogpt-shakespeare-char"), name);
    expectEqual(session->run({tokensOfPrompt(*session, reference), {}}, {}), reference, Lefts(6, kWhole));
  }
}

TEST(NanoGptReference, WholeCheckpointEqualsUpstreamOnBothReferences) {
  HEADSCOPE_FIXTURE(folder, "nanogpt-shakespeare-char");
  const auto session = open(folder / "ckpt.pt");
  for (const std::string name : {"reference", "reference_long"}) {
    SCOPED_TRACE(name);
    const auto reference = support::readReference(folder, name);
    expectEqual(session->run({tokensOfPrompt(*session, reference), {}}, {}), reference, Lefts(6, kWhole));
  }
}

TEST(NanochatReference, TrainedModelEqualsUpstream) {
  HEADSCOPE_FIXTURE(folder, "nanochat-shakespeare");
  const auto session = open(folder);
  const auto reference = support::readReference(folder);
  const auto capture = session->run({tokensOfPrompt(*session, reference), {}}, {});
  expectEqual(capture, reference, {128, 128, 128, kWhole});
  EXPECT_TRUE(capture->facts().differences.empty());
}

TEST(NanochatReference, PatternLGivesUpstreamsMapsOfTheSameWeightsWithoutWindows) {
  HEADSCOPE_FIXTURE(folder, "nanochat-shakespeare");
  const auto session = open(folder);
  const auto reference = support::readReference(folder, "reference_L");
  Overrides overrides;
  overrides.pattern = "L";
  const auto capture = session->run({tokensOfPrompt(*session, reference), overrides}, {});
  expectEqual(capture, reference, Lefts(4, kWhole));
  EXPECT_EQ(capture->facts().differences.size(), 1U);
}

TEST(NanochatReference, TwinTrainedWithPatternLOpensByItsFolderAndByItsFile) {
  HEADSCOPE_FIXTURE(folder, "nanochat-shakespeare-L");
  for (const auto& path : {folder, folder / "model_000799.pt"})
    EXPECT_EQ(open(path)->info().config.windowRule.pattern, "L") << path;
}

}  // namespace
}  // namespace core
