// From the tensors of a file to those of a model, under our names: the part of loading that all families share.
#pragma once

#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/tensor_names.h"
#include "core/checkpoint/tensor_store.h"

namespace core::checkpoint {

/// Where a family's numbers stand, for sentences.
struct ConfigSource {
  std::string name;       ///< "model_args", "config.json"
  std::string layersKey;  ///< "n_layer"
  std::string advice;     ///< a sentence: what to do when tensors and numbers don't fit
};

/// Matches names and shapes of the store against info.config, reads what the model needs into checkpoint.tensors, ties
/// lm_head, and fills bytesRead, storedType, parameters, config.tiedHead and the report's lines on all this.
/// info.config and info.path are set before.
/// Errors: Mismatch for missing tensors and shapes, Unsupported for odd ones; those of TensorStore.
void loadWeights(const TensorStore& store, const Family& family, const ConfigSource& source, Checkpoint& checkpoint,
                 const Progress& progress);

/// Adds a line to the report.
void say(ModelInfo& info, ReportLine::Topic topic, std::string text);

/// "6 layers, 6 heads of 32, 192 wide, context 256, vocabulary 65", and the key/value heads where they are fewer.
std::string sizesText(const ModelConfig& config);

/// A sentence on the family whose names are nearest: what is missing of it, and what it does not have.
std::string nearestFamily(const std::vector<std::string>& names);

}  // namespace core::checkpoint
