// Figures as files, read back by code that shares nothing with the writer (figure_reader.py) and by Qt's SVG renderer.
#include "widgets/heatmap/figure_file.h"

#include <QSvgRenderer>
#include <fstream>
#include <thread>

#include "tests/support/qt_test.h"
#include "tests/widgets/heatmap/figure_maps.h"
#include "tests/widgets/heatmap/read_picture.h"
#include "widgets/heatmap/map_painter.h"

using support::causalMap;
using support::figureOf;
using support::itemsOf;
using support::Pixels;
using widgets::Figure;
using widgets::FigureFormat;
using widgets::FigurePicture;

namespace {

constexpr int kTokens = 23;

/// 23 tokens, a hidden key, NaN and infinity.
Figure eventfulFigure() {
  core::MapValues values = support::causalWeights(kTokens, 1);
  values.values[12 * kTokens + 3] = std::nanf("");
  values.values[13 * kTokens + 3] = std::numeric_limits<float>::infinity();
  Figure figure = figureOf({std::make_shared<const support::StoredMap>(
      "eventful", std::move(values), core::AttentionMask(kTokens), core::KeySet({1}))});
  figure.colours.range = core::ValueRange{0, 0.5};
  return figure;
}

/// The colour of a cell by the definition: 256 equal steps of the range.
QRgb colorOf(int row, int column) {
  const widgets::SpecialColours& specials = widgets::specialColours(widgets::ColormapName::Viridis);
  if (row == 12 && column == 3) return specials.notANumber;
  if (row == 13 && column == 3) return specials.above;
  const double share = static_cast<double>(support::causalWeights(kTokens, 1).at(row, column)) / 0.5;
  if (share > 1 + 1e-5) return specials.above;
  return widgets::colormapTable(widgets::ColormapName::Viridis)[static_cast<std::size_t>(std::min(255.0, share * 256))];
}

bool hasValue(int row, int column) { return column <= row && column != 1; }

/// Ground, line, or a mixture of them.
bool isPattern(QRgb color) {
  const auto between = [](int value, int a, int b) {
    return value >= std::min(a, b) - 1 && value <= std::max(a, b) + 1;
  };
  const QRgb ground = widgets::kLightHatch.ground;
  const QRgb line = widgets::kLightHatch.line;
  return between(qRed(color), qRed(ground), qRed(line)) && between(qGreen(color), qGreen(ground), qGreen(line)) &&
         between(qBlue(color), qBlue(ground), qBlue(line));
}

QRgb rgb(const QString& digits) { return 0xff000000u | digits.toUInt(nullptr, 16); }

QRectF mapPlace(const Figure& figure, widgets::PixelRatio ratio) {
  return itemsOf<FigurePicture>(widgets::drawFigure(figure, ratio, {})).front().place;
}

/// Every cell's value in an embedded picture of `times` x `times` pixels a cell.
QString embeddedProblem(const Pixels& pixels) {
  const int times = pixels.width() / kTokens;
  if (pixels.width() != times * kTokens || pixels.height() != times * kTokens || times < 1) return "another size";
  for (int row = 0; row < kTokens; ++row) {
    QString expected;
    for (int column = 0; column < kTokens; ++column)
      expected += QString(hasValue(row, column) ? support::hex(colorOf(row, column)) : "------").repeated(times);
    for (int y = row * times; y < (row + 1) * times; ++y)
      if (pixels.row(y) != expected)
        return QString("row %1 of cells: %2 instead of %3").arg(row).arg(pixels.row(y), expected);
  }
  return {};
}

/// A prompt in many scripts, one label each.
const QStringList kWords{"注意", "日本語", "한국어", "naïve", "Ω≈ç", "😀", "␣the", "<b>&\"'", "שלום"};

Figure figureOfWords() {
  Figure figure = figureOf({causalMap(kWords.size(), 1)});
  figure.rowLabels = support::numberedLabels(kWords.size(), kWords);
  figure.columnLabels = figure.rowLabels;
  figure.title = "注意力 · attention";
  return figure;
}

core::Progress cancelledAt(const std::string& stage) {
  return core::Progress([stage](double, std::string_view now) { return now != stage; });
}

}  // namespace

