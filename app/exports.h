// What leaves the window: figures and numbers as files, and to the clipboard.
#pragma once

#include <QObject>
#include <functional>
#include <optional>

#include "core/export.h"
#include "widgets/heatmap/figure_file.h"
#include "widgets/heatmap/map_panel.h"
#include "widgets/state/job_runner.h"

namespace app {

/// All work is on the worker, under the key "export"; a newer one replaces the one before. A failed or cancelled export
/// leaves no file and an older one as it was.
class Exports : public QObject {
  Q_OBJECT
 public:
  /// How much of a capture becomes a file.
  enum class Scope { Head, Layer, Capture };

  Exports(widgets::MapPanel& panel, widgets::ViewState& state, widgets::JobRunner& jobs, QWidget* window);

  void chooseFigure();  ///< asks for a file
  void chooseNumbers();
  void chooseCapture(Scope scope);

  void saveFigure(const QString& path, int pixelRatio);  ///< the format is that of the path's extension
  void saveNumbers(const QString& path);
  void saveCapture(const QString& path, Scope scope);
  void copyFigure();
  void copyValues();
  void copySnippet();  ///< the lines of Python that load the last file of numbers

  bool canExport() const { return m_state.capture() && !m_panel.maps().empty(); }

 Q_SIGNALS:
  void said(const QString& sentence);  ///< for the status bar
  void failed(const QString& title, const core::Error& error);
  void snippetChanged(bool available);

 private:
  struct Filter {
    QString text;
    QString suffix;
    int pixelRatio = 0;
  };
  void choose(const QString& title, const QString& name, const QList<Filter>& filters,
              std::function<void(const QString& path, const Filter& filter)> chosen);
  template <class Result>
  void work(const QString& title, std::function<Result(const core::Progress&)> work, std::function<void(Result)> done);
  void onExported(const core::Exported& exported);
  QString suggestedName() const;

  widgets::MapPanel& m_panel;
  widgets::ViewState& m_state;
  widgets::JobRunner& m_jobs;
  QWidget* m_window;
  std::optional<core::Exported> m_last;
};

}  // namespace app
