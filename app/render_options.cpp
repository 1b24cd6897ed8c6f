#include "app/render_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string>

#include "app/cli_groups.h"
#include "app/cli_options.h"
#include "app/colour_words.h"
#include "app/index_list.h"

namespace app {

namespace {

template <class Number>
std::optional<Number> parseNumber(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// In any case.
bool hasExtension(const std::filesystem::path& path, std::string_view extension) {
  const std::string own = path.extension().string();
  return std::equal(own.begin(), own.end(), extension.begin(), extension.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
  });
}

void addMaps(CLI::App& command, RenderArguments& render) {
  const char* group = "What is drawn";
  command.add_option("--layer", render.layer, "The layer, counted from 0")->required()->type_name("N")->group(group);
  addParsed(command, "--head", render.heads, parseIndexList, "a list such as 3, 0,2 or 1-3",
            "The head, counted from 0; several are drawn side by side with the same colours: 0,2 or 0-3")
      ->required()
      ->type_name("LIST")
      ->group(group);
  command
      .add_flag_callback(
          "--mean", [&] { render.several = SeveralHeads::Mean; }, "Instead: the mean of these heads")
      ->group(group);
  addParsed(command, "--minus", render.minus, parseHead, "a layer and a head such as 2.3",
            "The difference to another head, layer L, head H, with each row's total variation")
      ->type_name("L.H")
      ->group(group);
  using core::Stage;
  addChoice<Stage, Stage>(command, "--stage", render.stage,
                          {{"scores", Stage::Scores},
                           {"masked", Stage::MaskedScores},
                           {"weights", Stage::Weights},
                           {"output", Stage::Output},
                           {"reassembled", Stage::Reassembled}},
                          "What of it; weights without it")
      ->group(group);
  const char* like = "a range such as 0:128, the end after the beginning";
  addParsed(command, "--rows", render.rows, parsePositionRange, like, "Only the rows (queries) from A to B, without B")
      ->type_name("A:B")
      ->group(group);
  addParsed(command, "--cols", render.columns, parsePositionRange, like, "Only the columns (keys)")
      ->type_name("A:B")
      ->group(group);
  addParsed(command, "--hide-keys", render.hiddenKeys, parsePositions, "a list such as 0, 0-3 or 0,17",
            "Keys that are not drawn and do not count in the colours' range: 0 takes away the first token")
      ->type_name("LIST")
      ->group(group);
}

void addColours(CLI::App& command, RenderArguments& render) {
  const char* group = "Colours";
  addChoice(command, "--scale", render.scale, choices(kScaleWords),
            "From value to colour; linear without it, row: each row by its own largest")
      ->group(group);
  addChoice<std::optional<widgets::ColormapName>, widgets::ColormapName>(
      command, "--colormap", render.colormap, choices(kColormapWords),
      "The colours; viridis without it, diverging for a difference")
      ->group(group);
  addParsed(command, "--range", render.range, parseValueRange, "a range such as 0:0.5 or -3:3, the larger number last",
            "What the colours span; without it all values of the maps")
      ->type_name("LOW:HIGH")
      ->group(group);
  using core::Reduction;
  addChoice<Reduction, Reduction>(command, "--reduction", render.reduction,
                                  {{"max", Reduction::Max}, {"mean", Reduction::Mean}},
                                  "Of a figure's pixel that stands for several cells; max without it")
      ->group(group);
}

void addPicture(CLI::App& command, RenderArguments& render) {
  const char* group = "The picture";
  addParsed(
      command, "--title", render.title, [](const std::string& text) { return std::optional(text); }, "",
      "Instead of layer and head")
      ->type_name("TEXT")
      ->group(group);
  command
      .add_flag_callback(
          "--dark", [&] { render.ground = PictureGround::Dark; }, "On a dark ground")
      ->group(group);
  command
      .add_option("--pixel-ratio", render.pixelRatio,
                  "Of a .png: pixels a point, 1 (72 dpi) to 4 (288 dpi); 2 without it")
      ->check(CLI::Range(1, 4))
      ->type_name("N")
      ->group(group);
  CLI::Option* bare = command.add_flag_callback(
      "--bare", [&] { render.kind = PictureKind::Bare; }, "A .png of the cells alone");
  bare->group(group);
  command.add_option("--cell", render.cell, "Side of a bare map's cells in pixels; without it about 1000 a picture")
      ->check(CLI::Range(1, 256))
      ->needs(bare)
      ->type_name("PIXELS")
      ->group(group);
}

}  // namespace

void addRender(CLI::App& command, Arguments& arguments) {
  addModel(command, arguments);
  requirePrompt(command, arguments);
  addOverrides(command, arguments);
  addMaps(command, arguments.render);
  addColours(command, arguments.render);
  addPicture(command, arguments.render);
  addOutput(command, arguments, "The file to write: .png, .svg or .pdf")->required();
  addJson(command, arguments);
}

void requireFittingPicture(const Arguments& arguments) {
  if (arguments.command != Command::Render) return;
  const RenderArguments& render = arguments.render;
  const std::string file = arguments.output.string();
  const bool isVector = hasExtension(arguments.output, ".svg") || hasExtension(arguments.output, ".pdf");
  std::error_code error;
  const bool isPng =
      hasExtension(arguments.output, ".png") || std::filesystem::is_character_file(arguments.output, error);
  if (!isVector && !isPng)
    throw CLI::ValidationError("--output", file + " tells no format; name it with the ending .png, .svg or .pdf");
  if (isVector && render.kind == PictureKind::Bare)
    throw CLI::ValidationError("--bare", "the cells alone are a .png, and " + file + " is none");
  if (render.pixelRatio && (isVector || render.kind == PictureKind::Bare))
    throw CLI::ValidationError("--pixel-ratio", "only a figure as .png has it");
  const bool isSeveral = render.heads.size() > 1 && render.several == SeveralHeads::Each;
  if (isSeveral && render.minus)
    throw CLI::ValidationError("--minus", "the difference is of one head, or of the mean of several (--mean)");
  if (isSeveral && render.kind == PictureKind::Bare)
    throw CLI::ValidationError("--bare", "the cells alone are of one head, or of the mean of several (--mean)");
}

std::optional<core::ValueRange> parseValueRange(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto low = parseNumber<float>(text.substr(0, colon));
  const auto high = parseNumber<float>(text.substr(colon + 1));
  if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high) || *low >= *high) return std::nullopt;
  return core::ValueRange{*low, *high};
}