class FigureFileTest : public support::QtTest {
  Q_OBJECT
 private:
  support::TemporaryFolder m_folder;

  std::filesystem::path write(const Figure& figure, const char* name, int ratio = 2) {
    const std::filesystem::path path = m_folder / name;
    widgets::writeFigure(figure, widgets::figureFormatOf(path).value(), ratio, path, core::Existing::Replace, {});
    return path;
  }

 private Q_SLOTS:
  void pngCellsHaveTheColoursOfTheirValues_data() {
    QTest::addColumn<int>("ratio");
    for (const int ratio : {1, 3}) QTest::addRow("%dx", ratio) << ratio;
  }

  void pngCellsHaveTheColoursOfTheirValues() {
    QFETCH(int, ratio);
    const Figure figure = eventfulFigure();
    HEADSCOPE_READ_PICTURE(picture, write(figure, "map.png", ratio));
    const Pixels pixels(picture["pixels"]);
    const widgets::FigureDrawing drawing = widgets::drawFigure(figure, ratio, {});
    QCOMPARE(QSize(pixels.width(), pixels.height()), drawing.size * ratio);
    const QRectF place = mapPlace(figure, ratio);
    const int cell = static_cast<int>(std::lround(place.width() * ratio / kTokens));
    const int left = static_cast<int>(std::lround(place.left() * ratio));
    const int top = static_cast<int>(std::lround(place.top() * ratio));
    for (int row = 0; row < kTokens; ++row) {
      for (int column = 0; column < kTokens; ++column) {
        // All of the cell, but for what the frame around the map covers.
        for (int y = ratio; y < cell - ratio; ++y) {
          const QString line =
              pixels.row(top + row * cell + y).mid(6 * (left + column * cell + ratio), 6 * (cell - 2 * ratio));
          if (hasValue(row, column)) {
            QCOMPARE(line, support::hex(colorOf(row, column)).repeated(cell - 2 * ratio));
          } else {
            for (qsizetype x = 0; x < line.size(); x += 6) QVERIFY(isPattern(rgb(line.mid(x, 6))));
          }
        }
      }
    }
    // Both patterns have ground and lines.
    for (const auto& [row, column] : {std::pair(2, 15), std::pair(20, 1)}) {
      std::set<QString> colors;
      for (int y = 0; y < cell; ++y)
        for (int x = 0; x < cell; ++x) colors.insert(pixels.at(left + column * cell + x, top + row * cell + y));
      QVERIFY(colors.size() > 1);
    }
  }

  void pngSaysWhatItIs() {
    Figure figure = figureOfWords();
    figure.prompt = QStringLiteral("注意 the prompt\nin two lines");
    for (const int ratio : {1, 2, 4}) {
      HEADSCOPE_READ_PICTURE(picture, write(figure, "described.png", ratio));
      const int perMetre = static_cast<int>(std::lround(72 * ratio / 0.0254));
      QCOMPARE(picture["density"].toArray(), (QJsonArray{perMetre, perMetre, 1}));
      const QJsonObject text = picture["text"].toObject();
      QCOMPARE(text["Software"].toString(), QString("Headscope 9"));
      QCOMPARE(text["Title"].toString(), figure.title);
      QCOMPARE(text["Model"].toString(), QString("a-model"));
      QCOMPARE(text["Prompt"].toString(), figure.prompt);
      QCOMPARE(text["Settings"].toString(), QString("a-model · causal mask · weights · linear scale"));
    }
  }

