// A map of 32,768 tokens against upstream's own rows of it. The whole map would take 4 GB a head.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/attention_map.h"
#include "tests/core/reference_comparison.h"
#include "tests/support/files.h"

namespace core {
namespace {

constexpr std::int64_t kT = 32768;

support::Reference longReference(const std::filesystem::path& folder, const std::filesystem::path& text) {
  auto reference = support::readReference(folder);
  reference.prompt = support::readFile(text).substr(0, 120000);  // it goes on after the last token of the run
  return reference;
}

/// Made once: it takes longer than all that is asked of it.
std::shared_ptr<const Capture> longRun(const std::filesystem::path& folder, const support::Reference& reference) {
  static const auto capture = [&] {
    const auto session = Session::open(folder, {}, {});
    return session->run({tokensOfPrompt(*session, reference), {}}, {});
  }();
  return capture;
}

TEST(LongReference, RowsLseAndLastLogitsOf32768TokensEqualUpstream) {
  HEADSCOPE_FIXTURE(folder, "nanochat-long");
  HEADSCOPE_FIXTURE(text, "text/tinyshakespeare.txt");
  const auto reference = longReference(folder, text);
  ASSERT_EQ(reference.size, kT);
  for (const auto& path : {folder, folder / "model_000001.pt"}) {
    EXPECT_EQ(Session::open(path, {}, {})->info().config.context, kT) << path;
  }
  const auto capture = longRun(folder, reference);
  expectEqual(capture, reference, {8192, kWhole, kWhole});
  // Linear in T: q of 2 heads, k and v of 1, lse and the last hidden state.
  EXPECT_LE(capture->bytes(), 128U << 20U);
}

TEST(LongReference, OverviewsOf32768TokensAreTheReductionOfTheirRows) {
  HEADSCOPE_FIXTURE(folder, "nanochat-long");
  HEADSCOPE_FIXTURE(text, "text/tinyshakespeare.txt");
  const auto reference = longReference(folder, text);
  const auto capture = longRun(folder, reference);
  constexpr std::int64_t kBlock = 128;
  for (const auto& [layer, head] : {std::pair{0, 1}, std::pair{2, 0}}) {  // with a window, and without
    const AttentionMap map(capture, {Layer(layer), Head(head)});
    const MapValues overview = map.overview(Stage::Weights, {{0, kT}, {0, kT}}, kBlock, Reduction::Max);
    ASSERT_EQ(overview.rows, kT / kBlock);
    ASSERT_EQ(overview.columns, kT / kBlock);
    for (std::size_t n = 0; n < reference.rows.size(); ++n) {
      const Position i = reference.rows[n];
      const std::int64_t blockRow = i / kBlock;
      const MapValues rows = map.rectangle(Stage::Weights, {{blockRow * kBlock, (blockRow + 1) * kBlock}, {0, kT}});
      const MapValues oneRow = map.overview(Stage::Weights, {{i, i + 1}, {0, kT}}, kBlock, Reduction::Max);
      for (std::int64_t block = 0; block < kT / kBlock; ++block) {
        float most = 0;
        float upstream = 0;
        for (Position j = block * kBlock; j < (block + 1) * kBlock; ++j) {
          for (std::int64_t r = 0; r < kBlock; ++r) most = std::max(most, rows.at(r, j));
          upstream = std::max(upstream, reference.weight(layer, head, static_cast<std::int64_t>(n), j));
        }
        ASSERT_NEAR(overview.at(blockRow, block), most, 1e-6) << layer << ": " << blockRow << ", " << block;
        ASSERT_NEAR(oneRow.at(0, block), upstream, 1e-5) << layer << ": " << i << ", " << block;
      }
    }
  }
}

}  // namespace
}  // namespace core
