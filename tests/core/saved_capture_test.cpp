// What was saved, and what other programs saved, opened again; refusals are in saved_capture_faults_test.cpp.
#include "core/saved_capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "core/attention_map.h"
#include "core/error.h"
#include "core/export.h"
#include "core/session.h"
#include "tests/core/npy_builder.h"
#include "tests/support/changed_model.h"
#include "tests/support/files.h"
#include "tests/support/npz.h"
#include "tests/support/python.h"

namespace core {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

bool sameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

std::vector<float> weightsOf(const std::shared_ptr<const Capture>& capture, HeadId head) {
  const AttentionMap map(capture, head);
  return map.rectangle(Stage::Weights, map.extent(Stage::Weights)).values;
}

HeadId at(int layer, int head) { return {Layer(layer), Head(head)}; }

template <class Action>
void expectError(ErrorKind kind, const std::vector<std::string>& words, Action action) {
  try {
    action();
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    for (const std::string& word : words) EXPECT_THAT(error.what(), HasSubstr(word));
  }
}

class SavedCapture : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto session = Session::open(support::repository("models/shakespeare-char"), {}, Progress());
    RunRequest request{.tokens = session->check("ROMEO:\nO, she doth teach").tokens};
    request.overrides.windows = std::vector<Window>{Window{4}, Window{}, Window{0}, Window{}, Window{}, Window{}};
    s_run = session->run(request, Progress());
  }
  static void TearDownTestSuite() { s_run.reset(); }

  void SetUp() override { m_python = support::pythonWithNumpy(); }

  fs::path save(const std::string& name, CaptureExport options = {},
                const std::shared_ptr<const Capture>& capture = s_run) const {
    options.format = *exportFormatOf(name);
    exportCapture(capture, m_folder / name, options, Progress());
    return m_folder / name;
  }
  std::shared_ptr<const Capture> open(const std::string& name) const {
    return openSavedCapture(m_folder / name, Progress());
  }
  std::shared_ptr<const Capture> openBytes(const std::string& bytes, const std::string& name = "a.npy") const {
    support::writeFile(m_folder / name, bytes);
    return open(name);
  }
  void python(const std::string& script) const {
    support::runPython(*m_python, "import os, sys\nimport numpy as np\nos.chdir(sys.argv[1])\n" + script,
                       m_folder.path().string());
  }

  static std::shared_ptr<const Capture> s_run;
  support::TemporaryFolder m_folder;
  std::optional<fs::path> m_python;
};

std::shared_ptr<const Capture> SavedCapture::s_run;

#define NEEDS_PYTHON() \
  if (!m_python) GTEST_SKIP() << "no python3 with numpy here"

void expectSameMaps(const std::shared_ptr<const Capture>& a, const std::shared_ptr<const Capture>& b) {
  for (int layer = 0; layer < 6; ++layer) {
    for (int head = 0; head < 6; ++head)
      EXPECT_TRUE(sameBits(weightsOf(a, at(layer, head)), weightsOf(b, at(layer, head)))) << layer << ", " << head;
  }
}

void expectSameTokens(const Capture& a, const Capture& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.tokens().size(); ++i) {
    EXPECT_EQ(a.tokens()[i].id, b.tokens()[i].id);
    EXPECT_EQ(a.tokens()[i].bytes, b.tokens()[i].bytes);
    EXPECT_EQ(a.tokens()[i].label, b.tokens()[i].label);
  }
}

