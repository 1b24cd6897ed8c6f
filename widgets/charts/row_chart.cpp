#include "widgets/charts/row_chart.h"

#include <QAreaSeries>
#include <QChart>
#include <QChartView>
#include <QEvent>
#include <QGraphicsLayout>
#include <QLineSeries>
#include <QVBoxLayout>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

namespace widgets {

namespace {

// More points than this don't show in a chart as wide as a dock; each stands for the largest of its keys.
constexpr std::int64_t kPoints = 512;

double niceInterval(std::int64_t keys) {
  return keys < 8 ? 1 : keys < 20 ? 5 : std::round(static_cast<double>(keys) / 40) * 10;
}

/// The first of 0.01, 0.02, 0.05, 0.1 ... 1 that is not below `value`, so that the axis ends on a short number.
double niceTop(double value) {
  double step = 0.01;
  for (int i = 0; step < value && step < 1; ++i) step *= i % 3 == 1 ? 2.5 : 2;
  return step;
}

}  // namespace

struct RowChart::Parts : public QObject {
  explicit Parts(QWidget* owner) : QObject(owner) {}
  QChart* chart = nullptr;
  QLineSeries* outline = nullptr;
  QAreaSeries* area = nullptr;
  QLineSeries* mark = nullptr;
  QValueAxis* keys = nullptr;
  QValueAxis* weights = nullptr;
};

RowChart::RowChart(const QColor& color, const QColor& markColor, QWidget* parent)
    : QWidget(parent), m_parts(new Parts(this)) {
  m_parts->chart = new QChart;
  QChart& chart = *m_parts->chart;
  chart.legend()->hide();
  chart.setMargins({0, 0, 0, 0});
  chart.layout()->setContentsMargins(0, 0, 0, 0);
  chart.setBackgroundVisible(false);

  m_parts->outline = new QLineSeries(&chart);
  m_parts->area = new QAreaSeries(m_parts->outline);
  m_parts->area->setBrush(color);
  m_parts->area->setPen(QPen(color, 0.5));
  m_parts->mark = new QLineSeries;
  m_parts->mark->setPen(QPen(markColor, 1.5));
  m_parts->keys = new QValueAxis(&chart);
  m_parts->keys->setLabelFormat("%d");
  m_parts->keys->setTickType(QValueAxis::TicksDynamic);
  m_parts->keys->setGridLineVisible(false);
  m_parts->weights = new QValueAxis(&chart);
  m_parts->weights->setTickCount(3);
  m_parts->weights->setLabelFormat("%.2g");
  chart.addSeries(m_parts->area);
  chart.addSeries(m_parts->mark);
  chart.addAxis(m_parts->keys, Qt::AlignBottom);
  chart.addAxis(m_parts->weights, Qt::AlignLeft);
  for (QAbstractSeries* series :
       {static_cast<QAbstractSeries*>(m_parts->area), static_cast<QAbstractSeries*>(m_parts->mark)}) {
    series->attachAxis(m_parts->keys);
    series->attachAxis(m_parts->weights);
  }

  auto* view = new QChartView(m_parts->chart, this);
  view->setFrameShape(QFrame::NoFrame);
  view->setBackgroundBrush(Qt::NoBrush);
  view->viewport()->setAutoFillBackground(false);
  view->setFocusPolicy(Qt::NoFocus);
  view->setAttribute(Qt::WA_TransparentForMouseEvents);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  takePaletteColors();
}

void RowChart::setRow(const std::vector<float>& values, std::optional<std::int64_t> mark) {
  const auto size = static_cast<std::int64_t>(values.size());
  const std::int64_t block = std::max<std::int64_t>(1, (size + kPoints - 1) / kPoints);
  QList<QPointF> steps;
  double largest = 0;
  for (std::int64_t begin = 0; begin < size; begin += block) {
    const std::int64_t end = std::min(size, begin + block);
    float value = 0;
    for (std::int64_t key = begin; key < end; ++key) value = std::max(value, values[static_cast<std::size_t>(key)]);
    // A step from half a key before to half a key after: each key has its own width.
    steps << QPointF(static_cast<double>(begin) - 0.5, static_cast<double>(value))
          << QPointF(static_cast<double>(end) - 0.5, static_cast<double>(value));
    largest = std::max(largest, static_cast<double>(value));
  }
  const double top = niceTop(largest);
  m_parts->outline->replace(steps);
  m_parts->keys->setRange(-0.5, std::max(0.5, static_cast<double>(size) - 0.5));
  m_parts->keys->setTickAnchor(0);
  m_parts->keys->setTickInterval(niceInterval(size));
  m_parts->weights->setRange(0, top);
  if (mark)
    m_parts->mark->replace({QPointF(static_cast<double>(*mark), 0), QPointF(static_cast<double>(*mark), top)});
  else
    m_parts->mark->clear();
}

void RowChart::takePaletteColors() {
  const QColor text = palette().color(QPalette::PlaceholderText);
  const QColor line = palette().color(QPalette::Mid);
  QFont small = font();
  small.setPointSizeF(font().pointSizeF() * 0.8);
  for (QValueAxis* axis : {m_parts->keys, m_parts->weights}) {
    axis->setLabelsColor(text);
    axis->setLabelsFont(small);
    axis->setLinePen(QPen(line, 1));
    axis->setGridLinePen(QPen(line, 0.5));
  }
}

void RowChart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) takePaletteColors();
}

}  // namespace widgets
