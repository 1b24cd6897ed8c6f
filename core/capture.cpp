#include "core/capture.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>

#include "core/attention/capture_data.h"
#include "core/attention/door.h"

namespace core {

namespace {

std::size_t bytesOf(const at::Tensor& tensor) {
  return static_cast<std::size_t>(tensor.numel()) * tensor.element_size();
}

std::vector<float> toVector(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.to(at::kCPU, at::kFloat).contiguous();
  const float* begin = flat.const_data_ptr<float>();
  return {begin, begin + flat.numel()};
}

}  // namespace

Capture::Capture(std::unique_ptr<const Data> data) : m_data(std::move(data)) {
  // An address would come again after a capture is gone, and with it the pictures of another run.
  static std::atomic<std::uint64_t> count = 0;
  m_serial = ++count;
}
Capture::~Capture() = default;

const ModelInfo& Capture::model() const { return m_data->info; }
const RunFacts& Capture::facts() const { return m_data->facts; }
const std::vector<TokenText>& Capture::tokens() const { return m_data->tokens; }

AttentionMask Capture::mask(Layer layer) const { return m_data->mask(layer); }

const std::filesystem::path& Capture::file() const {
  static const std::filesystem::path none;
  return m_data->saved ? m_data->saved->file : none;
}

std::vector<Stage> Capture::stages() const {
  if (isSaved()) return {Stage::Weights};
  return {Stage::Scores, Stage::MaskedScores, Stage::Weights, Stage::Output, Stage::Reassembled};
}

std::vector<Layer> Capture::layers() const {
  if (m_data->saved) return m_data->saved->layers;
  std::vector<Layer> all;
  for (int layer = 0; layer < model().config.layers; ++layer) all.emplace_back(layer);
  return all;
}

std::vector<Head> Capture::heads() const {
  if (m_data->saved) return m_data->saved->heads;
  std::vector<Head> all;
  for (int head = 0; head < model().config.heads; ++head) all.emplace_back(head);
  return all;
}

bool Capture::holds(HeadId head) const {
  if (m_data->saved) return m_data->saved->placeOf(head).has_value();
  const ModelConfig& config = model().config;
  return head.layer.value >= 0 && head.layer.value < config.layers && head.head.value >= 0 &&
         head.head.value < config.heads;
}

void Capture::requireHead(HeadId head) const {
  core::requireHead(model().config, head);
  if (!holds(head)) m_data->saved->refuse(head);
}

std::size_t Capture::bytes() const {
  if (const SavedWeights* saved = m_data->saved.get())
    return saved->weights->bytesHeld() + (saved->logits ? saved->logits->bytesHeld() : 0);
  std::size_t total = bytesOf(m_data->hidden);
  for (const model::LayerRecord& layer : m_data->layers) {
    total += bytesOf(layer.q) + bytesOf(layer.k) + bytesOf(layer.v) + bytesOf(layer.lse);
  }
  return total;
}

std::vector<float> Capture::lse(HeadId head) const {
  requireHead(head);
  if (isSaved()) return std::vector<float>(tokens().size(), std::numeric_limits<float>::quiet_NaN());
  return attention::atTheDoor("Reading lse", [&] { return toVector(m_data->layer(head.layer).lse[head.head.value]); });
}

BrokenRows Capture::brokenRows(HeadId head) const {
  requireHead(head);
  if (const SavedWeights* saved = m_data->saved.get()) return saved->broken[*saved->placeOf(head)];
  const std::vector<float> values = lse(head);
  const auto isBroken = [](float value) { return !std::isfinite(value); };
  const auto first = std::find_if(values.begin(), values.end(), isBroken);
  if (first == values.end()) return {};
  return {std::count_if(first, values.end(), isBroken), first - values.begin(), *first};
}

PositionRange Capture::logitRows() const { return m_data->saved ? m_data->saved->logitRows : PositionRange{0, size()}; }

std::vector<float> Capture::logits(PositionRange rows) const {
  if (rows.begin < 0 || rows.begin > rows.end || rows.end > size()) {
    throw Error(ErrorKind::Mismatch, "Logits of positions " + std::to_string(rows.begin) + " to " +
                                         std::to_string(rows.end) + " were asked of a run of " +
                                         std::to_string(size()) + " tokens.");
  }
  if (m_data->saved) return m_data->saved->logitsOf(rows, model().config.vocabulary);
  return attention::atTheDoor("Computing logits", [&] {
    return toVector(m_data->model->logits(m_data->hidden.slice(0, rows.begin, rows.end), m_data->facts.settings));
  });
}

void requireHead(const ModelConfig& config, HeadId head) {
  const auto require = [](const char* what, int value, int count) {
    if (value >= 0 && value < count) return;
    throw Error(ErrorKind::Mismatch, "There is no " + std::string(what) + " " + std::to_string(value) +
                                         ": this model has " + std::to_string(count) + ", counted from 0.");
  };
  require("layer", head.layer.value, config.layers);
  require("head", head.head.value, config.heads);
}

}  // namespace core
