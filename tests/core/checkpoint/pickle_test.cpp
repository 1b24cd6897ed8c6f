#include "core/checkpoint/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "core/checkpoint/checkpoint.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/core/checkpoint/pickle_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint::pickle {
namespace {

using namespace std::string_literals;
using support::expectError;
namespace op = support::pickle;

const std::string kOrigin = "/x/ckpt.pt: data.pkl";

Document read(const std::string& bytes) { return parse(bytes, kOrigin); }

/// The refusal names the file, the item, `parts` and the byte.
void refuse(ErrorKind kind, std::vector<std::string> parts, const std::string& bytes) {
  parts.push_back(kOrigin);
  parts.push_back("byte ");
  expectError(kind, parts, [&] { read(bytes); });
}

// ---- what is read ----

TEST(Pickle, Protocol2Values) {
  const Document document =
      read(op::whole(op::list({op::none(), op::boolean(true), op::integer(-7), op::integer(std::int64_t{1} << 40),
                               op::real(0.25), op::text("h\xc3\xa9"), op::tuple({op::integer(1), op::integer(2)})})));
  const auto& items = document.root().items;
  ASSERT_EQ(items.size(), 7u);
  EXPECT_EQ(items[0]->kind, Kind::None);
  EXPECT_EQ(items[1]->integer, 1);
  EXPECT_EQ(items[2]->integer, -7);
  EXPECT_EQ(items[3]->integer, std::int64_t{1} << 40);
  EXPECT_EQ(items[4]->number, 0.25);
  EXPECT_EQ(items[5]->text, "h\xc3\xa9");
  EXPECT_EQ(items[6]->items[1]->integer, 2);
}

TEST(Pickle, Protocol0TextForms) {
  // pickle.dumps({'a': 1, 'b': (True, 2.5, None), u'\xe9\u20ac': [10**20, 3]}, 0) of Python 2, by hand
  const Document document = read(
      "(dp0\nS'a'\np1\nI1\nsS'b'\np2\n(I01\nF2.5\nNtp3\nsV\xe9\\u20ac\np4\n(lp5\nL100000000000000000000L\naL3L\nasS'"
      "x\\x41\\n'\ng1\ns.");
  const Value& root = document.root();
  EXPECT_EQ(find(root, "a")->integer, 1);
  EXPECT_EQ(find(root, "b")->items[0]->kind, Kind::Bool);
  EXPECT_EQ(find(root, "b")->items[1]->number, 2.5);
  const Value* list = find(root, "\xc3\xa9\xe2\x82\xac");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(list->items[0]->kind, Kind::BigInt);
  EXPECT_EQ(list->items[1]->integer, 3);
  EXPECT_EQ(find(root, "xA\n")->text, "a");
}

TEST(Pickle, Protocol1And3And4And5Forms) {
  EXPECT_EQ(read("]q\0(U\x02hiK\x05M\x00\x01"
                 "e."s)
                .root()
                .items[2]
                ->integer,
            256);
  EXPECT_EQ(read("\x80\x03"
                 "C\x02\xff\x00."s)
                .root()
                .text,
            "\xff\x00"s);
  const Document four = read(
      "\x80\x04\x95\x10\0\0\0\0\0\0\0\x8f\x94(K\x01K\x02\x90\x8c\x02hi\x94"
      "0h\0"
      "0."s);
  EXPECT_EQ(four.root().items.size(), 2u);
  EXPECT_EQ(read("\x80\x05\x96\x03\0\0\0\0\0\0\0abc."s).root().text, "abc");
}

TEST(Pickle, LongsOfEveryLength) {
  EXPECT_EQ(read("\x8a\0."s).root().integer, 0);
  EXPECT_EQ(read("\x8a\x01\xff."s).root().integer, -1);
  EXPECT_EQ(read("\x8a\x02\xff\x00."s).root().integer, 255);
  EXPECT_EQ(read("\x8a\x08\0\0\0\0\0\0\0\x80."s).root().integer, INT64_MIN);
  EXPECT_EQ(read("\x8a\x09\0\0\0\0\0\0\0\x80\0."s).root().kind, Kind::BigInt);
}

TEST(Pickle, OrderedDictIsADictAndItsAttributesAreLeftOut) {
  const Document document = read(op::whole(op::orderedDict({{"w", op::integer(3)}})));
  ASSERT_EQ(document.root().kind, Kind::Dict);
  EXPECT_EQ(find(document.root(), "w")->integer, 3);
  EXPECT_EQ(find(document.root(), "_metadata"), nullptr);
}

TEST(Pickle, Python2OrderedDictHasItsPairsAsArgument) {
  const Document document = read(op::whole(
      op::reduce(op::global("collections", "OrderedDict"), {op::list({op::list({op::text("w"), op::integer(3)})})})));
  EXPECT_EQ(find(document.root(), "w")->integer, 3);
}

TEST(Pickle, BytesOfProtocol2AreBytes) {
  const Document document =
      read(op::whole(op::reduce(op::global("_codecs", "encode"), {op::text("a\xc3\xbf"), op::text("latin1")})));
  EXPECT_EQ(document.root().kind, Kind::Bytes);
  EXPECT_EQ(document.root().text, "a\xff");
}

TEST(Pickle, TheLastOfTwoEqualKeysCounts) {
  EXPECT_EQ(find(read(op::whole(op::dict({{"a", op::integer(1)}, {"a", op::integer(2)}}))).root(), "a")->integer, 2);
}

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
        op::reduce(op::global("collections", "defaultdict"), {op::global("builtins", "list")}) + op::text("k") +
            op::integer(1) + "s"}) {
    support::ModelBuilder model;
    model.more = {{"best_val_loss", object}, {"config", object}};
    support::writeFile(folder / "ckpt.pt", model.build());
    EXPECT_EQ(load(folder / "ckpt.pt", {}, Progress()).tensors.size(), 10u);
  }
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

