#include "core/speed_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/attention/door.h"
#include "core/attention/measure.h"
#include "core/attention/memory_meter.h"
#include "core/attention/timed_kernel.h"
#include "core/attention/timed_rows.h"

namespace core {

namespace {

std::vector<Layer> allLayers(const ModelConfig& config) {
  std::vector<Layer> layers;
  for (int layer = 0; layer < config.layers; ++layer) layers.emplace_back(layer);
  return layers;
}

/// The rows of a model in turn.
class ModelTimer {
 public:
  ModelTimer(const Session& session, const ModelSpeed& what, const SpeedOptions& options, const Progress& progress)
      : m_session(session),
        m_what(what),
        m_options(options),
        m_layers(what.layer ? std::vector{*what.layer} : allLayers(config())),
        m_progress(progress, 1 + what.types.size() * (options.kernels.size() + 2 * forwardPaths().size())) {}

  SpeedReport run() {
    const Progress part = m_progress.next("the run whose q, k, v are used");
    m_capture = m_session.run(request(AttentionPath::Manual, DType::Float32), part);
    m_report.machine = machineFacts(m_options.device);
    m_report.inputs = inputs();
    for (const DType type : m_what.types) {
      std::vector<SpeedRow> rows = attentionRows(m_options.kernels, type, m_layers);
      std::move(rows.begin(), rows.end(), std::back_inserter(m_report.rows));
    }
    for (const DType type : m_what.types) {
      m_manualLogits.clear();
      for (const AttentionPath path : forwardPaths()) m_report.rows.push_back(forwardRow(path, type));
    }
    if (!forwardPaths().empty()) {
      m_report.notes.emplace_back(
          "A forward pass is timed to the logits of the last token and keeps nothing. Attention's share of it is the "
          "time of the same kernel alone on q, k, v of all layers, divided by that of the pass.");
    }
    return std::move(m_report);
  }

 private:
  const ModelConfig& config() const { return m_session.info().config; }

  RunRequest request(AttentionPath path, DType type) const {
    RunRequest request = m_what.request;
    request.path = path;
    request.type = type;
    request.memoryBudget = m_options.memoryBudget;
    return request;
  }

  std::string inputs() const {
    const std::string layers = m_what.layer ? "layer " + std::to_string(m_what.layer->value)
                                            : "all " + std::to_string(config().layers) + " layers in turn";
    return "q, k, v of " + m_session.info().name + "'s own run of " + std::to_string(m_capture->size()) + " tokens, " +
           layers;
  }

  static Kernel kernelOf(AttentionPath path) { return path == AttentionPath::Manual ? Kernel::Manual : Kernel::Flash; }

  /// Those whose kernel is asked for.
  std::vector<AttentionPath> forwardPaths() const {
    std::vector<AttentionPath> paths;
    for (const AttentionPath path : {AttentionPath::Manual, AttentionPath::Flash}) {
      const auto& kernels = m_options.kernels;
      if (std::find(kernels.begin(), kernels.end(), kernelOf(path)) != kernels.end()) paths.push_back(path);
    }
    return paths;
  }

  std::vector<Window> windowsOf(const std::vector<Layer>& layers) const {
    std::vector<Window> windows;
    for (const Layer layer : layers) windows.push_back(m_capture->mask(layer).window());
    return windows;
  }

  AttentionShape shapeOf(DType type, const std::vector<Layer>& layers) const {
    return {.B = 1,
            .H = config().heads,
            .Hkv = config().kvHeads,
            .T = m_capture->size(),
            .D = config().headSize,
            .type = type,
            .window = m_capture->mask(layers.front()).window(),
            .mask = m_capture->mask(layers.front()).kind()};
  }

  std::vector<SpeedRow> attentionRows(const std::vector<Kernel>& kernels, DType type,
                                      const std::vector<Layer>& layers) {
    const AttentionShape shape = shapeOf(type, layers);
    std::vector<SpeedRow> rows;
    for (const Kernel kernel : kernels) {
      rows.push_back(attention::attentionRow(kernel, m_options.device, shape, windowsOf(layers)));
      if (rows.back().ran())
        rows.back().refusal = attention::doesNotFit(kernel, shape, layers.size(), m_options).value_or("");
    }
    attention::timeRows(
        rows, [&] { return attention::inputsOf(*m_capture, layers, type, m_options.device); }, m_options, m_progress);
    return rows;
  }

  /// Of all layers, as in a forward pass; 0 when that did not run.
  double attentionSeconds(Kernel kernel, DType type) {
    const AttentionShape shape = shapeOf(type, allLayers(config()));
    const auto timed = std::find_if(m_report.rows.begin(), m_report.rows.end(), [&](const SpeedRow& row) {
      return row.scope == SpeedScope::Attention && row.kernel == kernel && row.shape == shape;
    });
    if (!m_what.layer && timed != m_report.rows.end()) {
      m_progress.skip();
      return timed->median();
    }
    return attentionRows({kernel}, type, allLayers(config())).front().median();
  }

  SpeedRow forwardRow(AttentionPath path, DType type) {
    const std::vector<Layer> layers = allLayers(config());
    SpeedRow row = attention::attentionRow(kernelOf(path), m_options.device, shapeOf(type, layers), windowsOf(layers));
    row.scope = SpeedScope::Forward;
    const double attentionAlone = row.ran() ? attentionSeconds(row.kernel, type) : 0;
    const Progress part = m_progress.next("forward pass, " + std::string(word(row.kernel)));
    if (!row.ran()) return row;
    try {
      fillForward(row, path, part);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::Cancelled) throw;
      row.refusal = error.what();
      return row;
    }
    if (attentionAlone > 0 && row.median() > 0) row.attentionShare = attentionAlone / row.median();
    return row;
  }

  void fillForward(SpeedRow& row, AttentionPath path, const Progress& progress) {
    const RunRequest request = this->request(path, row.shape.type);
    row.timing = attention::measure(
        row.device, m_options.runs, [&](const Progress& inside) { m_session.lastLogits(request, inside); }, progress);
    std::vector<float> logits;
    row.peakBytes =
        attention::peakBytes(row.device, [&] { logits = m_session.lastLogits(request, progress.part(1, 1)); });
    if (path == AttentionPath::Manual) {
      m_manualLogits = std::move(logits);
    } else if (!m_manualLogits.empty()) {
      row.difference = differenceOf(logits);
    }
  }

  OutputDifference differenceOf(const std::vector<float>& logits) const {
    OutputDifference found;
    double largest = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const double difference = std::abs(static_cast<double>(logits[i]) - static_cast<double>(m_manualLogits[i]));
      if (!(difference <= found.absolute)) found.absolute = difference;  // NaN stays
      largest = std::max(largest, std::abs(static_cast<double>(m_manualLogits[i])));
    }
    found.relative = found.absolute == 0 ? 0 : found.absolute / largest;
    return found;
  }

  const Session& m_session;
  const ModelSpeed& m_what;
  SpeedOptions m_options;
  std::vector<Layer> m_layers;
  attention::RowProgress m_progress;
  std::shared_ptr<const Capture> m_capture;
  std::vector<float> m_manualLogits;
  SpeedReport m_report;
};

}  // namespace

SpeedReport timeModel(const Session& session, const ModelSpeed& what, const SpeedOptions& options,
                      const Progress& progress) {
  if (what.layer) requireHead(session.info().config, {*what.layer, Head(0)});
  return ModelTimer(session, what, attention::settled(options), progress).run();
}

}  // namespace core
