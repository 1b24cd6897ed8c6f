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

class HeadlessRender : public Headless {
 protected:
  Words render(const Words& more) const {
    Words words{"render", m_model, "-o", m_png, "--prompt", "ROMEO:\nBut soft", "--layer", "2", "--head", "3"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  const std::string m_png = (m_folder / "map.png").string();
};

TEST_F(HeadlessRender, WritesAPictureWithoutADisplay) {
  const ProcessResult result = run(render({"--cell", "10"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, HasSubstr("150 x 150 pixels"));
  const std::string png = support::readFile(m_png);
  EXPECT_THAT(png, StartsWith("\x89PNG"));
  EXPECT_EQ(bigEndian(png, 16), 150u);  // 15 tokens of 10 pixels
  EXPECT_EQ(bigEndian(png, 20), 150u);
}

TEST_F(HeadlessRender, DrawsEveryStageScaleAndColourMap) {
  std::set<std::string> pictures;
  std::size_t count = 0;
  const auto draw = [&](const Words& words) {
    Words all = words;
    all.insert(all.end(), {"--force", "--cell", "4"});
    EXPECT_EQ(run(render(all)).code, 0) << words[1];
    pictures.insert(support::readFile(m_png));
    ++count;
  };
  for (const char* stage : {"scores", "masked", "weights", "output"}) draw({"--stage", stage});
  for (const char* scale : {"sqrt", "log", "row"}) draw({"--scale", scale});
  for (const char* colours : {"magma", "inferno", "cividis", "grey", "diverging"}) draw({"--colormap", colours});
  EXPECT_EQ(pictures.size(), count);  // no two alike
}

TEST_F(HeadlessRender, PrintsJson) {
  const ProcessResult result = run(render({"--cell", "2", "--json"}));
  EXPECT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["width"], 30);
  EXPECT_EQ(json["layer"], 2);
  EXPECT_EQ(json["head"], 3);
}

TEST_F(HeadlessRender, ChoosesACellOfAUsefulSize) {
  EXPECT_EQ(run(render({})).code, 0);
  EXPECT_EQ(bigEndian(support::readFile(m_png), 16), 15u * 32);
}

TEST_F(HeadlessRender, RefusesAsTheOthers) {
  refusal({"render", m_model, "--prompt", "a", "--layer", "0", "-o", m_png}, 2, "");
  refusal(render({"--stage", "nothing"}), 2, "");
  refusal(render({"--cell", "0"}), 2, "");
  refusal({"render", m_model, "--prompt", "a", "--layer", "0", "--head", "6", "-o", m_png}, 2, "Mismatch: ");
  refusal({"render", m_model, "--prompt", "€", "--layer", "0", "--head", "0", "-o", m_png}, 4, "Mismatch: ");
  refusal({"render", m_model, "--prompt", "a", "--layer", "0", "--head", "0", "-o", "/dev/full"}, 5, "Io: ");
  EXPECT_THAT(run({"render", "--help"}).out, HasSubstr("Examples:"));
  support::writeFile(m_png, "old");
  EXPECT_EQ(run(render({})).code, 5);
  EXPECT_EQ(support::readFile(m_png), "old");
}

}  // namespace
