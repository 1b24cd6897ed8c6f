#include "core/model/model.h"

#include <algorithm>

#include "core/attention/layer_attention.h"
#include "core/model/weights.h"

namespace core::model {

namespace {

/// (T, n D) -> (n, T, D)
at::Tensor toHeads(const at::Tensor& packed, std::int64_t headSize) {
  return packed.unflatten(1, {-1, headSize}).transpose(0, 1).contiguous();
}

}  // namespace

Model::Model(ModelConfig config, std::map<std::string, checkpoint::Tensor>& tensors, at::Device device)
    : m_config(std::move(config)), m_device(device) {
  Weights weights(tensors, device);
  const auto affine = [&](const std::string& name) {
    return Affine{weights.takeOptional(name + ".weight"), weights.takeOptional(name + ".bias")};
  };
  m_tokenEmbedding = weights.take("wte.weight");
  m_positionEmbedding = weights.takeOptional("wpe.weight");
  for (int n = 0; n < m_config.layers; ++n) {
    const std::string h = "h." + std::to_string(n);
    m_blocks.push_back({.attentionNorm = affine(h + ".attn_norm"),
                        .qkv = affine(h + ".attn.qkv"),
                        .q = affine(h + ".attn.q"),
                        .k = affine(h + ".attn.k"),
                        .v = affine(h + ".attn.v"),
                        .qNorm = affine(h + ".attn.q_norm"),
                        .kNorm = affine(h + ".attn.k_norm"),
                        .attentionOut = affine(h + ".attn.out"),
                        .mlpNorm = affine(h + ".mlp_norm"),
                        .mlpGate = affine(h + ".mlp.gate"),
                        .mlpUp = affine(h + ".mlp.up"),
                        .mlpDown = affine(h + ".mlp.down"),
                        .valueEmbedding = weights.takeOptional(h + ".value_embed.weight"),
                        .valueGate = weights.takeOptional(h + ".attn.value_gate.weight")});
  }
  m_lastNorm = affine("norm");
  m_head = weights.take("lm_head.weight").slice(0, 0, m_config.vocabulary);
  m_residLambdas = weights.takeOptional("resid_lambdas");
  m_x0Lambdas = weights.takeOptional("x0_lambdas");
  m_smearGate = weights.takeOptional("smear_gate.weight");
  m_smearLambda = weights.takeOptional("smear_lambda");
  m_backoutLambda = weights.takeOptional("backout_lambda");
}

/// Shape: ids (T) -> (T, C).
at::Tensor Model::embed(const at::Tensor& ids, PositionRange positions, KvCache* cache) const {
  at::Tensor x = at::embedding(m_tokenEmbedding, ids);
  if (m_positionEmbedding.defined()) x = x + m_positionEmbedding.slice(0, positions.begin, positions.end);
  if (m_config.nanochat.embeddingNorm) x = normalize(x, {}, m_config);
  if (m_smearGate.defined()) {
    // Each token takes up some of the one before it, as that was before smearing.
    const bool goesOn = cache != nullptr && cache->lastEmbedding.defined();
    const at::Tensor plain = goesOn ? at::cat({cache->lastEmbedding, x}) : x;
    if (cache != nullptr) cache->lastEmbedding = plain.slice(0, -1);
    const at::Tensor later = plain.slice(0, 1);
    const at::Tensor gate = at::sigmoid(at::linear(later.slice(1, 0, m_smearGate.size(1)), m_smearGate));
    const at::Tensor smeared = later + m_smearLambda * gate * plain.slice(0, 0, -1);
    x = goesOn ? smeared : at::cat({x.slice(0, 0, 1), smeared});  // the very first token has none before it
  }
  return x;
}

/// v plus the token's value embedding, gated by the first channels of x. Shape: v (T, Hkv D).
at::Tensor Model::withValueEmbedding(const Block& block, const at::Tensor& v, const at::Tensor& x,
                                     const at::Tensor& ids) const {
  if (!block.valueEmbedding.defined()) return v;
  const at::Tensor gate = m_config.nanochat.gateScale *
                          at::sigmoid(at::linear(x.slice(1, 0, m_config.nanochat.gateChannels), block.valueGate));
  const at::Tensor embedded = at::embedding(block.valueEmbedding, ids).unflatten(1, {m_config.kvHeads, -1});
  return v + (gate.unsqueeze(2) * embedded).flatten(1);  // gate (T, Hkv, 1), embedded (T, Hkv, D)
}

/// x (T, C) is normalized.
LayerRecord Model::project(const Block& block, const at::Tensor& x, const at::Tensor& ids, const Rotary& rotary,
                           const RunSettings& settings) const {
  const std::int64_t D = m_config.headSize;
  at::Tensor q, k, v;  // (T, H D), (T, Hkv D), (T, Hkv D)
  if (block.qkv.isThere()) {
    const auto parts =
        linear(x, block.qkv).split_with_sizes({m_config.heads * D, m_config.kvHeads * D, m_config.kvHeads * D}, 1);
    q = parts[0], k = parts[1], v = parts[2];
  } else {
    q = linear(x, block.q), k = linear(x, block.k), v = linear(x, block.v);
  }
  LayerRecord record{toHeads(q, D), toHeads(k, D), toHeads(withValueEmbedding(block, v, x, ids), D), {}};
  for (const auto& [vectors, norm] : {std::pair(&record.q, &block.qNorm), std::pair(&record.k, &block.kNorm)}) {
    if (m_config.qkNorm == QkNorm::Weighted) *vectors = normalize(*vectors, *norm, m_config);
    if (m_config.positions == Positions::Rotary) *vectors = rotate(*vectors, rotary);
    if (m_config.qkNorm == QkNorm::Unit) *vectors = normalize(*vectors, {}, m_config).mul_(settings.qkMultiplier);
  }
  return record;
}

ForwardResult Model::forward(const ForwardRequest& request, const Progress& progress) const {
  const RunSettings& settings = request.settings;
  KvCache* cache = request.cache;
  const auto T = static_cast<std::int64_t>(request.tokens.size());
  const Position begin = cache != nullptr ? cache->size() : 0;
  const PositionRange positions{begin, begin + T};
  const at::Tensor ids = at::tensor(at::ArrayRef<std::int64_t>(request.tokens), at::kLong).to(m_device);  // (T)
  const Rotary angles =
      m_config.positions == Positions::Rotary ? rotary(m_config, settings.ropeBase, positions, m_device) : Rotary();
  at::Tensor x = embed(ids, positions, cache);  // (T, C)
  const at::Tensor first = x;
  at::Tensor middle;

  ForwardResult result;
  for (std::size_t n = 0; n < m_blocks.size(); ++n) {
    const Block& block = m_blocks[n];
    const auto layers = static_cast<double>(m_blocks.size());
    const Progress part = progress.part(static_cast<double>(n) / layers, static_cast<double>(n + 1) / layers,
                                        "layer " + std::to_string(n + 1) + " of " + std::to_string(m_blocks.size()));
    const auto layer = static_cast<std::int64_t>(n);
    if (m_residLambdas.defined()) x = m_residLambdas[layer] * x + m_x0Lambdas[layer] * first;

    LayerRecord record = project(block, normalize(x, block.attentionNorm, m_config), ids, angles, settings);
    for (at::Tensor* vectors : {&record.q, &record.k, &record.v}) *vectors = attention::rounded(request.type, *vectors);
    if (cache != nullptr) {
      cache->appendKeys(n, record);
      record.k = cache->keys(n), record.v = cache->values(n);  // of all positions
    }
    const AttentionMask mask(positions.end, settings.windows[n], settings.mask);
    const attention::LayerAttention attended =
        attention::attend(request.path, request.type, record.q, record.k, record.v, mask, part);
    record.lse = attended.lse;
    if (result.path.find(attended.path) == std::string::npos) result.path += (n == 0 ? "" : "; ") + attended.path;
    result.maskBytes = std::max(result.maskBytes, attended.maskBytes);
    if (cache != nullptr) {
      cache->appendRows(n, record);
    } else if (request.keep == ForwardRequest::Keep::Layers) {
      result.layers.push_back({record.q.cpu(), record.k.cpu(), record.v.cpu(), record.lse.cpu()});
    }

    const at::Tensor y = attended.output.transpose(0, 1).reshape({T, -1});  // heads side by side
    x = x + linear(y, block.attentionOut);
    x = x + mlp(normalize(x, block.mlpNorm, m_config), block.mlpGate, block.mlpUp, block.mlpDown, m_config.mlp,
                settings.gelu);
    if (n == m_blocks.size() / 2) middle = x;

    if (!at::isfinite(x).all().item<bool>()) {
      result.warnings.push_back("layer " + std::to_string(n) + ": the hidden state holds NaN or infinite values");
    }
  }
  if (m_backoutLambda.defined()) x = x - m_backoutLambda * middle;
  result.hidden = normalize(x, m_lastNorm, m_config).cpu();
  if (cache != nullptr) cache->appendHidden(result.hidden);
  progress.report(1, "done");
  return result;
}

at::Tensor Model::logits(const at::Tensor& hidden, const RunSettings& settings) const {
  const at::Tensor plain = at::linear(hidden.to(m_device), m_head);
  return settings.softCap > 0 ? at::tanh(plain / settings.softCap).mul_(settings.softCap) : plain;
}

}  // namespace core::model
