// Everything one run saw, linear in T: q, k, v, lse per layer and the last hidden state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/attention_mask.h"
#include "core/ids.h"
#include "core/map_values.h"
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

/// Immutable result of a run, or of opening one that was saved (core/saved_capture.h); safe to read from any thread.
/// T tokens, L layers, H query heads, Hkv key/value heads, D head size, C embedding, V vocabulary.
/// A map of one head is made from it by AttentionMap (core/attention_map.h).
/// A saved one has the weights alone, maybe not of every layer and head, and maybe no logits.
class Capture {
 public:
  struct Data;  ///< the tensors; core/attention/capture_data.h

  explicit Capture(std::unique_ptr<const Data> data);
  ~Capture();

  std::uint64_t serial() const { return m_serial; }  ///< another one for each capture of this process
  const ModelInfo& model() const;
  const RunFacts& facts() const;
  const std::vector<TokenText>& tokens() const;  ///< (T)
  AttentionMask mask(Layer layer) const;
  std::size_t bytes() const;  ///< held by q, k, v, lse and the last hidden state, or by what was read from a file

  bool isSaved() const { return !file().empty(); }
  const std::filesystem::path& file() const;  ///< that it was opened from; empty for a run
  std::vector<Stage> stages() const;          ///< that its maps have
  bool hasStage(Stage stage) const { return !isSaved() || stage == Stage::Weights; }
  std::vector<Layer> layers() const;  ///< that it has maps of, of the model's; in the order of the file
  std::vector<Head> heads() const;    ///< the same in each of these layers
  bool holds(HeadId head) const;
  /// Errors: Mismatch when the model has no such head, Unsupported when the file does not hold it.
  void requireHead(HeadId head) const;

  /// Shape (T). log-sum-exp of the masked scores of each query, natural logarithm; NaN where it is not known, as in a
  /// saved capture. Errors: as requireHead().
  std::vector<float> lse(HeadId head) const;

  /// Reads the lse of every row. In a saved capture a row of zeros counts as one that sees no key (-infinity), one with
  /// NaN as NaN. Errors: as requireHead().
  BrokenRows brokenRows(HeadId head) const;

  PositionRange logitRows() const;  ///< those that logits() has; empty: none

  /// Rows [begin, end) of the logits, shape (end - begin, V) row-major, V = model().config.vocabulary.
  /// Computed on demand from the last hidden state: ask for blocks of rows. Errors: Mismatch outside [0, T);
  /// Unsupported outside logitRows().
  std::vector<float> logits(PositionRange rows) const;

  std::int64_t size() const { return static_cast<std::int64_t>(tokens().size()); }  ///< T

  const Data& data() const { return *m_data; }

 private:
  std::unique_ptr<const Data> m_data;
  std::uint64_t m_serial;
};

/// The key/value head that a query head reads: h / (H / Hkv).
inline KvHead kvHeadOf(const ModelConfig& config, Head head) {
  return KvHead(head.value / (config.heads / config.kvHeads));
}

/// Errors: Mismatch, with both numbers, when the model has no such layer or head.
void requireHead(const ModelConfig& config, HeadId head);

}  // namespace core
