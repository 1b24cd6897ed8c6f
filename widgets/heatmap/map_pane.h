// One map with its axes; several stand side by side.
#pragma once

#include <QStringList>
#include <QWidget>

#include "widgets/heatmap/heatmap_view.h"

class QLabel;

namespace widgets {

class RowProfile;
class TokenAxis;

class MapPane : public QWidget {
  Q_OBJECT
 public:
  explicit MapPane(JobRunner& jobs, int number, QWidget* parent = nullptr);  ///< number: 0 for the first

  HeatmapView& view() { return *m_view; }
  RowProfile& profile() { return *m_profile; }

  void setTitle(const QString& title, const QString& detail);  ///< empty: without a line of its own
  void setLabels(const QStringList& queries, const QStringList& columns, bool columnsAreKeys);
  void setHighlighted(std::optional<core::Position> query, std::optional<core::Position> column);
  void setMarked(const core::KeySet& queries, const core::KeySet& columns);  ///< what a search found

 private:
  void showGeometry();

  HeatmapView* m_view;
  TokenAxis* m_columns;
  TokenAxis* m_queries;
  RowProfile* m_profile;
  QLabel* m_title;
  QLabel* m_axisNames;
};

}  // namespace widgets