  void svgTextIsText() {
    Figure figure = figureOfWords();
    HEADSCOPE_READ_PICTURE(picture, write(figure, "words.svg"));
    QStringList texts;
    for (const QJsonValue& text : picture["texts"].toArray()) texts << text["text"].toString();
    for (const QString& label : figure.rowLabels) QCOMPARE(texts.count(label), 2);
    for (const QString& text :
         {figure.title, QString("query (row)"), QString("key (column)"), QString("weight"), QString("0"),
          QString("0.2"), QString("masked"), QString("a-model · causal mask · weights · linear scale")})
      QVERIFY2(texts.contains(text), qPrintable(text));
    QCOMPARE(picture["title"].toString(), figure.title);
    QVERIFY(picture["description"].toString().contains("Prompt: the cat"));
    const widgets::FigureDrawing drawing = widgets::drawFigure(figure, std::nullopt, {});
    QCOMPARE(picture["size"].toArray(),
             (QJsonArray{QString("%1pt").arg(drawing.size.width()), QString("%1pt").arg(drawing.size.height())}));
    // Labels end at the map whatever font they are drawn with.
    for (const QJsonValue& text : picture["texts"].toArray()) {
      if (!figure.rowLabels.contains(text["text"].toString())) continue;
      QCOMPARE(text["anchor"].toString(), QString(text["turned"].toBool() ? "start" : "end"));
      QVERIFY(text["family"].toString().endsWith("monospace"));
    }
  }

  void svgMapIsAPictureOfCrispCells() {
    const Figure figure = eventfulFigure();
    HEADSCOPE_READ_PICTURE(picture, write(figure, "map.svg"));
    const QJsonObject map = picture["images"].toArray().first().toObject();
    QCOMPARE(embeddedProblem(Pixels(map["pixels"])), QString());
    QCOMPARE(map["style"].toString(), QString("image-rendering:pixelated"));
    const QRectF place = mapPlace(figure, std::nullopt);
    const QJsonArray written = map["place"].toArray();
    QVERIFY(std::abs(written[0].toDouble() - place.x()) < 1e-3);
    QVERIFY(std::abs(written[1].toDouble() - place.y()) < 1e-3);
    QVERIFY(std::abs(written[2].toDouble() - place.width()) < 1e-3);
    QVERIFY(std::abs(written[3].toDouble() - place.height()) < 1e-3);
  }

  void svgIsDrawnByAnSvgRendererAsItIsMeant() {
    const Figure figure = eventfulFigure();
    const widgets::FigureDrawing drawing = widgets::drawFigure(figure, std::nullopt, {});
    QSvgRenderer renderer(QString::fromStdString(write(figure, "rendered.svg").string()));
    QVERIFY(renderer.isValid());
    QCOMPARE(renderer.viewBoxF(), QRectF(QPointF(), QSizeF(drawing.size)));
    QImage image(drawing.size * 2, QImage::Format_RGB32);
    image.fill(Qt::red);
    QPainter painter(&image);
    renderer.render(&painter, QRectF(image.rect()));
    painter.end();
    QCOMPARE(image.pixel(0, 0), drawing.ground.rgb());
    const QRectF place = mapPlace(figure, std::nullopt);
    const double cell = 2 * place.width() / kTokens;
    for (int row = 0; row < kTokens; ++row) {
      for (int column = 0; column < kTokens; ++column) {
        const QRgb color = image.pixel(static_cast<int>(2 * place.left() + (column + 0.5) * cell),
                                       static_cast<int>(2 * place.top() + (row + 0.5) * cell));
        if (hasValue(row, column)) {
          QCOMPARE(color, colorOf(row, column));
        } else {
          QVERIFY(isPattern(color));
        }
      }
    }
  }

  void svgHasOnlyCharactersThatXmlHas() {
    Figure figure = figureOf({causalMap(3, 1)});
    figure.rowLabels = {"0 · a\x01z", QString("1 · ") + QChar(0xfffe), QString("2 · ") + QChar(0xd800)};
    HEADSCOPE_READ_PICTURE(picture, write(figure, "odd.svg"));
    QStringList texts;
    for (const QJsonValue& text : picture["texts"].toArray()) texts << text["text"].toString();
    QVERIFY(texts.contains(QString("0 · a\ufffdz")));
  }

