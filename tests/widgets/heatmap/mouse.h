// Mouse moves for widgets without a window: QTest::mouseMove moves the screen's cursor instead.
#pragma once

#include <QApplication>
#include <QMouseEvent>
#include <QWidget>

namespace support {

inline void moveMouse(QWidget& widget, const QPointF& to, Qt::MouseButtons held = Qt::NoButton) {
  QMouseEvent event(QEvent::MouseMove, to, widget.mapToGlobal(to), Qt::NoButton, held, Qt::NoModifier);
  QApplication::sendEvent(&widget, &event);
}

}  // namespace support
