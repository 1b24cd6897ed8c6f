// `headscope render`: a picture without a display.
#include <nlohmann/json.hpp>
#include <set>

#include "tests/app/headless.h"

namespace {

using support::Headless;
using support::ProcessResult;
using support::Words;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::uint32_t bigEndian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = (value << 8) | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

std::uint32_t widthOf(const std::string& png) { return bigEndian(png, 16); }
std::uint32_t heightOf(const std::string& png) { return bigEndian(png, 20); }

class HeadlessRender : public Headless {
 protected:
  Words renderTo(const std::string& file, const Words& more = {}) const {
    Words words{"render", m_model,  "-o", (m_folder / file).string(), "--prompt", "ROMEO:\nBut soft", "--layer",
                "2",      "--head", "3"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Words render(const Words& more) const { return renderTo("map.png", more); }
  Words bare(const Words& more) const {
    Words words = render({"--bare"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  const std::string m_png = (m_folder / "map.png").string();
};

TEST_F(HeadlessRender, WritesAFigureWithoutADisplay) {
  const ProcessResult result = run(render({}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  const std::string png = support::readFile(m_png);
  EXPECT_THAT(png, StartsWith("\x89PNG"));
  EXPECT_THAT(png, HasSubstr("Layer 2, head 3"));
  EXPECT_THAT(png, HasSubstr("shakespeare-char"));
  EXPECT_EQ(result.out, m_png + ": layer 2, head 3, " + std::to_string(widthOf(png)) + " x " +
                            std::to_string(heightOf(png)) + " pixels\n");
  EXPECT_GT(widthOf(png), 900u);  // 15 tokens of 29 points at two pixels a point, and what is around them
}

TEST_F(HeadlessRender, TheExtensionIsTheFormat) {
  EXPECT_EQ(run(renderTo("map.svg")).code, 0);
  const std::string svg = support::readFile(m_folder / "map.svg");
  for (const char* text : {"<svg", ">Layer 2, head 3</text>", ">0 · R</text>", ">6 · ⏎</text>", ">query (row)</text>",
                           ">key (column)</text>", ">weight</text>", ">masked</text>",
                           "shakespeare-char · nanoGPT · 15 tokens · causal mask · weights · linear scale"})
    EXPECT_THAT(svg, HasSubstr(text));
  const ProcessResult pdf = run(renderTo("map.PDF"));
  EXPECT_EQ(pdf.code, 0) << pdf.err;
  EXPECT_THAT(pdf.out, HasSubstr(" points"));
  EXPECT_THAT(support::readFile(m_folder / "map.PDF"), StartsWith("%PDF-1."));
}

TEST_F(HeadlessRender, APixelRatioIsThatOfThePicture) {
  EXPECT_EQ(run(render({"--pixel-ratio", "1"})).code, 0);
  const std::string small = support::readFile(m_png);
  EXPECT_EQ(run(render({"--pixel-ratio", "4", "--force"})).code, 0);
  const std::string large = support::readFile(m_png);
  EXPECT_NEAR(widthOf(large), 4 * widthOf(small),
              80);  // cells are whole pixels, so that not all is four times as large
  EXPECT_LT(widthOf(small), 600u);
}

TEST_F(HeadlessRender, CellsAloneAreWhatTheyWere) {
  const ProcessResult result = run(bare({"--cell", "10"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, HasSubstr("150 x 150 pixels, 10 a cell"));
  const std::string png = support::readFile(m_png);
  EXPECT_EQ(widthOf(png), 150u);  // 15 tokens of 10 pixels
  EXPECT_EQ(heightOf(png), 150u);
  EXPECT_EQ(run(bare({"--force"})).code, 0);
  EXPECT_EQ(widthOf(support::readFile(m_png)), 15u * 32);
  EXPECT_EQ(run(bare({"--force", "--cell", "3", "--rows", "5:9", "--cols", "2:12"})).code, 0);
  EXPECT_EQ(widthOf(support::readFile(m_png)), 30u);
  EXPECT_EQ(heightOf(support::readFile(m_png)), 12u);
}

TEST_F(HeadlessRender, EveryChoiceMakesAnotherPicture) {
  std::set<std::string> pictures;
  std::size_t count = 0;
  const auto draw = [&](const Words& words) {
    Words all = words;
    all.insert(all.end(), {"--force", "--cell", "4"});
    const ProcessResult result = run(bare(all));
    EXPECT_EQ(result.code, 0) << words[1] << ": " << result.err;
    pictures.insert(support::readFile(m_png));
    ++count;
  };
  for (const char* stage : {"scores", "masked", "weights", "output", "reassembled"}) draw({"--stage", stage});
  for (const char* scale : {"sqrt", "log", "row", "percentile"}) draw({"--scale", scale});
  for (const char* colours : {"magma", "inferno", "cividis", "grey", "diverging"}) draw({"--colormap", colours});
  draw({"--range", "0:0.1"});
  draw({"--stage", "scores", "--range", "-2:2"});
  draw({"--hide-keys", "0"});
  draw({"--hide-keys", "0-2"});
  draw({"--minus", "1.0"});
  EXPECT_EQ(pictures.size(), count);  // no two alike
}

TEST_F(HeadlessRender, SeveralHeadsTheirMeanAndADifference) {
  const auto svgOf = [this](const Words& words) {
    Words all{"render", m_model,   "-o", (m_folder / "maps.svg").string(), "--force", "--prompt",
              "ROMEO:", "--layer", "2"};
    all.insert(all.end(), words.begin(), words.end());
    const ProcessResult result = run(all);
    EXPECT_EQ(result.code, 0) << result.err;
    return support::readFile(m_folder / "maps.svg");
  };
  const std::string several = svgOf({"--head", "0,2-4", "--hide-keys", "0"});
  for (const char* text :
       {">Layer 2, heads 0, 2-4</text>", ">Head 0</text>", ">Head 4</text>", ">hidden key</text>", "key 0 hidden ("})
    EXPECT_THAT(several, HasSubstr(text));
  EXPECT_THAT(svgOf({"--head", "0-5", "--mean"}), HasSubstr(">Layer 2, mean of heads 0-5</text>"));
  const std::string difference = svgOf({"--head", "3", "--minus", "1.0"});
  for (const char* text : {">Layer 2, head 3 − layer 1, head 0</text>", ">difference</text>", ">total</text>"})
    EXPECT_THAT(difference, HasSubstr(text));
  const std::string titled = svgOf({"--head", "3", "--title", "A <b>title</b> & more", "--dark"});
  EXPECT_THAT(titled, HasSubstr("A &lt;b&gt;title&lt;/b&gt; &amp; more"));
  EXPECT_THAT(titled, HasSubstr("layer 2, head 3 · shakespeare-char"));
}

TEST_F(HeadlessRender, PrintsJson) {
  const ProcessResult result = run(bare({"--cell", "2", "--json"}));
  EXPECT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["width"], 30);
  EXPECT_EQ(json["unit"], "pixels");
  EXPECT_EQ(json["cell"], 2);
  EXPECT_EQ(json["layer"], 2);
  EXPECT_EQ(json["head"], 3);
  EXPECT_EQ(json["heads"], nlohmann::json({3}));
  const auto figure = nlohmann::json::parse(run(renderTo("map.pdf", {"--json"})).out);
  EXPECT_EQ(figure["unit"], "points");
  EXPECT_FALSE(figure.contains("cell"));
}

TEST_F(HeadlessRender, NeedsNoFontsAndSaysWhenThereAreNone) {
  const std::string none = (m_streams / "fonts.conf").string();
  support::writeFile(none,
                     "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\"><fontconfig></fontconfig>");
  for (const char* file : {"a.png", "a.svg", "a.pdf"}) {
    const ProcessResult result = run(renderTo(file), {{"FONTCONFIG_FILE", none}});
    EXPECT_EQ(result.code, 0) << file << ": " << result.err;
    if (std::string(file) != "a.svg") {
      EXPECT_THAT(result.err, HasSubstr("note: No font is installed")) << file;
    }
  }
  EXPECT_EQ(run(bare({}), {{"FONTCONFIG_FILE", none}}).err, "");
}

TEST_F(HeadlessRender, ThePlatformIsItsOwnWhateverTheEnvironmentSays) {
  const ProcessResult result = run(render({}), {{"QT_QPA_PLATFORM", "nothing"}});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
}

TEST_F(HeadlessRender, RefusesAsTheOthers) {
  refusal({"render", m_model, "--prompt", "a", "--layer", "0", "-o", m_png}, 2, "");
  refusal(render({"--stage", "nothing"}), 2, "");
  refusal(bare({"--cell", "0"}), 2, "");
  refusal(render({"--cell", "4"}), 2, "");
  refusal(render({"--pixel-ratio", "5"}), 2, "");
  refusal(render({"--range", "3:1"}), 2, "");
  refusal(render({"--minus", "1"}), 2, "");
  for (const char* file : {"map.jpg", "map"})
    EXPECT_THAT(refusal(renderTo(file), 2, ""), HasSubstr(".png, .svg or .pdf"));
  refusal(renderTo("map.svg", {"--bare"}), 2, "");
  refusal(renderTo("map.pdf", {"--pixel-ratio", "2"}), 2, "");
  const Words two{"render", m_model, "--prompt", "a", "--layer", "0", "--head", "0,1", "-o", m_png};
  for (const Words& more : {Words{"--bare"}, Words{"--minus", "0.2"}}) {
    Words words = two;
    words.insert(words.end(), more.begin(), more.end());
    refusal(words, 2, "");
  }
  refusal({"render", m_model, "--prompt", "a", "--layer", "0", "--head", "6", "-o", m_png}, 2, "Mismatch: ");
  refusal(render({"--minus", "6.0"}), 2, "Mismatch: ");
  EXPECT_THAT(refusal(render({"--rows", "3:16"}), 2, "Mismatch: "), HasSubstr("15 rows"));
  EXPECT_THAT(refusal(render({"--cols", "0:33", "--stage", "output"}), 2, "Mismatch: "), HasSubstr("32 columns"));
  EXPECT_THAT(refusal(render({"--hide-keys", "15"}), 2, "Mismatch: "), HasSubstr("15 tokens"));
  refusal({"render", m_model, "--prompt", "€", "--layer", "0", "--head", "0", "-o", m_png}, 4, "Mismatch: ");
  refusal({"render", m_model, "--prompt", "a", "--layer", "0", "--head", "0", "-o", "/dev/full"}, 5, "Io: ");
  EXPECT_THAT(run({"render", "--help"}).out, HasSubstr("Examples:"));
  support::writeFile(m_png, "old");
  EXPECT_EQ(run(render({})).code, 5);
  EXPECT_EQ(support::readFile(m_png), "old");
}

}  // namespace
