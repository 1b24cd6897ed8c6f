#include "tests/core/plain_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace support {

namespace {

using namespace core;
using checkpoint::DType;

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

std::size_t size(int number) { return static_cast<std::size_t>(number); }

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double gelu(double x, Gelu kind) {
  if (kind == Gelu::Erf) return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0)));
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

Matrix sum(const Matrix& a, double factor, const Matrix& b) {
  Matrix result = a;
  for (std::size_t t = 0; t < a.size(); ++t) {
    for (std::size_t c = 0; c < a[t].size(); ++c) result[t][c] += factor * b[t][c];
  }
  return result;
}

Matrix scaled(const Matrix& a, double factor) { return sum(a, factor - 1, a); }

}  // namespace

PlainModel::PlainModel(const ModelConfig& given, DType type, double largest)
    : config(given), m_type(type), m_largest(largest) {
  const int C = config.embedding;
  const int D = config.headSize;
  const int q = config.heads * D;
  const int kv = config.kvHeads * D;
  const int rows = static_cast<int>(config.vocabularyRows);
  const bool packed = config.positions == Positions::Learned;
  add("wte.weight", rows, C, {rows, C});
  if (packed) add("wpe.weight", static_cast<int>(config.context), C, {config.context, C});
  for (int n = 0; n < config.layers; ++n) {
    const std::string h = "h." + std::to_string(n);
    if (!config.nanochat.embeddingNorm) addNorm(h + ".attn_norm", C);
    if (packed) addLinear(h + ".attn.qkv", q + 2 * kv, C, config.biases.qkv);
    if (!packed) addLinear(h + ".attn.q", q, C, config.biases.qkv);
    if (!packed) addLinear(h + ".attn.k", kv, C, config.biases.qkv);
    if (!packed) addLinear(h + ".attn.v", kv, C, config.biases.qkv);
    if (config.qkNorm == QkNorm::Weighted) add(h + ".attn.q_norm.weight", 1, D, {D});
    if (config.qkNorm == QkNorm::Weighted) add(h + ".attn.k_norm.weight", 1, D, {D});
    addLinear(h + ".attn.out", C, q, config.biases.out);
    if (!config.nanochat.embeddingNorm) addNorm(h + ".mlp_norm", C);
    if (config.mlp == Mlp::SwiGlu) addLinear(h + ".mlp.gate", config.inner, C, config.biases.mlp);
    addLinear(h + ".mlp.up", config.inner, C, config.biases.mlp);
    addLinear(h + ".mlp.down", C, config.inner, config.biases.mlp);
    // Every second layer, the last included.
    if (config.nanochat.gateChannels > 0 && (config.layers - 1 - n) % 2 == 0) {
      add(h + ".value_embed.weight", rows, kv, {rows, kv});
      addLinear(h + ".attn.value_gate", config.kvHeads, config.nanochat.gateChannels, false);
    }
  }
  if (!config.nanochat.embeddingNorm) addNorm("norm", C);
  if (config.nanochat.lambdas) add("resid_lambdas", 1, config.layers, {config.layers});
  if (config.nanochat.lambdas) add("x0_lambdas", 1, config.layers, {config.layers});
  if (config.nanochat.smear) {
    addLinear("smear_gate", 1, 24, false);
    add("smear_lambda", 1, 1, {1});
    add("backout_lambda", 1, 1, {1});
  }
  if (config.tiedHead) {
    tensors["lm_head.weight"] = tensors["wte.weight"];
    m_numbers["lm_head.weight"] = m_numbers["wte.weight"];
  } else {
    add("lm_head.weight", rows, C, {rows, C});
  }
}

void PlainModel::add(const std::string& name, int rows, int columns, std::vector<std::int64_t> shape) {
  Matrix& numbers = m_numbers[name];
  std::vector<std::byte> bytes;
  const int steps = static_cast<int>(m_largest * 16);
  for (int r = 0; r < rows; ++r) {
    numbers.emplace_back();
    for (int c = 0; c < columns; ++c) {
      const int step = static_cast<int>(m_random() % static_cast<unsigned>(2 * steps + 1)) - steps;
      const float value = static_cast<float>(step) / 16;
      numbers.back().push_back(static_cast<double>(value));
      for (const std::byte byte : encoded(value, m_type)) bytes.push_back(byte);
    }
  }
  std::shared_ptr<std::byte[]> data(new std::byte[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), data.get());
  tensors[name] = {.type = m_type, .shape = std::move(shape), .data = data};
}

