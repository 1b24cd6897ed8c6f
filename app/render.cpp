#include "app/render.h"

#include <QGuiApplication>
#include <algorithm>

#include "app/display.h"
#include "core/attention_map.h"
#include "core/map_sums.h"
#include "widgets/heatmap/figure_file.h"
#include "widgets/heatmap/map_image.h"

namespace app {

namespace {

constexpr std::int64_t kUsualSide = 1000;
constexpr std::int64_t kLargestUsualCell = 32;

QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

/// What Qt says of the system without a display at every start; nobody can act on it.
void quietStart(QtMsgType type, const QMessageLogContext& context, const QString& message) {
  for (const char* usual : {"This plugin does not support", "QStandardPaths: ", "Detected locale "})
    if (message.startsWith(usual)) return;
  std::fprintf(stderr, "%s\n", qPrintable(qFormatLogMessage(type, context, message)));
}

/// Fonts without a display.
class OffscreenQt {
 public:
  OffscreenQt() : m_before(qInstallMessageHandler(quietStart)) {
    if (!hasPlatformPlugin("offscreen")) {
      qInstallMessageHandler(m_before);
      throw core::Error(core::ErrorKind::Unsupported,
                        "A figure's text needs Qt's offscreen platform plugin, which is not installed (on Debian and "
                        "Ubuntu: qt6-qpa-plugins). --bare draws the cells alone without it.");
    }
    m_application.emplace(m_count, m_words);
  }
  ~OffscreenQt() {
    m_application.reset();
    qInstallMessageHandler(m_before);
  }
  OffscreenQt(const OffscreenQt&) = delete;
  OffscreenQt& operator=(const OffscreenQt&) = delete;

