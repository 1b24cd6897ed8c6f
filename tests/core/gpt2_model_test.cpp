// The forward pass of every nanoGPT variant against plain loops in double: biases, untied head, both GELUs, all types.
#include "core/model/gpt2_model.h"

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
    config.hasBias = bias;
    config.tiedHead = tied;
    add("wte.weight", kVocabulary, kWidth);
    add("wpe.weight", kContext, kWidth);
    for (int n = 0; n < kLayers; ++n) {
      const std::string block = "h." + std::to_string(n);
      addAffine(block + ".ln_1", 1, kWidth, bias);
      addAffine(block + ".attn.c_attn", 3 * kWidth, kWidth, bias);
      addAffine(block + ".attn.c_proj", kWidth, kWidth, bias);
      addAffine(block + ".ln_2", 1, kWidth, bias);
      addAffine(block + ".mlp.c_fc", 4 * kWidth, kWidth, bias);
      addAffine(block + ".mlp.c_proj", kWidth, 4 * kWidth, bias);
    }
    addAffine("ln_f", 1, kWidth, bias);
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
    tensors[name] = {m_type, shape.empty() ? std::vector<std::int64_t>{rows, columns} : shape, data};
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
        double sum = config.hasBias && m_numbers.contains(name + ".bias") ? m_numbers.at(name + ".bias")[0][o] : 0;
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
        if (config.hasBias) row[c] += m_numbers.at(name + ".bias")[0][c];
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
    const Matrix packed = linear(normalized(x, block + ".ln_1"), block + ".attn.c_attn");
    x = sum(x, linear(attended(packed), block + ".attn.c_proj"));
    Matrix inner = linear(normalized(x, block + ".ln_2"), block + ".mlp.c_fc");
    for (auto& row : inner) {
      for (double& value : row) value = activated(value, gelu);
    }
    x = sum(x, linear(inner, block + ".mlp.c_proj"));
  }
  return linear(normalized(x, "ln_f"), "lm_head");
}

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
  const Gpt2Model model(tiny.config, tiny.tensors);
  const ForwardResult result = model.forward(tokens, {variant.gelu}, Progress());
  const at::Tensor logits = model.logits(result.hidden);
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

TEST(Gpt2Model, WeightsThatAreNotANumberAreToldWithTheirLayer) {
  TinyModel tiny(false, true, DType::F32);
  auto* weight = reinterpret_cast<float*>(const_cast<std::byte*>(tiny.tensors.at("h.1.mlp.c_fc.weight").data.get()));
  weight[3] = std::nanf("");
  const Gpt2Model model(tiny.config, tiny.tensors);
  const ForwardResult result = model.forward({1, 2}, {}, Progress());
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_NE(result.warnings[0].find("layer 1"), std::string::npos) << result.warnings[0];
}

TEST(Gpt2Model, ATiedHeadTakesNoMemoryOfItsOwn) {
  TinyModel tiny(false, true, DType::BF16);
  std::map<std::string, checkpoint::Tensor> tensors = tiny.tensors;
  Weights weights(tensors);
  const at::Tensor embedding = weights.take("wte.weight");
  EXPECT_EQ(weights.take("lm_head.weight").data_ptr(), embedding.data_ptr());
}

}  // namespace
}  // namespace core::model
