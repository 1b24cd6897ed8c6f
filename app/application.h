// QApplication that survives exceptions.
#pragma once

#include <QApplication>

#include "core/error.h"

namespace app {

/// An exception that leaves a slot or an event would end the program; here it ends that event only, with a dialog and a
/// line on standard error.
class Application : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override;

 private:
  void report(const core::Error& error);
};

}  // namespace app
