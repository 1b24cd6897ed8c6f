// `headscope generate`: the text, its end, its file, and what can't be.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/app/headless.h"
#include "tests/support/npz.h"

namespace {

namespace fs = std::filesystem;
using support::Headless;
using support::ProcessResult;
using support::Words;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using Ids = std::vector<std::int64_t>;

class HeadlessGenerate : public Headless {
 protected:
  Words generate(const Words& more, const Words& prompt = {"--prompt", "ROMEO:"}) const {
    Words words{"generate", m_model};
    words.insert(words.end(), prompt.begin(), prompt.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  nlohmann::json generated(Words more, const Words& prompt = {"--prompt", "ROMEO:"}) const {
    more.emplace_back("--json");
    const ProcessResult result = run(generate(more, prompt));
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
  static std::string list(const Ids& ids) {
    std::string text;
    for (const std::int64_t id : ids) text.append(text.empty() ? "" : ",").append(std::to_string(id));
    return text;
  }
};

TEST_F(HeadlessGenerate, EachTokenIsTheLikeliestAfterThoseBeforeIt) {
  const auto json = generated({"-n", "40"});
  const Ids prompt = json["prompt_tokens"], text = json["generated_tokens"];
  EXPECT_EQ(prompt.size(), 6u);
  ASSERT_EQ(text.size(), 40u);
  Ids all = prompt;
  all.insert(all.end(), text.begin(), text.end());
  ASSERT_EQ(run(capture({"--tokens", list(all), "--layers", "0", "--heads", "0"})).code, 0);
  const std::vector<float> logits = support::readNpz(m_output).at("logits").floats;
  for (std::size_t n = 0; n < text.size(); ++n) {
    const auto row = logits.begin() + static_cast<std::ptrdiff_t>((prompt.size() + n - 1) * 65);
    EXPECT_EQ(std::max_element(row, row + 65) - row, text[n]) << n;
  }
}

TEST_F(HeadlessGenerate, PrintsTheTextAndNothingElse) {
  const auto json = generated({"-n", "50"});
  const ProcessResult plain = run(generate({}));  // 50 without a number
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_THAT(plain.err, IsEmpty());
  const std::string text = json["text"];
  EXPECT_EQ(text.size(), 50u);
  EXPECT_EQ(plain.out, text.back() == '\n' ? text : text + "\n");
  EXPECT_EQ(json["stop"], "count");
  EXPECT_EQ(json["run"]["tokens"], 56);
  EXPECT_EQ(run(generate({"--path", "flash"})).out, plain.out);
}

TEST_F(HeadlessGenerate, ASeedRepeatsATextAndOneLikeliestTokenIsGreedy) {
  const Words chance{"--temperature", "1.5", "--seed", "7"};
  const auto first = generated(chance);
  EXPECT_EQ(generated(chance)["text"], first["text"]);
  EXPECT_NE(generated({"--temperature", "1.5", "--seed", "8"})["text"], first["text"]);
  EXPECT_EQ(first["sampling"]["seed"], 7);
  EXPECT_EQ(generated({"--temperature", "1.5", "--top-k", "1"})["text"], generated({})["text"]);
  EXPECT_EQ(generated({"--temperature", "0"})["text"], generated({})["text"]);
}

TEST_F(HeadlessGenerate, StopsAtTheContextsEndAndSaysSo) {
  const Words prompt{"--prompt", std::string(250, 'a')};
  const auto json = generated({"-n", "20"}, prompt);
  EXPECT_EQ(json["generated_tokens"].size(), 6u);
  EXPECT_EQ(json["stop"], "context_end");
  const ProcessResult plain = run(generate({"-n", "20"}, prompt));
  EXPECT_EQ(plain.code, 0);
  EXPECT_THAT(plain.err, AllOf(StartsWith("headscope: note: "), HasSubstr("256")));
  EXPECT_EQ(run(generate({"-n", "6"}, prompt)).err, "");
}

TEST_F(HeadlessGenerate, TheFileIsTheCaptureOfAllTokens) {
  const auto json = generated({"-n", "20", "--windows", "5", "-o", m_output});
  EXPECT_EQ(json["arrays"]["attn"], (std::vector{6, 6, 26, 26}));
  EXPECT_EQ(json["file"], m_output);
  const auto grown = support::readNpz(m_output);
  const Ids tokens = grown.at("token_ids").integers;
  ASSERT_EQ(tokens.size(), 26u);
  ASSERT_EQ(run(capture({"--force", "--windows", "5", "--tokens", list(tokens)})).code, 0);
  const auto whole = support::readNpz(m_output);
  const auto distance = [&](const char* name) {
    const auto &a = grown.at(name).floats, &b = whole.at(name).floats;
    EXPECT_EQ(a.size(), b.size());
    float largest = 0;
    for (std::size_t n = 0; n < a.size(); ++n) largest = std::max(largest, std::abs(a[n] - b[n]));
    return largest;
  };
  EXPECT_LE(distance("attn"), 1e-5f);
  EXPECT_LE(distance("logits"), 1e-3f);
}

TEST_F(HeadlessGenerate, AFileIsNamedBesideTheTextAndMayBeAPart) {
  const ProcessResult result =
      run(generate({"-n", "4", "-o", m_output, "--layers", "2", "--rows", "9", "--logits", "last"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, run(generate({"-n", "4"})).out);
  EXPECT_THAT(result.err, AllOf(HasSubstr(m_output), HasSubstr("attn [1,6,1,10]")));
}

TEST_F(HeadlessGenerate, R13_NumbersThatCanNotBeAreCode2) {
  for (const Words& more : {Words{"--temperature", "-1"},
                            {"--temperature", "nan"},
                            {"--temperature", "inf"},
                            {"--temperature", "warm"},
                            {"--temperature", "1", "--top-k", "-1"},
                            {"--temperature", "1", "--seed", "-1"},
                            {"--seed", "7"},
                            {"--top-k", "7"},
                            {"-n", "0"},
                            {"-n", "-5"},
                            {"-n", "x"},
                            {"--rows", "1"},
                            {"--force"}})
    EXPECT_THAT(refusal(generate(more), 2, ""), HasSubstr("--help"));
  EXPECT_THAT(refusal(generate({"--temperature", "nan"}), 2, ""), HasSubstr("a finite number of at least 0"));
  EXPECT_THAT(refusal(generate({"--mask", "bidirectional"}), 2, "Mismatch: "), HasSubstr("bidirectional"));
  EXPECT_THAT(refusal(generate({}, {}), 2, ""), HasSubstr("no prompt"));
}

TEST_F(HeadlessGenerate, APromptThatCannotRunIsCode4AndLeavesNoFile) {
  refusal(generate({"-o", m_output}, {"--prompt", "5€"}), 4, "Mismatch: ");
  refusal(generate({"-o", m_output}, {"--prompt", std::string(257, 'a')}), 4, "TooLarge: ");
  refusal(generate({"-o", m_output, "--memory-budget", "1K"}), 4, "OutOfMemory: ");
}

TEST_F(HeadlessGenerate, AModelWithoutATokenizerGivesIds) {
  const std::string model = support::data("hf-llama-gqa").string();
  const ProcessResult result = run({"generate", model, "--tokens", "1,2,3", "-n", "4"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), ','), 3);
  EXPECT_EQ(result.out.find_first_not_of("0123456789,\n"), std::string::npos);
}

// Its text goes into a pipe that has room for one more byte: after the first token it waits, and the signal comes.
TEST_F(HeadlessGenerate, CtrlCKeepsWhatIsPrintedAndEndsWithCode130) {
  const std::string whole = run(generate({"-n", "200"})).out;
  const fs::path pipe = m_streams / "text";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  const int filler = ::open(pipe.c_str(), O_WRONLY);
  ASSERT_GE(filler, 0);
  const int room = ::fcntl(filler, F_SETPIPE_SZ, 4096);
  ASSERT_GT(room, 0);
  const std::string filling(static_cast<std::size_t>(room) - 1, '.');
  ASSERT_EQ(::write(filler, filling.data(), filling.size()), room - 1);

  const std::string program = HEADSCOPE_PROGRAM;
  support::Process process("/bin/sh",
                           {"-c", "exec \"$0\" generate \"$1\" --prompt ROMEO: -n 200 -o \"$2\" > \"$3\"", program,
                            m_model, m_output, pipe.string()},
                           {}, m_streams.path());
  for (int held = 0; held < room;) {
    ASSERT_EQ(::ioctl(reader, FIONREAD, &held), 0);
    ASSERT_FALSE(process.endsWithin(std::chrono::milliseconds(1)));
  }
  process.signal(SIGINT);
  ::close(filler);
  ::fcntl(reader, F_SETFL, 0);
  std::string text;
  char bytes[4096];
  for (ssize_t got = 0; (got = ::read(reader, bytes, sizeof bytes)) > 0;)
    text.append(bytes, static_cast<std::size_t>(got));
  ::close(reader);
  const ProcessResult result = process.wait();
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.err, StartsWith("headscope: Cancelled"));
  ASSERT_GT(text.size(), filling.size());
  text.erase(0, filling.size());
  text.resize(text.find_last_not_of('\n') + 1);
  EXPECT_LT(text.size(), 200u);
  EXPECT_THAT(whole, StartsWith(text));
  EXPECT_TRUE(fs::is_empty(m_folder.path()));
}

}  // namespace
