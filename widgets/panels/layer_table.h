// How far each layer looks, a row a layer.
#pragma once

#include <QTableWidget>
#include <optional>

#include "core/model_info.h"

namespace widgets {

/// Layer and letter, the rule, how many keys it allows, how many the last row of the run sees (under a bidirectional
/// mask: the fullest row, which is in the middle). As high as its rows, so that it scrolls with what is around it.
class LayerTable : public QTableWidget {
  Q_OBJECT
 public:
  explicit LayerTable(QWidget* parent = nullptr);

  /// tokens: T of the run; nullopt while there is none.
  void setLayers(const core::ModelConfig& config, const core::RunSettings& settings,
                 std::optional<std::int64_t> tokens);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {100, sizeHint().height()}; }

 protected:
  void changeEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;  ///< goes to what is around it
};

}  // namespace widgets
