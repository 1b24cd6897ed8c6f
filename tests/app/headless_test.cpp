// Help, usage, info and refusals of the built program: exit codes and messages.
#include <nlohmann/json.hpp>

#include "tests/app/headless.h"

namespace {

namespace fs = std::filesystem;
using support::Headless;
using support::ProcessResult;
using support::Words;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

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
                             capture({"--prompt", "a", "--gelu", "relu"}),
                             capture({"--prompt", "a", "--rope-base", "high"}),
                             capture({"--prompt", "a", "--short-window", "1.5"}),
                             capture({"--prompt", "a", "--step", "last"}),
                             capture({"--tokens", "1", "--no-bos"}),
                             capture({"--tokens", "1", "--special-tokens"})}) {
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
                                HasSubstr("GELU (erf)"), HasSubstr("65 characters"), HasSubstr("load report\n")));
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
  EXPECT_EQ(json["gelu"], "erf");
  EXPECT_EQ(json["windows"].size(), 6u);
  EXPECT_FALSE(json["report"].empty());
}

TEST_F(Headless, InfoSaysThatItsResultCannotBeWritten) {
  const std::string program = HEADSCOPE_PROGRAM;
  support::Process shell("/bin/sh", {"-c", "\"$0\" info \"$1\" > /dev/full", program, m_model}, {}, m_streams.path());
  const ProcessResult result = shell.wait();
  EXPECT_EQ(result.code, 5);
  EXPECT_THAT(result.err, StartsWith("headscope: Io: "));
}

TEST_F(Headless, Z13_VerifyPassesAWholeModel) { EXPECT_EQ(run({"info", "--verify", m_model}).code, 0); }

TEST_F(Headless, Z13_VerifyRefusesADamagedMemberThatInfoOnlyWarnsOf) {
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
  fs::create_directory(files / "nothing");
  EXPECT_THAT(refusal({"info", (files / "nothing").string()}, 3, "NotAFile: "), HasSubstr("nothing"));
  EXPECT_THAT(refusal({"info", files.path().string()}, 2, "Mismatch: "),
              AllOf(HasSubstr("empty.pt"), HasSubstr("page.pt")));
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

/// A pickled dict with `itos`, one letter an id: those of the model's 65 ids, and more.
std::string metaPickle(int letters) {
  std::string bytes = "\x80\x02}X\x04" + std::string(3, '\0') + "itos](";
  for (int id = 0; id < letters; ++id)
    bytes += std::string("X\x01\0\0\0", 5) + static_cast<char>('!' + id);  // from "!" on, "~" at most
  return bytes + "es.";
}

TEST_F(Headless, T3_IdsOfALargerTokenizerAreRefusedBeforeTheyReachTheModel) {
  const support::TemporaryFolder files;
  support::writeFile(files / "large.pkl", metaPickle(90));
  const std::string tokenizer = (files / "large.pkl").string();
  const ProcessResult info = run({"info", m_model, "--tokenizer", tokenizer});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("The tokenizer covers 90 ids, the model has 65."));
  EXPECT_THAT(refusal(capture({"--tokenizer", tokenizer, "--prompt", "!y"}), 4, "Mismatch: "),
              AllOf(HasSubstr("Token 2 is 88"), HasSubstr("from 0 to 64")));
  EXPECT_EQ(run(capture({"--tokenizer", tokenizer, "--prompt", "!A"})).code, 0) << "ids that the model has";
}

TEST_F(Headless, T3_ASmallerTokenizerIsSaidAndRuns) {
  const support::TemporaryFolder files;
  support::writeFile(files / "small.pkl", metaPickle(40));
  const std::string tokenizer = (files / "small.pkl").string();
  EXPECT_THAT(run({"info", m_model, "--tokenizer", tokenizer}).out,
              HasSubstr("The tokenizer covers 40 ids, the model has 65."));
  EXPECT_EQ(run(capture({"--tokenizer", tokenizer, "--prompt", "!A"})).code, 0);
}

TEST_F(Headless, T7_LettersThatTheModelHasNotAreListed) {
  EXPECT_THAT(refusal(capture({"--prompt", "café 5€"}), 4, "Mismatch: "),
              AllOf(HasSubstr("3 letters"), HasSubstr("'é', '5', '€'"), HasSubstr("Remove or replace")));
}

TEST_F(Headless, P1_AFileThatWouldRunCommandsIsCode3) {
  const support::TemporaryFolder files;
  const std::string canary = (files / "canary").string(), command = "touch " + canary;
  support::writeFile(files / "ckpt.pt",
                     "\x80\x02"
                     "cos\nsystem\nX" +
                         std::string(1, static_cast<char>(command.size())) + std::string(3, '\0') + command + "\x85R.");
  EXPECT_THAT(refusal({"info", (files / "ckpt.pt").string()}, 3, "Unsafe: "),
              AllOf(HasSubstr("ckpt.pt"), HasSubstr("'os.system'"), HasSubstr("Nothing was run")));
  EXPECT_FALSE(fs::exists(canary));
}

#ifndef HEADSCOPE_GUI

TEST_F(Headless, HasNoRenderAndNoWindowInThisBuild) {
  EXPECT_THAT(run({"--help"}).out, Not(HasSubstr("render")));
  EXPECT_EQ(run({}).code, 2);
}

#endif

}  // namespace