  void pdfIsOnePageWithItsFontsAndCells() {
    const Figure figure = eventfulFigure();
    HEADSCOPE_READ_PICTURE(picture, write(figure, "map.pdf"));
    const widgets::FigureDrawing drawing = widgets::drawFigure(figure, std::nullopt, {});
    QCOMPARE(picture["pages"].toInt(), 1);
    QCOMPARE(picture["box"].toArray(), (QJsonArray{0, 0, drawing.size.width(), drawing.size.height()}));
    QCOMPARE(picture["title"].toString(), figure.title);
    QCOMPARE(picture["creator"].toString(), QString("Headscope 9"));
    QVERIFY(!picture["fonts"].toArray().isEmpty());
    for (const QJsonValue& font : picture["fonts"].toArray()) QVERIFY(font["embedded"].toBool());
    QCOMPARE(embeddedProblem(Pixels(picture["images"].toArray().first()["pixels"])), QString());
    const QString text = picture["text"].toString().remove(QRegularExpression("\\s"));
    for (const QString& label :
         figure.rowLabels + QStringList{"query (row)", "key (column)", "weight", "0.5", figure.title})
      QVERIFY2(text.contains(QString(label).remove(' ')), qPrintable(label));
  }

  void pdfTextIsTextInEveryScriptThatHasAFont() {
    HEADSCOPE_READ_PICTURE(picture, write(figureOfWords(), "words.pdf"));
    const QString text = picture["text"].toString().remove(QRegularExpression("\\s"));
    int found = 0;
    for (const QString& word :
         {QString("注意"), QString("日本語"), QString("naïve"), QString("␣the"), QString("<b>&\"'")}) {
      if (!widgets::undrawable(widgets::FigureFont::Label, word).isEmpty()) continue;
      QVERIFY2(text.contains(word), qPrintable(word));
      ++found;
    }
    QVERIFY(found > 0);
    if (!widgets::undrawable(widgets::FigureFont::Label, "注意").isEmpty())
      QSKIP("no font for Chinese is installed: only the other words were looked for");
  }

  void lettersThatNoFontHasAreNamed() {
    QString letter;
    // Linear A, Toto and Vithkuqi: few machines have all of them.
    for (const char32_t candidate : {U'\U00010600', U'\U0001e290', U'\U00010570'}) {
      const QString one = QString::fromUcs4(&candidate, 1);
      if (!widgets::undrawable(widgets::FigureFont::Label, one).isEmpty()) letter = one;
    }
    if (letter.isEmpty()) QSKIP("this machine has a font for everything");
    Figure figure = figureOf({causalMap(3, 1)});
    figure.rowLabels[1] = "1 · " + letter;
    const widgets::EncodedFigure png = widgets::encodeFigure(figure, FigureFormat::Png, 1, {});
    QVERIFY2(png.notice.contains(letter), qPrintable(png.notice));
    // Whoever opens an SVG draws it with fonts of their own.
    QCOMPARE(widgets::encodeFigure(figure, FigureFormat::Svg, 1, {}).notice, QString());
    QCOMPARE(widgets::encodeFigure(figureOf({causalMap(3, 1)}), FigureFormat::Png, 1, {}).notice, QString());
  }

