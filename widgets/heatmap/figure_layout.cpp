#include "widgets/heatmap/figure_layout.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/figure_axes.h"
#include "widgets/heatmap/figure_bar.h"
#include "widgets/heatmap/figure_patterns.h"
#include "widgets/heatmap/heatmap_overlay.h"

namespace widgets {

namespace {

// Points.
constexpr double kMargin = 14;
constexpr double kGap = 5;
constexpr double kMapGap = 20;  // between maps
constexpr double kBarGap = 16;
constexpr double kBarWidth = 9;
constexpr double kShortestBar = 60;
constexpr double kProfile = 36;
constexpr double kSwatch = 8;
constexpr double kNarrowestText = 260;

using Side = FigureLabel::Side;
using Direction = FigureLabel::Direction;

QString tr(const char* text) { return QCoreApplication::translate("Figure", text); }

const FigureInk kLightInk{"#ffffff", "#14171c", "#2f343d", "#5b626e", "#8d949f"};
const FigureInk kDarkInk{"#16181d", "#f0f1f4", "#c9cdd5", "#9aa1ad", "#6b727e"};

/// Black or white, whichever reads better on it.
QColor readableOn(QRgb ground) {
  return 0.2126 * qRed(ground) + 0.7152 * qGreen(ground) + 0.0722 * qBlue(ground) > 115 ? Qt::black : Qt::white;
}

class Layout {
 public:
  Layout(const Figure& figure, const FigureMaps& maps)
      : m_figure(figure),
        m_maps(maps),
        m_ink(figure.ground == FigureGround::Light ? kLightInk : kDarkInk),
        m_hatch(figure.ground == FigureGround::Light ? kLightHatch : kDarkHatch),
        m_mapSize(maps.cells.front().image.width() * maps.pixel.width(),
                  maps.cells.front().image.height() * maps.pixel.height()),
        m_rows(Qt::Vertical, maps.part.rows, maps.pixel.height() / static_cast<double>(maps.block.rows),
               m_mapSize.height(), figure.rowLabels),
        m_columns(Qt::Horizontal, maps.part.columns, maps.pixel.width() / static_cast<double>(maps.block.columns),
                  m_mapSize.width(), figure.columnLabels) {
    for (const FigureMap& map : figure.maps) m_hasProfile |= !map.rowProfile.empty();
  }

  FigureDrawing draw() {
    const double left = std::ceil(kMargin + lineHeight(FigureFont::Name) + kGap + m_rows.thickness());
    const double step = m_mapSize.width() + (m_hasProfile ? kGap + kProfile : 0) + kMapGap;
    const int across = m_maps.across;
    m_right = left + across * step - kMapGap;
    const double barLeft = m_right + kBarGap;
    m_right = std::max(barLeft + barWidth(), left + kNarrowestText);

    double top = kMargin;
    const QString title =
        m_figure.title.isEmpty() && m_figure.maps.size() == 1 ? m_figure.maps.front().title : m_figure.title;
    m_drawing.title = title;
    m_drawing.settings = m_maps.settings.join(QStringLiteral(" · "));
    text(left, top, FigureFont::Title, title, m_ink.title);
    double firstMap = 0;
    double bottom = 0;
    for (std::size_t i = 0; i < m_figure.maps.size(); ++i) {
      const auto column = static_cast<int>(i) % across;
      if (column == 0 && i > 0) top = bottom + kMapGap;
      const double mapTop = std::ceil(top + headHeight(i < static_cast<std::size_t>(across)));
      const QPointF corner(left + column * step, mapTop);
      head(corner, i);
      if (column == 0) rowHead(corner);
      map(corner, i);
      if (i == 0) firstMap = mapTop;
      bottom = mapTop + m_mapSize.height() + (m_hasProfile ? lineHeight(FigureFont::Number) : 0);
    }
    bar({barLeft, firstMap}, barHeight());
    bottom = std::max(bottom, firstMap + kShortestBar) + 2 * kGap;
    legend(left, bottom);
    text(left, bottom, FigureFont::Caption, m_drawing.settings, m_ink.muted);
    m_drawing.size = {static_cast<int>(std::ceil(m_right + kMargin)),
                      static_cast<int>(std::ceil(bottom + kMargin - kGap))};
    m_drawing.ground = m_ink.ground;
    return std::move(m_drawing);
  }

 private:
  void label(FigureLabel item) { m_drawing.items.emplace_back(std::move(item)); }
  void fill(const QRectF& rect, const QColor& color) {
    m_drawing.items.emplace_back(FigureShape{QPolygonF(rect), color});
  }

