// The forward pass of every nanoGPT variant against plain loops in double: biases, untied head, both GELUs, all types.
#include "core/model/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>

#include "core/model/weights.h"

namespace core::model {
namespace {

using checkpoint::DType;
using Matrix = std::vector<std::vector<double>>;  // rows

constexpr int kLayers = 2;
constexpr int kHeads = 2;
constexpr int kWidth = 8;  // C; D = 4
constexpr int kContext = 6;
constexpr int kVocabulary = 11;

/// Little-endian bytes of a value that the type holds exactly.
std::vector<std::byte> encoded(float value, DType type) {
  const auto bytes = [](auto number) {
    std::vector<std::byte> result(sizeof number);
    std::memcpy(result.data(), &number, sizeof number);
    return result;
  };
  const auto bits = std::bit_cast<std::uint32_t>(value);
  switch (type) {
    case DType::F64: return bytes(static_cast<double>(value));
    case DType::BF16: return bytes(static_cast<std::uint16_t>(bits >> 16));
    case DType::F16: {
      if (value == 0) return bytes(std::uint16_t{0});
      const std::uint32_t exponent = ((bits >> 23) & 0xff) - 127 + 15;  // normal numbers only
      return bytes(static_cast<std::uint16_t>(((bits >> 16) & 0x8000) | (exponent << 10) | ((bits >> 13) & 0x3ff)));
    }
    default: return bytes(value);
  }
}

/// A model of random weights, as bytes for the model under test and as numbers for the loops.
class TinyModel {
 public:
  TinyModel(bool bias, bool tied, DType type) : m_type(type) {
    config.family = "nanoGPT";
    config.layers = kLayers;
    config.heads = config.kvHeads = kHeads;
    config.embedding = kWidth;
    config.headSize = kWidth / kHeads;
    config.context = kContext;
    config.vocabulary = kVocabulary;
    config.biases = {.qkv = bias, .out = bias, .mlp = bias, .norm = bias};
    config.tiedHead = tied;
    add("wte.weight", kVocabulary, kWidth);
    add("wpe.weight", kContext, kWidth);
    for (int n = 0; n < kLayers; ++n) {
      const std::string block = "h." + std::to_string(n);
      addAffine(block + ".attn_norm", 1, kWidth, bias);
      addAffine(block + ".attn.qkv", 3 * kWidth, kWidth, bias);
      addAffine(block + ".attn.out", kWidth, kWidth, bias);
      addAffine(block + ".mlp_norm", 1, kWidth, bias);
      addAffine(block + ".mlp.up", 4 * kWidth, kWidth, bias);
      addAffine(block + ".mlp.down", kWidth, 4 * kWidth, bias);
    }
    addAffine("norm", 1, kWidth, bias);
    if (tied) {
      tensors["lm_head.weight"] = tensors["wte.weight"];
      m_numbers["lm_head.weight"] = m_numbers["wte.weight"];
    } else {
      add("lm_head.weight", kVocabulary, kWidth);
    }
  }

  /// Logits (T, V), one number after the other.
  Matrix logits(const std::vector<TokenId>& tokens, Gelu gelu) const;

  ModelConfig config;
  std::map<std::string, checkpoint::Tensor> tensors;

 private:
  void add(const std::string& name, int rows, int columns, std::vector<std::int64_t> shape = {}) {
    Matrix& numbers = m_numbers[name];
    std::vector<std::byte> bytes;
    for (int r = 0; r < rows; ++r) {
      numbers.emplace_back();
      for (int c = 0; c < columns; ++c) {
        // Sixteenths up to 1: every type holds them exactly.
        const float value = static_cast<float>(static_cast<int>(m_random() % 33) - 16) / 16;
        numbers.back().push_back(static_cast<double>(value));
        for (const std::byte byte : encoded(value, m_type)) bytes.push_back(byte);
      }
    }
    std::shared_ptr<std::byte[]> data(new std::byte[bytes.size()]);
    std::copy(bytes.begin(), bytes.end(), data.get());
    tensors[name] = {
        .type = m_type, .shape = shape.empty() ? std::vector<std::int64_t>{rows, columns} : shape, .data = data};
  }
  void addAffine(const std::string& name, int out, int in, bool bias) {
    const bool norm = out == 1;
    add(name + ".weight", out, in, norm ? std::vector<std::int64_t>{in} : std::vector<std::int64_t>{});
    if (bias) add(name + ".bias", 1, norm ? in : out, {norm ? in : out});
  }