  void aCancelledFigureLeavesNothing_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("stage");
    for (const QString name : {"a.png", "a.svg", "a.pdf"})
      for (const QString stage : {"map", "picture", "writing"})
        QTest::newRow(qPrintable(name + " at " + stage)) << name << stage;
  }

  void aCancelledFigureLeavesNothing() {
    QFETCH(QString, name);
    QFETCH(QString, stage);
    const support::TemporaryFolder folder;
    const std::filesystem::path path = folder / name.toStdString();
    const auto writeCancelled = [&](core::Existing existing) {
      try {
        widgets::writeFigure(eventfulFigure(), *widgets::figureFormatOf(path), 2, path, existing,
                             cancelledAt(stage.toStdString()));
      } catch (const core::Error& error) {
        return error.kind() == core::ErrorKind::Cancelled;
      }
      return false;
    };
    QVERIFY(writeCancelled(core::Existing::Refuse));
    QVERIFY(std::filesystem::is_empty(folder.path()));
    support::writeFile(path, "old");
    QVERIFY(writeCancelled(core::Existing::Replace));
    QCOMPARE(support::readFile(path), std::string("old"));
  }

  void aFullDiskIsAnErrorWithItsBytes_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"full.png", "full.svg", "full.pdf"}) QTest::newRow(name) << name;
  }

  void aFullDiskIsAnErrorWithItsBytes() {
    QFETCH(QString, name);
    const support::TemporaryFolder folder;
    const std::filesystem::path path = folder / name.toStdString();
    std::filesystem::create_symlink("/dev/full", path);
    try {
      widgets::writeFigure(eventfulFigure(), *widgets::figureFormatOf(path), 1, path, core::Existing::Replace, {});
      QFAIL("the disk is full");
    } catch (const core::Error& error) {
      QCOMPARE(error.kind(), core::ErrorKind::Io);
      QVERIFY2(QString(error.what()).contains(QRegularExpression("[0-9]{4,} bytes are needed")), error.what());
    }
  }

  void anOlderFileIsOnlyReplacedWhenAsked() {
    const std::filesystem::path path = m_folder / "kept.svg";
    support::writeFile(path, "old");
    QVERIFY_THROWS_EXCEPTION(
        core::Error, widgets::writeFigure(eventfulFigure(), FigureFormat::Svg, 1, path, core::Existing::Refuse, {}));
    QCOMPARE(support::readFile(path), std::string("old"));
  }

  void theExtensionIsTheFormat() {
    QCOMPARE(widgets::figureFormatOf("a/map.PNG"), std::optional(FigureFormat::Png));
    QCOMPARE(widgets::figureFormatOf("map.svg"), std::optional(FigureFormat::Svg));
    QCOMPARE(widgets::figureFormatOf("map.Pdf"), std::optional(FigureFormat::Pdf));
    QCOMPARE(widgets::figureFormatOf("/dev/full"), std::optional(FigureFormat::Png));
    for (const char* other : {"map.jpg", "map", "png", ".png"})
      QVERIFY2(!widgets::figureFormatOf(other), qPrintable(QString(other)));
  }

  void aCopyHasAsManyPixelsAsTheClipboardTakes() {
    const widgets::CopiedFigure small = widgets::copyableFigure(figureOf({causalMap(9, 1)}), 2, {});
    QCOMPARE(small.notice, QString());
    QCOMPARE(small.image.size(), widgets::drawFigure(figureOf({causalMap(9, 1)}), 2, {}).size * 2);
    std::vector<core::MapPtr> maps;
    for (int i = 0; i < 16; ++i) maps.push_back(causalMap(9, i));
    const widgets::CopiedFigure large = widgets::copyableFigure(figureOf(maps), 4, {});
    const std::int64_t pixels = static_cast<std::int64_t>(large.image.width()) * large.image.height();
    QVERIFY(pixels <= 16'000'000 && pixels > 4'000'000);
    QVERIFY2(large.notice.contains("instead of 4 pixels a point"), qPrintable(large.notice));
  }

  void tooManyPixelsAreRefusedWithTheirNumbers() {
    std::vector<core::MapPtr> maps(1200, causalMap(9, 1));
    try {
      widgets::encodeFigure(figureOf(maps), FigureFormat::Png, 4, {});
      QFAIL("no program opens a picture of that size");
    } catch (const core::Error& error) {
      QCOMPARE(error.kind(), core::ErrorKind::TooLarge);
      QVERIFY2(QString(error.what()).contains(QRegularExpression("[0-9]{5} x [0-9]{5} pixels")), error.what());
    }
  }

  void filesAreWrittenOnAnotherThread() {
    for (const char* name : {"thread.png", "thread.svg", "thread.pdf"}) {
      std::thread worker([&] { write(figureOfWords(), name); });
      worker.join();
      QVERIFY(std::filesystem::file_size(m_folder / name) > 5000);
    }
  }
};

HEADSCOPE_QTEST_MAIN(FigureFileTest)
#include "figure_file_test.moc"
