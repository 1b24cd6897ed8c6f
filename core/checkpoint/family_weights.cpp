#include "core/checkpoint/family_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include "core/checkpoint/printable.h"
#include "core/checkpoint/weight_facts.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

using Shape = std::vector<std::int64_t>;
using Topic = ReportLine::Topic;

/// A model's tensors as the file has them, checked.
struct Matched {
  std::map<std::string, std::string> names;    ///< ours -> the name in the file
  std::map<std::string, StoredTensor> stored;  ///< by ours
  std::string prefix;                          ///< what was removed from every name: "_orig_mod."
  std::vector<std::string> ignored;            ///< buffers that are no weights
  std::vector<std::string> others;             ///< tensors that the family does not have
};

bool isBuffer(std::string_view name, const Family& family) {
  return std::any_of(family.buffers.begin(), family.buffers.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

/// With what the names of a layer's tensors begin: every family has its layers in one list.
std::string_view beginningOfLayers(const Family& family) {
  for (const TensorRow& row : family.rows) {
    const std::size_t at = row.theirs.find('#');
    if (at != std::string_view::npos) return row.theirs.substr(0, at);
  }
  return {};
}

/// How many layers the names speak of; never more than there are names.
std::size_t layersOf(const std::vector<std::string>& names, const Family& family) {
  std::set<int> layers;
  const std::string_view before = beginningOfLayers(family);
  for (const std::string& name : names) {
    int layer = 0;
    if (!name.starts_with(before)) continue;
    const char* digits = name.data() + before.size();
    if (std::from_chars(digits, name.data() + name.size(), layer).ec == std::errc()) layers.insert(layer);
  }
  return layers.size();
}

/// Answers the tensors that the family does not have, where it may have such.
std::vector<std::string> requireNames(const std::string& file, const Family& family,
                                      const std::vector<ExpectedTensor>& expected,
                                      const std::vector<std::string>& names, const ConfigSource& source) {
  const NameDifference difference = compareNames(expected, names);
  const bool areOthersFine = difference.odd.empty() || family.others == OtherTensors::Ignored;
  if (difference.missing.empty() && areOthersFine) return difference.odd;
  std::string what;
  if (!difference.missing.empty())
    what += fmt::format("{} missing: {}", counted(difference.missing.size(), "tensor"), listed(difference.missing));
  if (!difference.odd.empty()) {
    what += fmt::format("{}{} that {} does not have: {}", what.empty() ? "" : "; ",
                        counted(difference.odd.size(), "tensor"), family.name, listed(difference.odd));
  }
  throw Error(difference.missing.empty() ? ErrorKind::Unsupported : ErrorKind::Mismatch,
              fmt::format("{}: the nearest family is {}, but the names don't fit: {}. {}", file, family.name, what,
                          source.advice));
}

/// Which way the linears lie: as the family keeps them, unless all that are not square lie the other way.
Linears linearsOf(const Family& family, const std::vector<ExpectedTensor>& expected,
                  const std::map<std::string, StoredTensor>& stored) {
  bool any = false;
  const Linears other = family.linears == Linears::OutIn ? Linears::InOut : Linears::OutIn;
  for (const ExpectedTensor& want : expected) {
    if (want.layout != Layout::Linear || want.shape[0] == want.shape[1]) continue;
    const Shape turned = {want.shape[1], want.shape[0]};
    if (stored.at(want.ours).shape != (other == Linears::OutIn ? want.shape : turned)) return family.linears;
    any = true;
  }
  return any ? other : family.linears;
}

void requireShape(const TensorStore& store, const ConfigSource& source, const ExpectedTensor& want,
                  const std::string& raw, const StoredTensor& tensor, Order order) {
  const Shape asked = order == Order::RowMajor ? want.shape : Shape(want.shape.rbegin(), want.shape.rend());
  if (tensor.shape != asked) {
    const bool reversed = Shape(tensor.shape.rbegin(), tensor.shape.rend()) == asked;
    throw Error(ErrorKind::Mismatch,
                fmt::format("{}: the tensor {} has the shape {}, {} asks for {}{}. {}", store.fileOf(raw),
                            inQuotes(want.theirs), shapeText(tensor.shape), source.name, shapeText(asked),
                            reversed ? " (it lies the other way round than the others)" : "", source.advice));
  }
}

/// Before anything is written out for as many layers as the config claims.
void requireLayers(const TensorStore& store, const Family& family, const std::vector<std::string>& names,
                   const ModelConfig& config, const ConfigSource& source) {
  const std::size_t layers = layersOf(names, family);
  if (layers == static_cast<std::size_t>(config.layers)) return;
  throw Error(ErrorKind::Mismatch,
              fmt::format("{}: {}[{}] is {}, but the tensors' names speak of {}. {}", store.fileOf({}), source.name,
                          inQuotes(source.layersKey), config.layers, counted(layers, "layer"), source.advice));
}

Matched match(const TensorStore& store, const Family& family, const ModelConfig& config, const ConfigSource& source,
              std::vector<ExpectedTensor>& expected) {
  Matched matched;
  std::vector<std::string> names = store.names();
  matched.prefix = normalizeNames(names, family);
  requireLayers(store, family, names, config, source);
  std::map<std::string, std::string> inFile;  // the names as the family writes them -> those in the file
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (isBuffer(names[i], family)) {
      matched.ignored.push_back(names[i]);
    } else {
      inFile.emplace(names[i], store.names()[i]);  // each once: prefixes are removed from all or put before all
    }
  }
  std::erase_if(names, [&](const std::string& name) { return isBuffer(name, family); });
  expected = expandRows(family, config);
  matched.others = requireNames(store.fileOf({}), family, expected, names, source);
  for (const ExpectedTensor& want : expected) {
    const auto found = inFile.find(want.theirs);
    if (found == inFile.end()) continue;
    matched.names.emplace(want.ours, found->second);
    matched.stored.emplace(want.ours, store.describe(found->second));
  }
  return matched;
}

/// Ties lm_head and the embedding where the file has only one of them or they are equal. Answers whether they are tied.
bool tieHead(std::map<std::string, Tensor>& tensors, ModelInfo& info) {
  for (const auto& [absent, present] : {std::pair("lm_head.weight", "wte.weight"), {"wte.weight", "lm_head.weight"}}) {
    if (tensors.contains(absent)) continue;
    const bool isHead = !tensors.contains("lm_head.weight");
    say(info, Topic::Patched,
        isHead ? "lm_head.weight is not in the file: tied to the embedding"
               : "the embedding is not in the file: tied to lm_head.weight");
    tensors.emplace(absent, tensors.at(present));
    return true;
  }
  const Tensor& embedding = tensors.at("wte.weight");
  Tensor& head = tensors.at("lm_head.weight");
  if (head.data == embedding.data) return true;
  const std::size_t bytes = static_cast<std::size_t>(embedding.elements()) * itemSize(embedding.type);
  if (head.type != embedding.type || std::memcmp(head.data.get(), embedding.data.get(), bytes) != 0) return false;
  head = embedding;
  return true;
}

/// Tensors that the family does not have. Within a layer they may be part of the arithmetic, but for those that only
/// hold what the config says too.
void reportOthers(const std::vector<std::string>& others, const Family& family, ModelInfo& info) {
  constexpr std::string_view kHarmless[] = {".attn_rot_embd.weight", ".attn_rot_embd", ".rotary_emb.inv_freq"};
  const auto isHarmless = [&](const std::string& name) {
    return !name.starts_with(beginningOfLayers(family)) ||
           std::any_of(std::begin(kHarmless), std::end(kHarmless), [&](auto ending) { return name.ends_with(ending); });
  };
  if (others.empty()) return;
  say(info, Topic::Ignored,
      fmt::format("{} that {} does not have: {}", counted(others.size(), "tensor"), family.name, listed(others)));
  std::vector<std::string> inLayers = others;
  std::erase_if(inLayers, isHarmless);
  if (inLayers.empty()) return;
  say(info, Topic::Warning,
      fmt::format("The layers have {} that {} does not have, and the maps are those of the model without {}: {}.",
                  counted(inLayers.size(), "tensor"), family.name, inLayers.size() == 1 ? "it" : "them",
                  listed(inLayers)));
}

void report(const TensorStore& store, const Matched& matched, const Reading& reading, const Family& family,
            ModelInfo& info) {
  say(info, Topic::Read,
      fmt::format("{} of {} weights in {}: {} of the file's {} bytes", counted(reading.tensors.size(), "tensor"),
                  grouped(info.parameters), info.storedType, grouped(reading.bytes), grouped(store.fileBytes())));
  if (!matched.ignored.empty()) {
    say(info, Topic::Ignored,
        fmt::format("{} that {} no weights: {}", counted(matched.ignored.size(), "buffer"),
                    matched.ignored.size() == 1 ? "is" : "are", listed(matched.ignored)));
  }
  reportOthers(matched.others, family, info);
  if (!matched.prefix.empty())
    say(info, Topic::Prefix, fmt::format("{} removed from every name", inQuotes(matched.prefix)));
  for (const std::string& warning : reading.warnings) say(info, Topic::Warning, warning);
}

}  // namespace

