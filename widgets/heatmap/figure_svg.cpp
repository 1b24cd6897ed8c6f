// A drawn figure as SVG. QSvgGenerator would cut a text where its font changes and place the parts by the widths of the
// fonts here; a text with an anchor stays whole, and stays at its place in any font.
#include <QBuffer>
#include <QXmlStreamWriter>

#include "widgets/heatmap/figure_encoders.h"

namespace widgets {

namespace {

QString number(double value) {
  QString text = QString::number(value, 'f', 3);
  while (text.endsWith('0')) text.chop(1);
  if (text.endsWith('.')) text.chop(1);
  return text == "-0" ? QStringLiteral("0") : text;
}

/// XML has no way to write some characters.
QString allowed(const QString& text) {
  std::u32string result;
  for (const char32_t c : text.toStdU32String()) {
    const bool isAllowed = c == '\t' || c == '\n' || (c >= 0x20 && c < 0xd800) || (c >= 0xe000 && c < 0xfffe) ||
                           (c >= 0x10000 && c < 0x110000);
    result += isAllowed ? c : U'\ufffd';
  }
  return QString::fromStdU32String(result);
}

class SvgWriter {
 public:
  SvgWriter(QByteArray& bytes, const core::Progress& progress) : m_xml(&bytes), m_progress(progress) {
    m_xml.setAutoFormatting(true);
    m_xml.setAutoFormattingIndent(1);
  }

  void write(const FigureDrawing& drawing, const FigureFacts& facts) {
    m_xml.writeStartDocument();
    m_xml.writeStartElement("svg");
    m_xml.writeDefaultNamespace("http://www.w3.org/2000/svg");
    m_xml.writeNamespace("http://www.w3.org/1999/xlink", "xlink");
    m_xml.writeAttribute("version", "1.1");
    m_xml.writeAttribute("width", number(drawing.size.width()) + "pt");
    m_xml.writeAttribute("height", number(drawing.size.height()) + "pt");
    m_xml.writeAttribute("viewBox", QStringLiteral("0 0 %1 %2").arg(drawing.size.width()).arg(drawing.size.height()));
    if (!drawing.title.isEmpty()) m_xml.writeTextElement("title", allowed(drawing.title));
    QStringList description{drawing.settings};
    if (!facts.prompt.isEmpty()) description << "Prompt: " + facts.prompt;
    if (!facts.software.isEmpty()) description << facts.software;
    m_xml.writeTextElement("desc", allowed(description.join('\n')));
    m_xml.writeEmptyElement("rect");
    m_xml.writeAttribute("width", number(drawing.size.width()));
    m_xml.writeAttribute("height", number(drawing.size.height()));
    m_xml.writeAttribute("fill", drawing.ground.name());
    for (const FigureItem& one : drawing.items) {
      m_progress.report(0.5, "picture");
      std::visit([this](const auto& known) { item(known); }, one);
    }
    m_xml.writeEndDocument();
  }

 private:
  void item(const FigureShape& shape) {
    QString path;
    for (const QPointF& point : shape.outline)
      path += (path.isEmpty() ? "M" : "L") + number(point.x()) + "," + number(point.y());
    m_xml.writeEmptyElement("path");
    m_xml.writeAttribute("d", path + "Z");
    m_xml.writeAttribute("fill", shape.fill.name());
  }

  void item(const FigureLines& lines) {
    QString path;
    for (const QLineF& line : lines.lines)
      path += "M" + number(line.x1()) + "," + number(line.y1()) + "L" + number(line.x2()) + "," + number(line.y2());
    m_xml.writeEmptyElement("path");
    m_xml.writeAttribute("d", path);
    m_xml.writeAttribute("fill", "none");
    m_xml.writeAttribute("stroke", lines.color.name());
    m_xml.writeAttribute("stroke-width", number(lines.width));
  }

  void item(const FigurePicture& picture) {
    // Enlarged for the programs that smooth although they are told not to.
    const QByteArray png = encodePng(enlarged(picture.image, enlargement(picture.image.size())), m_progress);
    m_xml.writeEmptyElement("image");
    m_xml.writeAttribute("x", number(picture.place.x()));
    m_xml.writeAttribute("y", number(picture.place.y()));
    m_xml.writeAttribute("width", number(picture.place.width()));
    m_xml.writeAttribute("height", number(picture.place.height()));
    m_xml.writeAttribute("preserveAspectRatio", "none");
    // The first for programs of SVG 1.1, the second for browsers.
    m_xml.writeAttribute("image-rendering", "optimizeSpeed");
    m_xml.writeAttribute("style", "image-rendering:pixelated");
    m_xml.writeAttribute("xlink:href", "data:image/png;base64," + QString::fromLatin1(png.toBase64()));
  }

  void item(const FigureLabel& label) {
    const bool isLevel = label.direction == FigureLabel::Direction::Level;
    const double below = baselineBelowMiddle(label.font);
    const QPointF baseline = label.anchor + (isLevel ? QPointF(0, below) : QPointF(below, 0));
    const QFont font = figureFont(label.font);
    m_xml.writeStartElement("text");
    m_xml.writeAttribute("x", number(baseline.x()));
    m_xml.writeAttribute("y", number(baseline.y()));
    if (!isLevel)
      m_xml.writeAttribute("transform",
                           QStringLiteral("rotate(-90 %1 %2)").arg(number(baseline.x()), number(baseline.y())));
    if (label.side != FigureLabel::Side::Left)
      m_xml.writeAttribute("text-anchor", label.side == FigureLabel::Side::Right ? "end" : "middle");
    m_xml.writeAttribute("font-family", figureFamilies(label.font));
    m_xml.writeAttribute("font-size", number(font.pixelSize()));
    if (font.bold()) m_xml.writeAttribute("font-weight", "bold");
    m_xml.writeAttribute("fill", label.color.name());
    m_xml.writeAttribute("xml:space", "preserve");
    m_xml.writeCharacters(allowed(label.text));
    m_xml.writeEndElement();
  }

  QXmlStreamWriter m_xml;
  const core::Progress& m_progress;
};

}  // namespace

QByteArray encodeSvg(const FigureDrawing& drawing, const FigureFacts& facts, const core::Progress& progress) {
  QByteArray bytes;
  SvgWriter(bytes, progress).write(drawing, facts);
  return bytes;
}

}  // namespace widgets