 private:
  QtMessageHandler m_before;
  char m_name[10] = "headscope";
  char m_option[10] = "-platform";
  char m_platform[10] = "offscreen";
  char* m_words[4] = {m_name, m_option, m_platform, nullptr};
  int m_count = 3;
  std::optional<QGuiApplication> m_application;
};

core::HeadId headOf(const RenderArguments& render, int head) { return {core::Layer(render.layer), core::Head(head)}; }

/// "head 3", "heads 0-2"
std::string headsText(const RenderArguments& render) {
  const std::string list = core::KeySet({render.heads.begin(), render.heads.end()}).text();
  return (render.heads.size() == 1 ? "head " : "heads ") + list;
}

std::string whatText(const RenderArguments& render) {
  const bool isMean = render.several == SeveralHeads::Mean && render.heads.size() > 1;
  std::string what = "layer " + std::to_string(render.layer) + ", " + (isMean ? "mean of " : "") + headsText(render);
  if (render.minus)
    what +=
        " − layer " + std::to_string(render.minus->layer.value) + ", head " + std::to_string(render.minus->head.value);
  return what;
}

QString titleOf(const std::string& what) { return text(what).left(1).toUpper() + text(what).mid(1); }

/// The maps that are asked for, each with what it is.
std::vector<widgets::FigureMap> mapsOf(const std::shared_ptr<const core::Capture>& capture,
                                       const RenderArguments& render) {
  const core::KeySet hidden(render.hiddenKeys);
  const auto mapOf = [&](core::HeadId head) {
    return std::make_shared<const core::AttentionMap>(capture, head, hidden);
  };
  if (render.several == SeveralHeads::Each && render.heads.size() > 1) {
    std::vector<widgets::FigureMap> maps;
    for (const int head : render.heads) maps.push_back({QString("Head %1").arg(head), mapOf(headOf(render, head))});
    return maps;
  }
  core::MapPtr map = mapOf(headOf(render, render.heads.front()));
  if (render.heads.size() > 1) {
    std::vector<core::MapPtr> maps;
    for (const int head : render.heads) maps.push_back(mapOf(headOf(render, head)));
    map = std::make_shared<const core::MeanMap>(std::move(maps));
  }
  if (render.minus) map = std::make_shared<const core::DifferenceMap>(map, mapOf(*render.minus), render.stage);
  return {{titleOf(whatText(render)), map}};
}

widgets::ColourChoice coloursOf(const RenderArguments& render) {
  const auto usual = render.minus ? widgets::ColormapName::Diverging : widgets::ColormapName::Viridis;
  return {render.colormap.value_or(usual), render.scale, render.range, render.reduction};
}

core::MapRect partOf(const RenderArguments& render, const core::MapRect& all) {
  return {render.rows.value_or(all.rows), render.columns.value_or(all.columns)};
}

QString promptOf(const core::Capture& capture) {
  std::string prompt;
  for (const core::TokenText& token : capture.tokens()) prompt += token.bytes;
  return text(prompt);
}

widgets::Figure figureOf(const std::shared_ptr<const core::Capture>& capture, const RenderArguments& render,
                         const core::Progress& progress) {
  widgets::Figure figure;
  figure.maps = mapsOf(capture, render);
  figure.stage = render.stage;
  figure.colours = coloursOf(render);
  figure.part = partOf(render, figure.maps.front().map->extent(render.stage));
  figure.title = render.title ? text(*render.title) : titleOf(whatText(render));
  if (figure.maps.size() == 1) figure.maps.front().title.clear();
  figure.ground = render.ground == PictureGround::Light ? widgets::FigureGround::Light : widgets::FigureGround::Dark;
  for (const core::TokenText& token : capture->tokens())
    figure.rowLabels << QStringLiteral("%1 · %2").arg(figure.rowLabels.size()).arg(text(token.label));
  if (core::hasKeys(render.stage)) figure.columnLabels = figure.rowLabels;
  if (render.minus && render.stage == core::Stage::Weights)
    figure.maps.front().rowProfile = core::totalVariation(*figure.maps.front().map, progress);
  std::vector<core::Layer> layers{core::Layer(render.layer)};
  if (render.minus) layers.push_back(render.minus->layer);
  figure.settings = widgets::runSettings(*capture, layers);
  if (render.title) figure.settings.prepend(text(whatText(render)));
  figure.software = "Headscope " HEADSCOPE_VERSION;
  figure.model = text(capture->model().name);
  figure.prompt = promptOf(*capture);
  return figure;
}

Picture bareMap(const std::shared_ptr<const core::Capture>& capture, const RenderArguments& render,
                const core::Progress& progress) {
  const widgets::FigureMap map = mapsOf(capture, render).front();
  const core::MapRect part = partOf(render, map.map->extent(render.stage));
  const std::int64_t usual = kUsualSide / std::max(part.rows.size(), part.columns.size());
  const int cell = render.cell.value_or(static_cast<int>(std::clamp<std::int64_t>(usual, 1, kLargestUsualCell)));
  QImage image = widgets::renderMapImage(*map.map, render.stage, coloursOf(render), cell, progress.part(0, 0.8), part);
  image.setText("Software", "Headscope " HEADSCOPE_VERSION);
  image.setText("Title", map.title);
  image.setText("Model", text(capture->model().name));
  image.setText("Prompt", promptOf(*capture));
  const QByteArray png = widgets::encodePng(image, progress.part(0.8, 1));
  return {png.toStdString(), whatText(render), image.width(), image.height(), "pixels", cell, {}};
}

Picture figurePicture(const std::shared_ptr<const core::Capture>& capture, const Arguments& arguments,
                      const core::Progress& progress) {
  const OffscreenQt qt;
  const widgets::Figure figure = figureOf(capture, arguments.render, progress.part(0, 0.2));
  const auto format = widgets::figureFormatOf(arguments.output).value_or(widgets::FigureFormat::Png);
  const bool isPng = format == widgets::FigureFormat::Png;
  const widgets::EncodedFigure encoded = widgets::encodeFigure(
      figure, format, arguments.render.pixelRatio.value_or(widgets::kUsualPixelRatio), progress.part(0.2, 1));
  const QSize size = isPng ? encoded.pixels : encoded.points;
  return {encoded.bytes.toStdString(),
          whatText(arguments.render),
          size.width(),
          size.height(),
          isPng ? "pixels" : "points",
          0,
          encoded.notice.toStdString()};
}

void requireInside(const char* what, const std::optional<core::PositionRange>& range, std::int64_t count) {
  if (!range || range->end <= count) return;
  throw core::Error(core::ErrorKind::Mismatch, "The map has " + std::to_string(count) + " " + what + ", and " + what +
                                                   " " + std::to_string(range->begin) + ":" +
                                                   std::to_string(range->end) +
                                                   " are asked for; they are counted from 0.");
}

}  // namespace

void requireMaps(const core::ModelConfig& config, std::int64_t tokens, const RenderArguments& render) {
  for (const int head : render.heads) core::requireHead(config, headOf(render, head));
  if (render.minus) core::requireHead(config, *render.minus);
  requireInside("rows", render.rows, tokens);
  const std::int64_t columns = core::hasKeys(render.stage)           ? tokens
                               : render.stage == core::Stage::Output ? config.headSize
                                                                     : config.headSize * config.heads;
  requireInside("columns", render.columns, columns);
  for (const core::Position key : render.hiddenKeys) {
    if (key < tokens) continue;
    throw core::Error(core::ErrorKind::Mismatch, "There is no key " + std::to_string(key) +
                                                     " to hide: the prompt has " + std::to_string(tokens) +
                                                     " tokens, counted from 0.");
  }
}

Picture renderPicture(const std::shared_ptr<const core::Capture>& capture, const Arguments& arguments,
                      const core::Progress& progress) {
  return arguments.render.kind == PictureKind::Bare ? bareMap(capture, arguments.render, progress)
                                                    : figurePicture(capture, arguments, progress);
}

void savePicture(const Picture& picture, const std::filesystem::path& path, core::Existing existing,
                 const core::Progress& progress) {
  widgets::writeBytes(picture.bytes, path, existing, progress);
}

}  // namespace app