TEST_F(SavedCapture, OfEveryFormatIsTheRunAgain) {
  for (const char* name : {"run.npz", "run.npy", "run.safetensors"}) {
    save(name);
    const auto saved = open(name);
    expectSameMaps(saved, s_run);
    expectSameTokens(*saved, *s_run);
    for (int layer = 0; layer < 6; ++layer) {
      EXPECT_EQ(saved->mask(Layer(layer)).window(), s_run->mask(Layer(layer)).window()) << layer;
      EXPECT_EQ(saved->mask(Layer(layer)).kind(), MaskKind::Causal);
      EXPECT_EQ(saved->brokenRows(at(layer, 0)).count, 0);
    }
    const ModelInfo& info = saved->model();
    EXPECT_EQ(info.name, "shakespeare-char");
    EXPECT_EQ(info.path, m_folder / name);
    EXPECT_EQ(info.config.family, "nanoGPT");
    EXPECT_EQ(info.config.layers, 6);
    EXPECT_EQ(info.config.heads, 6);
    EXPECT_EQ(info.config.kvHeads, 6);
    EXPECT_EQ(info.config.headSize, 0);
    EXPECT_EQ(info.device, "CPU");
    EXPECT_EQ(saved->facts().differences, s_run->facts().differences);
    EXPECT_EQ(saved->facts().seconds, s_run->facts().seconds);
    EXPECT_THAT(saved->facts().warnings, IsEmpty());
    EXPECT_THAT(saved->facts().path, AllOf(HasSubstr(name), HasSubstr(s_run->facts().path)));
    EXPECT_TRUE(saved->isSaved());
    EXPECT_EQ(saved->file(), m_folder / name);
    EXPECT_EQ(saved->bytes(), 0u) << "it is read when it is shown";
  }
  EXPECT_FALSE(s_run->isSaved());
  EXPECT_TRUE(s_run->file().empty());
}

TEST_F(SavedCapture, HasTheLogitsThatWereSaved) {
  const PositionRange all{0, s_run->size()};
  for (const char* name : {"run.npz", "run.safetensors"}) {
    save(name);
    const auto saved = open(name);
    EXPECT_EQ(saved->logitRows(), all);
    EXPECT_EQ(saved->model().config.vocabulary, 65);
    const std::vector<float> logits = s_run->logits(all);
    EXPECT_TRUE(sameBits(saved->logits(all), logits));
    EXPECT_TRUE(sameBits(saved->logits({3, 5}), {logits.begin() + 3 * 65, logits.begin() + 5 * 65}));
    EXPECT_THROW(saved->logits({3, 99}), Error);
  }
  save("last.npz", {.logits = CaptureExport::Logits::Last});
  const auto last = open("last.npz");
  const PositionRange end{s_run->size() - 1, s_run->size()};
  EXPECT_EQ(last->logitRows(), end);
  EXPECT_EQ(last->logits(end).size(), 65u);
  expectError(ErrorKind::Unsupported, {"last.npz", "logits of the last token alone", "not of token 0"}, [&] {
    last->logits({0, 1});
  });
  save("none.npy");
  EXPECT_EQ(open("none.npy")->logitRows().size(), 0);
  expectError(ErrorKind::Unsupported, {"none.npy", "no logits"}, [&] { open("none.npy")->logits(end); });
  EXPECT_EQ(s_run->logitRows(), all);
}

TEST_F(SavedCapture, HasTheWeightsAloneAndSaysSoForOtherStages) {
  save("run.npz");
  const auto saved = open("run.npz");
  const AttentionMap map(saved, at(1, 2));
  EXPECT_THAT(saved->stages(), ElementsAre(Stage::Weights));
  EXPECT_TRUE(map.hasStage(Stage::Weights));
  EXPECT_EQ(s_run->stages().size(), 5u);
  EXPECT_TRUE(AttentionMap(s_run, at(1, 2)).hasStage(Stage::Output));
  for (const auto& [stage, word] : {std::pair{Stage::Scores, "scores"}, std::pair{Stage::MaskedScores, "masked scores"},
                                    std::pair{Stage::Output, "output"}, std::pair{Stage::Reassembled, "reassembled"}}) {
    EXPECT_FALSE(saved->hasStage(stage));
    EXPECT_FALSE(map.hasStage(stage));
    expectError(ErrorKind::Unsupported, {"run.npz", word, "Open the model"}, [&] {
      map.rectangle(stage, {{0, 1}, {0, 1}});
    });
    expectError(ErrorKind::Unsupported, {"run.npz", word}, [&] {
      map.overview(stage, {{0, 1}, {0, 1}}, 1, Reduction::Max);
    });
    expectError(ErrorKind::Unsupported, {"run.npz", word}, [&] { map.range(stage); });
  }
  for (const float value : saved->lse(at(0, 0))) EXPECT_TRUE(std::isnan(value));
}

