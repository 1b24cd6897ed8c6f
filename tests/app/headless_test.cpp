// The built program, run as a process without a display: exit codes, messages, files.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/files.h"
#include "tests/support/npz.h"
#include "tests/support/process.h"
#include "tests/support/python.h"
#include "tests/support/reference.h"

namespace {

namespace fs = std::filesystem;
using support::ProcessResult;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Words = std::vector<std::string>;

class Headless : public testing::Test {
 protected:
  ProcessResult run(const Words& words, std::map<std::string, std::string> environment = {}) const {
    return start(words, std::move(environment)).wait();
  }

  support::Process start(const Words& words, std::map<std::string, std::string> environment = {}) const {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR"})
      environment.try_emplace(name);
    return support::Process(HEADSCOPE_PROGRAM, words, environment, m_streams.path());
  }

  /// Expects the exit code and one error line of that beginning, no result, and no file in the output folder.
  std::string refusal(const Words& words, int code, const std::string& beginning) const {
    const ProcessResult result = run(words);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_THAT(result.err, StartsWith("headscope: " + beginning));
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_TRUE(fs::is_empty(m_folder.path()));
    return result.err;
  }

  Words capture(const Words& more) const {
    Words words{"capture", m_model, "-o", m_output};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  support::TemporaryFolder m_streams;
  support::TemporaryFolder m_folder;
  const std::string m_model = support::repository("models/shakespeare-char").string();
  const std::string m_output = (m_folder / "run.npz").string();
};

/// Attention within 1e-5, logits within 1e-4 of their range, tokens equal.
void expectReference(const fs::path& npz, const support::Reference& reference) {
  const auto arrays = support::readNpz(npz);
  EXPECT_EQ(arrays.at("token_ids").integers, reference.tokens);
  const auto distance = [](const std::vector<float>& a, const std::vector<float>& b) {
    if (a.size() != b.size()) return HUGE_VALF;
    float largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      largest = std::isnan(a[i]) ? HUGE_VALF : std::max(largest, std::abs(a[i] - b[i]));
    return largest;
  };
  EXPECT_LE(distance(arrays.at("attn").floats, reference.attention), 1e-5f);
  const auto [low, high] = std::minmax_element(reference.logits.begin(), reference.logits.end());
  EXPECT_LE(distance(arrays.at("logits").floats, reference.logits), 1e-4f * (*high - *low));
}

std::string joined(const std::vector<std::int64_t>& tokens) {
  std::string text;
  for (const std::int64_t token : tokens) text.append(text.empty() ? "" : ",").append(std::to_string(token));
  return text;
}

// --- help and usage

TEST_F(Headless, HelpTeachesEveryCommandWithExamples) {
  const ProcessResult program = run({"--help"});
  EXPECT_EQ(program.code, 0);
  EXPECT_THAT(program.out, AllOf(HasSubstr("info"), HasSubstr("capture"), HasSubstr("Exit codes")));
  EXPECT_THAT(program.err, IsEmpty());
  for (const char* command : {"info", "capture"}) {
    const ProcessResult result = run({command, "--help"});
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, AllOf(HasSubstr("Examples:"), HasSubstr(std::string("headscope ") + command)));
  }
}

TEST_F(Headless, TellsItsVersion) {
  const ProcessResult result = run({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "headscope " HEADSCOPE_VERSION "\n");
}

TEST_F(Headless, WrongUsageIsCode2) {
  for (const Words& words : {Words{"info"},
                             {"info", m_model, "--nonsense"},
                             {"info", m_model, "extra"},
                             {"capture", m_model},
                             {"capture", m_model, "-o", m_output},
                             {"capture", m_model, "--prompt", "a"},
                             capture({"--prompt", "a", "--tokens", "1"}),
                             capture({"--prompt", "a", "--layers", "3-1"}),
                             capture({"--prompt", "a", "--heads", "x"}),
                             capture({"--prompt", "a", "--logits", "some"}),
                             capture({"--prompt", "a", "--gelu", "relu"})}) {
    EXPECT_THAT(refusal(words, 2, ""), HasSubstr("--help"));
  }
}

TEST_F(Headless, ALayerOrHeadThatTheModelLacksIsCode2) {
  EXPECT_THAT(refusal(capture({"--prompt", "a", "--layers", "0,6"}), 2, "Mismatch: "),
              HasSubstr("no layer 6: the model has 6 layers"));
  EXPECT_THAT(refusal(capture({"--prompt", "a", "--heads", "7"}), 2, "Mismatch: "), HasSubstr("no head 7"));
}

// --- info

TEST_F(Headless, InfoPrintsTheModel) {
  const ProcessResult result = run({"info", m_model});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, AllOf(HasSubstr("family       nanoGPT\n"), HasSubstr("layers       6\n"),
                                HasSubstr("heads        6 of size 32\n"), HasSubstr("context      256 tokens\n"),
                                HasSubstr("65 characters"), HasSubstr("load report\n")));
}

TEST_F(Headless, InfoPrintsJson) {
  const ProcessResult result = run({"info", "--json", m_model});
  EXPECT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["family"], "nanoGPT");
  EXPECT_EQ(json["layers"], 6);
  EXPECT_EQ(json["heads"], 6);
  EXPECT_EQ(json["head_size"], 32);
  EXPECT_EQ(json["embedding"], 192);
  EXPECT_EQ(json["vocabulary"], 65);
  EXPECT_EQ(json["bias"], false);
  EXPECT_FALSE(json["report"].empty());
}

