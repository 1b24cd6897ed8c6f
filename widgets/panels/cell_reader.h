// Reads on the worker what inspector and strip show of the cell under the cursor.
#pragma once

#include <QObject>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/session.h"
#include "widgets/state/head_metrics_reader.h"
#include "widgets/state/job_runner.h"
#include "widgets/state/view_state.h"

namespace widgets {

/// The scores that leave a row without weights: the NaN among them, else the infinite ones, else all where all are
/// -infinity.
struct BadScores {
  float value = 0;
  std::int64_t count = 0;  ///< 0 where the scores do not tell; value and firstKey mean nothing then
  core::Position firstKey = 0;
};

/// One cell, its row and its column. Vectors over positions have T entries.
struct CellDetails {
  core::HeadId head;
  Cell cell;
  bool visible = false;
  core::PositionRange visibleKeys;  ///< that the query sees
  std::optional<float> score;       ///< q . k / sqrt(D), before the mask; a saved capture has none
  float weight = 0;
  std::optional<float> lse;      ///< of the row; natural logarithm; a saved capture has none
  std::optional<BadScores> bad;  ///< where lse is not finite, so that the row's weights do not sum to 1
  std::vector<float> row;        ///< weights of the query over the keys
  std::vector<float> column;     ///< weights of the key over the queries
};

/// The likeliest tokens after a position of the prompt.
struct NextTokens {
  core::Position after = 0;
  struct Candidate {
    core::TokenText token;
    double probability = 0;
  };
  std::vector<Candidate> best;  ///< falling
};

/// Follows head, capture and cell of the state. With no cell it reads the last query and the key it looks at most: what
/// decides the next token.
class CellReader : public QObject {
  Q_OBJECT
 public:
  CellReader(ViewState& state, JobRunner& jobs, QObject* parent);

  /// Names the tokens that are not in the prompt. Goes with the capture that is set next.
  void setSession(std::shared_ptr<const core::Session> session);

  const std::optional<CellDetails>& details() const { return m_details; }
  const std::optional<NextTokens>& nextTokens() const { return m_nextTokens; }
  const core::HeadMetrics* metrics() const { return m_metrics.metrics(m_state.head()); }  ///< nullptr: not read yet

 Q_SIGNALS:
  void detailsChanged();
  void nextTokensChanged();
  void metricsChanged();
  void failed(const QString& sentence);

 private:
  void readCell();
  void readNextTokens(core::Position after);
  void readMetrics();

  ViewState& m_state;
  JobRunner& m_jobs;
  std::shared_ptr<const core::Session> m_session;
  std::optional<CellDetails> m_details;
  std::optional<NextTokens> m_nextTokens;
  std::optional<core::Position> m_nextWanted;
  HeadMetricsReader m_metrics;  // of the selected head
};

}  // namespace widgets
