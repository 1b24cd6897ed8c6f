#include "core/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention_map.h"
#include "core/error.h"
#include "core/session.h"
#include "tests/support/files.h"
#include "tests/support/npz.h"
#include "tests/support/python.h"
#include "tests/support/reference.h"

namespace core {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// The .npz; the other formats are in export_formats_test.cpp.
class ExportCapture : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    s_reference = support::readReference(support::data("nanogpt-shakespeare-char"));
    const auto session = Session::open(support::repository("models/shakespeare-char"), {}, Progress());
    s_capture = session->run({s_reference.tokens, std::nullopt}, Progress());
  }
  static void TearDownTestSuite() { s_capture.reset(); }

  std::map<std::string, support::NpyArray> written(const CaptureExport& options) {
    const Exported exported = exportCapture(s_capture, m_folder / "run.npz", options, Progress());
    EXPECT_EQ(exported.bytes, fs::file_size(m_folder / "run.npz"));
    EXPECT_EQ(exported.file, m_folder / "run.npz");
    EXPECT_TRUE(exported.metaFile.empty());
    auto arrays = support::readNpz(m_folder / "run.npz");
    EXPECT_EQ(exported.arrays.size(), arrays.size());
    return arrays;
  }
  static std::uint64_t bytesOf(const CaptureExport& options) {
    return exportBytes(s_capture->model().config, s_capture->facts().settings, 48, options);
  }
  bool folderIsEmpty() const { return fs::is_empty(m_folder.path()); }

  static std::shared_ptr<const Capture> s_capture;
  static support::Reference s_reference;
  support::TemporaryFolder m_folder;
};

std::shared_ptr<const Capture> ExportCapture::s_capture;
support::Reference ExportCapture::s_reference;

std::string shapeIn(const support::NpyArray& array) { return array.header.substr(array.header.find("'shape': ")); }

/// Headers of the arrays, and the labels and meta of 48 tokens at four bytes a character.
constexpr std::uint64_t kTexts = 20'000;

/// Largest absolute difference.
float distance(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  float largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::isfinite(a[i]) ? std::max(largest, std::abs(a[i] - b[i])) : std::numeric_limits<float>::infinity();
  }
  return largest;
}

TEST_F(ExportCapture, HoldsTheAttentionTokensAndLogitsOfUpstream) {
  const auto arrays = written({});
  ASSERT_EQ(arrays.size(), 5u);
  EXPECT_EQ(shapeIn(arrays.at("attn")), "'shape': (6, 6, 48, 48), }");
  EXPECT_EQ(shapeIn(arrays.at("logits")), "'shape': (48, 65), }");
  EXPECT_LE(distance(arrays.at("attn").floats, s_reference.attention), 1e-5f);
  const auto [low, high] = std::minmax_element(s_reference.logits.begin(), s_reference.logits.end());
  EXPECT_LE(distance(arrays.at("logits").floats, s_reference.logits), 1e-4f * (*high - *low));
  EXPECT_EQ(arrays.at("token_ids").integers, s_reference.tokens);
}

TEST_F(ExportCapture, HoldsOnlyTheLastLogitsWhenAsked) {
  const auto all = written({}).at("logits").floats;
  CaptureExport options;
  options.logits = CaptureExport::Logits::Last;
  options.existing = Existing::Replace;
  const auto arrays = written(options);
  EXPECT_EQ(shapeIn(arrays.at("logits")), "'shape': (65,), }");
  EXPECT_LE(distance(arrays.at("logits").floats, {all.end() - 65, all.end()}), 1e-4f);
}

TEST_F(ExportCapture, HoldsNoLogitsWhenNoneAreAsked) {
  CaptureExport options;
  options.logits = CaptureExport::Logits::None;
  EXPECT_EQ(written(options).count("logits"), 0u);
  EXPECT_EQ(bytesOf(options), 6u * 6 * 48 * 48 * 4 + 48 * 8);
}

TEST_F(ExportCapture, HoldsTheLabelsOfTheTokensAndWhatIsKnownOfTheRunAsTexts) {
  const auto arrays = written({});
  const auto& tokens = arrays.at("tokens");
  EXPECT_EQ(shapeIn(tokens), "'shape': (48,), }");
  std::vector<std::string> labels;
  for (const TokenText& token : s_capture->tokens()) labels.push_back(token.label);
  EXPECT_EQ(tokens.texts, labels);
  EXPECT_EQ(shapeIn(arrays.at("meta")), "'shape': (), }");
  ASSERT_EQ(arrays.at("meta").texts.size(), 1u);
  EXPECT_THAT(arrays.at("meta").texts.front(), HasSubstr("\"kind\":\"capture\""));
}

