// The line that says which model is open and how it was read.
#pragma once

#include <QWidget>
#include <optional>

#include "core/model_info.h"

class QComboBox;
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
  void setGelu(core::Gelu gelu);
  core::Gelu gelu() const;
  QString details() const;

 Q_SIGNALS:
  void openRequested();
  void reportRequested();
  void geluChosen(core::Gelu gelu);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void showDetails();
  void showBadge();

  std::optional<core::ModelInfo> m_info;
  QString m_details;
  QToolButton* m_open;
  QLabel* m_name;
  QLabel* m_detailsLabel;
  QLabel* m_geluLabel;
  QComboBox* m_gelu;
  QLabel* m_badge;
  QToolButton* m_report;
};

/// "nanoGPT · 6 layers × 6 heads · D 32 · context 256 · fp32 · CPU"
QString modelDetails(const core::ModelInfo& info);

}  // namespace widgets