  void frame(const QRectF& rect, const QColor& color, double width) {
    m_drawing.items.emplace_back(FigureLines{{{rect.topLeft(), rect.topRight()},
                                              {rect.topRight(), rect.bottomRight()},
                                              {rect.bottomRight(), rect.bottomLeft()},
                                              {rect.bottomLeft(), rect.topLeft()}},
                                             color,
                                             width});
  }

  /// Lines from `top` on, which it moves below them.
  void text(double left, double& top, FigureFont font, const QString& words, const QColor& color) {
    const double height = lineHeight(font) * 1.15;
    for (const QString& line : wrapped(font, words, m_right - left)) {
      label({QPointF(left, top + height / 2), line, font, color});
      top += height;
    }
    if (!words.isEmpty()) top += kGap;
  }

  bool hasSubtitles() const { return m_figure.maps.size() > 1; }

  /// Of what stands above a map.
  double headHeight(bool isFirstRow) const {
    const double labels = m_columns.thickness();
    const double heading = isFirstRow ? lineHeight(FigureFont::Number) * static_cast<double>(barHead().size()) : 0;
    const double name = isFirstRow ? lineHeight(FigureFont::Name) + kGap : 0;
    return std::max(labels + name, heading + kGap) + (hasSubtitles() ? lineHeight(FigureFont::Subtitle) + kGap : 0);
  }

  void head(const QPointF& corner, std::size_t index) {
    m_columns.draw(m_drawing.items, corner, m_ink);
    double y = corner.y() - m_columns.thickness() - kGap;
    const double middle = corner.x() + m_mapSize.width() / 2;
    if (index < static_cast<std::size_t>(m_maps.across)) {
      y -= lineHeight(FigureFont::Name) / 2;
      const QString name = core::hasKeys(m_figure.stage) ? tr(QT_TRANSLATE_NOOP("Figure", "key (column)"))
                                                         : tr(QT_TRANSLATE_NOOP("Figure", "dimension (column)"));
      label({{middle, y}, name, FigureFont::Name, m_ink.text, Side::Middle});
      y -= lineHeight(FigureFont::Name) / 2 + kGap;
    }
    if (!hasSubtitles()) return;
    y -= lineHeight(FigureFont::Subtitle) / 2;
    label({{corner.x(), y}, m_figure.maps[index].title, FigureFont::Subtitle, m_ink.title});
  }

  void rowHead(const QPointF& corner) {
    m_rows.draw(m_drawing.items, corner, m_ink);
    const double x = corner.x() - m_rows.thickness() - kGap - lineHeight(FigureFont::Name) / 2;
    label({{x, corner.y() + m_mapSize.height() / 2},
           tr(QT_TRANSLATE_NOOP("Figure", "query (row)")),
           FigureFont::Name,
           m_ink.text,
           Side::Middle,
           Direction::Upwards});
  }

  QRectF placeOf(const QRect& pixels, const QPointF& corner) const {
    return {corner + QPointF(pixels.x() * m_maps.pixel.width(), pixels.y() * m_maps.pixel.height()),
            QSizeF(pixels.width() * m_maps.pixel.width(), pixels.height() * m_maps.pixel.height())};
  }

  void map(const QPointF& corner, std::size_t index) {
    const FigureCells& cells = m_maps.cells[index];
    const QRectF place(corner, m_mapSize);
    const auto places = [&](const std::vector<QRect>& rects) {
      std::vector<QRectF> result;
      for (const QRect& rect : rects) result.push_back(placeOf(rect, corner));
      return result;
    };
    if (cells.anyMasked) drawPattern(m_drawing.items, NoValue::Masked, {place}, corner, m_hatch);
    drawPattern(m_drawing.items, NoValue::MaskedRow, places(cells.maskedRows), corner, m_hatch);
    drawPattern(m_drawing.items, NoValue::Hidden, places(cells.hidden), corner, m_hatch);
    m_drawing.items.emplace_back(FigurePicture{place, cells.image});
    numbers(cells, corner);
    const auto slice = m_figure.stage == core::Stage::Reassembled ? m_figure.maps[index].map->slice() : std::nullopt;
    if (slice) ownColumns(*slice, place);
    frame(place, m_ink.line, 0.5);
    if (!m_figure.maps[index].rowProfile.empty()) profile(m_figure.maps[index].rowProfile, place);
  }