  /// x (T, in) -> x weight^T + bias (T, out)
  Matrix linear(const Matrix& x, const std::string& name) const {
    const Matrix& weight = m_numbers.at(name + ".weight");
    Matrix y;
    for (const auto& row : x) {
      y.emplace_back();
      for (std::size_t o = 0; o < weight.size(); ++o) {
        double sum = config.biases.qkv && m_numbers.contains(name + ".bias") ? m_numbers.at(name + ".bias")[0][o] : 0;
        for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * weight[o][i];
        y.back().push_back(sum);
      }
    }
    return y;
  }
  Matrix normalized(const Matrix& x, const std::string& name) const {
    Matrix y = x;
    for (auto& row : y) {
      double mean = 0;
      double variance = 0;
      for (const double value : row) mean += value / kWidth;
      for (const double value : row) variance += (value - mean) * (value - mean) / kWidth;
      for (std::size_t c = 0; c < row.size(); ++c) {
        row[c] = (row[c] - mean) / std::sqrt(variance + 1e-5) * m_numbers.at(name + ".weight")[0][c];
        if (config.biases.qkv) row[c] += m_numbers.at(name + ".bias")[0][c];
      }
    }
    return y;
  }
  Matrix attended(const Matrix& packed) const;

  DType m_type;
  std::mt19937 m_random{5};
  std::map<std::string, Matrix> m_numbers;
};

Matrix sum(Matrix a, const Matrix& b) {
  for (std::size_t t = 0; t < a.size(); ++t) {
    for (std::size_t c = 0; c < a[t].size(); ++c) a[t][c] += b[t][c];
  }
  return a;
}

Matrix TinyModel::attended(const Matrix& packed) const {
  constexpr std::size_t D = kWidth / kHeads;
  Matrix y(packed.size(), std::vector<double>(kWidth, 0));
  for (std::size_t h = 0; h < kHeads; ++h) {
    for (std::size_t i = 0; i < packed.size(); ++i) {
      std::vector<double> weights;
      double total = 0;
      for (std::size_t j = 0; j <= i; ++j) {  // causal
        double dot = 0;
        for (std::size_t d = h * D; d < (h + 1) * D; ++d) dot += packed[i][d] * packed[j][kWidth + d];
        weights.push_back(std::exp(dot / 2));  // sqrt(4)
        total += weights.back();
      }
      for (std::size_t j = 0; j <= i; ++j) {
        for (std::size_t d = h * D; d < (h + 1) * D; ++d) y[i][d] += weights[j] / total * packed[j][2 * kWidth + d];
      }
    }
  }
  return y;
}

double activated(double x, Gelu gelu) {
  if (gelu == Gelu::Erf) return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0)));
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

Matrix TinyModel::logits(const std::vector<TokenId>& tokens, Gelu gelu) const {
  Matrix x;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    x.push_back(m_numbers.at("wte.weight")[static_cast<std::size_t>(tokens[t])]);
    for (std::size_t c = 0; c < kWidth; ++c) x[t][c] += m_numbers.at("wpe.weight")[t][c];
  }
  for (int n = 0; n < kLayers; ++n) {
    const std::string block = "h." + std::to_string(n);
    const Matrix packed = linear(normalized(x, block + ".attn_norm"), block + ".attn.qkv");
    x = sum(x, linear(attended(packed), block + ".attn.out"));
    Matrix inner = linear(normalized(x, block + ".mlp_norm"), block + ".mlp.up");
    for (auto& row : inner) {
      for (double& value : row) value = activated(value, gelu);
    }
    x = sum(x, linear(inner, block + ".mlp.down"));
  }
  return linear(normalized(x, "norm"), "lm_head");
}

