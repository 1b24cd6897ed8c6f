// What a user changes for a run against training.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model_info.h"

namespace core {

/// nullopt: as trained.
struct Overrides {
  std::optional<Gelu> gelu = std::nullopt;
  std::optional<double> qkMultiplier = std::nullopt;
  std::optional<double> ropeBase = std::nullopt;
  std::optional<double> softCap = std::nullopt;            ///< 0: none
  std::optional<std::string> pattern = std::nullopt;       ///< "SSSL"
  std::optional<std::int64_t> shortWindow = std::nullopt;  ///< Window::left of S
  /// Instead of a pattern, for each layer its own: (layers), or one for all of them. Window{}: every key.
  std::optional<std::vector<Window>> windows = std::nullopt;
  std::optional<MaskKind> mask = std::nullopt;
  friend bool operator==(const Overrides&, const Overrides&) = default;
};

/// Which of them the model has a use for; windows and masks fit every model.
struct OverridesInUse {
  bool gelu = false, qkMultiplier = false, ropeBase = false, softCap = false;
};
OverridesInUse overridesInUse(const ModelConfig& config);

/// As trained, with the overrides put in.
/// Errors: Mismatch, with the number, for one that the model has no use for, that no layer would use (an S window
/// without an S layer), or out of its range: a base above 1, a multiplier above 0, a cap of at least 0, a window from 0
/// to the context; for windows beside a pattern or an S window, or not as many as there are layers; those of
/// windowsOf().
RunSettings settingsFor(const ModelConfig& config, const Overrides& overrides);

/// A phrase for each setting that is not as trained: "RoPE base 10000 instead of 100000". Empty: as trained.
std::vector<std::string> differences(const ModelConfig& config, const RunSettings& settings);

/// Who says how far the layers look: the checkpoint's or its version's rule, or that it was chosen for this run.
std::string windowOrigin(const ModelConfig& config, const RunSettings& settings);

/// Who says what S means where a run's pattern has it: as windowOrigin() of a model trained with windows, else the
/// share of the context that stands in for a rule.
std::string shortWindowOrigin(const ModelConfig& config);

}  // namespace core
