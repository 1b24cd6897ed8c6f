#include "core/saved_capture.h"

#include <algorithm>
#include <utility>

#include "core/attention/capture_data.h"
#include "core/attention/door.h"
#include "core/attention/saved_parts.h"
#include "core/attention/weight_check.h"
#include "core/checkpoint/printable.h"
#include "core/free_memory.h"

namespace core {

using arrays::ArrayFile;
using arrays::StoredArray;
using checkpoint::shapeText;

namespace {

template <class Kind>
std::vector<Kind> asIndices(const std::vector<int>& numbers) {
  std::vector<Kind> indices;
  for (const int number : numbers) indices.emplace_back(number);
  return indices;
}

int oneMoreThan(const std::vector<int>& numbers) { return *std::max_element(numbers.begin(), numbers.end()) + 1; }

/// What a file without meta, or with one that does not fit, tells all the same.
SavedMeta metaWithout(const ArrayFile& file, const WeightShape& shape, std::vector<std::string>& warnings) {
  SavedMeta meta;
  meta.layers = numbersIn(file, "layers", shape.layers, warnings);
  meta.heads = numbersIn(file, "heads", shape.heads, warnings);
  meta.tokens = tokensIn(file, shape, warnings);
  ModelConfig& config = meta.model.config;
  config.family = "saved weights";
  config.layers = oneMoreThan(meta.layers);
  config.heads = oneMoreThan(meta.heads);
  config.kvHeads = config.heads;
  config.context = shape.tokens;
  meta.windows.assign(static_cast<std::size_t>(config.layers), Window{});
  return meta;
}

class Opening {
 public:
  Opening(const std::filesystem::path& path, const Progress& progress)
      : m_file(std::make_shared<const ArrayFile>(checkpoint::File(path))), m_progress(progress) {}

  std::shared_ptr<const Capture> open() {
    const StoredArray& weights = weightsIn(*m_file);
    m_shape = shapeOf(*m_file, weights);
    std::optional<SavedMeta> said = metaOf(*m_file, m_shape, m_warnings);
    const bool hasMeta = said.has_value();
    SavedMeta meta = hasMeta ? std::move(*said) : metaWithout(*m_file, m_shape, m_warnings);
    const StoredArray* logits = logitsIn(*m_file, m_shape, m_warnings);

    auto saved = std::make_shared<SavedWeights>();
    saved->file = m_file->file().path();
    saved->layers = asIndices<Layer>(meta.layers);
    saved->heads = asIndices<Head>(meta.heads);
    saved->tokens = m_shape.tokens;
    WeightCheck check(m_shape.tokens, m_shape.heads, weights.type,
                      hasMeta ? masksOf(meta) : std::vector<AttentionMask>(),
                      m_file->placeOf(weights) + " of the shape " + shapeText(weights.shape));
    saved->weights = openFloats(m_file, weights, static_cast<std::uint64_t>(m_shape.tokens), freeMemory(),
                                m_progress.part(0, logits != nullptr ? 0.9 : 1),
                                [&](std::uint64_t, std::span<const float> rows) { check.add(rows); });
    saved->broken = check.broken();
    if (!hasMeta) meta.mask = check.isCausal() ? MaskKind::Causal : MaskKind::Bidirectional;
    if (logits != nullptr) openLogits(*logits, *saved, meta.model.config);
    return capture(std::move(meta), weights, std::move(saved));
  }

 private:
  /// Of each map in the file.
  std::vector<AttentionMask> masksOf(const SavedMeta& meta) const {
    std::vector<AttentionMask> masks;
    for (const int layer : meta.layers) {
      const AttentionMask mask(m_shape.tokens, meta.windows[static_cast<std::size_t>(layer)], meta.mask);
      masks.insert(masks.end(), meta.heads.size(), mask);
    }
    return masks;
  }

  void openLogits(const StoredArray& logits, SavedWeights& saved, ModelConfig& config) {
    config.vocabulary = logits.shape.back();
    saved.logits = openFloats(m_file, logits, static_cast<std::uint64_t>(config.vocabulary), freeMemory(),
                              m_progress.part(0.9, 1), [](std::uint64_t, std::span<const float>) {});
    const std::int64_t T = m_shape.tokens;
    saved.logitRows = logits.shape.size() == 2 ? PositionRange{0, T} : PositionRange{T - 1, T};
  }

  std::shared_ptr<const Capture> capture(SavedMeta meta, const StoredArray& weights,
                                         std::shared_ptr<const SavedWeights> saved) {
    const std::filesystem::path& path = m_file->file().path();
    ModelInfo info = std::move(meta.model);
    info.path = path;
    if (info.name.empty()) info.name = path.stem().string();
    info.noTokenizer = "A saved capture has no tokenizer.";
    info.storedType = weights.type.name;
    info.device = meta.device.empty() ? "unknown" : meta.device;
    info.bytesRead = static_cast<std::int64_t>(weights.bytes());
    info.report.push_back(
        {ReportLine::Topic::Read, "attention weights " + shapeText(weights.shape) + " " + weights.type.name +
                                      (saved->weights->bytesHeld() == 0 ? ", read from the file when they are shown"
                                                                        : ", held in memory as float32")});
    if (!meta.app.empty()) info.report.push_back({ReportLine::Topic::Version, "written by " + meta.app});
    for (const std::string& warning : m_warnings) info.report.push_back({ReportLine::Topic::Warning, warning});

    ModelConfig& config = info.config;
    config.headSize = 0;  // q, k and v are not there
    config.longestPrompt = m_shape.tokens;
    config.windowRule.origin = "as " + path.filename().string() + " says";
    config.trained.windows = meta.windows;
    config.trained.mask = meta.mask;

    RunFacts facts;
    facts.path = "opened from " + path.filename().string() + (meta.path.empty() ? "" : " (" + meta.path + ")");
    facts.settings = config.trained;
    facts.differences = std::move(meta.differences);
    facts.seconds = meta.seconds;
    facts.warnings = std::move(meta.warnings);
    facts.warnings.insert(facts.warnings.end(), m_warnings.begin(), m_warnings.end());
    return std::make_shared<const Capture>(std::make_unique<const Capture::Data>(
        Capture::Data{std::move(info), std::move(facts), std::move(meta.tokens), nullptr, {}, {}, std::move(saved)}));
  }

  std::shared_ptr<const ArrayFile> m_file;
  const Progress& m_progress;
  WeightShape m_shape;
  std::vector<std::string> m_warnings;
};

}  // namespace

std::shared_ptr<const Capture> openSavedCapture(const std::filesystem::path& path, const Progress& progress) {
  return attention::atTheDoor("Opening " + path.string(), [&] { return Opening(path, progress).open(); });
}

bool isSavedCapture(const std::filesystem::path& path) {
  try {
    const ArrayFile file{checkpoint::File(path)};
    return file.kind() != ArrayFile::Kind::Safetensors || hasWeightsByName(file);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace core
