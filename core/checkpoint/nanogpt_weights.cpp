#include "core/checkpoint/nanogpt_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>
#include <utility>

#include "core/checkpoint/nanogpt_config.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint::nanogpt {

namespace {

using pickle::Kind;
using pickle::Value;

constexpr std::string_view kPrefixes[] = {"_orig_mod.", "module.", "model."};
constexpr std::string_view kTransformer = "transformer.";

bool isFloat(DType type) {
  return type == DType::F32 || type == DType::F16 || type == DType::BF16 || type == DType::F64;
}

struct Entry {
  std::string name;  ///< normalized
  const Value* value = nullptr;
};

/// The state dict as names and values. Errors: as describeWeights.
std::vector<Entry> entriesOf(const File& file, const Value& model, std::string& prefix) {
  if (model.kind == Kind::Object) {
    throw Error(ErrorKind::Unsupported, fmt::format("{}: 'model' is a whole object of the class {}, which only its own "
                                                    "code can rebuild. Save the weights instead: "
                                                    "model.state_dict().",
                                                    file.name(), inQuotes(pickle::callee(model))));
  }
  if (model.kind != Kind::Dict) {
    throw Error(ErrorKind::Mismatch,
                fmt::format("{}: 'model' is {}, not a dict of tensors. Save model.state_dict() there.", file.name(),
                            pickle::describe(model)));
  }
  for (std::size_t i = 0; i + 1 < model.items.size(); i += 2) {
    if (model.items[i]->kind != Kind::Text) {
      throw Error(ErrorKind::Corrupt, fmt::format("{}: 'model' has {} as a tensor's name. Save the checkpoint again.",
                                                  file.name(), pickle::describe(*model.items[i])));
    }
  }
  std::vector<std::string> names = pickle::keyTexts(model);
  prefix = normalizeNames(names);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < names.size(); ++i) entries.push_back({std::move(names[i]), model.items[2 * i + 1]});
  return entries;
}

/// The causal mask that older files keep in every layer.
bool isMaskBuffer(std::string_view name) {
  return name.find(".h.") != std::string_view::npos &&
         (name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias"));
}

/// How many layers the names speak of; never more than there are names.
int layersOf(const std::vector<std::string>& names) {
  std::set<int> layers;
  for (const std::string& name : names) {
    int layer = 0;
    if (std::sscanf(name.c_str(), "transformer.h.%6d.", &layer) == 1) layers.insert(layer);
  }
  return static_cast<int>(layers.size());
}

void requireNames(const File& file, const std::vector<ExpectedTensor>& expected,
                  const std::vector<std::string>& names) {
  const NameDifference difference = compareNames(expected, names);
  if (difference.missing.empty() && difference.odd.empty()) return;
  std::string what;
  if (!difference.missing.empty())
    what += fmt::format("{} missing: {}", counted(difference.missing.size(), "tensor"), listed(difference.missing));
  if (!difference.odd.empty()) {
    what += fmt::format("{}{} that nanoGPT does not have: {}", what.empty() ? "" : "; ",
                        counted(difference.odd.size(), "tensor"), listed(difference.odd));
  }
  throw Error(difference.missing.empty() ? ErrorKind::Unsupported : ErrorKind::Mismatch,
              fmt::format("{}: the nearest family is nanoGPT, but the names don't fit: {}. Open a file of nanoGPT's "
                          "model.py as published.",
                          file.name(), what));
}

/// Whether all linears that are not square lie (in, out).
bool liesTransposed(const std::vector<ExpectedTensor>& expected, const std::map<std::string, TorchTensor>& tensors) {
  bool any = false;
  for (const ExpectedTensor& want : expected) {
    if (want.layout != Layout::Linear || want.shape[0] == want.shape[1]) continue;
    const std::vector<std::int64_t> swapped = {want.shape[1], want.shape[0]};
    if (tensors.at(want.ours).sizes != swapped) return false;
    any = true;
  }
  return any;
}

void requireShapes(const File& file, const std::vector<ExpectedTensor>& expected,
                   const std::map<std::string, TorchTensor>& tensors) {
  for (const ExpectedTensor& want : expected) {
    const auto found = tensors.find(want.ours);
    if (found == tensors.end()) continue;
    const TorchTensor& tensor = found->second;
    if (tensor.sizes != want.shape) {
      const bool reversed = std::vector<std::int64_t>(tensor.sizes.rbegin(), tensor.sizes.rend()) == want.shape;
      throw Error(ErrorKind::Mismatch,
                  fmt::format("{}: the tensor {} has the shape {}, model_args asks for {}{}. {}", file.name(),
                              inQuotes(want.theirs), shapeText(tensor.sizes), shapeText(want.shape),
                              reversed ? " (it lies the other way round than the others)" : "", kSaveWithItsConfig));
    }
    if (!isFloat(tensor.type)) {
      throw Error(ErrorKind::Unsupported,
                  fmt::format("{}: the tensor {} holds {}; weights are read as fp32, fp16, bf16 or fp64. Save the "
                              "model as float32.",
                              file.name(), inQuotes(want.theirs), name(tensor.type)));
    }
  }
}

}  // namespace

