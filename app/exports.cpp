#include "app/exports.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>

#include "app/shown_figure.h"
#include "widgets/heatmap/map_words.h"

namespace app {

using widgets::JobPriority;

Exports::Exports(widgets::MapPanel& panel, widgets::ViewState& state, widgets::JobRunner& jobs, QWidget* window)
    : QObject(window), m_panel(panel), m_state(state), m_jobs(jobs), m_window(window) {}

namespace {

core::ExportFormat formatOf(const std::filesystem::path& file) {
  if (const auto format = core::exportFormatOf(file)) return *format;
  throw core::Error(core::ErrorKind::Unsupported,
                    file.string() + " has none of the extensions " + core::exportExtensions() + "; choose one.");
}

}  // namespace

template <class Result>
void Exports::work(const QString& title, std::function<Result(const core::Progress&)> work,
                   std::function<void(Result)> done) {
  m_jobs.submit<Result>("export", JobPriority::Interactive, std::move(work), std::move(done),
                        [this, title](const core::Error& error) {
                          if (error.kind() == core::ErrorKind::Cancelled) {
                            Q_EMIT said(tr("The export was cancelled; no file was written."));
                          } else {
                            Q_EMIT failed(title, error);
                          }
                        });
}

void Exports::choose(const QString& title, const QString& name, const QList<Filter>& filters,
                     std::function<void(const QString&, const Filter&)> chosen) {
  auto* dialog = new QFileDialog(m_window, title, name);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::AnyFile);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  QStringList texts;
  for (const Filter& filter : filters) texts << filter.text;
  dialog->setNameFilters(texts);
  const auto current = [dialog, filters, texts] {
    return filters[std::max<qsizetype>(0, texts.indexOf(dialog->selectedNameFilter()))];
  };
  dialog->setDefaultSuffix(filters.front().suffix);
  connect(dialog, &QFileDialog::filterSelected, dialog,
          [dialog, current] { dialog->setDefaultSuffix(current().suffix); });
  connect(dialog, &QFileDialog::fileSelected, this,
          [chosen, current](const QString& path) { chosen(path, current()); });
  dialog->open();
}

QString Exports::suggestedName() const {
  const core::HeadId head = m_panel.maps().front().head;
  const QString place = QString("layer%1-head%2").arg(head.layer.value).arg(head.head.value);
  switch (m_state.shown()) {
    case widgets::Shown::Mean: return "mean-" + widgets::stageName(m_state.stage());
    case widgets::Shown::Difference: return place + "-difference";
    case widgets::Shown::Heads: break;
  }
  return place + "-" + widgets::stageName(m_state.stage());
}

void Exports::chooseFigure() {
  if (!canExport()) return;
  QList<Filter> filters;
  for (const int ratio : {2, 1, 3, 4})
    filters << Filter{tr("PNG image, %1 pixels a point (*.png)").arg(ratio), "png", ratio};
  filters << Filter{tr("SVG drawing (*.svg)"), "svg", 1} << Filter{tr("PDF document (*.pdf)"), "pdf", 1};
  choose(tr("Export the figure"), suggestedName(), filters,
         [this](const QString& path, const Filter& filter) { saveFigure(path, filter.pixelRatio); });
}

void Exports::chooseNumbers() {
  if (!canExport()) return;
  choose(tr("Export the numbers that are shown"), suggestedName(),
         {{tr("NumPy array (*.npy)"), "npy"},
          {tr("NumPy arrays with labels (*.npz)"), "npz"},
          {tr("Table (*.csv)"), "csv"},
          {tr("safetensors (*.safetensors)"), "safetensors"}},
         [this](const QString& path, const Filter&) { saveNumbers(path); });
}

void Exports::chooseCapture(Scope scope) {
  if (!canExport()) return;
  const QString name = scope == Scope::Capture ? QString::fromStdString(m_state.capture()->model().name) + "-run"
                       : scope == Scope::Layer ? QString("layer%1").arg(m_state.head().layer.value)
                                               : suggestedName();
  choose(scope == Scope::Capture ? tr("Export all heads")
         : scope == Scope::Layer ? tr("Export the layer")
                                 : tr("Export the head"),
         name,
         {{tr("NumPy arrays with tokens and logits (*.npz)"), "npz"},
          {tr("safetensors (*.safetensors)"), "safetensors"},
          {tr("NumPy array (*.npy)"), "npy"},
          {tr("Table (*.csv)"), "csv"}},
         [this, scope](const QString& path, const Filter&) { saveCapture(path, scope); });
}