std::optional<core::HeadId> parseHead(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto layer = parseNumber<int>(text.substr(0, dot));
  const auto head = parseNumber<int>(text.substr(dot + 1));
  if (!layer || !head || *layer < 0 || *head < 0) return std::nullopt;
  return core::HeadId{core::Layer(*layer), core::Head(*head)};
}

const char* const kRenderExamples =
    "A figure for a paper: title, axes with tokens, colour bar, legend and the settings, on white. Text stays text in\n"
    ".svg and .pdf, and the map is a picture of crisp cells in them. A map with more cells than there is room for is\n"
    "reduced in whole blocks, and the figure says so. The range of several maps is that of all of them: one value, "
    "one\n"
    "colour.\n\n"
    "Examples:\n"
    "  headscope render ckpt.pt --prompt 'ROMEO:' --layer 2 --head 3 -o map.pdf\n"
    "  headscope render ckpt.pt --prompt-file act1.txt --layer 2 --head 0-3 --scale sqrt --hide-keys 0 -o heads.svg\n"
    "  headscope render ckpt.pt --prompt 'ROMEO:' --layer 2 --head 3 --minus 1.0 --pixel-ratio 4 -o difference.png\n"
    "  headscope render ckpt.pt --tokens 1,2,3 --layer 0 --head 0 --stage scores --bare --cell 16 -o cells.png\n";

}  // namespace app
