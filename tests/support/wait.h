// Waits in the event loop, without the pauses of QTest::qWaitFor: what a chain of many small jobs needs.
#pragma once

#include <QDeadlineTimer>
#include <QEventLoop>
#include <QTimer>

namespace support {

/// Until `isSo()`, asked after every event; false after a minute. For machines under load.
template <class Predicate>
bool waitFor(Predicate isSo) {
  const QDeadlineTimer deadline(60'000);
  QTimer waking;  // so that a last event before the first question is not waited for
  waking.start(20);
  QEventLoop loop;
  while (!isSo()) {
    if (deadline.hasExpired()) return false;
    loop.processEvents(QEventLoop::WaitForMoreEvents);
  }
  return true;
}

}  // namespace support
