#include "widgets/state/head_metrics_reader.h"

namespace widgets {

namespace {

constexpr std::int64_t kCellsAJob = std::int64_t{1} << 22;  // a head of 2048 tokens; some hundredths of a second

}  // namespace

HeadMetricsReader::HeadMetricsReader(JobRunner& jobs, const QString& key, QObject* parent)
    : QObject(parent), m_jobs(&jobs), m_key(key) {}

HeadMetricsReader::~HeadMetricsReader() { stop(); }

void HeadMetricsReader::start(std::vector<core::HeadId> heads, Source source) {
  stop();
  m_heads = std::move(heads);
  m_source = std::move(source);
  goOn();
}

void HeadMetricsReader::stop() {
  m_heads.clear();
  m_next = 0;
  m_metrics.clear();
  if (m_jobs) m_jobs->cancel(m_key);
}

const core::HeadMetrics* HeadMetricsReader::metrics(core::HeadId head) const {
  const auto found = m_metrics.find(head);
  return found == m_metrics.end() ? nullptr : &found->second;
}

void HeadMetricsReader::goOn(std::shared_ptr<core::HeadMetricsWork> work) {
  if (isComplete() || !m_jobs) return;
  if (!work) work = std::make_shared<core::HeadMetricsWork>(m_source(m_heads[m_next]));
  using Work = std::shared_ptr<core::HeadMetricsWork>;
  m_jobs->submit<Work>(
      m_key, JobPriority::Background,
      [work](const core::Progress& progress) {
        work->goOn(kCellsAJob, progress);
        return work;
      },
      [this](Work done) {
        if (!done->isDone()) return goOn(std::move(done));
        const core::HeadId head = m_heads[m_next++];
        m_metrics[head] = done->result();
        goOn();  // first: who hears the signal may start anew
        Q_EMIT metricsReady(head);
      },
      [this](const core::Error& error) {
        if (error.kind() == core::ErrorKind::Cancelled) return;
        ++m_next;
        goOn();
        Q_EMIT failed(QString::fromUtf8(error.what()));
      });
}

}  // namespace widgets