// ---- P6 to P18 ----

TEST(Pickle, P6_MemoNumberBeyondTheCapIsCorrupt) {
  refuse(ErrorKind::Corrupt, {"4,294,967,295"}, "\x80\x02Nr\xff\xff\xff\xff."s);
  refuse(ErrorKind::Corrupt, {"18,446,744,073,709,551,615"}, "Np18446744073709551615\n.");
}

TEST(Pickle, P7_BrokenStacksAndContainersAreCorrupt) {
  refuse(ErrorKind::Corrupt, {"memo number 5"}, "\x80\x02h\x05."s);
  refuse(ErrorKind::Corrupt, {"memo number 5"}, "g5\n.");
  refuse(ErrorKind::Corrupt, {"stack empty"}, "\x80\x02\x85."s);
  refuse(ErrorKind::Corrupt, {"stack empty"}, "0N.");
  refuse(ErrorKind::Corrupt, {"stack empty"}, "N(R.");
  refuse(ErrorKind::Corrupt, {"no MARK"}, "Nt.");
  refuse(ErrorKind::Corrupt, {"no MARK"}, "\x80\x02}NNu."s);
  refuse(ErrorKind::Corrupt, {"3 keys and values"}, "\x80\x02}(K\x01K\x02K\x03u."s);
  refuse(ErrorKind::Corrupt, {"1 keys and values"}, "(Nd.");
  refuse(ErrorKind::Corrupt, {"a list of 0 items"}, "\x80\x02]NNs."s);
  refuse(ErrorKind::Corrupt, {"a dict of 0 keys"}, "\x80\x02}Na."s);
  refuse(ErrorKind::Corrupt, {"a dict of 0 keys"}, "\x80\x02}(NNe."s);
  refuse(ErrorKind::Corrupt, {"None"}, "NN\x90."s.insert(1, "("));
  refuse(ErrorKind::Corrupt, {"2 values"}, "NN.");
  refuse(ErrorKind::Corrupt, {"0 values"}, ".");
  refuse(ErrorKind::Corrupt, {"no pickle operation", "0xff"}, "\xff.");
}

