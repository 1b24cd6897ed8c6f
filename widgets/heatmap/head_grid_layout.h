// Where the thumbnails of heads are, in the pixels of the grid's contents.
#pragma once

#include <QRect>
#include <optional>
#include <vector>

#include "core/ids.h"

namespace widgets {

/// A place is the index of a head in the order in which heads are shown. Lines are never wider than `width`, as long as
/// the smallest thumbnail fits.
class HeadGridLayout {
 public:
  struct Places {
    std::size_t begin = 0, end = 0;
    bool contains(std::size_t place) const { return begin <= place && place < end; }
  };
  struct LayerLabel {
    core::Layer layer;
    QRect place;
  };

  HeadGridLayout() = default;  ///< of no heads

  /// heads: of whole layers, in reading order. Layers from top to bottom, each beginning a line; where its heads would
  /// be too small in one line they take several. Heads of a key/value head (perGroup) stand together in a frame.
  static HeadGridLayout inLayers(std::vector<core::HeadId> heads, int perGroup, int width, int labelWidth);

  /// One after the other, with room for a line of text under each.
  static HeadGridLayout inOrder(std::vector<core::HeadId> heads, int textHeight, int width);

  std::size_t count() const { return m_heads.size(); }
  core::HeadId head(std::size_t place) const { return m_heads.at(place); }
  std::optional<std::size_t> placeOf(core::HeadId head) const;

  int thumbnailSize() const { return m_size; }
  QSize size() const { return m_whole; }
  QRect thumbnail(std::size_t place) const { return m_thumbnails.at(place); }
  QRect thumbnail(core::HeadId head) const;  ///< empty: it is not shown
  QRect text(std::size_t place) const;       ///< under the thumbnail; empty in layers
  QRect badge(std::size_t place) const;      ///< of a head with broken rows: a circle on its thumbnail
  const std::vector<QRect>& frames() const { return m_frames; }  ///< around heads of one key/value head
  const std::vector<LayerLabel>& labels() const { return m_labels; }

  std::optional<std::size_t> placeAt(const QPoint& point) const;
  Places placesIn(const QRect& area) const;  ///< of the lines that touch the area
  Places row(std::size_t place) const;       ///< the layer that a place is in, or all where heads are in order
  std::size_t above(std::size_t place) const { return across(place, -1); }  ///< the nearest place of the line above
  std::size_t below(std::size_t place) const { return across(place, 1); }

 private:
  struct Line {
    int top, bottom;
    Places places;
  };

  std::size_t lineOf(std::size_t place) const;
  std::size_t across(std::size_t place, int lines) const;
  void addLine(Places places, int perGroup, int left, int top);
  void finish();

  std::vector<core::HeadId> m_heads;
  std::vector<QRect> m_thumbnails;
  std::vector<Line> m_lines;
  std::vector<QRect> m_frames;
  std::vector<LayerLabel> m_labels;
  int m_size = 0;
  int m_textHeight = 0;
  QSize m_whole;
};

}  // namespace widgets