void PlainModel::addLinear(const std::string& name, int out, int in, bool bias) {
  add(name + ".weight", out, in, {out, in});
  if (bias) add(name + ".bias", 1, out, {out});
}

void PlainModel::addNorm(const std::string& name, int length) {
  add(name + ".weight", 1, length, {length});
  if (config.biases.norm) add(name + ".bias", 1, length, {length});
}

/// x (T, in) -> x weight^T + bias (T, out); only the first columns of x where the weight has fewer.
Matrix PlainModel::linear(const Matrix& x, const std::string& name) const {
  const Matrix& weight = m_numbers.at(name + ".weight");
  Matrix y;
  for (const auto& row : x) {
    y.emplace_back();
    for (std::size_t o = 0; o < weight.size(); ++o) {
      double total = has(name + ".bias") ? m_numbers.at(name + ".bias")[0][o] : 0;
      for (std::size_t i = 0; i < weight[o].size(); ++i) total += row[i] * weight[o][i];
      y.back().push_back(total);
    }
  }
  return y;
}

Matrix PlainModel::normalized(const Matrix& x, const std::string& name) const {
  Matrix y = x;
  for (auto& row : y) {
    const auto count = static_cast<double>(row.size());
    double mean = 0;
    double variance = 0;
    if (config.norm == Norm::LayerNorm) {
      for (const double value : row) mean += value / count;
    }
    for (const double value : row) variance += (value - mean) * (value - mean) / count;
    for (std::size_t c = 0; c < row.size(); ++c) {
      row[c] = (row[c] - mean) / std::sqrt(variance + config.normEpsilon);
      if (has(name + ".weight")) row[c] *= m_numbers.at(name + ".weight")[0][c];
      if (has(name + ".bias")) row[c] += m_numbers.at(name + ".bias")[0][c];
    }
  }
  return y;
}

/// RMSNorm of one head's part of a row.
void PlainModel::normalizeHead(std::vector<double>& row, std::size_t first, const std::string& weight) const {
  const std::size_t D = size(config.headSize);
  double square = 0;
  for (std::size_t d = 0; d < D; ++d) square += row[first + d] * row[first + d] / static_cast<double>(D);
  for (std::size_t d = 0; d < D; ++d) {
    row[first + d] /= std::sqrt(square + config.normEpsilon);
    if (has(weight)) row[first + d] *= m_numbers.at(weight)[0][d];
  }
}

/// RoPE of one head's part of a row.
void PlainModel::turn(std::vector<double>& row, std::size_t first, std::size_t position) const {
  const std::size_t half = size(config.headSize) / 2;
  for (std::size_t m = 0; m < half; ++m) {
    const double angle = static_cast<double>(position) *
                         std::pow(config.trained.ropeBase, -static_cast<double>(m) / static_cast<double>(half));
    const double sin = config.ropeDirection == RopeDirection::Forward ? std::sin(angle) : -std::sin(angle);
    const double a = row[first + m];
    const double b = row[first + m + half];
    row[first + m] = a * std::cos(angle) - b * sin;
    row[first + m + half] = b * std::cos(angle) + a * sin;
  }
}

