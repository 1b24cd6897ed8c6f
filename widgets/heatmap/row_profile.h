// A number for each row of the map, as bars beside it: how much two maps differ in that row.
#pragma once

#include <QWidget>
#include <vector>

#include "widgets/heatmap/heatmap_geometry.h"

namespace widgets {

/// Total variation of every row of a difference of weights: 0 (equal) to 1.
class RowProfile : public QWidget {
  Q_OBJECT
 public:
  explicit RowProfile(QWidget* parent = nullptr);

  void setValues(std::vector<float> values);  ///< one a row; empty: not known
  void setMapping(const AxisMapping& rows);   ///< where the map's rows are, in device pixels
  const std::vector<float>& values() const { return m_values; }
  std::optional<float> valueOf(core::Position row) const;

  QSize sizeHint() const override { return {46, 200}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;  // tooltips

 private:
  std::vector<float> m_values;
  AxisMapping m_mapping;
};

}  // namespace widgets
