// What is known of a model as rows of text, for the model panel and the load report.
#pragma once

#include <QList>
#include <QString>
#include <utility>

#include "core/model_info.h"

namespace widgets {

using FactRows = QList<std::pair<QString, QString>>;  ///< name and value

/// What the model is: family and version, sizes, norms, positions, vocabulary, weights, tokenizer.
FactRows modelFacts(const core::ModelInfo& info);

/// What a run may change, as training had it; only what the model has a use for. Windows with their origin.
FactRows trainedSettings(const core::ModelConfig& config);

/// "i − j ≤ 128 (129 keys)", or "every key up to the query".
QString windowText(core::Window window);

/// The letters of the layers: "SSSL".
QString lettersOf(const std::vector<core::Window>& windows, const core::WindowRule& rule);

/// "100000", "1.15": as core writes settings, and as a field reads them.
QString settingText(double value);

}  // namespace widgets