/// x (T, C), normalized -> heads side by side (T, H D)
Matrix PlainModel::attended(const Matrix& x, int layer, const std::vector<TokenId>& tokens) const {
  const std::string h = "h." + std::to_string(layer) + ".attn";
  const std::size_t D = size(config.headSize);
  const std::size_t H = size(config.heads);
  const std::size_t Hkv = size(config.kvHeads);
  const std::size_t T = x.size();
  Matrix q, k, v;
  if (has(h + ".qkv.weight")) {
    for (const auto& row : linear(x, h + ".qkv")) {
      const auto kAt = row.begin() + static_cast<std::ptrdiff_t>(H * D);
      const auto vAt = kAt + static_cast<std::ptrdiff_t>(Hkv * D);
      q.emplace_back(row.begin(), kAt), k.emplace_back(kAt, vAt), v.emplace_back(vAt, row.end());
    }
  } else {
    q = linear(x, h + ".q"), k = linear(x, h + ".k"), v = linear(x, h + ".v");
  }
  const std::string embedding = "h." + std::to_string(layer) + ".value_embed.weight";
  const Matrix gates = has(embedding) ? linear(x, h + ".value_gate") : Matrix();
  for (std::size_t t = 0; t < T; ++t) {
    for (std::size_t g = 0; g < Hkv && has(embedding); ++g) {
      for (std::size_t d = g * D; d < (g + 1) * D; ++d) {
        v[t][d] += config.nanochat.gateScale * sigmoid(gates[t][g]) *
                   m_numbers.at(embedding)[static_cast<std::size_t>(tokens[t])][d];
      }
    }
    for (const auto& [rows, heads, norm] :
         {std::tuple(&q, H, h + ".q_norm.weight"), std::tuple(&k, Hkv, h + ".k_norm.weight")}) {
      for (std::size_t g = 0; g < heads; ++g) {
        std::vector<double>& row = (*rows)[t];
        if (config.qkNorm == QkNorm::Weighted) normalizeHead(row, g * D, norm);
        if (config.positions == Positions::Rotary) turn(row, g * D, t);
        if (config.qkNorm == QkNorm::Unit) {
          normalizeHead(row, g * D, "");
          for (std::size_t d = g * D; d < (g + 1) * D; ++d) row[d] *= config.trained.qkMultiplier;
        }
      }
    }
  }
  Matrix y(T, std::vector<double>(H * D, 0));
  const std::int64_t left = config.trained.windows[size(layer)].left;
  for (std::size_t head = 0; head < H; ++head) {
    const std::size_t own = head * D;
    const std::size_t shared = head / (H / Hkv) * D;
    for (std::size_t i = 0; i < T; ++i) {
      std::vector<double> weights(T, 0);
      double total = 0;
      for (std::size_t j = 0; j <= i; ++j) {
        if (static_cast<std::int64_t>(i - j) > left) continue;
        double dot = 0;
        for (std::size_t d = 0; d < D; ++d) dot += q[i][own + d] * k[j][shared + d];
        weights[j] = std::exp(dot / std::sqrt(static_cast<double>(D)));
        total += weights[j];
      }
      for (std::size_t j = 0; j <= i; ++j) {
        for (std::size_t d = 0; d < D; ++d) y[i][own + d] += weights[j] / total * v[j][shared + d];
      }
    }
  }
  return y;
}

Matrix PlainModel::mlp(const Matrix& x, const std::string& name) const {
  Matrix inner = linear(x, name + ".up");
  const Matrix gate = config.mlp == Mlp::SwiGlu ? linear(x, name + ".gate") : Matrix();
  for (std::size_t t = 0; t < inner.size(); ++t) {
    for (std::size_t c = 0; c < inner[t].size(); ++c) {
      double& value = inner[t][c];
      switch (config.mlp) {
        case Mlp::Gelu: value = gelu(value, config.trained.gelu); break;
        case Mlp::SwiGlu: value *= gate[t][c] * sigmoid(gate[t][c]); break;
        case Mlp::ReluSquared: value = value > 0 ? value * value : 0; break;
      }
    }
  }
  return linear(inner, name + ".down");
}

Matrix PlainModel::embedded(const std::vector<TokenId>& tokens) const {
  Matrix x;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    x.push_back(m_numbers.at("wte.weight")[static_cast<std::size_t>(tokens[t])]);
    for (std::size_t c = 0; c < x[t].size() && has("wpe.weight"); ++c) x[t][c] += m_numbers.at("wpe.weight")[t][c];
  }
  if (config.nanochat.embeddingNorm) x = normalized(x, "");
  if (!config.nanochat.smear) return x;
  Matrix smeared = x;
  const Matrix gate = linear(x, "smear_gate");
  for (std::size_t t = 1; t < x.size(); ++t) {
    for (std::size_t c = 0; c < x[t].size(); ++c)
      smeared[t][c] += at("smear_lambda", 0) * sigmoid(gate[t][0]) * x[t - 1][c];
  }
  return smeared;
}

Matrix PlainModel::logits(const std::vector<TokenId>& tokens) const {
  Matrix x = embedded(tokens);
  const Matrix first = x;
  Matrix middle;
  for (int n = 0; n < config.layers; ++n) {
    const std::string h = "h." + std::to_string(n);
    if (config.nanochat.lambdas) x = sum(scaled(x, at("resid_lambdas", n)), at("x0_lambdas", n), first);
    x = sum(x, 1, linear(attended(normalized(x, h + ".attn_norm"), n, tokens), h + ".attn.out"));
    x = sum(x, 1, mlp(normalized(x, h + ".mlp_norm"), h + ".mlp"));
    if (n == config.layers / 2) middle = x;
  }
  if (config.nanochat.smear) x = sum(x, -at("backout_lambda", 0), middle);
  Matrix result = linear(normalized(x, "norm"), "lm_head");
  for (auto& row : result) {
    row.resize(static_cast<std::size_t>(config.vocabulary));
    const double cap = config.trained.softCap;
    for (double& value : row) value = cap > 0 ? cap * std::tanh(value / cap) : value;
  }
  return result;
}

}  // namespace support
