// The opened model: what it is, how far back each layer looks, and what a run may change.
#pragma once

#include <QScrollArea>
#include <optional>
#include <vector>

#include "core/model_info.h"
#include "core/overrides.h"
#include "widgets/state/view_state.h"

class QGridLayout;
class QLabel;

namespace widgets {

class LayerTable;
class SettingsForm;

class ModelPanel : public QScrollArea {
  Q_OBJECT
 public:
  explicit ModelPanel(ViewState& state, QWidget* parent = nullptr);

  /// applied: what the next runs change against training.
  void setModel(const core::ModelInfo& info, const core::Overrides& applied);
  SettingsForm& form() { return *m_form; }

  QSize sizeHint() const override { return {280, 520}; }
  QSize minimumSizeHint() const override { return {240, 160}; }

 Q_SIGNALS:
  void overridesChosen(const core::Overrides& overrides);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void showFacts();
  void showRun();

  ViewState& m_state;
  std::optional<core::ModelInfo> m_info;
  QLabel* m_badge;
  QGridLayout* m_facts;
  SettingsForm* m_form;
  LayerTable* m_layers;
  QLabel *m_ropeBase, *m_origin;
};

/// "differs from training: RoPE base 10000 instead of 100000; windows LLLL instead of SSSL"; empty without differences.
QString differenceText(const std::vector<std::string>& differences);

}  // namespace widgets
