#include "widgets/panels/look.h"

#include <QApplication>
#include <QEvent>
#include <QPainter>
#include <QProxyStyle>
#include <QScrollArea>
#include <QStyleOption>
#include <QVBoxLayout>

namespace widgets {

namespace {

constexpr double kRadius = 5;

QColor mixed(const QColor& a, const QColor& b, double shareOfB) {
  const auto channel = [&](int x, int y) { return static_cast<int>(x + (y - x) * shareOfB); };
  return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

QPalette palette(QRgb window, QRgb base, QRgb text, QRgb muted, QRgb button, QRgb line, QRgb link) {
  QPalette p{QColor(button), QColor(window)};
  const QColor accent = kActionAccent;
  p.setColor(QPalette::Window, QColor(window));
  p.setColor(QPalette::Base, QColor(base));
  p.setColor(QPalette::AlternateBase, QColor(window));
  p.setColor(QPalette::Button, QColor(button));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText})
    p.setColor(role, QColor(text));
  p.setColor(QPalette::PlaceholderText, QColor(muted));
  p.setColor(QPalette::ToolTipBase, QColor(base));
  p.setColor(QPalette::Mid, QColor(line));
  p.setColor(QPalette::Highlight, accent);
  p.setColor(QPalette::HighlightedText, Qt::white);
  p.setColor(QPalette::Link, QColor(link));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    p.setColor(QPalette::Disabled, role, mixed(QColor(text), QColor(window), 0.6));
  p.setColor(QPalette::Disabled, QPalette::Highlight, QColor(line));
  return p;
}

class Style : public QProxyStyle {
 public:
  Style() : QProxyStyle("fusion") {}
  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override {
    if (metric == PM_DockWidgetSeparatorExtent) return 8;
    return QProxyStyle::pixelMetric(metric, option, widget);
  }
  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                         const QWidget* widget) const override {
    QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
    // Fusion draws the arrow of a menu over the end of the text, which is centred.
    if (type == CT_ToolButton && button && (button->features & QStyleOptionToolButton::HasMenu))
      size.rwidth() += 2 * pixelMetric(PM_MenuButtonIndicator, option, widget);
    return size;
  }
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override {
    // Empty ground between cards separates better than lines do.
    if (element == CE_ToolBar) return;
    QProxyStyle::drawControl(element, option, painter, widget);
  }
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
    if (element == PE_IndicatorDockWidgetResizeHandle || element == PE_FrameStatusBarItem) return;
    QProxyStyle::drawPrimitive(element, option, painter, widget);
  }
};

/// A caption or muted label: its colour is made anew from each palette.
class TintedLabel : public QLabel {
 public:
  using QLabel::QLabel;

 protected:
  void changeEvent(QEvent* event) override {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationPaletteChange) tint();
  }
  void showEvent(QShowEvent* event) override {
    tint();
    QLabel::showEvent(event);
  }

 private:
  void tint() {
    const QColor wanted = mutedText(parentWidget() ? parentWidget()->palette() : palette());
    if (palette().color(QPalette::WindowText) == wanted) return;
    QPalette p = palette();
    p.setColor(QPalette::WindowText, wanted);
    setPalette(p);
  }
};

}  // namespace

QColor mutedText(const QPalette& p) { return blended(p, 0.66); }

QColor hairline(const QPalette& p) { return blended(p, isDark(p) ? 0.2 : 0.14); }

QColor goodColor(const QPalette& p) { return isDark(p) ? QColor(0x6c, 0xc0, 0x8b) : QColor(0x1b, 0x6e, 0x45); }

void apply(Appearance appearance) {
  QApplication::setPalette({});  // back to the desktop's, to see whether that is dark
  const bool dark =
      appearance == Appearance::Dark || (appearance == Appearance::System && isDark(QApplication::palette()));
  QApplication::setPalette(
      dark ? palette(0xff15181d, 0xff1f242b, 0xffe4e8ee, 0xff8d97a5, 0xff2a3039, 0xff3a424d, 0xff6cb8d6)
           : palette(0xfff2f4f8, 0xffffffff, 0xff1d232c, 0xff6b7482, 0xffffffff, 0xffd5dae2, 0xff1f6f8d));
}

QStyle* makeStyle() { return new Style; }

QLabel* caption(const QString& text, QWidget* parent) {
  auto* label = new TintedLabel(text.toUpper(), parent);
  QFont font = label->font();
  font.setPointSizeF(font.pointSizeF() * 0.85);
  font.setBold(true);
  font.setLetterSpacing(QFont::PercentageSpacing, 106);
  label->setFont(font);
  return label;
}

QVBoxLayout* makeScrollingColumn(QScrollArea& area) {
  area.setFrameShape(QFrame::NoFrame);
  area.setWidgetResizable(true);
  area.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area.viewport()->setAutoFillBackground(false);
  auto* content = new QWidget(&area);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(10, 2, 10, 8);
  layout->setSpacing(5);
  area.setWidget(content);
  content->setAutoFillBackground(false);  // setWidget() switches it on; the card is the ground
  return layout;
}

QLabel* mutedLabel(const QString& text, QWidget* parent) { return new TintedLabel(text, parent); }

Card::Card(Corners corners, QWidget* parent) : QFrame(parent), m_corners(corners) {}

void Card::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
  // The open side reaches beyond the widget, where its corners and border are cut off.
  if (m_corners == Corners::Top) box.setBottom(box.bottom() + 2 * kRadius);
  if (m_corners == Corners::Bottom) box.setTop(box.top() - 2 * kRadius);
  painter.setPen(QPen(hairline(palette()), 1));
  painter.setBrush(palette().color(QPalette::Base));
  painter.drawRoundedRect(box, kRadius, kRadius);
}

}  // namespace widgets