TEST_F(Headless, InfoSaysThatItsResultCannotBeWritten) {
  const std::string program = HEADSCOPE_PROGRAM;
  support::Process shell("/bin/sh", {"-c", "\"$0\" info \"$1\" > /dev/full", program, m_model}, {}, m_streams.path());
  const ProcessResult result = shell.wait();
  EXPECT_EQ(result.code, 5);
  EXPECT_THAT(result.err, StartsWith("headscope: Io: "));
}

TEST_F(Headless, VerifyPassesAWholeModel) { EXPECT_EQ(run({"info", "--verify", m_model}).code, 0); }

TEST_F(Headless, VerifyRefusesADamagedMemberThatInfoOnlyWarnsOf) {
  std::string bytes = support::readFile(fs::path(m_model) / "ckpt.pt");
  char& byte = bytes[bytes.size() / 2];
  byte = static_cast<char>(byte ^ 1);  // the last bit of a weight's mantissa, or near it
  const support::TemporaryFolder damaged;
  support::writeFile(damaged / "ckpt.pt", bytes);
  support::writeFile(damaged / "meta.pkl", support::readFile(fs::path(m_model) / "meta.pkl"));

  const ProcessResult info = run({"info", damaged.path().string()});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("warning"));
  EXPECT_THAT(refusal({"info", "--verify", damaged.path().string()}, 3, "Corrupt: "), HasSubstr("ckpt.pt"));
}

// --- loading

TEST_F(Headless, AModelThatCannotBeLoadedIsCode3) {
  const support::TemporaryFolder files;
  support::writeFile(files / "empty.pt", "");
  support::writeFile(files / "page.pt", "<!DOCTYPE html><html><body>404</body></html>");
  EXPECT_THAT(refusal({"info", (files / "none.pt").string()}, 3, "NotFound: "), HasSubstr("none.pt"));
  EXPECT_THAT(refusal({"info", (files / "empty.pt").string()}, 3, "Truncated: "), HasSubstr("empty.pt"));
  EXPECT_THAT(refusal({"info", (files / "page.pt").string()}, 3, "NotAModel: "), HasSubstr("page.pt"));
  EXPECT_THAT(refusal({"info", files.path().string()}, 3, "NotAFile: "), HasSubstr(files.path().string()));
  refusal({"capture", (files / "none.pt").string(), "--prompt", "a", "-o", m_output}, 3, "NotFound: ");
  refusal({"info", m_model, "--tokenizer", (files / "none.pkl").string()}, 3, "NotFound: ");
}

// --- running

TEST_F(Headless, APromptThatCannotRunIsCode4) {
  refusal(capture({"--prompt", ""}), 4, "Mismatch: ");
  EXPECT_THAT(refusal(capture({"--prompt", "price: 5€"}), 4, "Mismatch: "), AllOf(HasSubstr("€"), HasSubstr("5")));
  EXPECT_THAT(refusal(capture({"--prompt", std::string(257, 'a')}), 4, "TooLarge: "),
              AllOf(HasSubstr("257"), HasSubstr("256")));
  EXPECT_THAT(refusal(capture({"--tokens", "1,65"}), 4, "Mismatch: "), AllOf(HasSubstr("65"), HasSubstr("64")));
  refusal(capture({"--tokens", "1,x"}), 4, "Mismatch: ");
  refusal(capture({"--tokens", "-1"}), 4, "Mismatch: ");
  EXPECT_THAT(refusal(capture({"--prompt-file", "/nonexistent/prompt"}), 4, "NotFound: "),
              HasSubstr("/nonexistent/prompt"));
}