TEST_F(SavedCapture, AnswersPartsOverviewsAndRangesAsTheRunDoes) {
  save("run.npy");
  const KeySet hidden({0, 3});
  const AttentionMap saved(open("run.npy"), at(3, 4), hidden);
  const AttentionMap run(s_run, at(3, 4), hidden);
  const std::int64_t T = s_run->size();
  for (const MapRect& rect : {MapRect{{2, 9}, {1, 7}}, MapRect{{0, T}, {5, 6}}, MapRect{{T - 1, T}, {0, T}},
                              MapRect{{4, 4}, {0, T}}, MapRect{{3, 8}, {0, T}}}) {
    const std::vector<float> whole = weightsOf(s_run, at(3, 4));
    const MapValues part = saved.rectangle(Stage::Weights, rect);
    for (std::int64_t i = 0; i < part.rows; ++i) {
      for (std::int64_t j = 0; j < part.columns; ++j) {
        EXPECT_EQ(part.at(i, j), whole[static_cast<std::size_t>((rect.rows.begin + i) * T + rect.columns.begin + j)]);
      }
    }
  }
  for (const Reduction reduction : {Reduction::Max, Reduction::Mean, Reduction::MaxMagnitude}) {
    const MapRect all = run.extent(Stage::Weights);
    const MapValues a = saved.overview(Stage::Weights, all, 4, reduction);
    const MapValues b = run.overview(Stage::Weights, all, 4, reduction);
    EXPECT_THAT(a.values, testing::Pointwise(testing::FloatNear(1e-6f), b.values));
  }
  const ValueRange range = saved.range(Stage::Weights);
  EXPECT_NEAR(range.high, run.range(Stage::Weights).high, 1e-6f);
  EXPECT_EQ(saved.hidden().text(), "0, 3");
  EXPECT_THROW(saved.rectangle(Stage::Weights, {{0, T + 1}, {0, 1}}), Error);
  EXPECT_NE(saved.identity(), run.identity());
}

TEST_F(SavedCapture, KeepsTheTrueNumbersOfTheLayersAndHeadsThatWereChosen) {
  const CaptureExport some{.layers = {Layer(4), Layer(1)}, .heads = {Head(5), Head(0), Head(2)}};
  for (const char* name : {"some.npz", "some.npy", "some.safetensors"}) {
    save(name, some);
    const auto saved = open(name);
    EXPECT_EQ(saved->model().config.layers, 6);
    EXPECT_THAT(saved->layers(), ElementsAre(Layer(4), Layer(1)));
    EXPECT_THAT(saved->heads(), ElementsAre(Head(5), Head(0), Head(2)));
    for (const int layer : {4, 1}) {
      for (const int head : {5, 0, 2})
        EXPECT_TRUE(sameBits(weightsOf(saved, at(layer, head)), weightsOf(s_run, at(layer, head))));
    }
    EXPECT_TRUE(saved->holds(at(1, 2)));
    EXPECT_FALSE(saved->holds(at(1, 1)));
    EXPECT_FALSE(saved->holds(at(0, 0)));
    expectError(ErrorKind::Unsupported, {name, "layers 4, 1", "heads 5, 0, 2", "not layer 1, head 1"},
                [&] { weightsOf(saved, at(1, 1)); });
    EXPECT_FALSE(AttentionMap(saved, at(0, 0)).hasStage(Stage::Weights));
    expectError(ErrorKind::Mismatch, {"no layer 6"}, [&] { AttentionMap(saved, at(6, 0)); });
    EXPECT_EQ(saved->mask(Layer(4)).window(), Window{});
    EXPECT_EQ(saved->logitRows().size(), std::string(name).ends_with(".npy") ? 0 : s_run->size());
  }
  save("one.npy", {.layers = {Layer(2)}, .heads = {Head(3)}});
  const auto one = open("one.npy");
  EXPECT_TRUE(sameBits(weightsOf(one, at(2, 3)), weightsOf(s_run, at(2, 3))));
  EXPECT_EQ(one->mask(Layer(2)).window(), Window{0});
}