TEST_F(ExportCapture, NarrowsToLayersAndHeadsAndKeepsTheirTrueNumbers) {
  CaptureExport options;
  options.layers = {Layer(4), Layer(1)};
  options.heads = {Head(5)};
  const auto arrays = written(options);
  EXPECT_THAT(arrays.at("layers").integers, ElementsAre(4, 1));
  EXPECT_THAT(arrays.at("heads").integers, ElementsAre(5));
  EXPECT_EQ(shapeIn(arrays.at("attn")), "'shape': (2, 1, 48, 48), }");
  const auto map = [&](std::int64_t layer, std::int64_t head) {
    const auto begin = s_reference.attention.begin() + (layer * 6 + head) * 48 * 48;
    return std::vector<float>(begin, begin + 48 * 48);
  };
  std::vector<float> expected = map(4, 5);
  const std::vector<float> second = map(1, 5);
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_LE(distance(arrays.at("attn").floats, expected), 1e-5f);
}

TEST_F(ExportCapture, NamesAllHeadsWhenOnlyLayersAreChosen) {
  CaptureExport options;
  options.layers = {Layer(0)};
  const auto arrays = written(options);
  EXPECT_THAT(arrays.at("layers").integers, ElementsAre(0));
  EXPECT_THAT(arrays.at("heads").integers, ElementsAre(0, 1, 2, 3, 4, 5));
}

/// Cell i, j of a head's map of the reference, (6, 6, 48, 48).
float referenceCell(const support::Reference& reference, std::size_t layer, std::size_t head, Position i, Position j) {
  return reference.attention.at(((layer * 6 + head) * 48 + static_cast<std::size_t>(i)) * 48 +
                                static_cast<std::size_t>(j));
}

TEST_F(ExportCapture, NarrowsToRowsInTheirOrderAndColumnsAndKeepsTheirTruePositions) {
  CaptureExport options;
  options.rows = {47, 0, 12, 13, 14, 5};
  options.columns = PositionRange{3, 15};
  options.layers = {Layer(2)};
  const auto arrays = written(options);
  EXPECT_THAT(arrays.at("rows").integers, ElementsAre(47, 0, 12, 13, 14, 5));
  EXPECT_THAT(arrays.at("cols").integers, ElementsAre(3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14));
  EXPECT_EQ(shapeIn(arrays.at("attn")), "'shape': (1, 6, 6, 12), }");
  EXPECT_EQ(shapeIn(arrays.at("logits")), "'shape': (48, 65), }") << "logits have a choice of their own";
  std::vector<float> expected;
  for (std::size_t head = 0; head < 6; ++head) {
    for (const Position i : options.rows) {
      for (Position j = 3; j < 15; ++j) expected.push_back(referenceCell(s_reference, 2, head, i, j));
    }
  }
  EXPECT_LE(distance(arrays.at("attn").floats, expected), 1e-5f);
}

TEST_F(ExportCapture, NamesAllColumnsWhenOnlyRowsAreChosenAndAllRowsWhenOnlyColumnsAre) {
  CaptureExport rows;
  rows.rows = {9};
  auto arrays = written(rows);
  EXPECT_EQ(shapeIn(arrays.at("attn")), "'shape': (6, 6, 1, 48), }");
  EXPECT_EQ(arrays.at("cols").integers.size(), 48u);
  EXPECT_EQ(arrays.count("layers"), 0u);
  CaptureExport columns;
  columns.columns = PositionRange{40, 41};
  columns.existing = Existing::Replace;
  arrays = written(columns);
  EXPECT_EQ(shapeIn(arrays.at("attn")), "'shape': (6, 6, 48, 1), }");
  EXPECT_THAT(arrays.at("cols").integers, ElementsAre(40));
  EXPECT_EQ(arrays.at("rows").integers.size(), 48u);
  EXPECT_EQ(arrays.at("rows").integers.back(), 47);
}

TEST_F(ExportCapture, HasTheSizeThatWasForetoldForRowsAndColumns) {
  CaptureExport options;
  options.heads = {Head(2)};
  options.rows = {1, 2, 47};
  options.columns = PositionRange{0, 10};
  // 6 maps of 3 x 10 and 48 x 65 logits of 4 bytes; 48 tokens, 6 layers, 1 head, 3 rows and 10 columns of 8.
  const std::uint64_t expected = (6 * 3 * 10 + 48 * 65) * 4 + (48 + 6 + 1 + 3 + 10) * 8;
  EXPECT_EQ(bytesOf(options), expected);
  exportCapture(s_capture, m_folder / "run.npz", options, Progress());
  const std::uint64_t size = fs::file_size(m_folder / "run.npz");
  EXPECT_GT(size, expected);
  EXPECT_LT(size, expected + kTexts);
}

