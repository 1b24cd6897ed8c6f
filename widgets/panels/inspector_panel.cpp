#include "widgets/panels/inspector_panel.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "widgets/charts/bar_list.h"
#include "widgets/charts/row_chart.h"
#include "widgets/panels/look.h"

namespace widgets {

namespace {

constexpr int kTopKeys = 8;
constexpr int kNextTokens = 6;

QString labelOf(const core::TokenText& token) { return QString::fromStdString(token.label); }

QString number(float value, int digits = 4) {
  if (std::isnan(value)) return "NaN";
  return std::isinf(value) ? QString(value < 0 ? "-∞" : "∞") : QString::number(static_cast<double>(value), 'g', digits);
}

QLabel* addRow(QGridLayout* grid, const QString& name, const QString& toolTip) {
  const int row = grid->rowCount();
  auto* parent = grid->parentWidget();
  auto* key = mutedLabel(name, parent);
  auto* value = new QLabel("–", parent);
  QFont bold = value->font();
  bold.setBold(true);
  value->setFont(bold);
  value->setTextInteractionFlags(Qt::TextSelectableByMouse);
  value->setTextFormat(Qt::PlainText);
  key->setToolTip(toolTip);
  value->setToolTip(toolTip);
  value->setAccessibleName(name);
  grid->addWidget(key, row, 0);
  grid->addWidget(value, row, 1);
  return value;
}

struct Words {
  Q_DECLARE_TR_FUNCTIONS(widgets)
};

QString nameOf(core::Position position, const std::vector<core::TokenText>& tokens) {
  return QString("%1 %2").arg(QString::number(position), labelOf(tokens.at(static_cast<std::size_t>(position))));
}

QString whatIsSeen(const CellDetails& details, const QString& query, const QString& key) {
  if (!details.visible && details.cell.key < details.visibleKeys.begin)
    return Words::tr("Query %1 can't see key %2: its window begins at key %3.")
        .arg(query, key, QString::number(details.visibleKeys.begin));
  if (!details.visible && details.visibleKeys.end > details.cell.query + 1)
    return Words::tr("Query %1 can't see key %2: its window ends at key %3.")
        .arg(query, key, QString::number(details.visibleKeys.end - 1));
  if (!details.visible) return Words::tr("Query %1 can't see key %2: it comes later.").arg(query, key);
  const QString share = percentText(static_cast<double>(details.weight));
  if (details.cell.query == details.cell.key)
    return Words::tr("Query %1 looks at itself: %2 of its attention.").arg(query, share);
  return Words::tr("Query %1 looks at key %2: %3 of its attention.").arg(query, key, share);
}

QString whyWithoutWeights(const CellDetails& details, const QString& query, const QString& firstKey) {
  const BadScores& bad = *details.bad;
  const std::int64_t seen = details.visibleKeys.size();
  const QString value = number(bad.count > 0 ? bad.value : details.lse.value_or(0));
  if (bad.count == 0)
    return Words::tr("Query %1 has no weights: the log-sum-exp of its scores is %2.").arg(query, value);
  if (bad.count == 1)
    return Words::tr("Query %1 has no weights: its score with key %2 is %3.").arg(query, firstKey, value);
  if (bad.count == seen)
    return Words::tr("Query %1 has no weights: all its %2 scores are %3.").arg(query, QString::number(seen), value);
  return Words::tr("Query %1 has no weights: %2 of its %3 scores are %4, the first with key %5.")
      .arg(query, QString::number(bad.count), QString::number(seen), value, firstKey);
}

}  // namespace

QString percentText(double share) {
  const double percent = share * 100;
  if (std::isnan(percent)) return "NaN";
  if (percent > 0 && percent < 0.01) return Words::tr("less than 0.01\u00a0%");
  return QString("%1\u00a0%").arg(percent, 0, 'f', percent >= 10 || percent == 0 ? 0 : percent >= 1 ? 1 : 2);
}

QString cellSentence(const CellDetails& details, const std::vector<core::TokenText>& tokens) {
  const QString query = nameOf(details.cell.query, tokens);
  const QString seen = whatIsSeen(details, query, nameOf(details.cell.key, tokens));
  if (!details.bad) return seen;
  const QString why = whyWithoutWeights(details, query, nameOf(details.bad->firstKey, tokens));
  return details.visible ? why : seen + " " + why;
}

InspectorPanel::InspectorPanel(ViewState& state, CellReader& reader, QWidget* parent)
    : QScrollArea(parent), m_state(state), m_reader(reader) {
  QVBoxLayout* layout = makeScrollingColumn(*this);
  QWidget* content = widget();

  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(14);
  grid->setVerticalSpacing(2);
  grid->setColumnStretch(1, 1);
  layout->addLayout(grid);
  m_query = addRow(grid, tr("query"), tr("The token that looks: a row of the map"));
  m_key = addRow(grid, tr("key"), tr("The token that is looked at: a column of the map"));
  m_score = addRow(grid, "q·k/√D", tr("The score before mask and softmax"));
  m_mask = addRow(grid, tr("mask"), tr("Whether this query may look at this key"));
  m_weight = addRow(grid, tr("weight"), tr("After softmax: the share of the query's attention"));
  m_lse = addRow(grid, "lse", tr("log-sum-exp of the row's scores: weight = exp(score − lse)"));

  m_sentence = mutedLabel({}, content);
  m_sentence->setWordWrap(true);
  m_sentence->setTextFormat(Qt::PlainText);
  m_sentence->setMinimumHeight(2 * fontMetrics().lineSpacing());
  m_sentence->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  layout->addWidget(m_sentence);

  m_topKeysTitle = caption(tr("Where it looks"), content);
  m_topKeys = new BarList(kTopKeys, kLookAccent, content);
  m_topKeys->setAccessibleName(tr("Keys with the largest weights"));
  m_rowChart = new RowChart(kLookAccent, kShownAccent, content);
  m_rowChart->setToolTip(tr("Weights of the selected query over the positions of the prompt"));
  m_nextTitle = caption(tr("Next token"), content);
  m_next = new BarList(kNextTokens, kShownAccent, content);
  m_next->setAccessibleName(tr("Likeliest next tokens"));
  for (QWidget* widget : std::initializer_list<QWidget*>{m_topKeysTitle, m_topKeys, m_rowChart, m_nextTitle, m_next}) {
    if (qobject_cast<QLabel*>(widget)) layout->addSpacing(4);
    layout->addWidget(widget);
  }
  layout->addStretch(1);

  connect(m_topKeys, &BarList::barClicked, this, [this](int index) {
    if (!m_reader.details()) return;
    m_state.setPinned(Cell{m_reader.details()->cell.query, m_topKeyPositions.at(static_cast<std::size_t>(index))});
  });
  connect(&reader, &CellReader::detailsChanged, this, [this] { showDetails(); });
  connect(&reader, &CellReader::nextTokensChanged, this, [this] { showNextTokens(); });
  showDetails();
  showNextTokens();
}

void InspectorPanel::showDetails() {
  const auto& details = m_reader.details();
  if (!details || !m_state.capture()) {
    for (QLabel* value : {m_query, m_key, m_score, m_mask, m_weight, m_lse}) value->setText("–");
    m_sentence->clear();
    m_topKeys->setBars({});
    m_rowChart->setRow({}, std::nullopt);
    return;
  }
  const auto& tokens = m_state.capture()->tokens();
  const auto& [query, key] = details->cell;
  const QString queryLabel = labelOf(tokens.at(static_cast<std::size_t>(query)));
  m_query->setText(QString("%1 · %2").arg(query).arg(queryLabel));
  m_key->setText(QString("%1 · %2").arg(key).arg(labelOf(tokens.at(static_cast<std::size_t>(key)))));
  m_score->setText(details->score ? number(*details->score) : QStringLiteral("–"));
  m_mask->setText(details->visible ? tr("visible") : tr("masked"));
  QPalette maskPalette = palette();
  maskPalette.setColor(QPalette::WindowText, details->visible ? goodColor(palette()) : warningColor(palette()));
  m_mask->setPalette(maskPalette);
  m_weight->setText(number(details->weight, 3));
  m_lse->setText(details->lse ? number(*details->lse) : QStringLiteral("–"));
  m_sentence->setText(cellSentence(*details, tokens));

  m_topKeysTitle->setText(tr("Where %1 looks").toUpper().arg(queryLabel));
  std::vector<core::Position> order(details->row.size());
  std::iota(order.begin(), order.end(), core::Position{0});
  const auto weight = [&](core::Position j) { return details->row[static_cast<std::size_t>(j)]; };
  const auto rank = [&](core::Position j) { return std::isnan(weight(j)) ? 2.f : weight(j); };  // NaN must be seen
  const auto count = static_cast<std::ptrdiff_t>(std::min<std::size_t>(kTopKeys, order.size()));
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](core::Position a, core::Position b) {
    if (rank(a) != rank(b)) return rank(a) > rank(b);
    return a < b;
  });
  m_topKeyPositions.assign(order.begin(), order.begin() + count);
  std::vector<Bar> bars;
  for (const core::Position j : m_topKeyPositions) {
    if (weight(j) == 0) break;
    const QString label = QString("%1 · %2").arg(j).arg(labelOf(tokens.at(static_cast<std::size_t>(j))));
    bars.push_back({label, static_cast<double>(weight(j)),
                    tr("key %1: weight %2. Click pins the cell.").arg(label, number(weight(j)))});
  }
  m_topKeys->setBars(std::move(bars));
  m_rowChart->setRow(details->row, key);
}

void InspectorPanel::showNextTokens() {
  const auto& next = m_reader.nextTokens();
  if (!next || !m_state.capture()) {
    m_next->setBars({});
    return;
  }
  const QString label = labelOf(m_state.capture()->tokens().at(static_cast<std::size_t>(next->after)));
  m_nextTitle->setText(tr("Next token after %1").toUpper().arg(label));
  std::vector<Bar> bars;
  for (const auto& candidate : next->best) {
    bars.push_back({labelOf(candidate.token), candidate.probability,
                    tr("token id %1: probability %2").arg(candidate.token.id).arg(candidate.probability, 0, 'g', 4)});
  }
  m_next->setBars(std::move(bars));
}

}  // namespace widgets