TEST_F(SavedCapture, IsSavedAgainAsItWas) {
  save("some.npz", {.layers = {Layer(4), Layer(1)}, .heads = {Head(5)}, .logits = CaptureExport::Logits::Last});
  save("again.npz", {}, open("some.npz"));
  const auto first = support::readNpz(m_folder / "some.npz");
  const auto again = support::readNpz(m_folder / "again.npz");
  ASSERT_EQ(first.size(), again.size());
  for (const auto& [name, array] : first) {
    if (name == "meta") continue;
    EXPECT_EQ(array.header, again.at(name).header);
    EXPECT_TRUE(sameBits(array.floats, again.at(name).floats)) << name;
    EXPECT_EQ(array.integers, again.at(name).integers) << name;
    EXPECT_EQ(array.texts, again.at(name).texts) << name;
  }
  expectError(ErrorKind::Unsupported, {"some.npz", "not layer 0"},
              [&] { save("no.npz", {.layers = {Layer(0)}}, open("some.npz")); });
  EXPECT_FALSE(fs::exists(m_folder / "no.npz"));
}

TEST_F(SavedCapture, OfAPartOfTheRowsOrColumnsIsRefusedAndOfAllOfThemIsNot) {
  for (const char* name : {"part.npz", "part.npy", "part.safetensors"}) {
    const std::int64_t T = s_run->size();
    for (const CaptureExport& part :
         {CaptureExport{.rows = {0, 5}, .existing = Existing::Replace},
          CaptureExport{.columns = PositionRange{0, 5}, .existing = Existing::Replace},
          CaptureExport{.rows = {3, 2, 1}, .columns = PositionRange{0, 3}, .existing = Existing::Replace}}) {
      save(name, part);
      expectError(ErrorKind::Unsupported, {name, "(6, 6, "}, [&] { open(name); });
    }
    save(name, {.columns = PositionRange{0, T}, .existing = Existing::Replace});
    EXPECT_TRUE(sameBits(weightsOf(open(name), at(3, 3)), weightsOf(s_run, at(3, 3))));
    fs::remove(m_folder / "part.json");
  }
}

TEST_F(SavedCapture, OfGroupedHeadsAndABidirectionalMaskKeepsThem) {
  const auto session = Session::open(support::data("hf-qwen2-bias"), {}, Progress());
  RunRequest request{.tokens = {1, 2, 3, 4}};
  request.overrides.mask = MaskKind::Bidirectional;
  const auto run = session->run(request, Progress());
  save("run.safetensors", {}, run);
  const auto saved = open("run.safetensors");
  EXPECT_EQ(saved->model().config.kvHeads, run->model().config.kvHeads);
  EXPECT_LT(saved->model().config.kvHeads, saved->model().config.heads);
  EXPECT_EQ(saved->mask(Layer(0)).kind(), MaskKind::Bidirectional);
  EXPECT_TRUE(sameBits(weightsOf(saved, at(2, 7)), weightsOf(run, at(2, 7))));
  expectSameTokens(*saved, *run);
}

TEST_F(SavedCapture, CountsTheRowsThatAreNaN) {
  support::TemporaryFolder model;
  support::writeChangedModel("hf-qwen2-bias", {{"model.embed_tokens.weight", 9 * 64, 1, kNaN}}, model.path());
  const auto run = Session::open(model.path(), {}, Progress())->run({.tokens = {1, 2, 3, 9, 4, 5}}, Progress());
  for (const char* name : {"run.npz", "run.npy", "run.safetensors"}) {
    save(name, {.layers = {Layer(0)}}, run);
    const BrokenRows broken = open(name)->brokenRows(at(0, 7));
    EXPECT_EQ(broken.count, 3);
    EXPECT_EQ(broken.first, 3);
    EXPECT_TRUE(std::isnan(broken.lse));
    EXPECT_TRUE(sameBits(weightsOf(open(name), at(0, 7)), weightsOf(run, at(0, 7))));
  }
}

