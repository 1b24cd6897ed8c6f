// A map of 32,768 tokens against upstream's own rows of it. The whole map would take 4 GB a head.
#include <gtest/gtest.h>

#include "tests/core/reference_comparison.h"
#include "tests/support/files.h"

namespace core {
namespace {

TEST(LongReference, RowsLseAndLastLogitsOf32768TokensEqualUpstream) {
  HEADSCOPE_FIXTURE(folder, "nanochat-long");
  HEADSCOPE_FIXTURE(text, "text/tinyshakespeare.txt");
  auto reference = support::readReference(folder);
  ASSERT_EQ(reference.size, 32768);
  reference.prompt = support::readFile(text).substr(0, 120000);
  for (const auto& path : {folder, folder / "model_000001.pt"}) {
    EXPECT_EQ(Session::open(path, {}, {})->info().config.context, 32768) << path;
  }
  const auto session = Session::open(folder, {}, {});
  // The prompt goes on after the last token of the run.
  const auto capture = session->run({tokensOfPrompt(*session, reference), {}}, {});
  expectEqual(capture, reference, {8192, kWhole, kWhole});
  // Linear in T: q of 2 heads, k and v of 1, lse and the last hidden state.
  EXPECT_LE(capture->bytes(), 128U << 20U);
}

}  // namespace
}  // namespace core
