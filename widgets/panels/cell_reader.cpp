#include "widgets/panels/cell_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/attention_map.h"

namespace widgets {

namespace {

constexpr std::size_t kCandidates = 8;

/// scores: of the keys from firstKey on.
BadScores badOnes(const std::vector<float>& scores, core::Position firstKey) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity}) {
    const auto isSuch = [value](float score) { return std::isnan(value) ? std::isnan(score) : score == value; };
    const auto first = std::find_if(scores.begin(), scores.end(), isSuch);
    const std::int64_t count = std::count_if(first, scores.end(), isSuch);
    const bool harmless = count == 0 || (value < 0 && count < std::ssize(scores));  // -infinity alone is weight 0
    if (!harmless) return {value, count, firstKey + (first - scores.begin())};
  }
  return {};
}

/// Without a cell: the last query and the key that it looks at most.
CellDetails readDetails(const core::AttentionMap& map, const std::optional<Cell>& wanted) {
  const std::int64_t T = map.capture().size();
  const core::PositionRange all{0, T};
  Cell cell = wanted.value_or(Cell{T - 1, 0});
  const core::PositionRange query{cell.query, cell.query + 1};
  CellDetails details;
  details.row = map.rectangle(core::Stage::Weights, {query, all}).values;
  if (!wanted) cell.key = std::max_element(details.row.begin(), details.row.end()) - details.row.begin();
  const core::PositionRange key{cell.key, cell.key + 1};
  details.head = map.head();
  details.cell = cell;
  details.visible = map.mask().visible(cell.query, cell.key);
  details.visibleKeys = map.mask().visibleKeys(cell.query);
  details.column = map.rectangle(core::Stage::Weights, {all, key}).values;
  details.weight = details.row.at(static_cast<std::size_t>(cell.key));
  if (!map.capture().hasStage(core::Stage::Scores)) return details;
  details.score = map.rectangle(core::Stage::Scores, {query, key}).values.at(0);
  details.lse = map.capture().lse(map.head()).at(static_cast<std::size_t>(cell.query));
  if (!std::isfinite(*details.lse)) {
    const core::PositionRange keys = details.visibleKeys;
    details.bad = badOnes(map.rectangle(core::Stage::Scores, {query, keys}).values, keys.begin);
  }
  return details;
}

/// Source: softmax in double with the largest logit taken off first, so that nothing overflows.
NextTokens readNext(const core::Capture& capture, const core::Session* session, core::Position after) {
  const std::vector<float> logits = capture.logits({after, after + 1});
  const double largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);

  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t count = std::min(kCandidates, order.size());
  // NaN last, so that the order is one.
  const auto before = [&](std::size_t a, std::size_t b) {
    if (std::isnan(logits[a]) || std::isnan(logits[b])) return !std::isnan(logits[a]) && std::isnan(logits[b]);
    return logits[a] > logits[b];
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), before);
  std::vector<core::TokenId> ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back(static_cast<core::TokenId>(order[i]));
  // A saved capture may be of another model than the one that is open: its tokens have their ids for names.
  std::vector<core::TokenText> texts;
  if (session && !capture.isSaved()) {
    texts = session->texts(ids);
  } else {
    for (const core::TokenId id : ids) texts.push_back({id, {}, "#" + std::to_string(id)});
  }

  NextTokens next;
  next.after = after;
  for (std::size_t i = 0; i < count; ++i)
    next.best.push_back({texts.at(i), std::exp(static_cast<double>(logits[order[i]]) - largest) / sum});
  return next;
}

}  // namespace

CellReader::CellReader(ViewState& state, JobRunner& jobs, QObject* parent)
    : QObject(parent), m_state(state), m_jobs(jobs), m_metrics(jobs, QStringLiteral("head numbers")) {
  connect(&state, &ViewState::captureChanged, this, [this] {
    // Numbers of the capture before must not stand on the new tokens, not even until the worker has the new ones.
    m_details.reset();
    m_nextTokens.reset();
    m_nextWanted.reset();
    Q_EMIT detailsChanged();
    Q_EMIT nextTokensChanged();
    readCell();
    readMetrics();
  });
  connect(&state, &ViewState::headChanged, this, [this] {
    readCell();
    readMetrics();
  });
  connect(&state, &ViewState::cellChanged, this, [this] { readCell(); });
  connect(&m_metrics, &HeadMetricsReader::metricsReady, this, &CellReader::metricsChanged);
  connect(&m_metrics, &HeadMetricsReader::failed, this, &CellReader::failed);
}

void CellReader::setSession(std::shared_ptr<const core::Session> session) { m_session = std::move(session); }

void CellReader::readCell() {
  const auto capture = m_state.capture();
  if (!capture || capture->size() == 0) return;
  const std::optional<Cell> cell = m_state.cell();
  m_jobs.submit<CellDetails>(
      "cell", JobPriority::View,
      [capture, head = m_state.head(), cell](const core::Progress&) {
        return readDetails(core::AttentionMap(capture, head), cell);
      },
      [this, capture](CellDetails details) {
        if (m_state.capture() != capture) return;
        m_details = std::move(details);
        Q_EMIT detailsChanged();
      },
      [this](const core::Error& error) { Q_EMIT failed(error.what()); });
  readNextTokens(cell ? cell->query : capture->size() - 1);
}

void CellReader::readNextTokens(core::Position after) {
  const auto capture = m_state.capture();
  if (m_nextWanted == after || (!m_session && !capture->isSaved())) return;
  const core::PositionRange known = capture->logitRows();
  if (after < known.begin || after >= known.end) {
    m_nextTokens.reset();
    m_nextWanted.reset();
    Q_EMIT nextTokensChanged();
    return;
  }
  m_nextWanted = after;
  m_jobs.submit<NextTokens>(
      "next tokens", JobPriority::View,
      [capture, session = m_session, after](const core::Progress&) { return readNext(*capture, session.get(), after); },
      [this, capture](NextTokens next) {
        if (m_state.capture() != capture) return;
        m_nextTokens = std::move(next);
        Q_EMIT nextTokensChanged();
      },
      [this](const core::Error& error) {
        m_nextWanted.reset();  // the next cell of this query asks again
        Q_EMIT failed(error.what());
      });
}

void CellReader::readMetrics() {
  const auto capture = m_state.capture();
  std::vector<core::HeadId> heads;
  if (capture && capture->size() > 0) heads.push_back(m_state.head());
  m_metrics.start(heads, [capture](core::HeadId head) { return std::make_shared<core::AttentionMap>(capture, head); });
  Q_EMIT metricsChanged();
}

}  // namespace widgets
