// What a figure shows: cells, labels, colour bar, legend and settings, before it is a file.
#include "widgets/heatmap/figure.h"

#include <numeric>
#include <thread>

#include "core/attention_map.h"
#include "core/map_sums.h"
#include "core/session.h"
#include "tests/support/files.h"
#include "tests/support/qt_test.h"
#include "tests/widgets/heatmap/figure_maps.h"
#include "tests/widgets/heatmap/test_map.h"
#include "widgets/heatmap/figure_bar.h"
#include "widgets/heatmap/figure_cells.h"
#include "widgets/heatmap/map_image.h"

using core::Stage;
using support::causalMap;
using support::figureOf;
using support::itemsOf;
using support::textsOf;
using widgets::ColormapName;
using widgets::Figure;
using widgets::FigureDrawing;
using widgets::FigureLabel;
using widgets::FigurePicture;
using widgets::Scale;

namespace {

FigureDrawing draw(const Figure& figure, widgets::PixelRatio pixels = 2) {
  return widgets::drawFigure(figure, pixels, core::Progress());
}

/// The picture of a map; the last picture is the colour bar's.
FigurePicture mapOf(const FigureDrawing& drawing, std::size_t index = 0) {
  return itemsOf<FigurePicture>(drawing).at(index);
}

QRgb colorAt(const FigurePicture& picture, int row, int column) { return picture.image.pixel(column, row); }

core::MapValues filled(std::int64_t rows, std::int64_t columns, float (*value)(std::int64_t, std::int64_t)) {
  core::MapValues values{rows, columns, {}};
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) values.values.push_back(value(i, j));
  return values;
}

float wave(std::int64_t i, std::int64_t j) { return std::sin(static_cast<float>(i * 13 + j * 7)) / 2 + 0.5f; }

core::MapPtr openMap(core::MapValues values) {
  const std::int64_t rows = values.rows;
  const std::int64_t columns = values.columns;
  std::vector<core::PositionRange> all(static_cast<std::size_t>(rows), {0, columns});
  return std::make_shared<const support::StoredMap>("open", std::move(values), core::MapMask(std::move(all)));
}

/// The labels along an axis, by what they are of.
std::vector<FigureLabel> axisLabels(const FigureDrawing& drawing, FigureLabel::Side side) {
  std::vector<FigureLabel> labels;
  for (const FigureLabel& label : itemsOf<FigureLabel>(drawing))
    if (label.font == widgets::FigureFont::Label && label.side == side) labels.push_back(label);
  return labels;
}

}  // namespace

class FigureTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:
  void everyPixelIsThatOfTheWindow_data() {
    QTest::addColumn<int>("scale");
    QTest::addColumn<int>("colours");
    for (const Scale scale : {Scale::Linear, Scale::SquareRoot, Scale::Log, Scale::PerRow, Scale::Percentile}) {
      for (const ColormapName colours : {ColormapName::Viridis, ColormapName::Diverging})
        QTest::addRow("%d %d", static_cast<int>(scale), static_cast<int>(colours))
            << static_cast<int>(scale) << static_cast<int>(colours);
    }
  }

  void everyPixelIsThatOfTheWindow() {
    QFETCH(int, scale);
    QFETCH(int, colours);
    const auto session = core::Session::open(support::repository("models/shakespeare-char"), {}, core::Progress());
    const auto check = session->check("ROMEO:\nBut soft, what light");
    const auto capture = session->run({check.tokens}, core::Progress());
    const auto map = std::make_shared<const core::AttentionMap>(capture, core::HeadId{core::Layer(2), core::Head(3)},
                                                                core::KeySet({0}));
    Figure figure = figureOf({map});
    figure.colours.scale = static_cast<Scale>(scale);
    figure.colours.colormap = static_cast<ColormapName>(colours);
    for (const Stage stage : {Stage::Scores, Stage::MaskedScores, Stage::Weights, Stage::Output, Stage::Reassembled}) {
      figure.stage = stage;
      const QImage shown = mapOf(draw(figure)).image;
      const QImage window = widgets::renderMapImage(*map, stage, figure.colours, 1);
      QCOMPARE(shown.size(), window.size());
      int cells = 0;
      for (int y = 0; y < shown.height(); ++y) {
        for (int x = 0; x < shown.width(); ++x) {
          const bool masked = core::isMasked(stage) && x > y;
          const bool hidden = core::hasKeys(stage) && x == 0;
          QCOMPARE(qAlpha(shown.pixel(x, y)), masked || hidden ? 0 : 255);
          if (masked || hidden) continue;
          QCOMPARE(shown.pixel(x, y), window.pixel(x, y));
          ++cells;
        }
      }
      QVERIFY(cells > 300);
    }
  }

  void mapsOfAFigureShareTheirColours() {
    const auto low = openMap(filled(6, 6, [](std::int64_t, std::int64_t) { return 0.25f; }));
    const auto high = openMap(filled(6, 6, [](std::int64_t i, std::int64_t) { return i == 0 ? 1.0f : 0.25f; }));
    const FigureDrawing drawing = draw(figureOf({low, high}));
    const auto& table = widgets::colormapTable(ColormapName::Viridis);
    QCOMPARE(colorAt(mapOf(drawing, 0), 3, 3), table[64]);  // a quarter of 256 steps
    QCOMPARE(colorAt(mapOf(drawing, 1), 3, 3), table[64]);
    QCOMPARE(colorAt(mapOf(drawing, 1), 0, 0), table[255]);
    QVERIFY(textsOf(drawing).contains("Map 0"));
    QVERIFY(textsOf(drawing).contains("Map 1"));
  }

  void aRangeByHandHasTheLastWord() {
    Figure figure =
        figureOf({openMap(filled(4, 4, [](std::int64_t i, std::int64_t) { return static_cast<float>(i); }))});
    figure.span = core::ValueRange{0, 3};
    figure.colours.range = core::ValueRange{1, 2};
    const FigurePicture map = mapOf(draw(figure));
    const widgets::SpecialColours specials = widgets::specialColours(ColormapName::Viridis);
    QCOMPARE(colorAt(map, 0, 0), specials.below);
    QCOMPARE(colorAt(map, 1, 0), widgets::colormapTable(ColormapName::Viridis)[0]);
    QCOMPARE(colorAt(map, 2, 0), widgets::colormapTable(ColormapName::Viridis)[255]);
    QCOMPARE(colorAt(map, 3, 0), specials.above);
    QVERIFY(draw(figure).settings.contains("colours from 1 to 2"));
    figure.colours.range.reset();
    QCOMPARE(colorAt(mapOf(draw(figure)), 3, 0), widgets::colormapTable(ColormapName::Viridis)[255]);
  }

  void theLegendHasWhatOccurs() {
    const QStringList all{"masked", "query that sees no key", "hidden key",
                          "NaN",    "above the range",        "below the range"};
    const auto legend = [&all](const Figure& figure) {
      QStringList found;
      for (const FigureLabel& label : itemsOf<FigureLabel>(draw(figure)))
        if (label.font == widgets::FigureFont::Caption && all.contains(label.text)) found << label.text;
      return found;
    };
    QCOMPARE(legend(figureOf({openMap(filled(5, 5, wave))})), QStringList());
    QCOMPARE(legend(figureOf({causalMap(5, 1)})), QStringList{"masked"});
    QCOMPARE(legend(figureOf({causalMap(5, 1, core::KeySet({0}))})), (QStringList{"masked", "hidden key"}));

    core::MapValues values = filled(5, 5, wave);
    values.values[12] = std::nanf("");
    values.values[13] = std::numeric_limits<float>::infinity();
    values.values[14] = -std::numeric_limits<float>::infinity();
    QCOMPARE(legend(figureOf({openMap(values)})), (QStringList{"NaN", "above the range", "below the range"}));

    const std::vector<core::PositionRange> rows{{0, 1}, {0, 0}, {0, 3}, {0, 0}, {0, 5}};
    const auto blind = std::make_shared<const support::StoredMap>("blind", filled(5, 5, wave), core::MapMask(rows));
    QCOMPARE(legend(figureOf({blind})), (QStringList{"masked", "query that sees no key"}));
  }

  void aPartHasItsOwnLabelsAndNoOthers() {
    Figure figure = figureOf({causalMap(60, 3)});
    figure.part = core::MapRect{{20, 31}, {7, 30}};
    const FigureDrawing drawing = draw(figure);
    QCOMPARE(mapOf(drawing).image.size(), QSize(23, 11));
    const QStringList texts = textsOf(drawing);
    for (int i = 0; i < 60; ++i) {
      const QString label = figure.rowLabels[i];
      QCOMPARE(texts.count(label), (i >= 20 && i < 31 ? 1 : 0) + (i >= 7 && i < 30 ? 1 : 0));
    }
    QVERIFY(drawing.settings.contains("rows 20 to 30, columns 7 to 29"));
    QVERIFY(!draw(figureOf({causalMap(60, 3)})).settings.contains("rows"));
    // The same colours as in the whole.
    const FigurePicture whole = mapOf(draw(figureOf({causalMap(60, 3)})));
    QCOMPARE(colorAt(mapOf(drawing), 5, 3), colorAt(whole, 25, 10));
  }

  void labelsStandAtTheirCellsApartAndTheLastIsThere_data() {
    QTest::addColumn<int>("tokens");
    for (const int tokens : {1, 2, 6, 43, 100, 257, 1000, 1201}) QTest::addRow("%d tokens", tokens) << tokens;
  }

  void labelsStandAtTheirCellsApartAndTheLastIsThere() {
    QFETCH(int, tokens);
    const Figure figure = figureOf({causalMap(tokens, 1)});
    for (const widgets::PixelRatio ratio : {widgets::PixelRatio(1), widgets::PixelRatio(3), widgets::PixelRatio()}) {
      const FigureDrawing drawing = draw(figure, ratio);
      const QRectF map = mapOf(drawing).place;
      const std::vector<FigureLabel> rows = axisLabels(drawing, FigureLabel::Side::Right);
      QVERIFY(!rows.empty());
      QCOMPARE(rows.back().text, figure.rowLabels.back());
      QCOMPARE(rows.front().text, figure.rowLabels.front());
      const int pixels = mapOf(drawing).image.height();
      const int block = (tokens + pixels - 1) / pixels;
      const double cell = map.height() / pixels / block;
      double before = -1000;
      for (const FigureLabel& label : rows) {
        const qsizetype row = figure.rowLabels.indexOf(label.text);
        QVERIFY2(
            std::abs(label.anchor.y() - (map.top() + (static_cast<double>(row) + 0.5) * cell)) < std::max(0.6, cell),
            qPrintable(label.text));
        QVERIFY(label.anchor.y() - before >= widgets::lineHeight(widgets::FigureFont::Label) - 1e-6);
        before = label.anchor.y();
        QVERIFY(label.anchor.x() - widgets::textWidth(label.font, label.text) > 0);
        QVERIFY(label.anchor.x() < map.left());
      }
    }
  }

  void nothingReachesOverTheEdge_data() {
    QTest::addColumn<int>("maps");
    for (const int maps : {1, 2, 3, 5, 12}) QTest::addRow("%d maps", maps) << maps;
  }

  void nothingReachesOverTheEdge() {
    QFETCH(int, maps);
    std::vector<core::MapPtr> all;
    for (int i = 0; i < maps; ++i) all.push_back(causalMap(20, i));
    Figure figure = figureOf(all);
    figure.rowLabels = support::numberedLabels(20, {"a very long token that nobody can write beside a map", "x"});
    figure.columnLabels = figure.rowLabels;
    figure.title = "A title that is so long that it goes on and on in a second line below the first, as titles may do";
    figure.settings << "a setting of many words that only fits when the line is broken somewhere"
                    << "another one that is about as long as the one before and is broken too";
    const FigureDrawing drawing = draw(figure);
    const QRectF page(QPointF(), QSizeF(drawing.size));
    for (const FigureLabel& label : itemsOf<FigureLabel>(drawing)) {
      const double width = widgets::textWidth(label.font, label.text);
      const double height = widgets::lineHeight(label.font);
      const double before = label.side == FigureLabel::Side::Left    ? 0
                            : label.side == FigureLabel::Side::Right ? width
                                                                     : width / 2;
      const QRectF place =
          label.direction == FigureLabel::Direction::Level
              ? QRectF(label.anchor.x() - before, label.anchor.y() - height / 2, width, height)
              : QRectF(label.anchor.x() - height / 2, label.anchor.y() + before - width, height, width);
      QVERIFY2(page.contains(place), qPrintable(label.text));
    }
    const std::vector<FigurePicture> pictures = itemsOf<FigurePicture>(drawing);
    QCOMPARE(pictures.size(), static_cast<std::size_t>(maps) + 1);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      QVERIFY(page.contains(pictures[i].place));
      for (std::size_t j = 0; j < i; ++j) QVERIFY(!pictures[i].place.intersects(pictures[j].place));
    }
  }

  void aMapWithTooManyCellsIsReducedInWholeBlocksAndSaysSo() {
    const core::MapPtr map = causalMap(1500, 4);
    const FigureDrawing drawing = draw(figureOf({map}), 1);
    const QImage image = mapOf(drawing).image;
    QCOMPARE(image.size(), QSize(500, 500));
    QVERIFY2(drawing.settings.contains("1 pixel = 3 × 3 cells, max"), qPrintable(drawing.settings));
    const core::MapValues values = support::causalWeights(1500, 4);
    const float largest = *std::max_element(values.values.begin(), values.values.end());
    const widgets::Colouring colouring(ColormapName::Viridis, Scale::Linear, {0, largest});
    for (int y = 0; y < 500; ++y) {
      for (int x = 0; x < 500; ++x) {
        float block = -1;
        for (int i = 3 * y; i < 3 * y + 3; ++i)
          for (int j = 3 * x; j < std::min(3 * x + 3, i + 1); ++j) block = std::max(block, values.at(i, j));
        if (block < 0) {
          QCOMPARE(qAlpha(image.pixel(x, y)), 0);
        } else {
          QCOMPARE(image.pixel(x, y), colouring.color(block));
        }
      }
    }
    // With as many pixels as cells nothing is reduced, nor in a file without pixels of its own.
    QCOMPARE(mapOf(draw(figureOf({map}), 3)).image.size(), QSize(1500, 1500));
    QCOMPARE(mapOf(draw(figureOf({map}), std::nullopt)).image.size(), QSize(1500, 1500));
    QVERIFY(!draw(figureOf({map}), 3).settings.contains("pixel"));
  }

  void fewRowsOverManyKeysKeepTheirRows_data() {
    QTest::addColumn<int>("reduction");
    for (const core::Reduction one : {core::Reduction::Max, core::Reduction::Mean})
      QTest::addRow("%d", static_cast<int>(one)) << static_cast<int>(one);
  }

  void fewRowsOverManyKeysKeepTheirRows() {
    QFETCH(int, reduction);
    const bool isMean = static_cast<core::Reduction>(reduction) == core::Reduction::Mean;
    core::MapValues values = filled(5, 1400, wave);
    values.values[2 * 1400 + 700] = std::nanf("");
    Figure figure = figureOf({openMap(values)});
    figure.span = core::ValueRange{0, 1};
    figure.colours.reduction = static_cast<core::Reduction>(reduction);
    const FigureDrawing drawing = draw(figure, 1);
    const QImage image = mapOf(drawing).image;
    QCOMPARE(image.size(), QSize(467, 5));
    QVERIFY(drawing.settings.contains(isMean ? "1 pixel = 1 × 3 cells, mean" : "1 pixel = 1 × 3 cells, max"));
    const widgets::Colouring colouring(ColormapName::Viridis, Scale::Linear, {0, 1});
    for (int y = 0; y < 5; ++y) {
      for (int x = 0; x < 467; ++x) {
        double largest = -1;
        double sum = 0;
        const int end = std::min(1400, 3 * x + 3);  // the last block has two cells
        for (int j = 3 * x; j < end; ++j) {
          const auto value = static_cast<double>(values.at(y, j));
          largest = std::isnan(value) ? value : std::max(largest, value);
          sum += value;
        }
        const double expected = isMean ? sum / (end - 3 * x) : largest;
        QCOMPARE(image.pixel(x, y), colouring.color(static_cast<float>(expected)));
      }
    }
  }

  void oblongBlocksAgreeWithSquareOnes() {
    // Of 4 rows at a time: once by the map's own overview, once by the figure's.
    const auto map = causalMap(64, 5, core::KeySet({0, 1, 2, 3, 9}));
    const auto colours =
        std::make_shared<const widgets::ColourTable>(widgets::Colouring(ColormapName::Viridis, Scale::Linear, {0, 1}));
    for (const core::Reduction reduction :
         {core::Reduction::Max, core::Reduction::Mean, core::Reduction::MaxMagnitude}) {
      const core::MapRect all{{0, 64}, {0, 64}};
      const core::MapValues columns =
          widgets::figureCells(*map, {Stage::Weights, all, {1, 4}, reduction, ColormapName::Viridis, colours}, {})
              .values;
      const core::MapValues square =
          widgets::figureCells(*map, {Stage::Weights, all, {4, 4}, reduction, ColormapName::Viridis, colours}, {})
              .values;
      QCOMPARE(columns.rows, 64);
      QCOMPARE(columns.columns, 16);
      if (reduction == core::Reduction::Mean) continue;  // a mean of means is none: other cells count in each row
      for (int y = 0; y < 16; ++y) {
        for (int x = 0; x <= y; ++x) {
          float largest = 0;
          for (int i = 0; i < 4; ++i) largest = std::max(largest, columns.at(4 * y + i, x));
          QCOMPARE(largest, square.at(y, x));
        }
      }
    }
  }

  void aDifferenceShowsTheLargestDifferenceAndItsTotalVariation() {
    const core::MapPtr a = causalMap(1300, 1);
    const core::MapPtr b = causalMap(1300, 2);
    const auto difference = std::make_shared<const core::DifferenceMap>(a, b, Stage::Weights);
    Figure figure = figureOf({difference});
    figure.colours.colormap = ColormapName::Diverging;
    figure.maps.front().rowProfile = core::totalVariation(*difference, {});
    const FigureDrawing drawing = draw(figure, 2);
    QVERIFY2(drawing.settings.contains("1 pixel = 2 × 2 cells, largest difference"), qPrintable(drawing.settings));
    QVERIFY(textsOf(drawing).contains("difference"));
    QVERIFY(textsOf(drawing).contains("total"));
    // The bars: 0 to 1 is as wide as the lines beside them are apart, the largest of two rows each.
    const QRectF map = mapOf(drawing).place;
    const core::MapValues av = support::causalWeights(1300, 1);
    const core::MapValues bv = support::causalWeights(1300, 2);
    const auto variation = [&](int row) {
      double sum = 0;
      for (int j = 0; j <= row; ++j)
        sum += std::abs(static_cast<double>(av.at(row, j)) - static_cast<double>(bv.at(row, j)));
      return sum / 2;
    };
    std::vector<QPolygonF> bars;
    for (const auto& shape : itemsOf<widgets::FigureShape>(drawing))
      if (shape.outline.size() > 100) bars.push_back(shape.outline);
    QCOMPARE(bars.size(), std::size_t{1});
    const QPolygonF& outline = bars.front();
    QCOMPARE(outline.size(), 2 * 650 + 2);
    for (int pixel = 0; pixel < 650; ++pixel) {
      const double expected = std::max(variation(2 * pixel), variation(2 * pixel + 1));
      const QPointF top = outline[1 + 2 * pixel];
      QVERIFY(std::abs((top.x() - outline[0].x()) / 36 - expected) < 1e-4);
      QVERIFY(std::abs(top.y() - (map.top() + pixel * map.height() / 650)) < 1e-6);
    }
  }

  void hiddenKeysAreNamedWithTheirMass() {
    const core::MapValues values = support::causalWeights(20, 6);
    double mass = 0;
    for (int i = 0; i < 20; ++i)
      for (int j = 0; j < 2; ++j) mass += static_cast<double>(values.at(i, j)) / 20;
    const QString settings = draw(figureOf({causalMap(20, 6, core::KeySet({0, 1}))})).settings;
    QVERIFY2(
        settings.contains(QString("keys 0-1 hidden (%1 % of the attention)").arg(QString::number(100 * mass, 'g', 3))),
        qPrintable(settings));
  }

  void largeCellsHaveTheirNumbers() {
    const FigureDrawing drawing = draw(figureOf({causalMap(5, 2)}));
    const core::MapValues values = support::causalWeights(5, 2);
    const QStringList texts = textsOf(drawing);
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j <= i; ++j)
        QVERIFY(texts.contains(QString::number(static_cast<double>(values.at(i, j)), 'g', 3)));
    int numbers = 0;
    for (const FigureLabel& label : itemsOf<FigureLabel>(draw(figureOf({causalMap(40, 2)}))))
      numbers += label.font == widgets::FigureFont::Number && label.side == FigureLabel::Side::Middle;
    QCOMPARE(numbers, 0);
  }

  void cellsAreWholePixels_data() {
    QTest::addColumn<int>("tokens");
    QTest::addColumn<int>("ratio");
    for (const int tokens : {1, 7, 43, 217, 256, 440, 587, 1173})
      for (const int ratio : {1, 2, 3, 4}) QTest::addRow("%d at %dx", tokens, ratio) << tokens << ratio;
  }

  void cellsAreWholePixels() {
    QFETCH(int, tokens);
    QFETCH(int, ratio);
    const FigurePicture map = mapOf(draw(figureOf({causalMap(tokens, 1)}), ratio));
    const double pixels = map.place.width() * ratio / map.image.width();
    QCOMPARE(pixels, std::round(pixels));
    QVERIFY(pixels >= 1);
    for (const double edge : {map.place.left() * ratio, map.place.top() * ratio}) QCOMPARE(edge, std::round(edge));
    QVERIFY(map.place.width() <= 440 * 4 / 3.0 + 1e-9);
    if (tokens >= 43) QVERIFY(map.place.width() >= 290);
  }

  void theBarHasItsNumbers() {
    using widgets::barTicks;
    const auto texts = [](const std::vector<widgets::BarTick>& ticks) {
      QStringList all;
      for (const widgets::BarTick& tick : ticks) all << tick.text;
      return all;
    };
    const auto ticks = [&](Scale scale, ColormapName colours, core::ValueRange range) {
      const widgets::Colouring colouring(colours, scale, range);
      return barTicks({colours, scale}, Stage::Weights, &colouring, 0.03);
    };
    QCOMPARE(texts(ticks(Scale::Linear, ColormapName::Viridis, {0, 1})),
             (QStringList{"0", "0.2", "0.4", "0.6", "0.8", "1"}));
    QCOMPARE(texts(ticks(Scale::Linear, ColormapName::Viridis, {0, 0.731f})),
             (QStringList{"0", "0.2", "0.4", "0.6", "0.731"}));
    QCOMPARE(texts(ticks(Scale::Log, ColormapName::Viridis, {0, 1})),
             (QStringList{"0.0001", "0.001", "0.01", "0.1", "1"}));
    QCOMPARE(texts(ticks(Scale::Linear, ColormapName::Diverging, {-3, 7})), (QStringList{"-7", "-5", "0", "5", "7"}));
    QCOMPARE(texts(ticks(Scale::Linear, ColormapName::Viridis, {2, 2})), QStringList{"2"});
    for (const widgets::BarTick& tick : ticks(Scale::SquareRoot, ColormapName::Viridis, {0, 4}))
      QVERIFY(std::abs(tick.place - std::sqrt(tick.text.toDouble() / 4)) < 1e-6);
    QCOMPARE(texts(barTicks({ColormapName::Viridis, Scale::PerRow}, Stage::Weights, nullptr, 0.03)),
             (QStringList{"0", "row max"}));
    QCOMPARE(texts(barTicks({ColormapName::Diverging, Scale::PerRow}, Stage::Scores, nullptr, 0.03)),
             (QStringList{"−row max", "0", "row max"}));
  }

  void itSaysWhatItsAxesAre() {
    Figure figure = figureOf({causalMap(8, 1)});
    for (const char* text : {"query (row)", "key (column)", "weight", "Layer 2, head 3"})
      QVERIFY2(textsOf(draw(figure)).contains(text), text);
    QVERIFY(!textsOf(draw(figure)).contains("Map 0"));  // the title says it
    figure.colours.scale = Scale::SquareRoot;
    QVERIFY(textsOf(draw(figure)).contains("√ scale"));
    figure.stage = Stage::Output;
    QVERIFY(textsOf(draw(figure)).contains("dimension (column)"));
    figure.title.clear();
    QCOMPARE(draw(figure).title, QString("Map 0"));
  }

  void aRunTellsItsModelMaskAndWindows() {
    const auto session = core::Session::open(support::repository("models/shakespeare-char"), {}, core::Progress());
    core::RunRequest request{session->check("ROMEO: But soft").tokens};
    QCOMPARE(widgets::runSettings(*session->run(request, {}), {core::Layer(0)}).join(", "),
             QString("shakespeare-char, nanoGPT, 15 tokens, causal mask"));
    request.overrides.windows = core::widthsOf("4, all, all, all, all, all");
    request.overrides.mask = core::MaskKind::Bidirectional;
    const auto capture = session->run(request, {});
    const QString changed = widgets::runSettings(*capture, {core::Layer(0), core::Layer(1)}).join(", ");
    QVERIFY2(changed.contains("bidirectional mask, window 4 back, not as trained: "), qPrintable(changed));
    QVERIFY(!widgets::runSettings(*capture, {core::Layer(1)}).join(", ").contains("back"));
  }

  void onADarkGroundTheDataHaveTheSameColours() {
    Figure figure = figureOf({causalMap(8, 1)});
    const FigureDrawing light = draw(figure);
    figure.ground = widgets::FigureGround::Dark;
    const FigureDrawing dark = draw(figure);
    QCOMPARE(mapOf(dark).image, mapOf(light).image);
    QVERIFY(light.ground.lightness() > 250);
    QVERIFY(dark.ground.lightness() < 40);
    for (const FigureDrawing* drawing : {&light, &dark})
      for (const FigureLabel& label : itemsOf<FigureLabel>(*drawing))
        if (label.font != widgets::FigureFont::Number)
          QVERIFY2(std::abs(label.color.lightness() - drawing->ground.lightness()) > 110, qPrintable(label.text));
  }

  void itIsDrawnOnAnotherThread() {
    FigureDrawing drawing;
    std::thread worker([&] { drawing = draw(figureOf({causalMap(30, 1)})); });
    worker.join();
    QCOMPARE(mapOf(drawing).image, mapOf(draw(figureOf({causalMap(30, 1)}))).image);
  }

  void whatCannotBeDrawnIsRefusedWithItsNumbers() {
    const auto problem = [](const Figure& figure) -> std::pair<core::ErrorKind, QString> {
      try {
        draw(figure);
      } catch (const core::Error& error) {
        return {error.kind(), error.what()};
      }
      return {core::ErrorKind::Io, "none"};
    };
    Figure outside = figureOf({causalMap(8, 1)});
    outside.part = core::MapRect{{0, 9}, {0, 8}};
    QCOMPARE(problem(outside).first, core::ErrorKind::Mismatch);
    QVERIFY2(problem(outside).second.contains("0:9"), qPrintable(problem(outside).second));
    outside.part = core::MapRect{{3, 3}, {0, 8}};
    QCOMPARE(problem(outside).first, core::ErrorKind::Mismatch);
    QCOMPARE(problem(figureOf({causalMap(8, 1), causalMap(9, 1)})).first, core::ErrorKind::Mismatch);
    QCOMPARE(problem(figureOf({std::make_shared<const support::FailingMap>()})).first, core::ErrorKind::OutOfMemory);
  }
};

HEADSCOPE_QTEST_MAIN(FigureTest)
#include "figure_test.moc"