TEST(Pickle, P7_CallsOfAndWithTheWrongThingAreCorrupt) {
  refuse(ErrorKind::Corrupt, {"the number 1", "called"}, op::whole(op::integer(1) + ")R"));
  refuse(ErrorKind::Corrupt, {"arguments", "None"}, op::whole(op::global("a", "B") + "NR"));
  refuse(ErrorKind::Corrupt, {"not of two texts"}, "\x80\x04K\x01K\x02\x93."s);
  refuse(ErrorKind::Corrupt, {"given a state"}, op::whole("K\x01}b"));
  refuse(ErrorKind::Corrupt, {"keywords"}, op::whole(op::global("a", "B") + ")N\x92"));
  refuse(ErrorKind::Corrupt, {"no class"}, "(o.");
  refuse(ErrorKind::Corrupt, {"OrderedDict", "the number 1"},
         op::whole(op::reduce(op::global("collections", "OrderedDict"), {op::integer(1)})));
}

TEST(Pickle, P7_BadNumbersInTextAreCorrupt) {
  refuse(ErrorKind::Corrupt, {"'12x'"}, "I12x\n.");
  refuse(ErrorKind::Corrupt, {"'99999999999999999999'"}, "I99999999999999999999\n.");
  refuse(ErrorKind::Corrupt, {"'abc'"}, "Fabc\n.");
  refuse(ErrorKind::Corrupt, {"'--3'"}, "L--3L\n.");
  refuse(ErrorKind::Corrupt, {"'abc'", "quotes"}, "Sabc\n.");
  refuse(ErrorKind::Corrupt, {"length -1"}, "T\xff\xff\xff\xff."s);
  refuse(ErrorKind::Corrupt, {"length -2"}, "\x8b\xfe\xff\xff\xff."s);
}

TEST(Pickle, P9_SharedReferenceBombStaysSmall) {
  std::string bytes = "\x80\x02]q\x00."s;
  bytes.pop_back();
  for (int i = 0; i < 30; ++i)
    bytes += "]q"s + static_cast<char>(i + 1) + "(h" + static_cast<char>(i) + "h" + static_cast<char>(i) + "e";
  // The lists are left on the stack one above the other; a tuple of them all closes the pickle.
  const Document document = read(bytes.insert(2, "(") + "t.");
  EXPECT_EQ(document.root().items.size(), 31u);
  EXPECT_LT(document.values().size(), 50u);
}

TEST(Pickle, ListsThatContainThemselvesAreRead) {
  const Document document = read("\x80\x02]q\0h\0a."s);
  EXPECT_EQ(document.root().items[0], &document.root());
}

