// `headscope bench`: its rows as text, JSON and CSV, and how it refuses.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/app/headless.h"

namespace {

namespace fs = std::filesystem;
using support::Headless;
using support::ProcessResult;
using support::Words;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::json;

class HeadlessBench : public Headless {
 protected:
  /// bench with few runs of small numbers.
  static Words bench(const Words& more) {
    Words words{"bench", "--runs", "3"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  Json json(const Words& more) const {
    Words words = bench(more);
    words.emplace_back("--json");
    const ProcessResult result = run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return Json::parse(result.out);
  }
};

TEST_F(HeadlessBench, PrintsATableOfRandomNumbers) {
  const ProcessResult result = run(bench({"--shape", "1,4,2,64,16", "--windows", "16,all"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, AllOf(HasSubstr("B 1, H 4, Hkv 2, D 16, causal"), HasSubstr("manual"), HasSubstr("nanogpt"),
                                HasSubstr("full T x T"), HasSubstr("LibTorch's flash kernel for the CPU"),
                                HasSubstr("against manual"), HasSubstr("random q, k, v")));
}

TEST_F(HeadlessBench, PrintsEverySampleAsJson) {
  const Json report =
      json({"--shape", "2,4,2,64,16", "--windows", "16", "--kernels", "flash,manual", "--threads", "1"});
  EXPECT_EQ(report["schema"], 1);
  EXPECT_EQ(report["machine"]["threads"], 1);
  ASSERT_EQ(report["rows"].size(), 2u);
  const Json& row = report["rows"][1];
  EXPECT_EQ(row["scope"], "attention");
  EXPECT_EQ(row["kernel"], "flash");
  EXPECT_EQ(row["kernel_name"], "LibTorch's flash kernel for the CPU");
  EXPECT_EQ(row["device"], "cpu");
  EXPECT_EQ(row["dtype"], "fp32");
  EXPECT_EQ(row["B"], 2);
  EXPECT_EQ(row["H"], 4);
  EXPECT_EQ(row["Hkv"], 2);
  EXPECT_EQ(row["T"], 64);
  EXPECT_EQ(row["D"], 16);
  EXPECT_EQ(row["windows"], Json::array({16}));
  EXPECT_TRUE(row["refusal"].is_null());
  EXPECT_EQ(row["samples_seconds"].size(), 3u);
  EXPECT_EQ(row["runs"], 3);
  EXPECT_EQ(row["flop"], 4 * 2 * 4 * 16 * (136 + 48 * 17));  // rows of 1 .. 16 keys, then 48 of 17
  EXPECT_LT(row["difference"], 1e-5);
  EXPECT_GT(row["ratio_to_manual"], 0);
  EXPECT_TRUE(report["rows"][0]["difference"].is_null());
}

TEST_F(HeadlessBench, PrintsALineOfCsvForEachRow) {
  const ProcessResult result = run(bench({"--shape", "1,2,2,32,8", "--kernels", "manual,cudnn", "--csv"}));
  EXPECT_EQ(result.code, 0) << result.err;
  std::istringstream lines(result.out);
  std::string header, manual, cudnn, none;
  std::getline(lines, header) && std::getline(lines, manual) && std::getline(lines, cudnn);
  EXPECT_FALSE(std::getline(lines, none));
  EXPECT_THAT(header,
              StartsWith("scope,kernel,kernel_name,device,dtype,B,H,Hkv,T,D,windows,mask,refusal,cold_seconds,"));
  EXPECT_THAT(manual,
              StartsWith("\"attention\",\"manual\",\"the manual path\",\"cpu\",\"fp32\",1,2,2,32,8,\"[null]\","));
  EXPECT_THAT(cudnn, AllOf(HasSubstr("CUDA"), HasSubstr(",,,,,")));
}

TEST_F(HeadlessBench, SweepsLengthsAndSaysWhereThePathsCross) {
  const Json report = json({"--shape", "1,2,2,8,16", "--sweep", "16:100", "--kernels", "manual,flash", "--types",
                            "fp32,bf16", "--mask", "bidirectional"});
  std::vector<int> lengths;
  for (const Json& row : report["rows"]) {
    if (row["kernel"] == "flash") lengths.push_back(row["T"]);
    EXPECT_EQ(row["mask"], "bidirectional");
  }
  EXPECT_THAT(lengths, ElementsAre(16, 32, 64, 16, 32, 64));
  ASSERT_EQ(report["crossings"].size(), 2u);
  EXPECT_EQ(report["crossings"][1]["dtype"], "bf16");
}

TEST_F(HeadlessBench, TimesAModelsOwnRun) {
  const Json report = json({m_model, "--prompt", "ROMEO: is this a dagger", "--pattern", "SL", "--short-window", "4",
                            "--kernels", "manual,flash"});
  ASSERT_EQ(report["rows"].size(), 4u);
  EXPECT_THAT(report["inputs"].get<std::string>(), AllOf(HasSubstr("23 tokens"), HasSubstr("6 layers")));
  EXPECT_EQ(report["rows"][0]["windows"], Json::array({4, nullptr, 4, nullptr, 4, nullptr}));
  EXPECT_EQ(report["rows"][2]["scope"], "forward");
  EXPECT_GT(report["rows"][2]["attention_share"], 0);
  EXPECT_EQ(report["rows"][3]["kernel"], "flash");
  EXPECT_LT(report["rows"][3]["difference_relative"], 1e-4);
}

TEST_F(HeadlessBench, FillsTheContextWhereNoPromptIsGiven) {
  const ProcessResult result = run(bench({m_model, "--kernels", "flash", "--layer", "5"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("no prompt is given"),
                                HasSubstr("256 tokens, the ids 0 to 64 over and over, of a context of 256")));
  EXPECT_THAT(result.out, HasSubstr("256 tokens, layer 5"));
}

TEST_F(HeadlessBench, VerifiesBothPathsOnAModel) {
  const ProcessResult text = run({"bench", m_model, "--verify", "--prompt", "ROMEO:", "--types", "fp32,bf16"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("passed"), Not(HasSubstr("FAILED"))));
  const Json checks = json({m_model, "--verify", "--prompt", "ROMEO:"})["checks"];
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0]["passed"], true);
  ASSERT_EQ(checks[0]["layers"].size(), 6u);
  EXPECT_LE(checks[0]["layers"][5]["output"]["difference"], 1e-5);
}

TEST_F(HeadlessBench, SaysWhatTheBudgetHolds) {
  const Json report =
      json({"--shape", "1,4,4,128,16", "--sweep", "128:2048", "--kernels", "nanogpt,flash", "--memory-budget", "20M"});
  std::vector<std::string> refusals;
  for (const Json& row : report["rows"]) {
    if (!row["refusal"].is_null()) refusals.push_back(row["refusal"]);
  }
  EXPECT_THAT(refusals, ElementsAre(AllOf(HasSubstr("It needs"), HasSubstr("budget is 21.0 MB"))));
}

TEST_F(HeadlessBench, WrongUsageIsCode2) {
  for (const Words& words : {Words{"--shape", "1,2,3"},
                             {"--shape", "1,12,12,0,64"},
                             {"--sweep", "64"},
                             {"--sweep", "128:64"},
                             {"--types", "fp64"},
                             {"--kernels", "flash,fast"},
                             {"--device", "tpu"},
                             {"--runs", "0"},
                             {"--memory-budget", "much"},
                             {"--json", "--csv"},
                             {"--prompt", "a"},
                             {"--pattern", "SL"},
                             {"--verify"},
                             {"--layer", "1"},
                             {m_model, "--sweep", "64:128"},
                             {m_model, "--shape", "1,2,2,8,8"},
                             {m_model, "--prompt", "a", "--tokens", "1"}}) {
    EXPECT_THAT(refusal(bench(words), 2, ""), HasSubstr("--help")) << words[0];
  }
  refusal(bench({"--shape", "1,3,2,16,8"}), 2, "Mismatch: ");
  EXPECT_THAT(refusal(bench({m_model, "--layer", "6", "--prompt", "a"}), 2, "Mismatch: "), HasSubstr("no layer 6"));
}

TEST_F(HeadlessBench, OtherRefusalsHaveTheCodesOfOtherCommands) {
  refusal(bench({(m_folder / "none.pt").string()}), 3, "NotFound: ");
  refusal(bench({m_model, "--prompt", "5€"}), 4, "Mismatch: ");
  const ProcessResult nothing = run(bench({"--kernels", "cudnn", "--shape", "1,2,2,16,8"}));
  EXPECT_EQ(nothing.code, 4);
  EXPECT_THAT(nothing.out, HasSubstr("did not run"));
  EXPECT_THAT(nothing.err, StartsWith("headscope: Unsupported: Nothing ran"));
}

// The program waits for its prompt on the pipe: a signal is then never before the handler.
TEST_F(HeadlessBench, CtrlCEndsWithCode130) {
  const fs::path pipe = m_streams / "prompt";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  support::Process process = start(bench({m_model, "--prompt-file", pipe.string()}));
  const int writer = ::open(pipe.c_str(), O_WRONLY);
  ASSERT_GE(writer, 0);
  process.signal(SIGINT);
  const ProcessResult result = process.wait();
  ::close(writer);
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.out, IsEmpty());
}

TEST_F(HeadlessBench, HelpTeachesIt) {
  const ProcessResult result = run({"bench", "--help"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, AllOf(HasSubstr("Examples:"), HasSubstr("headscope bench --sweep"), HasSubstr("quartiles")));
}

}  // namespace
