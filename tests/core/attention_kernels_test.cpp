// The attention kernels of the CPU against plain loops in double, which write the mask out.
#include "core/attention/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <vector>

#include "core/attention/layer_attention.h"

namespace core::attention {
namespace {

constexpr std::int64_t kEvery = std::numeric_limits<std::int64_t>::max();

struct Case {
  std::int64_t B, H, Hkv, R, T, D;
  std::int64_t left;  ///< of the window; kEvery: none
  MaskKind kind = MaskKind::Causal;
  AttentionMask mask() const { return AttentionMask(T, Window{left}, kind); }
  bool visible(std::int64_t i, std::int64_t j) const {
    if (kind == MaskKind::Causal && j > i) return false;
    return left == kEvery || std::abs(i - j) <= left;
  }
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << "B " << c.B << ", H " << c.H << " on " << c.Hkv << ", " << c.R << " of " << c.T << " tokens, D " << c.D
       << ", left " << c.left << (c.kind == MaskKind::Causal ? ", causal" : ", bidirectional");
}

AttentionInput randomInput(const Case& c) {
  at::manual_seed(11);
  // The scores spread over some ten units: weights from nearly 0 to nearly 1.
  return {.q = at::randn({c.B, c.H, c.R, c.D}) * 2,
          .k = at::randn({c.B, c.Hkv, c.T, c.D}) * 2,
          .v = at::randn({c.B, c.Hkv, c.T, c.D}),
          .mask = c.mask()};
}

/// In double; output (B, H, R, D) and lse (B, H, R).
std::pair<at::Tensor, at::Tensor> plain(const Case& c, const AttentionInput& input) {
  const at::Tensor q = input.q.to(at::kDouble), k = input.k.to(at::kDouble), v = input.v.to(at::kDouble);
  at::Tensor output = at::zeros({c.B, c.H, c.R, c.D}, at::kDouble);
  at::Tensor lses = at::zeros({c.B, c.H, c.R}, at::kDouble);
  const auto qs = q.accessor<double, 4>(), ks = k.accessor<double, 4>(), vs = v.accessor<double, 4>();
  auto ys = output.accessor<double, 4>();
  auto ls = lses.accessor<double, 3>();
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t h = 0; h < c.H; ++h) {
      const std::int64_t g = h / (c.H / c.Hkv);
      for (std::int64_t r = 0; r < c.R; ++r) {
        const std::int64_t i = c.T - c.R + r;
        std::vector<double> weights(static_cast<std::size_t>(c.T), 0);
        double sum = 0;
        for (std::int64_t j = 0; j < c.T; ++j) {
          if (!c.visible(i, j)) continue;
          double dot = 0;
          for (std::int64_t d = 0; d < c.D; ++d) dot += qs[b][h][r][d] * ks[b][g][j][d];
          sum += weights[static_cast<std::size_t>(j)] = std::exp(dot / std::sqrt(static_cast<double>(c.D)));
        }
        ls[b][h][r] = std::log(sum);
        for (std::int64_t j = 0; j < c.T; ++j)
          for (std::int64_t d = 0; d < c.D; ++d)
            ys[b][h][r][d] += weights[static_cast<std::size_t>(j)] / sum * vs[b][g][j][d];
      }
    }
  }
  return {output, lses};
}