// --- made elsewhere

TEST_F(SavedCapture, OfAnyFloatByteOrderAndPackingOpens) {
  NEEDS_PYTHON();
  python(R"(
rng = np.random.default_rng(1)
a = np.tril(rng.random((2, 3, 9, 9)))
a /= a.sum(-1, keepdims=True)
for t in ("f2", "f4", "f8"):
    a.astype(t).astype("<f4").tofile(t + ".raw")
    for order, o in (("C", "<"), ("F", "<"), ("C", ">"), ("F", ">")):
        array = np.array(a, dtype=o + t, order=order)
        stem = t + order + ("l" if o == "<" else "b")
        np.save(stem + ".npy", array)
        np.savez(stem + ".npz", array)
        np.savez_compressed(stem + "z.npz", attentions=array, other=np.arange(3.0))
)");
  for (const char* type : {"f2", "f4", "f8"}) {
    std::vector<float> expected(2 * 3 * 9 * 9);
    std::memcpy(expected.data(), support::readFile(m_folder / (std::string(type) + ".raw")).data(),
                4 * expected.size());
    for (const char* order : {"Cl", "Fl", "Cb", "Fb"}) {
      for (const char* ending : {".npy", ".npz", "z.npz"}) {
        const std::string name = std::string(type) + order + ending;
        const auto saved = open(name);
        std::vector<float> all;
        for (int layer = 0; layer < 2; ++layer) {
          for (int head = 0; head < 3; ++head) {
            const std::vector<float> one = weightsOf(saved, at(layer, head));
            all.insert(all.end(), one.begin(), one.end());
          }
        }
        EXPECT_TRUE(sameBits(all, expected)) << name;
        EXPECT_EQ(saved->mask(Layer(1)).kind(), MaskKind::Causal) << name;
        EXPECT_EQ(saved->bytes() == 0, name == "f4Cl.npy" || name == "f4Cl.npz") << name;
        EXPECT_EQ(saved->model().config.kvHeads, 3);
        EXPECT_EQ(saved->model().name, fs::path(name).stem());
      }
    }
  }
}

TEST_F(SavedCapture, OfOneLayerOrOneHeadOrOneTokenOpens) {
  auto saved = openBytes(support::npy("(4, 5, 5)", support::uniformWeights(4, 5)));
  EXPECT_EQ(saved->model().config.layers, 1);
  EXPECT_EQ(saved->model().config.heads, 4);
  saved = openBytes(support::npy("(5, 5)", support::uniformWeights(1, 5)));
  EXPECT_EQ(saved->model().config.heads, 1);
  EXPECT_EQ(saved->size(), 5);
  EXPECT_EQ(weightsOf(saved, at(0, 0))[20], 0.2f);
  saved = openBytes(support::npy("(1, 1)", {1}));
  EXPECT_EQ(saved->size(), 1);
  EXPECT_EQ(saved->mask(Layer(0)).kind(), MaskKind::Causal);
}

TEST_F(SavedCapture, IsBidirectionalWhereOneWeightLooksAhead) {
  std::vector<float> weights = support::uniformWeights(3, 4);
  EXPECT_EQ(openBytes(support::npy("(3, 4, 4)", weights))->mask(Layer(0)).kind(), MaskKind::Causal);
  weights[2 * 16 + 0] = 0.75f;
  weights[2 * 16 + 3] = 0.25f;
  const auto saved = openBytes(support::npy("(3, 4, 4)", weights));
  EXPECT_EQ(saved->mask(Layer(0)).kind(), MaskKind::Bidirectional);
  EXPECT_EQ(saved->facts().settings.mask, MaskKind::Bidirectional);
}

