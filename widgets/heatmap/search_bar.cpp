#include "widgets/heatmap/search_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>

#include "core/capture.h"
#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/token_search.h"

namespace widgets {

SearchBar::SearchBar(ViewState& state, QWidget* parent)
    : QWidget(parent), m_state(state), m_text(new QLineEdit(this)), m_count(new QLabel(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  layout->addWidget(m_count);
  layout->addWidget(m_text);
  m_text->setPlaceholderText(tr("find tokens"));
  m_text->setClearButtonEnabled(true);
  m_text->setFixedWidth(150);
  m_text->setAccessibleName(tr("Find tokens"));
  m_text->setToolTip(
      tr("Marks the tokens with this text on both axes and in the prompt (Ctrl+F). Return goes to the next."));
  m_text->installEventFilter(this);
  connect(m_text, &QLineEdit::textChanged, this, [this] { search(); });
  connect(&m_state, &ViewState::captureChanged, this, [this] { search(); });
}

void SearchBar::startTyping() {
  m_text->setFocus(Qt::ShortcutFocusReason);
  m_text->selectAll();
}

void SearchBar::search() {
  m_places.clear();
  m_current = 0;
  if (m_state.capture()) m_places = placesOf(m_text->text(), m_state.capture()->tokens());
  const bool searched = !m_text->text().isEmpty() && m_state.capture();
  m_count->setText(!searched ? QString()
                   : m_places.empty()
                       ? tr("no match")
                       : tr("%n match(es)", nullptr, static_cast<int>(m_places.size()))
                             .replace(QStringLiteral("match(es)"), m_places.size() == 1 ? tr("match") : tr("matches")));
  QPalette colours = palette();
  if (searched && m_places.empty()) colours.setColor(QPalette::WindowText, warningColor(colours));
  m_count->setPalette(colours);
  m_state.setMatches(tokensOf(m_places));
}

void SearchBar::goOn(int step) {
  if (m_places.empty() || !m_state.capture()) return;
  const auto count = static_cast<std::ptrdiff_t>(m_places.size());
  const auto pinned = m_state.pinned();
  const auto at = static_cast<std::ptrdiff_t>(m_current);
  const bool isThere = pinned && pinned->query == m_places[m_current].end - 1;
  const std::ptrdiff_t next = isThere ? (at + step + count) % count : (step > 0 ? at : (at + step + count) % count);
  m_current = static_cast<std::size_t>(next);
  const core::PositionRange place = m_places[m_current];
  // The query is the last token of the match; the key stays where it was as far as the mask lets it be seen.
  const core::PositionRange keys = m_state.capture()->mask(m_state.head().layer).visibleKeys(place.end - 1);
  const core::Position key = m_state.cell() ? m_state.cell()->key : place.begin;
  m_state.setPinned(Cell{place.end - 1, std::clamp(key, keys.begin, keys.end - 1)});
  m_count->setText(tr("%1 of %2").arg(m_current + 1).arg(m_places.size()));
  Q_EMIT matchChosen(place);
}

bool SearchBar::eventFilter(QObject* watched, QEvent* event) {
  if (watched != m_text || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
    if (key->modifiers() & Qt::ControlModifier) return false;  // runs the prompt
    goOn(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
    return true;
  }
  if (key->key() == Qt::Key_Escape && !m_text->text().isEmpty()) {
    m_text->clear();
    return true;
  }
  return false;
}

}  // namespace widgets