void Exports::saveFigure(const QString& path, int pixelRatio) {
  if (!canExport()) return;
  const std::filesystem::path file(path.toStdString());
  const std::optional<widgets::FigureFormat> format = widgets::figureFormatOf(file);
  const QString title = tr("The figure can't be exported");
  if (!format) {
    Q_EMIT failed(title,
                  core::Error(core::ErrorKind::Unsupported,
                              path.toStdString() + " has none of the extensions .png, .svg and .pdf; choose one."));
    return;
  }
  work<widgets::EncodedFigure>(
      title,
      // The dialog has asked already whether an older file may go.
      [figure = shownFigure(m_panel, m_state), format = *format, pixelRatio, file](const core::Progress& progress) {
        return widgets::writeFigure(figure, format, pixelRatio, file, core::Existing::Replace, progress);
      },
      [this, path](widgets::EncodedFigure written) {
        Q_EMIT said(QStringList{tr("Saved %1.").arg(path), written.notice}.join(' ').trimmed());
      });
}

void Exports::saveNumbers(const QString& path) {
  if (!canExport()) return;
  const QString title = tr("The numbers can't be exported");
  try {
    core::MapExport options = shownNumbers(m_panel, m_state);
    const std::filesystem::path file(path.toStdString());
    options.format = formatOf(file);
    options.existing = core::Existing::Replace;
    work<core::Exported>(
        title,
        [map = m_panel.maps().front().map, options, file](const core::Progress& progress) {
          return core::exportMap(*map, file, options, progress);
        },
        [this](core::Exported exported) { onExported(exported); });
  } catch (const core::Error& error) {
    Q_EMIT failed(title, error);
  }
}

void Exports::saveCapture(const QString& path, Scope scope) {
  if (!canExport()) return;
  const QString title = tr("The capture can't be exported");
  try {
    core::CaptureExport options;
    const std::filesystem::path file(path.toStdString());
    options.format = formatOf(file);
    options.existing = core::Existing::Replace;
    if (scope != Scope::Capture) options.layers = {m_state.head().layer};
    if (scope == Scope::Head) options.heads = {m_state.head().head};
    const core::PositionRange logits = m_state.capture()->logitRows();
    if (logits.size() < m_state.capture()->size()) {
      using Logits = core::CaptureExport::Logits;
      options.logits = logits.size() <= 0 ? Logits::None : Logits::Last;
    }
    work<core::Exported>(
        title,
        [capture = m_state.capture(), options, file](const core::Progress& progress) {
          return core::exportCapture(capture, file, options, progress);
        },
        [this](core::Exported exported) { onExported(exported); });
  } catch (const core::Error& error) {
    Q_EMIT failed(title, error);
  }
}

void Exports::onExported(const core::Exported& exported) {
  m_last = exported;
  Q_EMIT snippetChanged(true);
  Q_EMIT said(tr("Saved %1. Edit > Copy Python Snippet has the lines that load it.")
                  .arg(QString::fromStdString(exported.file.string())));
}

void Exports::copyFigure() {
  if (!canExport()) return;
  work<widgets::CopiedFigure>(
      tr("The map can't be copied"),
      [figure = shownFigure(m_panel, m_state)](const core::Progress& progress) {
        return widgets::copyableFigure(figure, widgets::kUsualPixelRatio, progress);
      },
      [this](widgets::CopiedFigure copied) {
        QApplication::clipboard()->setImage(copied.image);
        Q_EMIT said(QStringList{tr("The map is in the clipboard.", "as a picture"), copied.notice}.join(' ').trimmed());
      });
}

void Exports::copyValues() {
  if (!canExport()) return;
  const core::MapExport numbers = shownNumbers(m_panel, m_state);
  work<std::string>(
      tr("The values can't be copied"),
      [map = m_panel.maps().front().map, numbers](const core::Progress& progress) {
        return core::tsvOf(*map, numbers.stage, *numbers.rect, numbers.labels, progress);
      },
      [this, rect = *numbers.rect](std::string text) {
        QApplication::clipboard()->setText(QString::fromStdString(text));
        Q_EMIT said(tr("%1 × %2 values are in the clipboard, for a spreadsheet.")
                        .arg(rect.rows.size())
                        .arg(rect.columns.size()));
      });
}

void Exports::copySnippet() {
  if (!m_last) return;
  QApplication::clipboard()->setText(QString::fromStdString(core::pythonSnippet(*m_last)));
  Q_EMIT said(tr("The lines of Python are in the clipboard."));
}

}  // namespace app