TEST_F(ExportCapture, RefusesRowsAndColumnsThatAreNotThereBeforeAnyWork) {
  CaptureExport row, negative, twice, columns, none, turned;
  row.rows = {0, 48};
  negative.rows = {-1};
  twice.rows = {3, 3};
  columns.columns = PositionRange{0, 49};
  none.columns = PositionRange{7, 7};
  turned.columns = PositionRange{-1, 4};
  for (const auto& [options, sentence] :
       {std::pair{row, "There is no row 48: the run has 48 rows, 0 to 47."},
        std::pair{negative, "There is no row -1: the run has 48 rows, 0 to 47."},
        std::pair{twice, "The row 3 is named twice; name each one once."},
        std::pair{columns, "Columns 0:49 are not in the map: the run has 48 columns, 0:48 (the end is not included)."},
        std::pair{none, "Columns 7:7 are not in the map: the run has 48 columns, 0:48 (the end is not included)."},
        std::pair{turned,
                  "Columns -1:4 are not in the map: the run has 48 columns, 0:48 (the end is not included)."}}) {
    try {
      bytesOf(options);
      ADD_FAILURE() << sentence;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Mismatch);
      EXPECT_STREQ(error.what(), sentence);
    }
    EXPECT_THROW(exportCapture(s_capture, m_folder / "run.npz", options, Progress()), Error);
  }
  EXPECT_TRUE(folderIsEmpty());
}

TEST_F(ExportCapture, HasTheSizeThatWasForetold) {
  CaptureExport options;
  options.heads = {Head(2)};
  // 6 maps of 48 x 48 and 48 x 65 logits of 4 bytes; 48 tokens, 6 layers and 1 head of 8.
  const std::uint64_t expected = (6 * 48 * 48 + 48 * 65) * 4 + (48 + 6 + 1) * 8;
  EXPECT_EQ(bytesOf(options), expected);
  exportCapture(s_capture, m_folder / "run.npz", options, Progress());
  const std::uint64_t size = fs::file_size(m_folder / "run.npz");
  EXPECT_GT(size, expected);
  EXPECT_LT(size, expected + kTexts);
}

TEST_F(ExportCapture, RefusesALayerOrHeadThatIsNotThere) {
  CaptureExport layer, head, twice;
  layer.layers = {Layer(6)};
  head.heads = {Head(-1)};
  twice.heads = {Head(1), Head(1)};
  for (const auto& [options, words] :
       {std::pair{layer, "no layer 6: the model has 6 layers, 0 to 5"},
        std::pair{head, "no head -1: the model has 6 heads, 0 to 5"}, std::pair{twice, "head 1 is named twice"}}) {
    try {
      exportCapture(s_capture, m_folder / "run.npz", options, Progress());
      ADD_FAILURE() << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Mismatch);
      EXPECT_THAT(error.what(), HasSubstr(words));
    }
  }
  EXPECT_TRUE(folderIsEmpty());
}

TEST_F(ExportCapture, LeavesNoFileWhenCancelledAtAnyMoment) {
  int reports = 0;
  exportCapture(s_capture, m_folder / "run.npz", {}, Progress([&](double, std::string_view) { return ++reports > 0; }));
  ASSERT_GT(reports, 36);  // a map at least
  fs::remove(m_folder / "run.npz");
  for (const int stop : {0, 1, reports / 2, reports - 2, reports - 1}) {
    int seen = 0;
    try {
      exportCapture(s_capture, m_folder / "run.npz", {},
                    Progress([&](double, std::string_view) { return seen++ < stop; }));
      ADD_FAILURE() << "not cancelled at report " << stop;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
    }
    ASSERT_TRUE(folderIsEmpty()) << stop;
  }
}

TEST_F(ExportCapture, ReportsProgressThatOnlyGrows) {
  double last = 0;
  exportCapture(s_capture, m_folder / "run.npz", {}, Progress([&](double fraction, std::string_view) {
                  EXPECT_GE(fraction, last);
                  EXPECT_LE(fraction, 1.0);
                  last = fraction;
                  return true;
                }));
  EXPECT_EQ(last, 1.0);
}

TEST_F(ExportCapture, OpensInNumpyWithoutPickle) {
  const auto python = support::pythonWithNumpy();
  if (!python) GTEST_SKIP() << "no python3 with numpy here";
  exportCapture(s_capture, m_folder / "run.npz", {}, Progress());
  EXPECT_EQ(support::runPython(*python, R"(
import sys, numpy as np
d = np.load(sys.argv[1], allow_pickle=False)
a = d["attn"]
print({n: (str(d[n].dtype), d[n].shape) for n in ("attn", "token_ids", "logits")})
print(bool(np.allclose(a.sum(-1), 1, atol=1e-5)), bool((np.triu(a, 1) == 0).all()))
)",
                               (m_folder / "run.npz").string()),
            "{'attn': ('float32', (6, 6, 48, 48)), 'token_ids': ('int64', (48,)), 'logits': ('float32', (48, 65))}\n"
            "True True\n");
}

}  // namespace
}  // namespace core
