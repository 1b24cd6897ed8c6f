#include "widgets/heatmap/figure_axes.h"

#include <algorithm>
#include <cmath>

#include "widgets/heatmap/label_thinning.h"

namespace widgets {

namespace {

constexpr double kLongestLabel = 84;  // points; longer ones end in "…"
constexpr double kGap = 3;            // between a label and the map, or its tick
constexpr double kTick = 2.5;
constexpr double kFine = 256;  // of a point: the mapping counts whole units

}  // namespace

FigureAxis::FigureAxis(Qt::Orientation orientation, core::PositionRange cells, double pointsPerCell, double length,
                       const QStringList& labels)
    : m_orientation(orientation) {
  AxisMapping axis;
  axis.cells = cells.end;  // so that the last cell shown has its label
  axis.scale = pointsPerCell * kFine;
  axis.offset = static_cast<double>(cells.begin) * axis.scale;
  axis.pixels = static_cast<int>(std::ceil(length * kFine));
  const double spacing = lineHeight(FigureFont::Label);
  double longest = 0;
  for (const AxisLabel& label : thinnedLabels(axis, spacing * kFine, std::nullopt)) {
    const QString whole = label.cell < labels.size() ? labels[label.cell] : QString::number(label.cell);
    // At the cell also where that is over the map's edge: there is room beside it, and labels only move apart.
    m_labels.push_back(
        {axis.pixelOf(static_cast<double>(label.cell) + 0.5) / kFine, elided(FigureFont::Label, whole, kLongestLabel)});
    longest = std::max(longest, textWidth(FigureFont::Label, m_labels.back().text));
  }
  m_hasTicks = static_cast<std::int64_t>(m_labels.size()) < cells.size();
  // Labels of one or two letters are read more easily as they are, where they have room.
  m_upwards = orientation == Qt::Horizontal && longest > std::min(spacing, pointsPerCell);
  m_thickness = kGap + (m_hasTicks ? kTick : 0) + (orientation == Qt::Horizontal && !m_upwards ? spacing : longest);
}

void FigureAxis::draw(std::vector<FigureItem>& items, const QPointF& corner, const FigureInk& ink) const {
  const double away = kGap + (m_hasTicks ? kTick : 0);
  FigureLines ticks{{}, ink.line, 0.5};
  using Side = FigureLabel::Side;
  for (const Label& label : m_labels) {
    FigureLabel text{{}, label.text, FigureFont::Label, ink.text};
    if (m_orientation == Qt::Vertical) {
      text.anchor = corner + QPointF(-away, label.centre);
      text.side = Side::Right;
      ticks.lines.emplace_back(corner + QPointF(0, label.centre), corner + QPointF(-kTick, label.centre));
    } else {
      const double half = lineHeight(FigureFont::Label) / 2;
      text.anchor = corner + QPointF(label.centre, m_upwards ? -away : -away - half);
      text.side = m_upwards ? Side::Left : Side::Middle;
      if (m_upwards) text.direction = FigureLabel::Direction::Upwards;
      ticks.lines.emplace_back(corner + QPointF(label.centre, 0), corner + QPointF(label.centre, -kTick));
    }
    items.emplace_back(text);
  }
  if (m_hasTicks) items.emplace_back(ticks);
}

}  // namespace widgets
