#include "widgets/heatmap/head_grid_layout.h"

#include <algorithm>
#include <cstdlib>

namespace widgets {

namespace {

constexpr int kBetweenHeads = 4;
constexpr int kBetweenGroups = 14;  // of it two frames
constexpr int kBetweenLayers = 8;
constexpr int kBetweenInOrder = 8;
constexpr int kFrame = 3;   // of a group around its thumbnails
constexpr int kMargin = 6;  // at the right, free of a frame
constexpr int kSmallest = 22;
constexpr int kSmallestInOneLine = 28;   // else a layer takes several lines
constexpr int kSmallestOfOneLayer = 64;  // it has all the room
constexpr int kSmallestInOrder = 48;
constexpr int kLargest = 72;
constexpr int kSmallestBadge = 11;
constexpr int kLargestBadge = 15;
constexpr int kBadgeInset = 2;

struct Fit {
  int perLine = 1;
  int size = kSmallest;
};

/// As few lines a layer as have large enough thumbnails; groups are kept whole where one fits in a line.
Fit fitted(int heads, int perGroup, int width, int smallest) {
  Fit fit;
  for (int lines = 1; lines <= heads; ++lines) {
    fit.perLine = (heads + lines - 1) / lines;
    if (fit.perLine >= perGroup) fit.perLine = (fit.perLine + perGroup - 1) / perGroup * perGroup;
    const int breaks = perGroup == 1                 ? 0
                       : fit.perLine % perGroup == 0 ? fit.perLine / perGroup - 1
                                                     : fit.perLine / perGroup + 1;
    const int spaces = (fit.perLine - 1) * kBetweenHeads + breaks * (kBetweenGroups - kBetweenHeads);
    fit.size = std::clamp((width - spaces) / fit.perLine, kSmallest, kLargest);
    if ((width - spaces) / fit.perLine >= smallest) break;
  }
  return fit;
}

}  // namespace

HeadGridLayout HeadGridLayout::inLayers(std::vector<core::HeadId> heads, int perGroup, int width, int labelWidth) {
  HeadGridLayout layout;
  layout.m_heads = std::move(heads);
  if (layout.m_heads.empty()) return layout;
  const core::Layer first = layout.m_heads.front().layer;
  const auto isFirst = [first](core::HeadId head) { return head.layer == first; };
  const auto perLayer = static_cast<int>(std::count_if(layout.m_heads.begin(), layout.m_heads.end(), isFirst));
  const int left = labelWidth + kFrame;
  const bool oneLayer = perLayer == std::ssize(layout.m_heads);
  const Fit fit =
      fitted(perLayer, perGroup, width - left - kFrame - kMargin, oneLayer ? kSmallestOfOneLayer : kSmallestInOneLine);
  layout.m_size = fit.size;
  const auto step = static_cast<std::size_t>(fit.perLine);
  int top = kFrame;
  for (std::size_t begin = 0; begin < layout.m_heads.size(); begin += static_cast<std::size_t>(perLayer)) {
    const std::size_t end = begin + static_cast<std::size_t>(perLayer);
    layout.m_labels.push_back({layout.m_heads[begin].layer, {0, top, labelWidth - 4, fit.size}});
    for (std::size_t i = begin; i < end; i += step) {
      layout.addLine({i, std::min(i + step, end)}, perGroup, left, top);
      top += fit.size + (perGroup > 1 ? 2 * kFrame + 2 : kBetweenHeads);
    }
    top += kBetweenLayers;
  }
  layout.finish();
  return layout;
}

HeadGridLayout HeadGridLayout::inOrder(std::vector<core::HeadId> heads, int textHeight, int width) {
  HeadGridLayout layout;
  layout.m_heads = std::move(heads);
  layout.m_textHeight = textHeight;
  const int room = width - kMargin - kFrame;
  const int perLine = std::max(1, (room + kBetweenInOrder) / (kSmallestInOrder + kBetweenInOrder));
  layout.m_size = std::clamp((room + kBetweenInOrder) / perLine - kBetweenInOrder, kSmallest, kLargest);
  int top = kFrame;
  for (std::size_t i = 0; i < layout.m_heads.size(); i += static_cast<std::size_t>(perLine)) {
    const Places places{i, std::min(i + static_cast<std::size_t>(perLine), layout.m_heads.size())};
    for (std::size_t place = places.begin; place < places.end; ++place) {
      const int column = static_cast<int>(place - i);
      layout.m_thumbnails.emplace_back(kFrame + column * (layout.m_size + kBetweenInOrder), top, layout.m_size,
                                       layout.m_size);
    }
    layout.m_lines.push_back({top, top + layout.m_size + textHeight, places});
    top += layout.m_size + textHeight + kBetweenInOrder;
  }
  layout.finish();
  return layout;
}

void HeadGridLayout::addLine(Places places, int perGroup, int left, int top) {
  std::optional<int> group;
  int x = left;
  for (std::size_t place = places.begin; place < places.end; ++place) {
    const int own = m_heads[place].head.value / perGroup;
    const QRect thumbnail(x, top, m_size, m_size);
    if (perGroup > 1) {
      const QRect frame = thumbnail.adjusted(-kFrame, -kFrame, kFrame, kFrame);
      if (group == own) {
        m_frames.back() |= frame;
      } else {
        if (group) x += kBetweenGroups - kBetweenHeads;
        m_frames.push_back(frame.translated(x - thumbnail.left(), 0));
      }
      group = own;
    }
    m_thumbnails.emplace_back(x, top, m_size, m_size);
    x += m_size + kBetweenHeads;
  }
  m_lines.push_back({top, top + m_size, places});
}

void HeadGridLayout::finish() {
  int right = 0;
  for (const QRect& thumbnail : m_thumbnails) right = std::max(right, thumbnail.right() + 1);
  if (!m_lines.empty()) m_whole = {right + kFrame, m_lines.back().bottom + kFrame};
}

std::optional<std::size_t> HeadGridLayout::placeOf(core::HeadId head) const {
  const auto found = std::find(m_heads.begin(), m_heads.end(), head);
  if (found == m_heads.end()) return std::nullopt;
  return static_cast<std::size_t>(found - m_heads.begin());
}

QRect HeadGridLayout::thumbnail(core::HeadId head) const {
  const std::optional<std::size_t> place = placeOf(head);
  return place ? thumbnail(*place) : QRect();
}

QRect HeadGridLayout::text(std::size_t place) const {
  const QRect above = thumbnail(place);
  const int beside = m_textHeight > 0 ? kBetweenInOrder / 2 : 0;
  return {above.left() - beside, above.bottom() + 1, above.width() + 2 * beside, m_textHeight};
}

QRect HeadGridLayout::badge(std::size_t place) const {
  const int size = std::clamp(m_size / 4, kSmallestBadge, kLargestBadge);
  return {thumbnail(place).topLeft() + QPoint(kBadgeInset, kBadgeInset), QSize(size, size)};
}

std::optional<std::size_t> HeadGridLayout::placeAt(const QPoint& point) const {
  const Places places = placesIn({point, QSize(1, 1)});
  for (std::size_t place = places.begin; place < places.end; ++place)
    if (thumbnail(place).contains(point) || text(place).contains(point)) return place;
  return std::nullopt;
}

HeadGridLayout::Places HeadGridLayout::placesIn(const QRect& area) const {
  const auto first = std::partition_point(m_lines.begin(), m_lines.end(),
                                          [&](const Line& line) { return line.bottom + kFrame < area.top(); });
  const auto last =
      std::partition_point(first, m_lines.end(), [&](const Line& line) { return line.top - kFrame <= area.bottom(); });
  if (first == last) return {};
  return {first->places.begin, std::prev(last)->places.end};
}

std::size_t HeadGridLayout::lineOf(std::size_t place) const {
  const auto line =
      std::partition_point(m_lines.begin(), m_lines.end(), [place](const Line& l) { return l.places.end <= place; });
  return static_cast<std::size_t>(line - m_lines.begin());
}

HeadGridLayout::Places HeadGridLayout::row(std::size_t place) const {
  if (m_labels.empty()) return {0, count()};
  const std::size_t perLayer = count() / m_labels.size();
  const std::size_t begin = place / perLayer * perLayer;
  return {begin, begin + perLayer};
}

std::size_t HeadGridLayout::across(std::size_t place, int lines) const {
  const auto to = static_cast<std::ptrdiff_t>(lineOf(place)) + lines;
  if (to < 0 || to >= std::ssize(m_lines)) return place;
  const Places places = m_lines[static_cast<std::size_t>(to)].places;
  const int x = thumbnail(place).center().x();
  std::size_t nearest = places.begin;
  for (std::size_t other = places.begin; other < places.end; ++other)
    if (std::abs(thumbnail(other).center().x() - x) < std::abs(thumbnail(nearest).center().x() - x)) nearest = other;
  return nearest;
}

}  // namespace widgets
