// What makes the window calm: the few colours beside the palette's, captions, cards. Light and dark follow the palette.
#pragma once

#include <QColor>
#include <QFrame>
#include <QLabel>
#include <QPalette>
#include <QStyle>

class QScrollArea;
class QVBoxLayout;

#include "widgets/heatmap/accents.h"

namespace widgets {

constexpr QColor kLookAccent(0x3a, 0x5a, 0x9b);  ///< bars of attention

QColor mutedText(const QPalette& palette);
QColor hairline(const QPalette& palette);  ///< borders of cards and fields
QColor goodColor(const QPalette& palette);

enum class Appearance { System, Light, Dark };

/// Gives the application one of our two palettes; System: the one as light or dark as the desktop's.
void apply(Appearance appearance);

/// Fusion, with the gaps between docks that separate cards.
QStyle* makeStyle();

/// "INSPECTOR": the title of a dock or of a part of one.
QLabel* caption(const QString& text, QWidget* parent);

/// A label in the muted colour that follows palette changes.
QLabel* mutedLabel(const QString& text, QWidget* parent);

/// Makes the area the content of a dock: one column that scrolls up and down on the card's own ground.
QVBoxLayout* makeScrollingColumn(QScrollArea& area);

/// A rounded panel on the window's ground. A dock is two: its title bar has the top corners.
class Card : public QFrame {
  Q_OBJECT
 public:
  enum class Corners { All, Top, Bottom };
  explicit Card(Corners corners = Corners::All, QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Corners m_corners;
};

}  // namespace widgets