  void ownColumns(const core::PositionRange& slice, const QRectF& place) {
    const double perColumn = m_maps.pixel.width() / static_cast<double>(m_maps.block.columns);
    const auto x = [&](core::Position column) {
      return place.left() + perColumn * static_cast<double>(column - m_maps.part.columns.begin);
    };
    const QRectF columns = QRectF(x(slice.begin), place.top(), x(slice.end) - x(slice.begin), place.height()) & place;
    if (!columns.isEmpty()) frame(columns, kShownAccent, 1.5);
  }

  /// In cells that have room for them.
  void numbers(const FigureCells& cells, const QPointF& corner) {
    const double widest = textWidth(FigureFont::Number, QStringLiteral("-0.0000"));
    if (!m_maps.block.isCell() || m_maps.pixel.width() < widest + 2 ||
        m_maps.pixel.height() < lineHeight(FigureFont::Number) + 2)
      return;
    for (int y = 0; y < cells.image.height(); ++y) {
      for (int x = 0; x < cells.image.width(); ++x) {
        const QRgb ground = cells.image.pixel(x, y);
        if (qAlpha(ground) == 0) continue;
        label({placeOf({x, y, 1, 1}, corner).center(), shortNumber(static_cast<double>(cells.values.at(y, x))),
               FigureFont::Number, readableOn(ground), Side::Middle});
      }
    }
  }

  /// A bar for each row, or for the largest of a pixel's rows.
  void profile(const std::vector<float>& values, const QRectF& place) {
    const double left = place.right() + kGap;
    QPolygonF bars;
    bars << QPointF(left, place.top());
    const double height = m_maps.pixel.height();
    const core::PositionRange rows = m_maps.part.rows;
    std::vector<QRectF> unknown;
    for (core::Position row = rows.begin; row < rows.end; row += m_maps.block.rows) {
      float largest = 0;
      for (core::Position one = row; one < std::min(row + m_maps.block.rows, rows.end); ++one) {
        const float value = static_cast<std::size_t>(one) < values.size() ? values[static_cast<std::size_t>(one)] : 0;
        largest = std::isnan(value) || std::isnan(largest) ? std::nanf("") : std::max(largest, value);
      }
      const double y = place.top() + static_cast<double>((row - rows.begin) / m_maps.block.rows) * height;
      if (std::isnan(largest)) unknown.emplace_back(left, y, kProfile, height);
      const double length = std::isnan(largest) ? 0 : kProfile * std::clamp(static_cast<double>(largest), 0.0, 1.0);
      bars << QPointF(left + length, y) << QPointF(left + length, y + height);
    }
    bars << QPointF(left, place.bottom());
    m_drawing.items.emplace_back(FigureShape{bars, kActionAccent});
    for (const QRectF& row : unknown) fill(row, QColor::fromRgb(specialColours(m_figure.colours.colormap).notANumber));
    m_drawing.items.emplace_back(FigureLines{
        {{left, place.top(), left, place.bottom()}, {left + kProfile, place.top(), left + kProfile, place.bottom()}},
        m_ink.line,
        0.5});
    const double line = lineHeight(FigureFont::Number);
    const QStringList words = tr(QT_TRANSLATE_NOOP("Figure", "total variation")).split(' ');
    for (qsizetype i = 0; i < words.size(); ++i) {
      const double y = place.top() - kGap - line * (static_cast<double>(words.size() - i) - 0.5);
      label({{left, y}, words[i], FigureFont::Number, m_ink.muted});
    }
    label({{left, place.bottom() + line / 2 + 1}, "0", FigureFont::Number, m_ink.muted, Side::Middle});
    label({{left + kProfile, place.bottom() + line / 2 + 1}, "1", FigureFont::Number, m_ink.muted, Side::Middle});
  }

  QStringList barHead() const {
    return barHeading(m_figure.stage, m_figure.colours.scale, m_figure.maps.front().map->isDifference());
  }

  std::vector<BarTick> ticks(double height) const {
    return barTicks(m_figure.colours, m_figure.stage, m_maps.colouring.get(),
                    1.4 * lineHeight(FigureFont::Number) / height);
  }

  double barHeight() const { return std::max(kShortestBar, m_mapSize.height()); }

  double barWidth() const {
    double widest = 0;
    for (const BarTick& tick : ticks(barHeight())) widest = std::max(widest, textWidth(FigureFont::Number, tick.text));
    widest += kBarWidth + kGap;
    for (const QString& line : barHead()) widest = std::max(widest, textWidth(FigureFont::Number, line));
    return widest;
  }

