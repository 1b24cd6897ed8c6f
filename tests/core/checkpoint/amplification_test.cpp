// P9: a few bytes that ask for copies of what stands in the file once. All are refused in little time and memory.
#include <gtest/gtest.h>

#include <ctime>
#include <utility>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/meta_pickle.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/core/checkpoint/read_pickle.h"
#include "tests/support/files.h"

namespace core::checkpoint::pickle {
namespace {

namespace op = support::pickle;

constexpr char kFirst = 0, kSecond = 1;
const std::string kMegabyte(1u << 20, 'k');

/// Keeps the value on top of the stack under a number, and takes it off.
std::string keep(char number) { return {'q', number, '0'}; }
std::string again(char number) { return {'h', number}; }

std::string times(std::size_t count, const std::string& operations) {
  std::string bytes;
  bytes.reserve(count * operations.size());
  for (std::size_t i = 0; i < count; ++i) bytes += operations;
  return bytes;
}

/// A call of the kept callable with the kept arguments, over and over.
std::string calls(std::size_t count, const std::string& callable, const std::string& arguments) {
  return op::whole(callable + keep(kFirst) + arguments + keep(kSecond) + "(" +
                   times(count, again(kFirst) + again(kSecond) + "R") + "t");
}

TEST(Amplification, P9_OrderedDictsOfOneListOfPairs) {
  const std::string pair = op::text("a") + "N\x86";
  const std::string list = pair + "q" + '\x02' + "0](" + times(500'000, again('\x02')) + "e";
  refuse(ErrorKind::TooLarge, {"33,554,432 bytes"},
         calls(5'000, op::global("collections", "OrderedDict"), list + "\x85"));
}

TEST(Amplification, P9_BytesDecodedFromOneText) {
  refuse(ErrorKind::TooLarge, {"33,554,432 bytes"},
         calls(20'000, op::global("_codecs", "encode"), op::tuple({op::text(kMegabyte), op::text("latin1")})));
}

std::string globals(std::size_t count, const std::string& module) {
  return op::whole(op::text(module) + keep(kFirst) + op::text("n") + keep(kSecond) + "(" +
                   times(count, again(kFirst) + again(kSecond) + "\x93") + "t");
}

TEST(Amplification, P9_GlobalsOfOneModuleText) {
  refuse(ErrorKind::TooLarge, {"1,048,578 bytes", "1,024"}, globals(20'000, kMegabyte));
  refuse(ErrorKind::TooLarge, {"33,554,432 bytes"}, globals(600'000, std::string(1'000, 'k')));
}

TEST(Amplification, P9_GlobalsWithManyDots) {
  refuse(ErrorKind::TooLarge, {"1,048,578 bytes"}, globals(300, std::string(1u << 20, '.')));
  refuse(ErrorKind::TooLarge, {"33,554,432 bytes"}, globals(600'000, std::string(1'000, '.')));
  const std::string bytes = op::whole(op::text("a") + keep(kFirst) + op::text(std::string(1'000, '.')) + keep(kSecond) +
                                      "(" + times(600'000, again(kFirst) + again(kSecond) + "\x93") + "t");
  refuse(ErrorKind::TooLarge, {"33,554,432 bytes"}, bytes);
}

TEST(Amplification, NamesUpToTheLimitAreRead) {
  EXPECT_EQ(read(op::whole(op::global(std::string(1'022, 'm'), "n"))).root().text.size(), 1'024u);
  refuse(ErrorKind::TooLarge, {"1,025 bytes"}, op::whole(op::global(std::string(1'023, 'm'), "n")));
}

/// A dict that is opened as a model, so that everything that looks at names does.
class Names : public testing::Test {
 protected:
  void refuseFile(ErrorKind kind, const std::vector<std::string>& parts, const std::string& pickle) {
    support::ZipBuilder zip;
    zip.add("m/data.pkl", pickle);
    support::writeFile(m_folder / "m.pt", zip.build());
    support::expectError(kind, parts, [&] { load(m_folder / "m.pt", {}, Progress()); });
  }
  static std::string asModel(const std::string& state) {
    return op::dict({{"model", state}, {"model_args", op::dict(support::ModelBuilder().modelArgs)}});
  }
  support::TemporaryFolder m_folder;
};

TEST_F(Names, P9_OneLongKeySetAgainAndAgain) {
  const std::string dict = op::text(kMegabyte) + keep(kFirst) + "}(" + times(100'000, again(kFirst) + "N") + "u";
  refuseFile(ErrorKind::TooLarge, {"33,554,432 bytes"}, op::whole(dict));
  const std::string byPairs = op::text(kMegabyte) + keep(kFirst) + "}" + times(100'000, again(kFirst) + "Ns");
  refuseFile(ErrorKind::TooLarge, {"33,554,432 bytes"}, op::whole(byPairs));
}

TEST_F(Names, P9_OneShortKeySetAMillionTimes) {
  refuseFile(ErrorKind::TooLarge, {"33,554,432 bytes"},
             op::whole(op::text("a") + keep(kFirst) + "}(" + times(1'000'000, again(kFirst) + "N") + "u"));
}

TEST_F(Names, P9_AsManyKeysAsAreReadStaySmallInEveryWalk) {
  constexpr std::size_t kMost = 450'000;
  const std::string shared =
      op::text("wte.weight.of.no.model") + keep(kFirst) + "}(" + times(kMost * 3 / 4, again(kFirst) + "N") + "u";
  refuseFile(ErrorKind::NotAModel, {"337,500 keys"}, op::whole(shared));
  refuseFile(ErrorKind::Corrupt, {"there twice"}, op::whole(asModel(shared)));
  std::string different = "}(";
  for (std::size_t i = 0; i < kMost; ++i) different += op::text(std::to_string(i)) + "N";
  refuseFile(ErrorKind::NotAModel, {"450,000 keys"}, op::whole(different + "u"));
  refuseFile(ErrorKind::Mismatch, {"'n_layer'"}, op::whole(asModel(different + "u")));
}

TEST_F(Names, P9_OneLargeDictUnderEveryKeyIsLookedAtOnce) {
  const std::string large = "}(" + times(150'000, op::integer(1) + "N") + "u";
  refuseFile(ErrorKind::NotAModel, {"150,000 keys"},
             op::whole(large + keep(kFirst) + "}(" + times(150'000, "K\x01" + again(kFirst)) + "u"));
}

TEST_F(Names, P9_TensorNamesAreBudgetedToo) {
  op::TensorSpec spec;
  spec.elements = 1;
  spec.sizes = {1};
  const std::string tensors = op::tensor(spec) + keep(kFirst) + "}(";
  std::string different;
  for (std::size_t i = 0; i < 400'000; ++i) different += op::text(std::to_string(i)) + again(kFirst);
  refuseFile(ErrorKind::Unsupported, {"nearest family"}, op::whole(tensors + different + "u"));
}

TEST_F(Names, P9_OneCharacterForMillionsOfIdsIsCorrupt) {
  const auto path = m_folder / "meta.pkl";
  support::writeFile(path, op::whole(op::text("a") + keep(kFirst) +
                                     op::dict({{"itos", "](" + times(3'900'000, again(kFirst)) + "e"}})));
  support::expectError(ErrorKind::Corrupt, {"'a'", "twice"}, [&] { readMetaPickle(path); });
}

// Each of 30,000 tensors is a view of its own of one storage: comparing each with each would take many seconds.
TEST_F(Names, P9_ManyViewsOfOneStorageAreReadInTimeThatGrowsWithTheirNumber) {
  constexpr int kLayers = 5'000;
  support::ModelBuilder model;
  for (const auto& [key, value] : {std::pair("n_layer", kLayers), {"n_head", 1}, {"n_embd", 1}})
    model.setArgument(key, op::integer(value));
  op::Pairs state;
  const auto view = [&](const std::string& name, std::vector<std::int64_t> shape) {
    op::TensorSpec tensor;
    tensor.elements = 40'000;
    tensor.offset = static_cast<std::int64_t>(state.size());
    tensor.sizes = std::move(shape);
    state.emplace_back("transformer." + name, op::tensor(tensor));
  };
  view("wte.weight", {5, 1});
  view("wpe.weight", {3, 1});
  view("ln_f.weight", {1});
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string block = "h." + std::to_string(layer) + ".";
    view(block + "ln_1.weight", {1});
    view(block + "attn.c_attn.weight", {3, 1});
    view(block + "attn.c_proj.weight", {1, 1});
    view(block + "ln_2.weight", {1});
    view(block + "mlp.c_fc.weight", {4, 1});
    view(block + "mlp.c_proj.weight", {1, 4});
  }
  support::ZipBuilder zip;
  zip.add("m/data.pkl", op::whole(op::dict({{"model", op::dict(state)}, {"model_args", op::dict(model.modelArgs)}})));
  zip.add("m/data/0", support::floats(40'000));
  support::writeFile(m_folder / "m.pt", zip.build());
  const std::clock_t start = std::clock();
  const Checkpoint checkpoint = load(m_folder / "m.pt", {}, Progress());
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_EQ(checkpoint.tensors.size(), 4u + 6u * kLayers);
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(seconds, 2.0);
#else
  (void)seconds;
#endif
}

}  // namespace
}  // namespace core::checkpoint::pickle