TEST_F(Headless, CaptureOfAPromptIsTheReference) {
  const auto reference = support::readReference(support::data("nanogpt-shakespeare-char"));
  const ProcessResult result = run(capture({"--prompt", reference.prompt}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, AllOf(HasSubstr(m_output), HasSubstr("attn [6,6,48,48]")));
  expectReference(m_output, reference);
  EXPECT_EQ(std::distance(fs::directory_iterator(m_folder.path()), fs::directory_iterator()), 1);
}

TEST_F(Headless, CaptureOfAPromptFileOrOfTokensIsTheReference) {
  const auto reference = support::readReference(support::data("nanogpt-shakespeare-char"), "reference_long");
  support::writeFile(m_streams / "prompt", reference.prompt);
  EXPECT_EQ(run(capture({"--prompt-file", (m_streams / "prompt").string()})).code, 0);
  expectReference(m_output, reference);
  EXPECT_EQ(run(capture({"--force", "--tokens", joined(reference.tokens)})).code, 0);
  expectReference(m_output, reference);
}

TEST_F(Headless, CaptureOfTheWholeReferencesOpensInNumpy) {
  HEADSCOPE_FIXTURE(fixture, "nanogpt-shakespeare-char");
  for (const char* name : {"reference", "reference_long"}) {
    const auto reference = support::readReference(fixture, name);
    const Words words{"capture", fixture.string(), "-o", m_output, "--force", "--prompt", reference.prompt};
    const ProcessResult result = run(words);
    ASSERT_EQ(result.code, 0) << result.err;
    expectReference(m_output, reference);
    const auto python = support::pythonWithNumpy();
    if (!python) continue;
    EXPECT_EQ(
        support::runPython(
            *python, "import sys, numpy; print(numpy.load(sys.argv[1], allow_pickle=False)['attn'].shape)", m_output),
        "(6, 6, " + std::to_string(reference.size) + ", " + std::to_string(reference.size) + ")\n");
  }
}

TEST_F(Headless, CaptureTakesAPromptThatLooksLikeAnOption) {
  for (const char* prompt : {"--force", "-o", "-"}) {
    EXPECT_EQ(run(capture({"--force", "--prompt", prompt})).code, 0) << prompt;
    EXPECT_EQ(support::readNpz(m_output).at("token_ids").integers.size(), std::string(prompt).size());
  }
}

TEST_F(Headless, CaptureTrimsNothing) {
  support::writeFile(m_streams / "prompt", "\n a \n\n");
  EXPECT_EQ(run(capture({"--prompt-file", (m_streams / "prompt").string()})).code, 0);
  // nanoGPT's 65 characters, sorted: newline is 0, space 1, "a" 39.
  EXPECT_THAT(support::readNpz(m_output).at("token_ids").integers, ElementsAre(0, 1, 39, 1, 0, 0));
}

TEST_F(Headless, CaptureOfOneTokenIsAOneByOneMap) {
  EXPECT_EQ(run(capture({"--tokens", "0"})).code, 0);
  const auto attn = support::readNpz(m_output).at("attn");
  EXPECT_THAT(attn.floats, testing::Pointwise(testing::FloatNear(1e-6f), std::vector<float>(36, 1.0f)));
}

TEST_F(Headless, CaptureNarrows) {
  const ProcessResult result =
      run(capture({"--prompt", "ROMEO:", "--layers", "0,2", "--heads", "1-3", "--logits", "last", "--json"}));
  EXPECT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["arrays"]["attn"], (std::vector{2, 3, 6, 6}));
  EXPECT_EQ(json["arrays"]["logits"], std::vector{65});
  EXPECT_EQ(json["file"], m_output);
  EXPECT_EQ(json["run"]["tokens"], 6);
  EXPECT_EQ(json["run"]["gelu"], "erf");
  const auto arrays = support::readNpz(m_output);
  EXPECT_THAT(arrays.at("layers").integers, ElementsAre(0, 2));
  EXPECT_THAT(arrays.at("heads").integers, ElementsAre(1, 2, 3));
  EXPECT_EQ(arrays.at("attn").floats.size(), 2u * 3 * 6 * 6);
  EXPECT_EQ(arrays.at("logits").floats.size(), 65u);
}