TEST_F(SavedCapture, CountsRowsOfZerosAndOfNaNApart) {
  std::vector<float> weights = support::uniformWeights(2, 3);
  weights[0] = 0;                          // head 0, row 0: nothing is seen
  weights[9 + 3] = weights[9 + 4] = kNaN;  // head 1, row 1
  weights[9 + 6] = weights[9 + 7] = 0;     // head 1, row 2: 0 and NaN
  weights[9 + 8] = kNaN;
  const auto saved = openBytes(support::npy("(2, 3, 3)", weights));
  EXPECT_EQ(saved->brokenRows(at(0, 0)).count, 1);
  EXPECT_EQ(saved->brokenRows(at(0, 0)).first, 0);
  EXPECT_EQ(saved->brokenRows(at(0, 0)).lse, -std::numeric_limits<float>::infinity());
  EXPECT_EQ(saved->brokenRows(at(0, 1)).count, 2);
  EXPECT_EQ(saved->brokenRows(at(0, 1)).first, 1);
  EXPECT_TRUE(std::isnan(saved->brokenRows(at(0, 1)).lse));
}

std::string npzOf(const std::vector<std::pair<std::string, std::string>>& arrays) {
  support::ZipBuilder zip;
  zip.zip64End = false;
  for (const auto& [name, bytes] : arrays) support::addStored(zip, name + ".npy", bytes);
  return zip.build();
}

TEST_F(SavedCapture, TakesTheArrayByItsNameElseTheOnlyOneThatCanBeIt) {
  const std::string two = support::npy("(2, 2)", support::uniformWeights(1, 2));
  const std::string three = support::npy("(3, 3)", support::uniformWeights(1, 3));
  const std::string eye = support::npy("(4, 4)", std::vector<float>(16, 0.25f));
  EXPECT_EQ(openBytes(npzOf({{"z", three}, {"logits", eye}}), "a.npz")->size(), 3);
  EXPECT_EQ(openBytes(npzOf({{"z", eye}, {"weights", two}}), "a.npz")->size(), 2);
  EXPECT_EQ(openBytes(npzOf({{"weights", eye}, {"attention", two}, {"attentions", three}}), "a.npz")->size(), 3);
  EXPECT_EQ(openBytes(npzOf({{"attentions", eye}, {"attn", two}}), "a.npz")->size(), 2);
}

TEST_F(SavedCapture, TakesTokensFromTheirTextsOrIdsElseNumbersThem) {
  const std::string attn = support::npy("(3, 3)", support::uniformWeights(1, 3));
  const std::string ids = support::npy("<i8", "(1, 3)", support::bytesOf(std::vector<std::int64_t>{50256, 7, 0}));
  const std::string texts = support::npy("|S4", "(3,)", std::string(" the\n\0\0\0\xe4\xbd\0\0", 12));
  const auto labels = [](const std::shared_ptr<const Capture>& capture) {
    std::vector<std::string> all;
    for (const TokenText& token : capture->tokens()) all.push_back(token.label);
    return all;
  };
  EXPECT_THAT(labels(openBytes(npzOf({{"attn", attn}, {"token_ids", ids}, {"tokens", texts}}), "a.npz")),
              ElementsAre("\u2423the", "\u23ce", "\\xe4\\xbd"));
  const auto onlyIds = openBytes(npzOf({{"attn", attn}, {"token_ids", ids}}), "a.npz");
  EXPECT_THAT(labels(onlyIds), ElementsAre("#50256", "#7", "#0"));
  EXPECT_EQ(onlyIds->tokens()[0].id, 50256);
  const auto none = openBytes(npzOf({{"attn", attn}}), "a.npz");
  EXPECT_THAT(labels(none), ElementsAre("#0", "#1", "#2"));
  EXPECT_TRUE(none->tokens()[1].bytes.empty());
  EXPECT_THAT(none->facts().warnings, ElementsAre(HasSubstr("they are numbered")));
}

