// `headscope capture`: the numbers, the file, and what happens to it when things go wrong.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/app/headless.h"
#include "tests/support/npz.h"
#include "tests/support/python.h"
#include "tests/support/reference.h"

namespace {

namespace fs = std::filesystem;
using support::Headless;
using support::ProcessResult;
using support::Words;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

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

TEST_F(Headless, CaptureWithoutLogitsHasNone) {
  EXPECT_EQ(run(capture({"--prompt", "ROMEO:", "--logits", "none"})).code, 0);
  EXPECT_EQ(support::readNpz(m_output).count("logits"), 0u);
}

// --- formats

/// The capture of a prompt as `name`, of some heads.
Words captureAs(const std::string& model, const std::string& output, const Words& more = {}) {
  Words words{"capture", model, "--prompt", "ROMEO:\nhow", "-o", output, "--layers", "1,4", "--heads", "0,3"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(Headless, CaptureWritesWhatTheOutputsEndingSaysWithTheSameNumbers) {
  const auto at = [this](const char* name) { return (m_folder / name).string(); };
  std::map<std::string, nlohmann::json> printed;
  for (const char* name : {"a.npz", "b.npy", "c.safetensors", "d.csv"}) {
    const ProcessResult result = run(captureAs(m_model, at(name), {"--json"}));
    ASSERT_EQ(result.code, 0) << result.err;
    printed[name] = nlohmann::json::parse(result.out);
    EXPECT_EQ(printed[name]["file"], at(name));
    EXPECT_EQ(printed[name]["format"], std::string(name).substr(2));
    const bool hasMeta = printed[name].contains("meta_file");
    EXPECT_EQ(hasMeta, std::string(name) == "b.npy" || std::string(name) == "d.csv");
    EXPECT_EQ(printed[name]["bytes"],
              fs::file_size(at(name)) + (hasMeta ? fs::file_size(printed[name]["meta_file"].get<std::string>()) : 0));
    EXPECT_EQ(printed[name]["run"]["tokens"], 10);
  }
  EXPECT_EQ(printed["a.npz"]["arrays"]["attn"], (std::vector{2, 2, 10, 10}));
  EXPECT_EQ(printed["a.npz"]["arrays"]["tokens"], std::vector{10});
  EXPECT_EQ(printed["a.npz"]["arrays"]["meta"], nlohmann::json::array());
  EXPECT_EQ(printed["b.npy"]["arrays"], nlohmann::json({{"attn", {2, 2, 10, 10}}}));
  EXPECT_EQ(printed["b.npy"]["meta_file"], at("b.json"));
  EXPECT_EQ(printed["c.safetensors"]["arrays"]["logits"], (std::vector{10, 65}));
  EXPECT_FALSE(printed["c.safetensors"]["arrays"].contains("meta"));
  EXPECT_EQ(printed["d.csv"]["table"], nlohmann::json({{"form", "long"}, {"lines", 1 + 4 * 55}}));
  EXPECT_FALSE(printed["d.csv"].contains("arrays"));

  const auto python = support::pythonWithNumpy();
  if (!python) GTEST_SKIP() << "no python3 with numpy here";
  EXPECT_EQ(support::runPython(*python, R"(
import csv, json, os, struct, sys
import numpy as np
os.chdir(sys.argv[1])
d = np.load("a.npz", allow_pickle=False)
a = d["attn"]
raw = open("c.safetensors", "rb").read()
length = struct.unpack("<Q", raw[:8])[0]
header = json.loads(raw[8:8 + length])
def tensor(name): return np.frombuffer(raw[8 + length:][slice(*header[name]["data_offsets"])], {"F32": "<f4", "I64": "<i8"}[header[name]["dtype"]])
rows = list(csv.DictReader(open("d.csv", encoding="utf-8", newline="")))
table = np.zeros((6, 6, 10, 10), "<f4")
for row in rows: table[int(row["layer"]), int(row["head"]), int(row["query"]), int(row["key"])] = row["weight"]
print(np.array_equal(np.load("b.npy"), a), tensor("attn").tobytes() == a.tobytes(), np.array_equal(table[[1, 4]][:, [0, 3]], a))
print(tensor("layers").tolist(), d["heads"].tolist(), json.load(open("b.json"))["layers"], rows[-1]["q_token"], rows[6 * 7 // 2]["q_token"])
print(json.loads(d["meta"].item())["prompt"] == header["__metadata__"]["prompt"] == json.load(open("d.json"))["prompt"] == "ROMEO:\nhow")
)",
                               m_folder.path().string()),
            "True True True\n[1, 4] [0, 3] [1, 4] w \\n\nTrue\n");
}

TEST_F(Headless, CaptureWithoutJsonSaysInALineWhatWasWritten) {
  const std::string csv = (m_folder / "d.csv").string();
  const std::string out = run(captureAs(m_model, csv)).out;
  const std::string thousands = std::to_string((fs::file_size(csv) + fs::file_size(m_folder / "d.json")) / 1000);
  EXPECT_THAT(out, AllOf(StartsWith(csv + ": long table, 221 lines, with " + (m_folder / "d.json").string() + ", " +
                                    thousands + ","),
                         testing::EndsWith(" bytes\n")));
  EXPECT_THAT(run(captureAs(m_model, (m_folder / "b.NPY").string())).out,
              AllOf(HasSubstr("attn [2,2,10,10], with "), HasSubstr("b.json")));
}

TEST_F(Headless, CaptureWritesOneHeadAsAMatrixWithAByteOrderMark) {
  const std::string csv = (m_folder / "d.csv").string();
  const Words words{"capture", m_model,   "--tokens", "1,2,0",      "-o",     csv,        "--layers",
                    "2",       "--heads", "3",        "--csv-form", "matrix", "--csv-bom"};
  EXPECT_EQ(run(words).code, 0);
  EXPECT_THAT(support::readFile(csv),
              StartsWith("\xef\xbb\xbf\"query / key\",\"0 \u00b7 \u2423\",\"1 \u00b7 !\",\"2 \u00b7 \u23ce\"\n\"0 "
                         "\u00b7 \u2423\",1,0,0\n"));
}

TEST_F(Headless, CaptureGuardsTokensThatLookLikeFormulas) {
  const std::string csv = (m_folder / "d.csv").string();
  const Words words{"capture", m_model, "--prompt", "a-", "-o", csv, "--layers", "0", "--heads", "0"};
  EXPECT_EQ(run(words).code, 0);
  EXPECT_THAT(support::readFile(csv), HasSubstr("\n0,0,1,1,\"-\",\"-\","));
  Words guarded = words;
  guarded.insert(guarded.end(), {"--csv-guard-formulas", "--force"});
  EXPECT_EQ(run(guarded).code, 0);
  EXPECT_THAT(support::readFile(csv), HasSubstr("\n0,0,1,1,\"'-\",\"'-\","));
}

TEST_F(Headless, CaptureRefusesAnOutputThatTellsNoFormatAndOptionsThatItHasNoUseFor) {
  const auto to = [this](const char* name, const Words& more) {
    Words words{"capture", m_model, "--prompt", "a", "-o", (m_folder / name).string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  for (const char* name : {"run", "run.dat", "run.npz.txt", ".csv"}) {
    EXPECT_THAT(
        refusal(to(name, {}), 2, "--output: "),
        AllOf(HasSubstr(name), HasSubstr(".npz, .npy, .safetensors or .csv"), HasSubstr("headscope capture --help")));
  }
  EXPECT_THAT(refusal(to("run.npz", {"--csv-form", "matrix"}), 2, "--csv-form: "), HasSubstr("name it .csv"));
  EXPECT_THAT(refusal(to("run.npy", {"--csv-bom"}), 2, "--csv-bom: "), HasSubstr("name it .csv"));
  EXPECT_THAT(refusal(to("run.safetensors", {"--csv-guard-formulas"}), 2, "--csv-guard-formulas: "),
              HasSubstr("run.safetensors"));
  EXPECT_THAT(refusal(to("run.csv", {"--logits", "last"}), 2, "--logits: "), HasSubstr(".csv holds attention alone"));
  EXPECT_THAT(refusal(to("run.npy", {"--logits", "all"}), 2, "--logits: "), HasSubstr(".npz or .safetensors"));
  EXPECT_THAT(refusal(to("run.csv", {"--csv-form", "wide"}), 2, "--csv-form: "),
              HasSubstr("'wide' is not one of long|matrix"));
  EXPECT_THAT(refusal(to("run.csv", {"--csv-form", "matrix"}), 2, "Mismatch: "), HasSubstr("one head, not 36"));
  EXPECT_THAT(refusal({"generate", m_model, "--prompt", "a", "-o", (m_folder / "run.txt").string()}, 2, "--output: "),
              HasSubstr("headscope generate --help"));
}

TEST_F(Headless, CaptureRefusesAMetaFileThatIsThereBeforeTheModelIsOpened) {
  support::writeFile(m_folder / "run.json", "mine");
  const ProcessResult refused =
      run({"capture", "no-such-model", "--prompt", "a", "-o", (m_folder / "run.npy").string()});
  EXPECT_EQ(refused.code, 5);
  EXPECT_THAT(refused.err, AllOf(StartsWith("headscope: Io: "), HasSubstr("run.json"), HasSubstr("exists")));
  EXPECT_EQ(support::readFile(m_folder / "run.json"), "mine");
  EXPECT_EQ(run(captureAs(m_model, (m_folder / "run.npy").string(), {"--force"})).code, 0);
  EXPECT_THAT(support::readFile(m_folder / "run.json"), StartsWith("{"));
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
  EXPECT_EQ(support::readNpz(m_output).size(), 5u);
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
    process.signal(number);  // while it waits for a text that never comes
    const ProcessResult result = process.wait();
    ::close(writer);
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

}  // namespace