RunSettings settings(Gelu gelu = Gelu::Erf) { return {.gelu = gelu, .windows = std::vector<Window>(kLayers)}; }

struct Variant {
  std::string name;
  bool bias = false;
  bool tied = true;
  Gelu gelu = Gelu::Erf;
  DType type = DType::F32;
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class Gpt2Variants : public testing::TestWithParam<Variant> {};

TEST_P(Gpt2Variants, LogitsEqualPlainLoopsInDouble) {
  const Variant& variant = GetParam();
  TinyModel tiny(variant.bias, variant.tied, variant.type);
  const std::vector<TokenId> tokens{3, 0, 10, 3, 7, 1};
  const Matrix expected = tiny.logits(tokens, variant.gelu);
  const Model model(tiny.config, tiny.tensors);
  const ForwardResult result = model.forward(tokens, settings(variant.gelu), Progress());
  const at::Tensor logits = model.logits(result.hidden, settings(variant.gelu));
  ASSERT_EQ(logits.size(0), 6);
  ASSERT_EQ(logits.size(1), kVocabulary);
  double largest = 0;
  for (std::size_t t = 0; t < expected.size(); ++t) {
    for (std::size_t v = 0; v < expected[t].size(); ++v) {
      const double logit = logits[static_cast<std::int64_t>(t)][static_cast<std::int64_t>(v)].item<double>();
      EXPECT_NEAR(logit, expected[t][v], 2e-5) << t << ", " << v;
      largest = std::max(largest, std::abs(expected[t][v]));
    }
  }
  EXPECT_GT(largest, 1) << "logits of nothing prove nothing";
}

INSTANTIATE_TEST_SUITE_P(All, Gpt2Variants,
                         testing::Values(Variant{"plain"}, Variant{"biases", true}, Variant{"untied", false, false},
                                         Variant{"tanh", false, true, Gelu::Tanh},
                                         Variant{"oldest", true, false, Gelu::Tanh},
                                         Variant{"fp16", true, true, Gelu::Erf, DType::F16},
                                         Variant{"bf16", true, false, Gelu::Erf, DType::BF16},
                                         Variant{"fp64", false, false, Gelu::Erf, DType::F64}),
                         [](const testing::TestParamInfo<Variant>& variant) { return variant.param.name; });

TEST(Model, WeightsThatAreNotANumberAreToldWithTheirLayer) {
  TinyModel tiny(false, true, DType::F32);
  auto* weight = reinterpret_cast<float*>(const_cast<std::byte*>(tiny.tensors.at("h.1.mlp.up.weight").data.get()));
  weight[3] = std::nanf("");
  const Model model(tiny.config, tiny.tensors);
  const ForwardResult result = model.forward({1, 2}, settings(), Progress());
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_NE(result.warnings[0].find("layer 1"), std::string::npos) << result.warnings[0];
}

/// Closed forms, computed here in double: base 10000, D = 8, so f_m = 10^-m for m = 0 .. 3.
double frequency(int m) { return std::pow(10.0, -m); }

ModelConfig rotaryConfig() {
  ModelConfig config;
  config.headSize = 8;
  config.positions = Positions::Rotary;
  return config;
}

void expectAngles(const ModelConfig& config, const std::vector<double>& frequencies) {
  const Rotary angles = rotary(config, 10000, 50);
  for (std::int64_t t = 0; t < 50; ++t) {
    for (std::size_t m = 0; m < frequencies.size(); ++m) {
      const double angle = static_cast<double>(t) * frequencies[m];
      EXPECT_NEAR(angles.cos[t][static_cast<std::int64_t>(m)].item<double>(), std::cos(angle), 1e-5) << t << ", " << m;
      EXPECT_NEAR(angles.sin[t][static_cast<std::int64_t>(m)].item<double>(), std::sin(angle), 1e-5) << t << ", " << m;
    }
  }
}

TEST(Rotary, FrequenciesArePowersOfTheBase) {
  expectAngles(rotaryConfig(), {frequency(0), frequency(1), frequency(2), frequency(3)});
}

TEST(Rotary, LinearScalingDividesEveryFrequency) {
  ModelConfig config = rotaryConfig();
  config.ropeScaling.rule = RopeScaling::Rule::Linear;
  config.ropeScaling.factor = 4;
  expectAngles(config, {frequency(0) / 4, frequency(1) / 4, frequency(2) / 4, frequency(3) / 4});
}

TEST(Rotary, Llama3ScalingKeepsShortWavesDividesLongOnesAndBlendsBetween) {
  ModelConfig config = rotaryConfig();
  // Wavelengths are 6.28, 62.8, 628 and 6283; 100 / 4 = 25 and 100 / 1 = 100 are the bounds.
  config.ropeScaling = {RopeScaling::Rule::Llama3, 8, 1, 4, 100};
  const double share = (100 * frequency(1) / (2 * 3.14159265358979323846) - 1) / (4 - 1);
  expectAngles(config, {frequency(0), (1 - share) * frequency(1) / 8 + share * frequency(1), frequency(2) / 8,
                        frequency(3) / 8});
}

TEST(Rotary, RotatesHalvesOfAVectorForwardOrBackward) {
  ModelConfig config = rotaryConfig();
  const at::Tensor x = at::arange(1, 17, at::kFloat).view({1, 2, 8});
  for (const RopeDirection direction : {RopeDirection::Forward, RopeDirection::Backward}) {
    config.ropeDirection = direction;
    const at::Tensor turned = rotate(x, rotary(config, 10000, 2));
    EXPECT_TRUE(at::equal(turned[0][0], x[0][0])) << "position 0 is not turned";
    const double sign = direction == RopeDirection::Forward ? 1 : -1;
    for (int m = 0; m < 4; ++m) {
      const double a = 9 + m;
      const double b = 13 + m;
      const double cos = std::cos(frequency(m));
      const double sin = sign * std::sin(frequency(m));
      EXPECT_NEAR(turned[0][1][m].item<double>(), a * cos - b * sin, 1e-4);
      EXPECT_NEAR(turned[0][1][m + 4].item<double>(), b * cos + a * sin, 1e-4);
    }
  }
}

TEST(Model, SoftCapBendsTheLogitsAndZeroLeavesThem) {
  TinyModel tiny(false, true, DType::F32);
  const Model model(tiny.config, tiny.tensors);
  const at::Tensor hidden = model.forward({1, 2}, settings(), Progress()).hidden;
  RunSettings capped = settings();
  capped.softCap = 2;
  const at::Tensor plain = model.logits(hidden, settings());
  const at::Tensor bent = model.logits(hidden, capped);
  for (std::int64_t v = 0; v < kVocabulary; ++v)
    EXPECT_NEAR(bent[0][v].item<double>(), 2 * std::tanh(plain[0][v].item<double>() / 2), 1e-5);
}

TEST(Model, AColumnMajorMatrixIsTheTransposedOne) {
  TinyModel tiny(false, true, DType::F32);
  std::map<std::string, checkpoint::Tensor> tensors = tiny.tensors;
  checkpoint::Tensor& up = tensors.at("h.0.mlp.up.weight");  // (32, 8), its bytes now those of (8, 32)
  const at::Tensor before = at::from_blob(const_cast<std::byte*>(up.data.get()), {8, 32}, at::kFloat).clone();
  up.order = checkpoint::Order::ColumnMajor;
  Weights weights(tensors);
  const at::Tensor taken = weights.take("h.0.mlp.up.weight");
  EXPECT_EQ(taken.sizes(), (std::vector<std::int64_t>{32, 8}));
  EXPECT_TRUE(at::equal(taken, before.t()));
}

TEST(Model, ATiedHeadTakesNoMemoryOfItsOwn) {
  TinyModel tiny(false, true, DType::BF16);
  std::map<std::string, checkpoint::Tensor> tensors = tiny.tensors;
  Weights weights(tensors);
  const at::Tensor embedding = weights.take("wte.weight");
  EXPECT_EQ(weights.take("lm_head.weight").data_ptr(), embedding.data_ptr());
}

}  // namespace
}  // namespace core::model
