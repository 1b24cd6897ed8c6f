#include "widgets/panels/layer_table.h"

#include <QEvent>
#include <QHeaderView>
#include <QPainter>
#include <QWheelEvent>

#include "core/attention_mask.h"
#include "widgets/panels/look.h"
#include "widgets/panels/model_facts.h"

namespace widgets {

namespace {

enum Column { kLayer, kWindow, kKeys, kLastRow, kColumns };

constexpr int kPadding = 3;

Qt::Alignment alignmentOf(int column) {
  return (column == kLayer || column == kWindow ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter;
}

/// Names of columns as quiet text; the style's header looks like a row of buttons.
class PlainHeader : public QHeaderView {
 public:
  explicit PlainHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
    viewport()->setBackgroundRole(QPalette::Base);
  }

 protected:
  void paintSection(QPainter* painter, const QRect& rect, int column) const override {
    painter->setPen(mutedText(palette()));
    painter->drawText(rect.adjusted(kPadding, 0, -kPadding, 0), static_cast<int>(alignmentOf(column)),
                      model()->headerData(column, Qt::Horizontal).toString());
  }
};

}  // namespace

LayerTable::LayerTable(QWidget* parent) : QTableWidget(parent) {
  setHorizontalHeader(new PlainHeader(this));
  setColumnCount(kColumns);
  setHorizontalHeaderLabels({tr("layer"), tr("window"), tr("keys"), {}});
  const QString toolTips[kColumns] = {tr("S: a short window, L: a long one"),
                                      tr("Which keys j query i sees"),
                                      tr("How many keys a query sees at most, its own included"),
                                      {}};
  for (int column = 0; column < kColumns; ++column) {
    horizontalHeaderItem(column)->setToolTip(toolTips[column]);
    horizontalHeader()->setSectionResizeMode(column,
                                             column == kWindow ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
  }
  horizontalHeader()->setMinimumSectionSize(12);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setMinimumSectionSize(1);
  setFrameShape(QFrame::NoFrame);
  setShowGrid(false);
  setWordWrap(false);
  setEditTriggers(NoEditTriggers);
  setSelectionMode(NoSelection);
  setFocusPolicy(Qt::NoFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Windows of the layers"));
}

void LayerTable::setLayers(const core::ModelConfig& config, const core::RunSettings& settings,
                           std::optional<std::int64_t> tokens) {
  const bool isCausal = settings.mask == core::MaskKind::Causal;
  horizontalHeaderItem(kLastRow)->setText(isCausal ? tr("last row") : tr("fullest"));
  horizontalHeaderItem(kLastRow)->setToolTip(isCausal ? tr("How many keys the last token of this run sees")
                                                      : tr("How many keys a token in the middle of this run sees"));
  setRowCount(static_cast<int>(settings.windows.size()));
  for (int row = 0; row < rowCount(); ++row) {
    const core::Window window = settings.windows[static_cast<std::size_t>(row)];
    QString lastRow = "–";
    if (tokens && *tokens > 0) {
      const core::AttentionMask mask(*tokens, window, settings.mask);
      lastRow = QString::number(mask.visibleKeys(isCausal ? *tokens - 1 : *tokens / 2).size());
    }
    const std::optional<std::int64_t> keys = mostKeys(window, settings.mask);
    const QString texts[kColumns] = {QString("%1 %2").arg(row).arg(core::letterOf(window, config.windowRule)),
                                     windowRuleText(window, settings.mask), keys ? QString::number(*keys) : tr("all"),
                                     lastRow};
    for (int column = 0; column < kColumns; ++column) {
      auto* cell = new QTableWidgetItem(texts[column]);
      cell->setFlags(Qt::ItemIsEnabled);
      cell->setToolTip(tr("Layer %1: %2").arg(row).arg(windowText(window, settings.mask)));
      cell->setTextAlignment(alignmentOf(column));
      setItem(row, column, cell);
    }
  }
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 1);
  updateGeometry();
}

QSize LayerTable::sizeHint() const {
  return {200, horizontalHeader()->sizeHint().height() + rowCount() * verticalHeader()->defaultSectionSize() + 2};
}

void LayerTable::changeEvent(QEvent* event) {
  QTableWidget::changeEvent(event);
  if (event->type() != QEvent::FontChange) return;
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 1);
  updateGeometry();
}

void LayerTable::wheelEvent(QWheelEvent* event) { event->ignore(); }

}  // namespace widgets