TEST_F(SavedCapture, TakesTheNumbersOfLayersAndHeadsWithoutMetaToo) {
  const auto numbers = [](const std::vector<std::int64_t>& values) {
    return support::npy("<i8", "(" + std::to_string(values.size()) + ",)", support::bytesOf(values));
  };
  const std::string attn = support::npy("(2, 1, 3, 3)", support::uniformWeights(2, 3));
  auto saved = openBytes(npzOf({{"attn", attn}, {"layers", numbers({7, 2})}, {"heads", numbers({4})}}), "a.npz");
  EXPECT_THAT(saved->layers(), ElementsAre(Layer(7), Layer(2)));
  EXPECT_EQ(saved->model().config.layers, 8);
  EXPECT_EQ(saved->model().config.heads, 5);
  EXPECT_EQ(weightsOf(saved, at(2, 4)).size(), 9u);
  for (const auto& wrong : {std::vector<std::int64_t>{7, 7}, {7}, {-1, 2}, {1'000'000, 0}}) {
    saved = openBytes(npzOf({{"attn", attn}, {"layers", numbers(wrong)}}), "a.npz");
    EXPECT_THAT(saved->layers(), ElementsAre(Layer(0), Layer(1)));
    EXPECT_THAT(saved->facts().warnings, testing::Contains(HasSubstr("'layers' does not name 2 different layers")));
  }
}

TEST_F(SavedCapture, LeavesOutWhatDoesNotFitAndSaysSo) {
  const std::string attn = support::npy("(3, 3)", support::uniformWeights(1, 3));
  const std::string object = support::npyOf("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }\n", "pickle");
  const auto saved =
      openBytes(npzOf({{"attn", attn},
                       {"tokens", object},
                       {"token_ids", support::npy("(3,)", {1, 2, 3})},
                       {"logits", support::npy("(2, 5)", std::vector<float>(10))},
                       {"meta", support::npy("|S20", "()", std::string("{\"kind\": \"capture\"}\0", 20))}}),
                "a.npz");
  EXPECT_THAT(saved->facts().warnings,
              ElementsAre(AllOf(HasSubstr("The meta is not used"), HasSubstr("'schema' is missing")),
                          HasSubstr("'token_ids': it holds <f4, not whole numbers"),
                          HasSubstr("'tokens': it holds |O, not texts"), HasSubstr("they are numbered"),
                          AllOf(HasSubstr("'logits'"), HasSubstr("(2, 5)"), HasSubstr("it is not used"))));
  EXPECT_EQ(saved->logitRows().size(), 0);
}

TEST_F(SavedCapture, OfATextThatIsNoMetaOfOursIgnoresIt) {
  const std::string attn = support::npy("(1, 1)", {1});
  for (const char* text : {"about this file", "{}", "{\"kind\": \"map\"}", "[1]"}) {
    const std::string meta = support::npy("|S" + std::to_string(std::strlen(text)), "()", text);
    EXPECT_EQ(openBytes(npzOf({{"attn", attn}, {"meta", meta}}), "a.npz")->facts().warnings.size(), 1u) << text;
  }
}

TEST_F(SavedCapture, IsToldFromAModelByItsHeaders) {
  for (const char* name : {"run.npz", "run.npy", "run.safetensors"}) EXPECT_TRUE(isSavedCapture(save(name))) << name;
  fs::rename(m_folder / "run.npz", m_folder / "run.pt");
  EXPECT_TRUE(isSavedCapture(m_folder / "run.pt"));
  EXPECT_FALSE(isSavedCapture(m_folder / "run.json"));
  EXPECT_FALSE(isSavedCapture(m_folder / "nothing.npz"));
  EXPECT_FALSE(isSavedCapture(m_folder.path()));
  EXPECT_FALSE(isSavedCapture(support::repository("models/shakespeare-char/ckpt.pt")));
  EXPECT_FALSE(isSavedCapture(support::data("hf-qwen2-bias") / "model.safetensors"));
}

// --- while it is open

