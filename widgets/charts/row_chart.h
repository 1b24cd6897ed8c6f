// One row of a map over key position: where in the prompt the attention lies, at a glance.
#pragma once

#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

namespace widgets {

class RowChart : public QWidget {
  Q_OBJECT
 public:
  RowChart(const QColor& color, const QColor& markColor, QWidget* parent = nullptr);

  /// `values`: one a key, masked ones 0. `mark`: the selected key.
  void setRow(const std::vector<float>& values, std::optional<std::int64_t> mark);

  QSize sizeHint() const override { return {240, 96}; }
  QSize minimumSizeHint() const override { return {140, 80}; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void takePaletteColors();

  struct Parts;  // of Qt Charts; owned by the chart
  Parts* m_parts;
};

}  // namespace widgets