TEST(Pickle, P10_DeepNestingIsTooLarge) {
  const std::string deep(100'000, ']');
  refuse(ErrorKind::TooLarge, {"nesting > 256"}, deep + std::string(99'999, 'a') + ".");
  refuse(ErrorKind::TooLarge, {"nesting > 256"}, ")" + std::string(100'000, '\x85') + ".");
  refuse(ErrorKind::TooLarge, {"nesting > 256"}, std::string(100'000, '(') + ".");
  std::string dicts;
  for (int i = 0; i < 100'000; ++i) dicts += "}N";
  refuse(ErrorKind::TooLarge, {"nesting > 256"}, dicts + "N" + std::string(100'000, 's') + ".");
}

TEST(Pickle, P12_LengthsBeyondTheRestAreTruncated) {
  for (const char* code : {"\x8d", "\x8e", "\x96"}) {
    refuse(ErrorKind::Truncated, {"9,223,372,036,854,775,807 bytes", "3 are left"},
           "\x80\x04"s + code + "\xff\xff\xff\xff\xff\xff\xff\x7f" + "ab.");
    refuse(ErrorKind::Truncated, {"18,446,744,073,709,551,615 bytes"},
           "\x80\x04"s + code + std::string(8, '\xff') + "ab.");
  }
  refuse(ErrorKind::Truncated, {"4,294,967,295 bytes"}, "X\xff\xff\xff\xff"s);
  refuse(ErrorKind::Truncated, {"2 bytes", "1 are left"}, "M\x01");
  refuse(ErrorKind::Truncated, {"line has no end"}, "cos");
}

TEST(Pickle, P13_InvalidUtf8InAKeyIsShownEscaped) {
  const support::TemporaryFolder folder;
  support::ModelBuilder model;
  model.tensor("transformer.wpe.weight").name = "transformer.wp\xff\xed\xa0\x80.weight";
  support::writeFile(folder / "ckpt.pt", model.build());
  expectError(ErrorKind::Mismatch, {"transformer.wp\\xff\\xed\\xa0\\x80.weight"},
              [&] { load(folder / "ckpt.pt", {}, Progress()); });
}

TEST(Pickle, P14_WrongFramesAreCorrupt) {
  refuse(ErrorKind::Corrupt, {"frame", "100 bytes", "2 are left"}, "\x80\x04\x95\x64\0\0\0\0\0\0\0N."s);
  refuse(ErrorKind::Corrupt, {"18,446,744,073,709,551,615"}, "\x80\x04\x95"s + std::string(8, '\xff') + "N.");
  refuse(ErrorKind::Corrupt, {"inside a frame"}, "\x80\x04\x95\x0b\0\0\0\0\0\0\0\x95\x02\0\0\0\0\0\0\0N."s);
  refuse(ErrorKind::Corrupt, {"crosses the end of its frame"}, "\x80\x04\x95\x02\0\0\0\0\0\0\0M\x01\x02."s);
}

TEST(Pickle, P15_MissingStopIsTruncated) {
  refuse(ErrorKind::Truncated, {"STOP"}, "\x80\x02N");
  refuse(ErrorKind::Truncated, {"STOP"}, "");
}

TEST(Pickle, P15_BytesAfterStopAreCountedAndWarnedOf) {
  EXPECT_EQ(read("N.junk").trailingBytes(), 4u);
  const support::TemporaryFolder folder;
  const support::ModelBuilder model;
  support::ZipBuilder zip = model.archive();
  zip.remove("ckpt/data.pkl");
  zip.add("ckpt/data.pkl", model.pickleBytes() + op::whole(op::none()));  // two pickles in a row
  support::writeFile(folder / "ckpt.pt", zip.build());
  const Checkpoint checkpoint = load(folder / "ckpt.pt", {}, Progress());
  const auto& report = checkpoint.info.report;
  EXPECT_TRUE(std::any_of(report.begin(), report.end(), [](const ReportLine& line) {
    return line.topic == ReportLine::Topic::Warning && line.text.find("4 bytes") != std::string::npos;
  }));
}

TEST(Pickle, P16_OperationBudgetEndsFloods) {
  std::string flood;
  flood.reserve(64u << 20);
  while (flood.size() < (64u << 20)) flood += "N0";
  refuse(ErrorKind::TooLarge, {"4,000,000 operations"}, flood + "N.");
  refuse(ErrorKind::TooLarge, {"1,000,000 values"}, std::string(8u << 20, ']') + ".");
  refuse(ErrorKind::TooLarge, {"4,000,000 operations"}, std::string(8u << 20, 'N'));
}

TEST(PickleSafety, P16_PickleBeyondTheSizeLimitIsTooLarge) {
  const support::TemporaryFolder folder;
  support::ZipBuilder zip;
  zip.add("m/data.pkl", std::string((32u << 20) + 1, 'N'));
  support::writeFile(folder / "m.pt", zip.build());
  expectError(ErrorKind::TooLarge, {"'m/data.pkl'", "33,554,433", "33,554,432"},
              [&] { load(folder / "m.pt", {}, Progress()); });
}

TEST(Pickle, P18_NewerProtocolsAndOutOfBandBuffersAreUnsupported) {
  refuse(ErrorKind::Unsupported, {"protocol 6", "0 to 5"}, "\x80\x06N.");
  refuse(ErrorKind::Unsupported, {"protocol 255"}, "\x80\xffN.");
  refuse(ErrorKind::Unsupported, {"buffers outside"}, "\x80\x05\x97.");
  refuse(ErrorKind::Unsupported, {"buffers outside"}, "\x80\x05N\x98.");
  refuse(ErrorKind::Unsupported, {"extension registry"}, "\x80\x02\x82\x01.");
}

}  // namespace
}  // namespace core::checkpoint::pickle