std::string normalizeNames(std::vector<std::string>& names) {
  std::string removed;
  const auto allCarry = [&](std::string_view prefix) {
    return !names.empty() &&
           std::all_of(names.begin(), names.end(), [&](const std::string& name) { return name.starts_with(prefix); });
  };
  for (bool again = true; again;) {
    const auto prefix = std::find_if(std::begin(kPrefixes), std::end(kPrefixes), allCarry);
    again = prefix != std::end(kPrefixes);
    if (!again) break;
    removed += *prefix;
    for (std::string& name : names) name.erase(0, prefix->size());
  }
  const bool bare =
      std::none_of(names.begin(), names.end(), [](const std::string& name) { return name.starts_with(kTransformer); });
  if (bare) {
    for (std::string& name : names) {
      if (!name.starts_with("lm_head.")) name.insert(0, kTransformer);
    }
  }
  return removed;
}

Weights describeWeights(const TorchFile& file, const Value& model, const ModelConfig& config) {
  Weights weights;
  std::map<std::string, const Value*> byName;
  std::vector<std::string> names;
  for (const Entry& entry : entriesOf(file.file(), model, weights.prefix)) {
    if (isMaskBuffer(entry.name)) {
      weights.ignored.push_back(entry.name);
      continue;
    }
    if (!byName.emplace(entry.name, entry.value).second) {
      throw Error(ErrorKind::Corrupt, fmt::format("{}: the tensor {} is there twice. Save the checkpoint again.",
                                                  file.file().name(), inQuotes(entry.name)));
    }
    names.push_back(entry.name);
  }
  // Before the table is written out for as many layers as model_args claims.
  const int layers = layersOf(names);
  if (layers != config.layers) {
    throw Error(
        ErrorKind::Mismatch,
        fmt::format("{}: model_args['n_layer'] is {}, but the tensors' names speak of {}. {}", file.file().name(),
                    config.layers, counted(static_cast<std::uint64_t>(layers), "layer"), kSaveWithItsConfig));
  }
  const std::vector<ExpectedTensor> expected = expandRows(nanogptTensors(), config);
  requireNames(file.file(), expected, names);
  for (const ExpectedTensor& want : expected) {
    const auto found = byName.find(want.theirs);
    if (found != byName.end())
      weights.tensors.emplace(want.ours, describeTensor(file.archive(), *found->second, want.theirs));
  }
  weights.transposed = liesTransposed(expected, weights.tensors);
  if (weights.transposed) {
    for (const ExpectedTensor& want : expected) {
      if (want.layout != Layout::Linear) continue;
      TorchTensor& tensor = weights.tensors.at(want.ours);
      if (tensor.sizes.size() == 2) {
        std::swap(tensor.sizes[0], tensor.sizes[1]);
        std::swap(tensor.strides[0], tensor.strides[1]);
      }
    }
  }
  requireShapes(file.file(), expected, weights.tensors);
  return weights;
}

}  // namespace core::checkpoint::nanogpt
