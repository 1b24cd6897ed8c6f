// Where the thumbnails of all heads are, in the pixels of the grid's contents.
#pragma once

#include <QRect>
#include <optional>

#include "core/ids.h"

namespace widgets {

/// Layers from top to bottom, heads from left to right; query heads that share a key/value head stand together.
class HeadGridLayout {
 public:
  HeadGridLayout() = default;
  HeadGridLayout(int layers, int heads, int kvHeads, int width);

  int layers() const { return m_layers; }
  int heads() const { return m_heads; }
  int thumbnailSize() const { return m_size; }
  QSize size() const;

  QRect thumbnail(core::HeadId head) const;
  QRect badge(core::HeadId head) const;             ///< of a head with broken rows: a circle on its thumbnail
  QRect group(core::Layer layer, int group) const;  ///< the frame around heads of one key/value head
  int groups() const { return m_perGroup > 1 ? m_heads / m_perGroup : 0; }  ///< 0: no heads share one
  QRect layerLabel(core::Layer layer) const;
  std::optional<core::HeadId> headAt(const QPoint& point) const;

 private:
  int m_layers = 0;
  int m_heads = 0;
  int m_perGroup = 0;
  int m_size = 0;
};

}  // namespace widgets
