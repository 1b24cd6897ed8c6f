// The terminal of a headless run: progress on standard error, Ctrl+C as cancel.
#pragma once

#include <string_view>

#include "core/progress.h"

namespace app {

/// While it lives SIGINT and SIGTERM cancel the work that reports to progress(). A second signal ends the program.
class Console {
 public:
  Console();
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Shows percent and stage when standard error is a terminal. Must not outlive the console.
  core::Progress progress();

  /// Errors: Cancelled when a signal came.
  void checkCancelled() const;

  /// Takes the line of progress away, before something else is printed.
  void clear();

 private:
  void show(double fraction, std::string_view stage);

  bool m_terminal;
  int m_shownPercent = -1;  ///< -1: the line is clear
};

}  // namespace app
