// Whole forward passes by the manual and by the flash path: two ways to one result, on every fixture.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "core/attention/capture_data.h"
#include "core/attention/layer_attention.h"
#include "core/session.h"
#include "tests/support/files.h"
#include "tests/support/reference.h"

namespace core {
namespace {

double worst(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>() / a.abs().max().item<double>();
}
double byNorm(const at::Tensor& a, const at::Tensor& b) { return ((a - b).norm() / a.norm()).item<double>(); }

/// The outputs of each layer's attention: on the same q, k and v by their largest difference, and of the two runs, each
/// on its own, by norm: from layer to layer the runs drift apart. All relative to the outputs themselves.
void expectAgree(const Session& session, const RunRequest& request, double tolerance) {
  RunRequest other = request;
  other.path = AttentionPath::Flash;
  const auto manual = session.run(request, {});
  const auto flash = session.run(other, {});
  for (int l = 0; l < session.info().config.layers; ++l) {
    SCOPED_TRACE("layer " + std::to_string(l));
    const Progress progress;
    const auto attend = [&](const Capture& run, AttentionPath path) {
      const model::LayerRecord& layer = run.data().layer(Layer(l));
      return attention::attend(path, request.type, layer.q, layer.k, layer.v, run.mask(Layer(l)), progress);
    };
    const auto first = attend(*manual, AttentionPath::Manual);
    const auto same = attend(*manual, AttentionPath::Flash);
    const auto own = attend(*flash, AttentionPath::Flash);
    EXPECT_LE(worst(first.output, same.output), tolerance);
    EXPECT_LE(byNorm(first.output, own.output), tolerance);
    EXPECT_LE(byNorm(first.lse, flash->data().layer(Layer(l)).lse), tolerance);
  }
  EXPECT_LE(byNorm(manual->data().hidden, flash->data().hidden), tolerance);
  const std::vector<float> last = manual->logits({manual->size() - 1, manual->size()});
  EXPECT_EQ(session.lastLogits(request, {}), last);
}

class TwoPaths : public testing::TestWithParam<std::string> {};

TEST_P(TwoPaths, AgreeOnTheWholeFixture) {
  HEADSCOPE_FIXTURE(folder, GetParam());
  const auto session = Session::open(folder, {}, {});
  const bool hasRun = std::filesystem::exists(folder / "reference.json");  // its twin's prompt fits too
  RunRequest request{support::readReference(hasRun ? folder : support::fixtures() / "nanochat-shakespeare").tokens, {}};
  expectAgree(*session, request, 1e-5);
  request.type = DType::BFloat16;
  expectAgree(*session, request, 2e-2);
}

TEST_P(TwoPaths, AgreeOnTheCutUnderEveryMask) {
  const std::filesystem::path cut = GetParam() == "nanogpt-shakespeare-char"
                                        ? support::repository("models/shakespeare-char")
                                        : support::repository("tests/data/" + GetParam());
  if (!std::filesystem::exists(cut)) GTEST_SKIP() << GetParam() << " has no cut";
  const auto session = Session::open(cut, {}, {});
  for (const MaskKind mask : {MaskKind::Causal, MaskKind::Bidirectional}) {
    for (const std::int64_t left : {0, 3, 40}) {
      RunRequest request{std::vector<TokenId>(120, 1), {}};
      for (std::size_t n = 0; n < request.tokens.size(); ++n)
        request.tokens[n] = static_cast<TokenId>(n * n % static_cast<std::size_t>(session->info().config.vocabulary));
      request.overrides.pattern = "SL";
      request.overrides.shortWindow = left;
      request.overrides.mask = mask;
      expectAgree(*session, request, 1e-5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, TwoPaths,
                         testing::Values("nanogpt-shakespeare-char", "nanochat-2025-10", "nanochat-2026-01",
                                         "nanochat-2026-07", "nanochat-shakespeare", "nanochat-shakespeare-L",
                                         "hf-gpt2", "hf-llama-gqa", "hf-llama-bf16-sharded", "hf-mistral-window",
                                         "hf-qwen2-bias", "hf-qwen3-qknorm"),
                         [](const auto& fixture) {
                           std::string name = fixture.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace core
