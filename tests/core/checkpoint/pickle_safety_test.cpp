// P1 to P5: names that are refused wherever they stand, and objects that stay opaque.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "core/checkpoint/checkpoint.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/core/checkpoint/read_pickle.h"
#include "tests/support/files.h"

namespace core::checkpoint::pickle {
namespace {

using support::expectError;
namespace op = support::pickle;

// ---- P1, P3: names that are refused wherever they stand ----

struct Name {
  std::string module, name;
};

void PrintTo(const Name& name, std::ostream* out) { *out << name.module << "." << name.name; }

class DangerousGlobal : public testing::TestWithParam<Name> {};

TEST_P(DangerousGlobal, P1_IsUnsafeByNameWhateverIsDoneWithIt) {
  const auto& [module, name] = GetParam();
  const std::string full = "'" + module + "." + name + "'";
  const std::string global = op::global(module, name);
  refuse(ErrorKind::Unsafe, {full, "Nothing was run"}, op::whole(op::reduce(global, {op::text("touch /tmp/x")})));
  refuse(ErrorKind::Unsafe, {full}, op::whole(op::dict({{"optimizer", op::list({global})}})));
  refuse(ErrorKind::Unsafe, {full}, op::whole(global + "0N"));
  refuse(ErrorKind::Unsafe, {full}, op::whole(op::text(module) + op::text(name) + "\x93"));
  refuse(ErrorKind::Unsafe, {full}, op::whole("(" + op::text("x") + "i" + module + "\n" + name + "\n"));
  refuse(ErrorKind::Unsafe, {full}, op::whole("(" + global + op::text("x") + "o"));
  refuse(ErrorKind::Unsafe, {full}, op::whole(global + op::tuple({}) + "\x81"));
}

INSTANTIATE_TEST_SUITE_P(P1, DangerousGlobal,
                         testing::Values(Name{"os", "system"}, Name{"posix", "system"}, Name{"nt", "system"},
                                         Name{"subprocess", "Popen"}, Name{"builtins", "eval"},
                                         Name{"builtins", "exec"}, Name{"__builtin__", "getattr"},
                                         Name{"builtins", "__import__"}, Name{"sys", "exit"}, Name{"shutil", "rmtree"},
                                         Name{"runpy", "run_path"}, Name{"socket", "socket"},
                                         Name{"importlib", "import_module"}, Name{"importlib.util", "find_spec"},
                                         Name{"os.path", "join"}, Name{"pty", "spawn"}, Name{"ctypes", "CDLL"},
                                         Name{"pickle", "loads"}, Name{"marshal", "loads"},
                                         Name{"operator", "attrgetter"}, Name{"torch.hub", "load"},
                                         Name{"numpy.testing._private.utils", "runstring"}, Name{"webbrowser", "open"},
                                         Name{"collections", "abc.sys.modules"}, Name{"builtins", "eval.__call__"},
                                         Name{"types", "FunctionType"}));

INSTANTIATE_TEST_SUITE_P(P3, DangerousGlobal,
                         testing::Values(Name{"torch.storage", "_load_from_bytes"}, Name{"torch", "load"},
                                         Name{"torch.serialization", "load"}));

TEST(PickleSafety, P1_NothingIsExecuted) {
  const support::TemporaryFolder folder;
  const auto canary = folder / "canary";
  const std::string command = "touch " + canary.string();
  for (const std::string& attack :
       {op::reduce(op::global("os", "system"), {op::text(command)}),
        op::reduce(op::global("posix", "system"), {op::text(command)}),
        op::reduce(op::global("subprocess", "Popen"), {op::list({op::text("touch"), op::text(canary.string())})}),
        op::reduce(op::global("builtins", "eval"), {op::text("__import__('os').system('" + command + "')")})}) {
    support::ModelBuilder model;
    model.more = {{"config", attack}};
    support::writeFile(folder / "ckpt.pt", model.build());
    expectError(ErrorKind::Unsafe, {(folder / "ckpt.pt").string(), "data.pkl"},
                [&] { load(folder / "ckpt.pt", {}, Progress()); });
    support::writeFile(folder / "plain.pt", op::whole(attack));
    expectError(ErrorKind::Unsafe, {(folder / "plain.pt").string()},
                [&] { load(folder / "plain.pt", {}, Progress()); });
    EXPECT_FALSE(std::filesystem::exists(canary));
  }
}

// Of protocol 0, which begins with no mark of its own.
TEST(PickleSafety, P1_CommandsInTheOldestPicklesAreUnsafe) {
  const support::TemporaryFolder folder;
  for (const std::string attack : {"cos\nsystem\n(S'true'\ntR.", "(S'true'\nios\nsystem\n."}) {
    support::writeFile(folder / "plain.pt", attack);
    expectError(ErrorKind::Unsafe, {(folder / "plain.pt").string(), "'os.system'"},
                [&] { load(folder / "plain.pt", {}, Progress()); });
  }
}

TEST(PickleSafety, P3_WeightsThatOnlyForeignCodeCanRebuildAreUnsafe) {
  const support::TemporaryFolder folder;
  for (const auto& [module, name] :
       {Name{"torch._tensor", "_rebuild_from_type_v2"}, Name{"numpy.core.multiarray", "_reconstruct"},
        Name{"numpy._core.multiarray", "_reconstruct"}}) {
    const std::string object = op::reduce(op::global(module, name), {op::text("x")});
    const support::ModelBuilder model;
    std::string bytes = model.pickleBytes();
    // Replaces the whole tensor wpe by the object.
    const std::string key = op::text("transformer.wpe.weight");
    const std::size_t begin = bytes.find(key) + key.size();
    const std::size_t end = bytes.find(op::text("transformer.h.0.ln_1.weight"));
    bytes.replace(begin, end - begin, object);
    support::ZipBuilder zip = model.archive();
    zip.remove("ckpt/data.pkl");
    zip.add("ckpt/data.pkl", bytes);
    support::writeFile(folder / "ckpt.pt", zip.build());
    expectError(ErrorKind::Unsafe, {"'transformer.wpe.weight'", module + "." + name},
                [&] { load(folder / "ckpt.pt", {}, Progress()); });

    support::ModelBuilder beside;
    beside.more = {{"best_val_loss", object}};
    support::writeFile(folder / "ckpt.pt", beside.build());
    EXPECT_EQ(load(folder / "ckpt.pt", {}, Progress()).tensors.size(), 10u)
        << "outside of the weights it is an opaque value";
  }
}

// ---- P4: harmless foreign objects ----

TEST(PickleSafety, P4_HarmlessForeignObjectsBesideTheWeightsAreOpaque) {
  const std::string scalar =
      op::reduce(op::global("numpy.core.multiarray", "scalar"),
                 {op::reduce(op::global("numpy", "dtype"), {op::text("f8"), op::boolean(false), op::boolean(true)}),
                  op::reduce(op::global("_codecs", "encode"), {op::text("\x01\x02"), op::text("latin1")})});
  const std::string name =
      op::global("argparse", "Namespace") + op::tuple({}) + "\x81" + op::dict({{"lr", op::real(0.1)}}) + "b";
  const support::TemporaryFolder folder;
  for (const std::string& object :
       {scalar, name, op::reduce(op::global("pathlib", "PosixPath"), {op::text("/"), op::text("out")}),
        op::reduce(op::global("__main__", "Config"), {}), op::global("types", "SimpleNamespace"),
        op::reduce(op::global("power", "socket"), {}),
        op::reduce(op::global("collections", "defaultdict"), {op::global("builtins", "list")}) + op::text("k") +
            op::integer(1) + "s"}) {
    support::ModelBuilder model;
    model.more = {{"best_val_loss", object}, {"config", object}};
    support::writeFile(folder / "ckpt.pt", model.build());
    EXPECT_EQ(load(folder / "ckpt.pt", {}, Progress()).tensors.size(), 10u);
  }
}

TEST(PickleSafety, P4_ObjectsThatAreNotShownAreSaid) {
  const support::TemporaryFolder folder;
  support::ModelBuilder model;
  op::TensorSpec tensor;
  tensor.elements = 1;
  model.more = {{"config", op::reduce(op::global("argparse", "Namespace"), {})},
                {"best_val_loss", op::tensor(tensor)},
                {"iter_num", op::integer(7)}};
  support::writeFile(folder / "ckpt.pt", model.build());
  std::vector<std::string> ignored;
  for (const ReportLine& line : load(folder / "ckpt.pt", {}, Progress()).info.report) {
    if (line.topic == ReportLine::Topic::Ignored) ignored.push_back(line.text);
  }
  EXPECT_THAT(ignored,
              testing::Contains("objects of other programs, which are not shown: 'config: argparse.Namespace'"));
}

TEST(Pickle, P4_ObjectKeepsItsClassArgumentsAndState) {
  const Document document =
      read(op::whole(op::reduce(op::global("a.b", "C"), {op::integer(1)}) + op::dict({{"x", op::none()}}) + "b"));
  EXPECT_EQ(callee(document.root()), "a.b.C");
  ASSERT_EQ(document.root().items.size(), 3u);
  EXPECT_EQ(document.root().items[1]->items[0]->integer, 1);
  EXPECT_EQ(document.root().items[2]->kind, Kind::Dict);
}

TEST(PickleSafety, P5_WholeModuleIsUnsupportedWithItsClass) {
  const support::TemporaryFolder folder;
  const std::string module =
      op::global("model", "GPT") + op::tuple({}) + "\x81" + op::dict({{"training", op::boolean(false)}}) + "b";
  support::ZipBuilder zip;
  zip.add("m/data.pkl", op::whole(module));
  support::writeFile(folder / "m.pt", zip.build());
  expectError(ErrorKind::Unsupported, {(folder / "m.pt").string(), "'model.GPT'", "state_dict"},
              [&] { load(folder / "m.pt", {}, Progress()); });

  support::ZipBuilder inDict;
  inDict.add("m/data.pkl",
             op::whole(op::dict({{"model", module}, {"model_args", op::dict(support::ModelBuilder().modelArgs)}})));
  support::writeFile(folder / "m.pt", inDict.build());
  expectError(ErrorKind::Unsupported, {"'model'", "'model.GPT'", "state_dict"},
              [&] { load(folder / "m.pt", {}, Progress()); });
}

}  // namespace
}  // namespace core::checkpoint::pickle