void say(ModelInfo& info, Topic topic, std::string text) { info.report.push_back({topic, std::move(text)}); }

std::string sizesText(const ModelConfig& config) {
  std::string heads =
      fmt::format("{} of {}", counted(static_cast<std::uint64_t>(config.heads), "head"), config.headSize);
  if (config.kvHeads != config.heads) heads += fmt::format(" on {} for keys and values", config.kvHeads);
  return fmt::format("{}, {}, {} wide, context {}, vocabulary {}",
                     counted(static_cast<std::uint64_t>(config.layers), "layer"), heads, config.embedding,
                     grouped(config.context), grouped(config.vocabulary));
}

void loadWeights(const TensorStore& store, const Family& family, const ConfigSource& source, Checkpoint& checkpoint,
                 const Progress& progress) {
  ModelInfo& info = checkpoint.info;
  std::vector<ExpectedTensor> expected;
  const Matched matched = match(store, family, info.config, source, expected);
  const Linears linears = linearsOf(family, expected, matched.stored);
  const auto orderOf = [&](const ExpectedTensor& want) {
    return linears == Linears::InOut && want.layout == Layout::Linear ? Order::ColumnMajor : Order::RowMajor;
  };
  for (const ExpectedTensor& want : expected) {
    const auto found = matched.stored.find(want.ours);
    if (found == matched.stored.end()) continue;
    requireShape(store, source, want, matched.names.at(want.ours), found->second, orderOf(want));
  }
  Reading reading = store.read(matched.names, progress);
  for (const ExpectedTensor& want : expected) {
    if (orderOf(want) == Order::RowMajor) continue;
    Tensor& tensor = reading.tensors.at(want.ours);
    tensor.order = Order::ColumnMajor;
    std::reverse(tensor.shape.begin(), tensor.shape.end());
  }
  info.bytesRead = reading.bytes;
  info.config.tiedHead = tieHead(reading.tensors, info);
  info.storedType = storedTypes(reading.tensors);
  info.parameters = parameterCount(reading.tensors);
  report(store, matched, reading, family, info);
  if (linears != family.linears) {
    say(info, Topic::Patched,
        linears == Linears::InOut ? "linear weights lie (in, out), as GPT-2's Conv1D: turned to (out, in)"
                                  : "linear weights lie (out, in), not as GPT-2's Conv1D: taken as they are");
  }
  checkpoint.tensors = std::move(reading.tensors);
}

std::string nearestFamily(const std::vector<std::string>& names) {
  const Family* nearest = nullptr;
  NameDifference difference;
  std::size_t most = 0;
  ModelConfig oneLayer;
  oneLayer.layers = 1;
  for (const Family* family : families()) {
    std::vector<std::string> theirs = names;
    normalizeNames(theirs, *family);
    const std::vector<ExpectedTensor> expected = expandRows(*family, oneLayer);
    NameDifference from = compareNames(expected, theirs);
    const std::size_t found = expected.size() - from.missing.size();
    if (nearest != nullptr && found <= most) continue;
    nearest = family;
    difference = std::move(from);
    most = found;
  }
  return fmt::format(
      "The nearest family is {}, of which {} are missing ({}) and which does not have {}. Open a checkpoint of that "
      "family as its own code saves it.",
      nearest->name, counted(difference.missing.size(), "tensor"), listed(difference.missing, 4),
      listed(difference.odd, 4));
}

}  // namespace core::checkpoint