TEST_F(SavedCapture, F13_ThatIsWrittenToWhileItIsOpenIsSaidToBeChanged) {
  save("run.npy");
  const auto saved = open("run.npy");
  weightsOf(saved, at(0, 0));
  std::fstream file(m_folder / "run.npy", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-4, std::ios::end);
  file.write("abcd", 4);
  file.close();
  expectError(ErrorKind::Corrupt, {"run.npy", "written to since it was opened", "Open it again"},
              [&] { weightsOf(saved, at(0, 0)); });
  fs::resize_file(m_folder / "run.npy", 1000);
  expectError(ErrorKind::Truncated, {"run.npy", "cut short"}, [&] { weightsOf(saved, at(5, 5)); });
}

TEST_F(SavedCapture, F14_ThatIsDeletedOrReplacedStaysAsItWasOpened) {
  save("run.npz");
  const auto saved = open("run.npz");
  const std::vector<float> before = weightsOf(saved, at(4, 4));
  const std::vector<float> logits = saved->logits({1, 2});
  CaptureExport other{.layers = {Layer(0)}};
  other.existing = Existing::Replace;
  save("run.npz", other);
  EXPECT_TRUE(sameBits(weightsOf(saved, at(4, 4)), before));
  fs::remove(m_folder / "run.npz");
  EXPECT_TRUE(sameBits(weightsOf(saved, at(4, 4)), before));
  EXPECT_TRUE(sameBits(saved->logits({1, 2}), logits));
}

TEST_F(SavedCapture, OpeningReportsProgressAndCanBeCancelledAtAnyMoment) {
  save("run.npz");
  double last = 0;
  int reports = 0;
  openSavedCapture(m_folder / "run.npz", Progress([&](double fraction, std::string_view) {
                     EXPECT_GE(fraction, last);
                     EXPECT_LE(fraction, 1);
                     last = fraction;
                     return ++reports > 0;
                   }));
  ASSERT_GT(reports, 1);
  for (int stop = 0; stop < reports; ++stop) {
    int seen = 0;
    expectError(ErrorKind::Cancelled, {}, [&] {
      openSavedCapture(m_folder / "run.npz", Progress([&](double, std::string_view) { return seen++ < stop; }));
    });
  }
}

TEST_F(SavedCapture, OfAnyTokensIsATableThatPythonReadsBack) {
  NEEDS_PYTHON();
  python(R"(
tokens = ["=1+1", '"q", x', "a,b", "\n", "\\n", "nan", " you", "\u4f60", "-1", "+", "@x", "\t=1"]
a = np.tril(np.ones((len(tokens), len(tokens)))); a /= a.sum(-1, keepdims=True)
np.savez("t.npz", attn=a.astype("<f4"), tokens=np.array(tokens), token_ids=np.arange(12))
)");
  CaptureExport options{.format = ExportFormat::Csv};
  exportCapture(open("t.npz"), m_folder / "t.csv", options, Progress());
  options.csv.formulas = CsvOptions::Formulas::Guarded;
  exportCapture(open("t.npz"), m_folder / "g.csv", options, Progress());
  EXPECT_EQ(support::runPython(*m_python, R"(
import csv, os, sys
import numpy as np
os.chdir(sys.argv[1])
d = np.load("t.npz")
for name in ("t.csv", "g.csv"):
    rows = list(csv.DictReader(open(name, encoding="utf-8", newline="")))
    names = [row["k_token"] for row in rows if row["query"] == "11"]
    print(ascii(names), all(np.float32(row["weight"]) == d["attn"][int(row["query"]), int(row["key"])] for row in rows))
)",
                               m_folder.path().string()),
            R"(['=1+1', '"q", x', 'a,b', '\\n', '\\\\n', 'nan', ' you', '\u4f60', '-1', '+', '@x', '\\t=1'] True
["'=1+1", '"q", x', 'a,b', '\\n', '\\\\n', 'nan', ' you', '\u4f60', "'-1", "'+", "'@x", '\\t=1'] True
)");
}

}  // namespace
}  // namespace core
