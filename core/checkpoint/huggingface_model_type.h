// The kinds of model that config.json may name, as a table, and which one it names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/checkpoint/huggingface_keys.h"
#include "core/checkpoint/huggingface_windows.h"
#include "core/model_info.h"

namespace core::checkpoint::huggingface {

inline constexpr std::int64_t kSameAsHeads = 0;
inline constexpr std::int64_t kFromWidth = 0;

/// What gives q, k and v (and, for ByKey, also the projection after them) their biases.
enum class AttentionBias : std::uint8_t { Never, ByKey, QkvAlways };
enum class MlpBias : std::uint8_t { Never, ByKey };

struct ModelType {
  std::string_view type;        ///< model_type
  std::string_view name;        ///< as ModelConfig::family
  std::string_view classes[3];  ///< of architectures: the language models
  Positions positions = Positions::Rotary;
  std::int64_t kvHeads = kSameAsHeads;  ///< where num_key_value_heads is absent
  std::int64_t headSize = kFromWidth;   ///< where head_dim is absent
  AttentionBias attentionBias = AttentionBias::Never;
  MlpBias mlpBias = MlpBias::Never;
  WindowKeys windows = WindowKeys::None;
  QkNorm qkNorm = QkNorm::None;
};

/// model_type decides; where it is absent, the first of architectures.
/// Errors: Unsupported for a type that is not read, listing those that are, and for an architecture that is no language
/// model of the type; Mismatch for other values than texts.
const ModelType& identify(const Keys& config);

/// "gpt2, llama, mistral, qwen2 and qwen3".
std::string modelTypes();

/// Whether the type's class reads a key into what a map depends on.
bool isRead(std::string_view key, const ModelType& type);

/// Whether a key is known to be about something else: training, generating, saving, another head.
bool isKnownWithoutEffect(std::string_view key);

}  // namespace core::checkpoint::huggingface