double worst(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

class CpuKernels : public testing::TestWithParam<Case> {};

TEST_P(CpuKernels, EqualPlainLoopsInDouble) {
  const Case& c = GetParam();
  const AttentionInput input = randomInput(c);
  const auto [output, lse] = plain(c, input);
  for (const Kernel kernel : {Kernel::Manual, Kernel::NanoGptLines, Kernel::Flash, Kernel::Math}) {
    SCOPED_TRACE(word(kernel));
    const AttentionOutput result = runKernel(kernel, input);
    EXPECT_EQ(result.output.sizes(), input.q.sizes());
    EXPECT_LE(worst(result.output, output), 1e-5);
    if (kernel == Kernel::Manual || kernel == Kernel::Flash) {
      ASSERT_TRUE(result.lse.defined());
    }
    if (result.lse.defined()) {
      EXPECT_LE(worst(result.lse, lse), 1e-5);
    }
  }
}

// "Outside the window" is told apart by keys at i - j == left and left + 1.
TEST_P(CpuKernels, ValuesThatAQueryDoesNotSeeLeaveItsOutputTheSameToTheBit) {
  const Case& c = GetParam();
  const AttentionInput input = randomInput(c);
  for (const Kernel kernel : {Kernel::Manual, Kernel::Flash}) {
    SCOPED_TRACE(word(kernel));
    const at::Tensor before = runKernel(kernel, input).output;
    const std::int64_t i = c.T - 1 - (c.R - 1) / 2;  // a query in the middle
    AttentionInput changed = input;
    changed.v = input.v.clone();
    for (std::int64_t j = 0; j < c.T; ++j)
      if (!c.visible(i, j)) changed.v.select(2, j).fill_(1000);
    const std::int64_t row = i - (c.T - c.R);
    EXPECT_TRUE(at::equal(runKernel(kernel, changed).output.select(2, row), before.select(2, row)));
    for (std::int64_t j = 0; j < c.T; ++j)
      if (c.visible(i, j)) changed.v.select(2, j).fill_(1000);
    EXPECT_FALSE(at::equal(runKernel(kernel, changed).output.select(2, row), before.select(2, row)));
  }
}

TEST_P(CpuKernels, HalfPrecisionsAgreeWithinTwoHundredths) {
  AttentionInput input = randomInput(GetParam());
  for (const DType type : {DType::BFloat16, DType::Float16}) {
    SCOPED_TRACE(word(type));
    const auto narrow = [&](const at::Tensor& x) { return x.to(scalarType(type)); };
    const AttentionInput half{.q = narrow(input.q), .k = narrow(input.k), .v = narrow(input.v), .mask = input.mask};
    const AttentionOutput manual = runKernel(Kernel::Manual, half);
    EXPECT_EQ(manual.output.scalar_type(), scalarType(type));
    const AttentionOutput flash = runKernel(Kernel::Flash, half);
    EXPECT_EQ(flash.output.scalar_type(), scalarType(type));
    EXPECT_LE(worst(manual.output, flash.output), 2e-2);
    EXPECT_LE(worst(manual.lse, flash.lse), 2e-2);
  }
}

constexpr MaskKind kBoth = MaskKind::Bidirectional;
INSTANTIATE_TEST_SUITE_P(
    Shapes, CpuKernels,
    testing::Values(Case{1, 1, 1, 1, 1, 8, kEvery}, Case{1, 4, 2, 65, 65, 16, kEvery}, Case{2, 6, 2, 33, 33, 8, kEvery},
                    Case{1, 3, 3, 300, 300, 32, kEvery},
                    // windows: the query alone, narrow, as wide as a block of the kernel, nearly everything
                    Case{1, 2, 1, 40, 40, 8, 0}, Case{1, 4, 2, 300, 300, 16, 1}, Case{2, 4, 2, 300, 300, 16, 7},
                    Case{1, 2, 2, 300, 300, 16, 63}, Case{1, 2, 2, 300, 300, 16, 64}, Case{1, 2, 1, 300, 300, 16, 65},
                    Case{1, 2, 2, 130, 130, 16, 128}, Case{1, 2, 2, 130, 130, 16, 129},
                    // keys beyond the first block of keys of LibTorch's kernel
                    Case{1, 1, 1, 900, 900, 8, 600}, Case{1, 1, 1, 1100, 1100, 8, kEvery},
                    // bidirectional
                    Case{1, 4, 2, 65, 65, 16, kEvery, kBoth}, Case{1, 2, 1, 40, 40, 8, 0, kBoth},
                    Case{2, 4, 2, 300, 300, 16, 7, kBoth}, Case{1, 2, 2, 300, 300, 16, 100, kBoth},
                    Case{1, 1, 1, 700, 700, 8, 64, kBoth}, Case{1, 1, 1, 2, 2, 8, 1, kBoth},
                    // the last queries alone, as with a KV cache
                    Case{1, 4, 2, 1, 50, 16, kEvery}, Case{1, 4, 2, 1, 300, 16, 7}, Case{2, 4, 2, 5, 300, 16, 20},
                    Case{1, 2, 1, 70, 300, 16, kEvery}, Case{1, 2, 1, 200, 300, 16, 3}));

TEST(CpuFlash, TakesViewsWhoseHeadsLieApart) {
  const Case c{1, 4, 2, 200, 200, 16, 30};
  const AttentionInput input = randomInput(c);
  const auto apart = [](const at::Tensor& x) {  // as a KV cache with room to grow has it
    const at::Tensor wide = at::zeros({x.size(0), x.size(1), 2 * x.size(2), x.size(3)});
    wide.slice(2, 0, x.size(2)).copy_(x);
    return wide.slice(2, 0, x.size(2));
  };
  const AttentionOutput view = cpuFlash({apart(input.q), apart(input.k), apart(input.v), input.mask});
  EXPECT_TRUE(at::equal(view.output, cpuFlash(input).output));
}

TEST(CpuFlash, SaysWhatItStoresForAWindowAndThatIsNoWholeMask) {
  EXPECT_EQ(cpuFlash(randomInput({1, 1, 1, 4096, 4096, 8, kEvery})).maskBytes, 0);
  const std::int64_t bytes = cpuFlash(randomInput({1, 1, 1, 4096, 4096, 8, 100})).maskBytes;
  EXPECT_GT(bytes, 0);
  EXPECT_LT(bytes, 4096 * 4096 * 4 / 100);
}

// Large enough for several reports: some 1e10 operations lie between two of them.
TEST(AttentionKernels, LargeWorkCanBeStoppedInTheMiddle) {
  const Case c{1, 6, 2, 6000, 6000, 64, kEvery};
  for (const Kernel kernel : {Kernel::Manual, Kernel::Flash}) {
    SCOPED_TRACE(word(kernel));
    AttentionInput input = randomInput(c);
    int reports = 0;
    input.progress = Progress([&](double, std::string_view) { return ++reports < 2; });
    try {
      runKernel(kernel, input);
      FAIL() << "it was not stopped";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
    }
    EXPECT_EQ(reports, 2);
  }
}

// In parts of the heads: whole groups, and some heads of one group.
TEST(CpuFlash, LargeWorkInPartsEqualsTheManualPath) {
  for (const auto& c : {Case{1, 6, 3, 6000, 6000, 64, kEvery}, Case{1, 6, 1, 6000, 6000, 64, 4000}}) {
    AttentionInput input = randomInput(c);
    int reports = 0;
    input.progress = Progress([&](double, std::string_view) { return ++reports > 0; });
    const AttentionOutput flash = runKernel(Kernel::Flash, input);
    EXPECT_GT(reports, 1);
    const AttentionOutput manual = runKernel(Kernel::Manual, input);
    EXPECT_LE(worst(flash.output, manual.output), 1e-5);
    EXPECT_LE(worst(flash.lse, manual.lse), 2e-5);
  }
}

}  // namespace
}  // namespace core::attention
