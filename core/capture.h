// Everything one run saw, linear in T: q, k, v, lse per layer and the last hidden state.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attention_mask.h"
#include "core/ids.h"
#include "core/model_info.h"
#include "core/token_text.h"

namespace core {

/// How the run was made, for the model line and exports.
struct RunFacts {
  std::string path;           ///< "manual path, blocks of 128 rows" or "flash path, " and the kernel's name
  RunSettings settings = {};  ///< the arithmetic that ran
  std::vector<std::string> differences = {};  ///< from training; core/overrides.h
  std::int64_t maskBytes = 0;                 ///< of masks that a layer's kernel needed stored; 0 on the manual path
  double seconds = 0;
  std::vector<std::string> warnings = {};  ///< "layer 3: the hidden state holds NaN or infinite values"
};

/// The rows of a map whose weights do not sum to 1. A weight is exp(score - lse), so they are those whose lse is not
/// finite: a score of theirs is NaN or infinite, or they see no key.
struct BrokenRows {
  std::int64_t count = 0;
  Position first = 0;  ///< this and lse mean nothing when there are none
  float lse = 0;       ///< of the first: NaN or infinite
};

/// Immutable result of a run; safe to read from any thread. T tokens, L layers, H query
/// heads, Hkv key/value heads, D head size, C embedding, V vocabulary.
/// A map of one head is made from it by AttentionMap (core/attention_map.h).
class Capture {
 public:
  struct Data;  ///< the tensors; core/attention/capture_data.h

  explicit Capture(std::unique_ptr<const Data> data);
  ~Capture();

  const ModelInfo& model() const;
  const RunFacts& facts() const;
  const std::vector<TokenText>& tokens() const;  ///< (T)
  AttentionMask mask(Layer layer) const;
  std::size_t bytes() const;  ///< held by q, k, v, lse and the last hidden state

  /// Shape (T). log-sum-exp of the masked scores of each query, natural logarithm.
  /// Errors: Mismatch when the head is not one of the model's.
  std::vector<float> lse(HeadId head) const;

  /// Reads the lse of every row. Errors: as lse().
  BrokenRows brokenRows(HeadId head) const;

  /// Rows [begin, end) of the logits, shape (end - begin, V) row-major, V = model().config.vocabulary.
  /// Computed on demand from the last hidden state: ask for blocks of rows. Errors: Mismatch outside [0, T).
  std::vector<float> logits(PositionRange rows) const;

  std::int64_t size() const { return static_cast<std::int64_t>(tokens().size()); }  ///< T

  const Data& data() const { return *m_data; }

 private:
  std::unique_ptr<const Data> m_data;
};

/// The key/value head that a query head reads: h / (H / Hkv).
inline KvHead kvHeadOf(const ModelConfig& config, Head head) {
  return KvHead(head.value / (config.heads / config.kvHeads));
}

/// Errors: Mismatch, with both numbers, when the model has no such layer or head.
void requireHead(const ModelConfig& config, HeadId head);

}  // namespace core
