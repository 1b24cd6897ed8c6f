// P1, P3: a file that would run commands is opened, and nothing happens. The loader runs in a sandbox in which starting
// a program, a thread or a connection and writing, renaming or deleting a file end the process; it says which files it
// opened; and the folder is afterwards as it was, canaries included. That the same bytes do harm elsewhere is seen by
// giving them to Python.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <ostream>

#include "tests/core/checkpoint/confined.h"
#include "tests/core/checkpoint/nanochat_folder.h"
#include "tests/support/files.h"
#include "tests/support/python.h"

namespace {

namespace fs = std::filesystem;
namespace op = support::pickle;

/// What a pickle calls, with a text that names the canary.
struct Attack {
  std::string name;
  std::string module, function;
  std::string (*argument)(const std::string& canary);
};
void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.name; }

std::string shell(const std::string& canary) { return op::text("touch '" + canary + "'"); }
std::string words(const std::string& canary) { return op::list({op::text("touch"), op::text(canary)}); }
std::string python(const std::string& canary) { return op::text("open('" + canary + "', 'w').close()"); }
/// An inner pickle as bytes.
std::string bytes(const std::string& canary) {
  const std::string inner = op::whole(op::reduce(op::global("os", "system"), {shell(canary)}));
  return op::reduce(op::global("_codecs", "encode"), {op::text(inner), op::text("latin1")});
}
std::string path(const std::string& canary) { return op::text(canary); }

const std::vector<Attack> kCommands = {{"osSystem", "os", "system", shell},
                                       {"posixSystem", "posix", "system", shell},
                                       {"subprocessPopen", "subprocess", "Popen", words},
                                       {"subprocessCall", "subprocess", "check_call", words},
                                       {"builtinsEval", "builtins", "eval", python},
                                       {"builtinsExec", "builtins", "exec", python}};
const std::vector<Attack> kInnerPickles = {{"torchLoadFromBytes", "torch.storage", "_load_from_bytes", bytes},
                                           {"torchLoad", "torch", "load", path},
                                           {"pickleLoads", "pickle", "loads", bytes},
                                           {"osRemove", "os", "remove", path},
                                           {"shutilRmtree", "shutil", "rmtree", path}};

/// The call in each of the ways that pickle has for it.
std::vector<std::string> calls(const Attack& attack, const std::string& canary) {
  const std::string global = op::global(attack.module, attack.function), argument = attack.argument(canary);
  return {op::reduce(global, {argument}),
          op::reduce(op::text(attack.module) + op::text(attack.function) + "\x93", {argument}),
          "(" + argument + "i" + attack.module + "\n" + attack.function + "\n",
          "(" + global + argument + "o",
          global + op::tuple({argument}) + "\x81",
          global + op::tuple({argument}) + op::dict({}) + "\x92"};
}

class Canary : public testing::TestWithParam<Attack> {
 protected:
  void SetUp() override { support::writeFile(m_folder / "alive", "a canary"); }

  /// Every file below the folder with its content.
  std::map<fs::path, std::string> everything() const {
    std::map<fs::path, std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(m_folder.path()))
      files[entry.path()] = entry.is_regular_file() ? support::readFile(entry.path()) : "";
    return files;
  }

  /// The calls that would make a canary, and one that would delete one.
  std::vector<std::string> attacks() const {
    std::vector<std::string> all = calls(GetParam(), (m_folder / "hatched").string());
    all.push_back(calls(GetParam(), (m_folder / "alive").string()).front());
    return all;
  }

  /// Opens a file, which changes nothing and looks at no others than these.
  support::ConfinedLoad load(const fs::path& model, const std::vector<fs::path>& files,
                             const fs::path& tokenizer = {}) const {
    const auto before = everything();
    support::ConfinedLoad load = support::loadConfined(model, tokenizer);
    EXPECT_EQ(load.code, 0) << "128 + the signal of what the sandbox has not";
    EXPECT_EQ(everything(), before);
    for (const fs::path& opened : load.opened) {
      if (fs::is_directory(opened)) continue;  // whose names are looked at
      EXPECT_THAT(files, testing::Contains(opened));
    }
    if (support::canConfine()) {
      EXPECT_THAT(load.opened, testing::Contains(files.front()));
    }
    return load;
  }
  void expectUnsafe(const support::ConfinedLoad& load, const fs::path& file) const {
    EXPECT_EQ(load.result, "Unsafe") << load.sentence;
    const std::string global = GetParam().module + "." + GetParam().function;
    for (const std::string& part : {file.string(), "'" + global + "'", std::string("Nothing was run")})
      EXPECT_THAT(load.sentence, testing::HasSubstr(part));
  }

  support::TemporaryFolder m_folder;
};

