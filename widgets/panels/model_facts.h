// What is known of a model as rows of text, for the model panel and the load report.
#pragma once

#include <QList>
#include <QString>
#include <optional>
#include <utility>

#include "core/model_info.h"

namespace widgets {

using FactRows = QList<std::pair<QString, QString>>;  ///< name and value

/// What the model is: family and version, sizes, norms, positions, vocabulary, weights, tokenizer.
FactRows modelFacts(const core::ModelInfo& info);

/// What a run may change, as training had it; only what the model has a use for. Windows with their origin.
FactRows trainedSettings(const core::ModelConfig& config);

/// "i − j ≤ 128 (129 keys)", or "every key up to the query"; for a bidirectional mask "|i−j| ≤ 128 (257 keys)", or
/// "every key".
QString windowText(core::Window window, core::MaskKind mask = core::MaskKind::Causal);

/// The rule alone: "i − j ≤ 128", "|i−j| ≤ 128", or "none".
QString windowRuleText(core::Window window, core::MaskKind mask);

/// How many keys a query sees at most, its own included; nullopt: all.
std::optional<std::int64_t> mostKeys(core::Window window, core::MaskKind mask);

/// "causal", "bidirectional".
QString maskText(core::MaskKind mask);

/// The letters of the layers: "SSSL".
QString lettersOf(const std::vector<core::Window>& windows, const core::WindowRule& rule);

/// "100000", "1.15": as core writes settings, and as a field reads them.
QString settingText(double value);

}  // namespace widgets
