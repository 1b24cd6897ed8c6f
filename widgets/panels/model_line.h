// The line that says which model is open and how it was read.
#pragma once

#include <QWidget>
#include <optional>
#include <string>
#include <vector>

#include "core/model_info.h"

class QLabel;
class QMenu;
class QToolButton;

namespace widgets {

class ModelLine : public QWidget {
  Q_OBJECT
 public:
  /// `recent` is filled by its owner before it shows.
  ModelLine(QMenu* recent, QWidget* parent = nullptr);

  void setModel(const core::ModelInfo& info);
  void setLoading(const QString& what);  ///< in place of the details; an empty text ends it
  void setNothing();
  void setDifferences(const std::vector<std::string>& differences);  ///< of the shown run from training
  QString details() const;

 Q_SIGNALS:
  void openRequested();
  void reportRequested();
  void modelRequested();  ///< the panel with facts and settings

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void showDetails();
  void showBadge();

  std::optional<core::ModelInfo> m_info;
  QString m_details;
  QToolButton* m_open;
  QLabel* m_name;
  QLabel* m_detailsLabel;
  QString m_differences;
  QLabel* m_badge;
  QToolButton *m_model, *m_report;
};

/// "nanoGPT · 6 layers × 6 heads · D 32 · context 256 · GELU erf · fp32 · CPU"
QString modelDetails(const core::ModelInfo& info);

}  // namespace widgets