std::string nameOf(const testing::TestParamInfo<Attack>& instance) { return instance.param.name; }
INSTANTIATE_TEST_SUITE_P(P1, Canary, testing::ValuesIn(kCommands), nameOf);
INSTANTIATE_TEST_SUITE_P(P3, Canary, testing::ValuesIn(kInnerPickles), nameOf);

TEST_P(Canary, P1_BesideTheWeights) {
  const fs::path file = m_folder / "ckpt.pt";
  for (const std::string& call : attacks()) {
    support::ModelBuilder model;
    model.more = {{"config", call}};
    support::writeFile(file, model.build());
    expectUnsafe(load(file, {file}), file);
  }
}

TEST_P(Canary, P1_InPlaceOfAWeight) {
  const fs::path file = m_folder / "ckpt.pt";
  const support::ModelBuilder model;
  for (const std::string& call : attacks()) {
    std::string bytes = model.pickleBytes();
    const std::string key = op::text("transformer.wpe.weight"), next = op::text("transformer.h.0.ln_1.weight");
    const std::size_t begin = bytes.find(key) + key.size();
    bytes.replace(begin, bytes.find(next) - begin, call);
    support::ZipBuilder zip = model.archive();
    zip.remove("ckpt/data.pkl");
    zip.add("ckpt/data.pkl", bytes);
    support::writeFile(file, zip.build());
    expectUnsafe(load(file, {file}), file);
  }
}

TEST_P(Canary, P1_AsAPlainPickle) {
  const fs::path file = m_folder / "ckpt.pt";
  for (const std::string& call : attacks()) {
    support::writeFile(file, op::whole(call));
    expectUnsafe(load(file, {file}), file);
  }
}

TEST_P(Canary, P1_InTheCharactersBesideAModel) {
  const fs::path file = m_folder / "ckpt.pt", meta = m_folder / "meta.pkl";
  support::writeFile(file, support::ModelBuilder().build());
  for (const std::string& call : attacks()) {
    support::writeFile(meta, op::whole(op::dict({{"itos", call}})));
    EXPECT_EQ(load(file, {file, meta}).result, "opened") << "with a warning";
    expectUnsafe(load(file, {file, meta}, meta), meta);
  }
}

TEST_P(Canary, P1_InNanochatsTokenizer) {
  const fs::path model = support::NanochatFolder(support::NanochatVersion::March14).write(m_folder / "d3");
  const fs::path meta = m_folder / "d3/meta_000100.json", tokenizer = m_folder / "d3/tokenizer.pkl";
  for (const std::string& call : attacks()) {
    support::writeFile(
        tokenizer, op::whole(op::global("tiktoken.core", "Encoding") + ")\x81" + op::dict({{"pat_str", call}}) + "b"));
    EXPECT_EQ(load(model, {model, meta, tokenizer}).result, "opened") << "with a warning";
    expectUnsafe(load(model, {model, meta, tokenizer}, tokenizer), tokenizer);
  }
}

// Objects that only foreign code could rebuild: nothing of them is looked for.
TEST_F(Canary, P3_ForeignObjectsBesideTheWeightsOpenNothingElse) {
  const fs::path file = m_folder / "ckpt.pt";
  for (const auto& [module, name] : {std::pair<std::string, std::string>{"torch._tensor", "_rebuild_from_type_v2"},
                                     {"numpy.core.multiarray", "_reconstruct"},
                                     {"mymodule", "run_me"},
                                     {"__main__", "Config"}}) {
    support::ModelBuilder model;
    model.more = {{"config", op::reduce(op::global(module, name), {op::text("touch hatched")})}};
    support::writeFile(file, model.build());
    EXPECT_EQ(load(file, {file}).result, "opened") << module;
  }
}

class RealAttack : public Canary {};
INSTANTIATE_TEST_SUITE_P(P1, RealAttack, testing::ValuesIn(kCommands), nameOf);

TEST_P(RealAttack, P1_MakesTheCanaryWherePicklesAreRun) {
  const auto interpreter = support::pythonWithNumpy();
  if (!interpreter) GTEST_SKIP() << "no Python 3 with numpy";
  const std::string canary = (m_folder / "hatched").string();
  const fs::path file = m_folder / "attack.pkl";
  support::writeFile(file, op::whole(calls(GetParam(), canary).front()));
  // A process that it started is waited for.
  support::runPython(*interpreter,
                     "import pickle, sys\nmade = pickle.load(open(sys.argv[1], 'rb'))\n"
                     "made.wait() if hasattr(made, 'wait') else None",
                     file.string());
  EXPECT_TRUE(fs::exists(canary));
}

}  // namespace