TEST_F(Headless, GeluChangesTheNumbers) {
  EXPECT_EQ(run(capture({"--prompt", "ROMEO:", "--gelu", "erf"})).code, 0);
  const auto erf = support::readNpz(m_output).at("attn").floats;
  EXPECT_EQ(run(capture({"--prompt", "ROMEO:", "--gelu", "tanh", "--force"})).code, 0);
  const auto tanh = support::readNpz(m_output).at("attn").floats;
  float largest = 0;
  for (std::size_t i = 0; i < erf.size(); ++i) largest = std::max(largest, std::abs(erf[i] - tanh[i]));
  EXPECT_GT(largest, 1e-6f);
  EXPECT_LT(largest, 1e-1f);
}

// --- writing

TEST_F(Headless, AFileThatCannotBeWrittenIsCode5) {
  const Words start{"capture", m_model, "--prompt", "a", "-o"};
  const auto to = [&](const std::string& output) {
    Words words = start;
    words.push_back(output);
    return words;
  };
  EXPECT_THAT(refusal(to("/dev/full"), 5, "Io: "),
              AllOf(HasSubstr("No space left on device"), HasSubstr("bytes are needed")));
  EXPECT_THAT(refusal(to((m_folder / "no/run.npz").string()), 5, "Io: "), HasSubstr("no folder"));
  EXPECT_THAT(refusal(to(m_folder.path().string()), 5, "Io: "), HasSubstr("is a folder"));
}

TEST_F(Headless, OverwritesOnlyWithForce) {
  support::writeFile(m_output, "old");
  const ProcessResult refused = run(capture({"--prompt", "a"}));
  EXPECT_EQ(refused.code, 5);
  EXPECT_THAT(refused.err, AllOf(StartsWith("headscope: Io: "), HasSubstr(m_output), HasSubstr("exists")));
  EXPECT_EQ(support::readFile(m_output), "old");
  EXPECT_EQ(run(capture({"--prompt", "a", "--force"})).code, 0);
  EXPECT_EQ(support::readNpz(m_output).size(), 3u);
}

TEST_F(Headless, KeepsTheOldFileWhenTheNewOneFails) {
  support::writeFile(m_output, "old");
  EXPECT_EQ(run(capture({"--prompt", "€", "--force"})).code, 4);
  EXPECT_EQ(support::readFile(m_output), "old");
}

// The program waits for its prompt on the pipe: a signal is then between loading and running, never before the handler.
TEST_F(Headless, CtrlCEndsWithCode130AndLeavesNoFile) {
  for (const int number : {SIGINT, SIGTERM}) {
    const fs::path pipe = m_streams / ("prompt" + std::to_string(number));
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    support::Process process = start(capture({"--prompt-file", pipe.string()}));
    const int writer = ::open(pipe.c_str(), O_WRONLY);  // returns when the program opens its end
    ASSERT_GE(writer, 0);
    process.signal(number);
    ASSERT_EQ(::write(writer, "ROMEO:", 6), 6);
    ::close(writer);
    const ProcessResult result = process.wait();
    EXPECT_EQ(result.code, 130);
    EXPECT_THAT(result.err, StartsWith("headscope: Cancelled"));
    EXPECT_TRUE(fs::is_empty(m_folder.path()));
  }
}

TEST_F(Headless, RunsWithAnyNumberOfThreadsAskedFor) {
  for (const char* threads : {"0", "abc", "1000", "-3", "1"}) {
    const ProcessResult result = run(capture({"--prompt", "ROMEO:", "--force"}), {{"OMP_NUM_THREADS", threads}});
    EXPECT_EQ(result.code, 0) << threads << result.err;
  }
}

// --- render

#ifdef HEADSCOPE_GUI

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

#else

TEST_F(Headless, HasNoRenderAndNoWindowInThisBuild) {
  EXPECT_THAT(run({"--help"}).out, Not(HasSubstr("render")));
  EXPECT_EQ(run({}).code, 2);
}

#endif

}  // namespace
