// Where a run is changed against training: a field for each setting that the model has a use for.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "core/overrides.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace widgets {

/// An empty field is "as trained", and says as a placeholder what that is. A field that can't be used says why below
/// it; nothing is applied until all can.
class SettingsForm : public QWidget {
  Q_OBJECT
 public:
  explicit SettingsForm(QWidget* parent = nullptr);

  void setModel(const core::ModelConfig& config, const core::Overrides& applied);
  const core::Overrides& applied() const { return m_applied; }

  void apply();      ///< when all fields can be used and something changed
  void asTrained();  ///< empties all fields and applies that
  void focusFirst();

 Q_SIGNALS:
  void chosen(const core::Overrides& overrides);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  /// A field of the form: what it reads goes into the overrides, or `problem` says why not.
  struct Field {
    QLabel* name = nullptr;
    QWidget* editor = nullptr;
    QLineEdit* edit = nullptr;  ///< the editor's; null for GELU and mask
    QLabel* problem = nullptr;
  };
  Field addField(const QString& name, QWidget* editor, QLineEdit* edit);
  void setField(const Field& field, bool inUse, const QString& trained, const QString& toolTip);
  QString read(std::size_t field, core::Overrides& overrides) const;  ///< returns the problem, or nothing
  void validate();

  /// The same, with the field that it goes together with.
  QString readTogether(std::size_t field, core::Overrides& overrides) const;
  QString problemOf(const core::Overrides& overrides) const;

  std::optional<core::ModelConfig> m_config;
  core::Overrides m_applied;
  std::optional<core::Overrides> m_entered;  ///< nullopt: a field can't be used
  QGridLayout* m_grid;
  QComboBox *m_gelu, *m_pattern, *m_mask;
  std::vector<Field> m_fields;
  QPushButton *m_apply, *m_asTrained;
};

}  // namespace widgets
