// Maps for figures, and what a figure is expected to show of them.
#pragma once

#include <algorithm>
#include <limits>

#include "tests/core/stored_map.h"
#include "widgets/heatmap/colormap.h"
#include "widgets/heatmap/figure.h"

namespace support {

inline QStringList numberedLabels(std::int64_t count, const QStringList& words = {"the", "␣cat", "⏎", "s"}) {
  QStringList labels;
  for (qsizetype i = 0; i < count; ++i) labels << QStringLiteral("%1 · %2").arg(i).arg(words[i % words.size()]);
  return labels;
}

inline widgets::Figure figureOf(std::vector<core::MapPtr> maps) {
  widgets::Figure figure;
  for (core::MapPtr& map : maps) figure.maps.push_back({QString("Map %1").arg(figure.maps.size()), std::move(map)});
  const core::MapRect all = figure.maps.front().map->extent(figure.stage);
  figure.rowLabels = numberedLabels(all.rows.size());
  figure.columnLabels = numberedLabels(all.columns.size());
  figure.title = "Layer 2, head 3";
  figure.settings = {"a-model", "causal mask"};
  figure.software = "Headscope 9";
  figure.model = "a-model";
  figure.prompt = "the cat";
  return figure;
}

template <class Item>
std::vector<Item> itemsOf(const widgets::FigureDrawing& drawing) {
  std::vector<Item> items;
  for (const widgets::FigureItem& item : drawing.items)
    if (const auto* one = std::get_if<Item>(&item)) items.push_back(*one);
  return items;
}

inline QStringList textsOf(const widgets::FigureDrawing& drawing) {
  QStringList texts;
  for (const auto& label : itemsOf<widgets::FigureLabel>(drawing)) texts << label.text;
  return texts;
}

}  // namespace support
