#include "widgets/panels/layer_table.h"

#include <QEvent>
#include <QHeaderView>
#include <QWheelEvent>

#include "core/attention_mask.h"
#include "widgets/panels/model_facts.h"

namespace widgets {

namespace {

enum Column { kLayer, kLetter, kWindow, kKeys, kRope, kColumns };

}  // namespace

LayerTable::LayerTable(QWidget* parent) : QTableWidget(parent) {
  setColumnCount(kColumns);
  setHorizontalHeaderLabels({tr("layer"), {}, tr("window"), tr("last row"), tr("RoPE base")});
  horizontalHeaderItem(kLetter)->setToolTip(tr("S: a short window, L: a long one"));
  horizontalHeaderItem(kWindow)->setToolTip(tr("The keys j that query i sees, its own included"));
  horizontalHeaderItem(kKeys)->setToolTip(tr("How many keys the last token of this run sees"));
  for (int column = 0; column < kColumns; ++column) {
    horizontalHeaderItem(column)->setTextAlignment(
        (column == kLetter || column == kWindow ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    horizontalHeader()->setSectionResizeMode(column,
                                             column == kWindow ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
  }
  horizontalHeader()->setMinimumSectionSize(12);
  horizontalHeader()->setHighlightSections(false);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  setFrameShape(QFrame::NoFrame);
  setShowGrid(false);
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
  setRowCount(static_cast<int>(settings.windows.size()));
  setColumnHidden(kRope, config.positions != core::Positions::Rotary);
  const QLocale locale;
  for (int row = 0; row < rowCount(); ++row) {
    const core::Window window = settings.windows[static_cast<std::size_t>(row)];
    QString keys = "–";
    if (tokens && *tokens > 0)
      keys =
          locale.toString(static_cast<qlonglong>(core::AttentionMask(*tokens, window).visibleKeys(*tokens - 1).size()));
    const QString texts[kColumns] = {QString::number(row), QString(core::letterOf(window, config.windowRule)),
                                     windowText(window), keys, settingText(settings.ropeBase)};
    for (int column = 0; column < kColumns; ++column) {
      auto* cell = new QTableWidgetItem(texts[column]);
      cell->setFlags(Qt::ItemIsEnabled);
      cell->setToolTip(texts[column]);
      cell->setTextAlignment((column == kLetter || column == kWindow ? Qt::AlignLeft : Qt::AlignRight) |
                             Qt::AlignVCenter);
      setItem(row, column, cell);
    }
  }
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 3);
  updateGeometry();
}

QSize LayerTable::sizeHint() const {
  return {220, horizontalHeader()->sizeHint().height() + rowCount() * verticalHeader()->defaultSectionSize() + 2};
}

void LayerTable::changeEvent(QEvent* event) {
  QTableWidget::changeEvent(event);
  if (event->type() != QEvent::FontChange) return;
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 3);
  updateGeometry();
}

void LayerTable::wheelEvent(QWheelEvent* event) { event->ignore(); }

}  // namespace widgets
