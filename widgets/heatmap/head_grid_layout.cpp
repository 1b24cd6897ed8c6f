#include "widgets/heatmap/head_grid_layout.h"

#include <algorithm>

namespace widgets {

namespace {

constexpr int kLabelWidth = 26;
constexpr int kBetweenHeads = 4;
constexpr int kBetweenGroups = 8;
constexpr int kBetweenLayers = 8;
constexpr int kFrame = 3;   // of a group around its thumbnails
constexpr int kMargin = 6;  // at the right, free of a frame
constexpr int kSmallest = 22;
constexpr int kLargest = 72;
constexpr int kSmallestBadge = 11;
constexpr int kLargestBadge = 15;
constexpr int kBadgeInset = 2;

int left(int head, int perGroup, int size) {
  const int betweenGroups = perGroup > 1 ? kBetweenGroups - kBetweenHeads + 2 * kFrame : 0;
  return kLabelWidth + kFrame + head * (size + kBetweenHeads) + head / perGroup * betweenGroups;
}

}  // namespace

HeadGridLayout::HeadGridLayout(int layers, int heads, int kvHeads, int width)
    : m_layers(layers), m_heads(heads), m_perGroup(std::max(1, heads / std::max(1, kvHeads))) {
  const int spaces = left(heads - 1, m_perGroup, 0) + kFrame;
  m_size = heads > 0 ? std::clamp((width - kMargin - spaces) / heads, kSmallest, kLargest) : 0;
}

QSize HeadGridLayout::size() const {
  if (m_layers == 0 || m_heads == 0) return {};
  const QRect last = thumbnail({core::Layer(m_layers - 1), core::Head(m_heads - 1)});
  return {last.right() + 1 + kFrame, last.bottom() + 1 + kFrame};
}

QRect HeadGridLayout::thumbnail(core::HeadId head) const {
  const int top = kFrame + head.layer.value * (m_size + 2 * kFrame + kBetweenLayers);
  return {left(head.head.value, m_perGroup, m_size), top, m_size, m_size};
}

QRect HeadGridLayout::badge(core::HeadId head) const {
  const int size = std::clamp(m_size / 4, kSmallestBadge, kLargestBadge);
  return QRect(thumbnail(head).topLeft() + QPoint(kBadgeInset, kBadgeInset), QSize(size, size));
}

QRect HeadGridLayout::group(core::Layer layer, int group) const {
  const QRect first = thumbnail({layer, core::Head(group * m_perGroup)});
  const QRect last = thumbnail({layer, core::Head(group * m_perGroup + m_perGroup - 1)});
  return first.united(last).adjusted(-kFrame, -kFrame, kFrame, kFrame);
}

QRect HeadGridLayout::layerLabel(core::Layer layer) const {
  const QRect first = thumbnail({layer, core::Head(0)});
  return {0, first.top(), kLabelWidth - 4, m_size};
}

std::optional<core::HeadId> HeadGridLayout::headAt(const QPoint& point) const {
  for (int layer = 0; layer < m_layers; ++layer) {
    for (int head = 0; head < m_heads; ++head) {
      const core::HeadId id{core::Layer(layer), core::Head(head)};
      if (thumbnail(id).contains(point)) return id;
    }
  }
  return std::nullopt;
}

}  // namespace widgets