  void bar(const QPointF& corner, double height) {
    const auto& table = colormapTable(m_figure.colours.colormap);
    const auto steps = static_cast<int>(table.size());
    QImage gradient(1, steps, QImage::Format_RGB32);
    for (int y = 0; y < steps; ++y) gradient.setPixel(0, y, table[static_cast<std::size_t>(steps - 1 - y)]);
    const QRectF place(corner, QSizeF(kBarWidth, height));
    m_drawing.items.emplace_back(FigurePicture{place, gradient});
    FigureLines lines{{}, m_ink.line, 0.5};
    const double half = lineHeight(FigureFont::Number) / 2;
    for (const BarTick& tick : ticks(height)) {
      const double y = place.bottom() - tick.place * height;
      lines.lines.emplace_back(place.right(), y, place.right() + 2, y);
      label({{place.right() + kGap, y}, tick.text, FigureFont::Number, m_ink.text});
    }
    m_drawing.items.emplace_back(lines);
    frame(place, m_ink.line, 0.5);
    const QStringList head = barHead();
    for (qsizetype i = 0; i < head.size(); ++i) {
      const double y = place.top() - kGap - 2 * half * (static_cast<double>(head.size() - i) - 0.5);
      label({{place.left(), y}, head[i], FigureFont::Number, m_ink.text});
    }
  }

  /// What is no value inside the range, as far as it occurs. Moves `top` below it.
  void legend(double left, double& top) {
    const auto any = [this](auto what) { return std::any_of(m_maps.cells.begin(), m_maps.cells.end(), what); };
    using Cells = FigureCells;
    double x = left;
    double y = top;
    const auto entry = [&](const QString& words, auto drawSwatch) {
      const double width = kSwatch + kGap + textWidth(FigureFont::Caption, words) + 2 * kGap;
      if (x > left && x + width > m_right) {
        x = left;
        y += lineHeight(FigureFont::Caption) + kGap;
      }
      const QRectF swatch(x, y + 1, 1.5 * kSwatch, kSwatch);
      drawSwatch(swatch);
      frame(swatch, m_ink.line, 0.5);
      label({{swatch.right() + kGap, swatch.center().y()}, words, FigureFont::Caption, m_ink.muted});
      x += width + kSwatch;
      top = y + lineHeight(FigureFont::Caption) + 2 * kGap;
    };
    const auto pattern = [&](NoValue why, const QString& words) {
      entry(words, [&](const QRectF& swatch) {
        drawPattern(m_drawing.items, why, {swatch}, swatch.topLeft() + QPointF(2, 2), m_hatch);
      });
    };
    const auto color = [&](QRgb rgb, const QString& words) {
      entry(words, [&](const QRectF& swatch) { fill(swatch, QColor::fromRgb(rgb)); });
    };
    const SpecialColours& specials = specialColours(m_figure.colours.colormap);
    if (any([](const Cells& c) { return c.anyMasked; }))
      pattern(NoValue::Masked, tr(QT_TRANSLATE_NOOP("Figure", "masked")));
    if (any([](const Cells& c) { return !c.maskedRows.empty(); }))
      pattern(NoValue::MaskedRow, tr(QT_TRANSLATE_NOOP("Figure", "query that sees no key")));
    if (any([](const Cells& c) { return !c.hidden.empty(); }))
      pattern(NoValue::Hidden, tr(QT_TRANSLATE_NOOP("Figure", "hidden key")));
    if (any([](const Cells& c) { return c.anyNan; })) color(specials.notANumber, "NaN");
    if (any([](const Cells& c) { return c.anyAbove; }))
      color(specials.above, tr(QT_TRANSLATE_NOOP("Figure", "above the range")));
    if (any([](const Cells& c) { return c.anyBelow; }))
      color(specials.below, tr(QT_TRANSLATE_NOOP("Figure", "below the range")));
  }

  const Figure& m_figure;
  const FigureMaps& m_maps;
  const FigureInk& m_ink;
  const Hatch& m_hatch;
  QSizeF m_mapSize;
  FigureAxis m_rows;
  FigureAxis m_columns;
  bool m_hasProfile = false;
  double m_right = 0;
  FigureDrawing m_drawing;
};

}  // namespace

FigureDrawing layoutFigure(const Figure& figure, const FigureMaps& maps) { return Layout(figure, maps).draw(); }

}  // namespace widgets
