#include "core/map_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/attention_map.h"
#include "core/combined_maps.h"
#include "core/error.h"
#include "core/session.h"
#include "core/word_map.h"
#include "tests/support/files.h"
#include "tests/support/python.h"

namespace core {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr ExportFormat kFormats[] = {ExportFormat::Npz, ExportFormat::Npy, ExportFormat::Safetensors,
                                     ExportFormat::Csv};

class ExportMap : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto session = Session::open(support::repository("models/shakespeare-char"), {}, Progress());
    s_capture = session->run({.tokens = session->check("First Citizen").tokens}, Progress());
  }
  static void TearDownTestSuite() { s_capture.reset(); }
  static MapPtr head(int layer, int h) {
    return std::make_shared<const AttentionMap>(s_capture, HeadId{Layer(layer), Head(h)});
  }

  /// Writes the file and, for a script, the rectangle's values as `expected`.
  Exported write(const MapSource& map, const std::string& name, MapExport options = {}) {
    options.format = *exportFormatOf(name);
    const MapRect rect = options.rect.value_or(map.extent(options.stage));
    const MapValues values = map.rectangle(options.stage, rect);
    support::writeFile(m_scratch / "maps", std::string(reinterpret_cast<const char*>(values.values.data()),
                                                       values.values.size() * sizeof(float)));
    return exportMap(map, m_folder / name, options, Progress());
  }
  std::string python(const std::string& script) {
    const auto found = support::pythonWithNumpy();
    if (!found) return {};
    return support::runPython(*found,
                              "import csv, json, struct, sys\nimport numpy as np\nfolder = sys.argv[1]\nexpected = "
                              "np.fromfile('" +
                                  (m_scratch / "maps").string() +
                                  "', '<f4')\ndef same(a): return a.dtype == expected.dtype and a.tobytes() == "
                                  "expected.tobytes()\n" +
                                  script,
                              m_folder.path().string());
  }

  static std::shared_ptr<const Capture> s_capture;
  support::TemporaryFolder m_folder;
  support::TemporaryFolder m_scratch;
};

std::shared_ptr<const Capture> ExportMap::s_capture;

#define NEEDS_PYTHON() \
  if (!support::pythonWithNumpy()) GTEST_SKIP() << "no python3 with numpy here"

TEST_F(ExportMap, AMeanIsTheSameInNumpy) {
  NEEDS_PYTHON();
  const MeanMap mean({head(0, 1), head(2, 3), head(5, 5)});
  MapExport options{.rect = MapRect{{3, 9}, {2, 7}},
                    .lines = {{"title", "mean of 3 heads"}, {"model", "\xff\"x\""}, {"kind", "mine"}}};
  options.labels.columns = {"a", "b", "c", "d", "e"};
  const Exported exported = write(mean, "mean.npz", options);
  EXPECT_EQ(exported.bytes, fs::file_size(m_folder / "mean.npz"));
  EXPECT_EQ(
      python(R"(
d = np.load(folder + "/mean.npz", allow_pickle=False)
print({name: (str(d[name].dtype), d[name].shape) for name in d.files})
m = json.loads(d["meta"].item())
print(same(d["values"]), d["rows"].tolist(), d["cols"].tolist(), d["row_labels"].tolist(), d["col_labels"].tolist())
print(m["schema"], m["kind"], m["title"], ascii(m["model"]))
)"),
      "{'values': ('float32', (6, 5)), 'rows': ('int64', (6,)), 'cols': ('int64', (5,)), 'row_labels': ('<U1', (6,)), "
      "'col_labels': ('<U1', (5,)), 'meta': ('<U92', ())}\n"
      "True [3, 4, 5, 6, 7, 8] [2, 3, 4, 5, 6] ['3', '4', '5', '6', '7', '8'] ['a', 'b', 'c', 'd', 'e']\n"
      "1 map mean of 3 heads '\\ufffd\"x\"'\n");
}

TEST_F(ExportMap, ADifferenceOfMaskedScoresKeepsItsInfinitiesInNpy) {
  NEEDS_PYTHON();
  const DifferenceMap difference(head(0, 1), head(2, 3), Stage::Weights);
  const Exported exported = write(difference, "d.npy");
  EXPECT_EQ(exported.metaFile, m_folder / "d.json");
  EXPECT_EQ(python("d = np.load(folder + '/d.npy')\nprint(d.shape, same(d), d.min() < 0, "
                   "json.load(open(folder + '/d.json'))['kind'])"),
            "(13, 13) True True map\n");
  write(*head(1, 1), "m.npy", {.stage = Stage::MaskedScores, .rect = MapRect{{0, 3}, {0, 3}}});
  EXPECT_EQ(python("d = np.load(folder + '/m.npy')\nprint(same(d), np.isneginf(d).sum())"), "True 3\n");
}

TEST_F(ExportMap, AStageWhoseColumnsAreNoKeysIsWrittenToo) {
  NEEDS_PYTHON();
  write(*head(1, 1), "y.npy", {.stage = Stage::Output});
  EXPECT_EQ(python("d = np.load(folder + '/y.npy')\nprint(d.shape, same(d))"), "(13, 32) True\n");
}

TEST_F(ExportMap, WordsAreATableWithTheirLabels) {
  NEEDS_PYTHON();
  const WordMap words(head(2, 2), {{0, 5}, {5, 13}});
  MapExport options{.labels = {{"First", "=\"Citizen\""}, {"First", "-Citizen"}}};
  options.csv.formulas = CsvOptions::Formulas::Guarded;
  options.csv.mark = CsvOptions::ByteOrderMark::Written;
  const Exported exported = write(words, "w.csv", options);
  EXPECT_EQ(exported.lines, 3u);
  EXPECT_EQ(exported.bytes, fs::file_size(m_folder / "w.csv") + fs::file_size(m_folder / "w.json"));
  EXPECT_EQ(python(R"(
rows = list(csv.reader(open(folder + "/w.csv", encoding="utf-8-sig", newline="")))
print(rows[0], [row[0] for row in rows], same(np.array([row[1:] for row in rows[1:]], dtype=np.float64).astype("<f4")))
)"),
            "['', 'First', \"'-Citizen\"] ['', 'First', '\\'=\"Citizen\"'] True\n");
}

TEST_F(ExportMap, ASafetensorsFileHasTheMapAndItsPlaces) {
  NEEDS_PYTHON();
  write(*head(4, 0), "m.safetensors", {.rect = MapRect{{1, 4}, {0, 13}}, .lines = {{"title", "layer 4"}}});
  EXPECT_EQ(python(R"(
raw = open(folder + "/m.safetensors", "rb").read()
length = struct.unpack("<Q", raw[:8])[0]
header = json.loads(raw[8:8 + length])
array = np.frombuffer(raw[8 + length:][slice(*header["values"]["data_offsets"])], "<f4")
print(sorted(header), header["values"]["shape"], same(array), json.loads(header["__metadata__"]["meta"])["title"])
)"),
            "['__metadata__', 'cols', 'rows', 'values'] [3, 13] True layer 4\n");
}

TEST_F(ExportMap, CancelledOrOnAFullDiskNoFileStays) {
  for (const ExportFormat format : kFormats) {
    const fs::path path = m_folder / (std::string("m") + extensionOf(format));
    const MapExport options{.format = format};
    for (const int stop : {0, 1}) {
      int seen = 0;
      try {
        exportMap(*head(0, 0), path, options, Progress([&](double, std::string_view) { return seen++ < stop; }));
        ADD_FAILURE() << "not cancelled";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
      }
      EXPECT_TRUE(fs::is_empty(m_folder.path()));
    }
    fs::create_symlink("/dev/full", path);
    try {
      exportMap(*head(0, 0), path, options, Progress());
      ADD_FAILURE() << "wrote to a full device";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Io);
      EXPECT_THAT(error.what(), AllOf(HasSubstr("No space left"), HasSubstr("bytes are needed")));
    }
    fs::remove(path);
    EXPECT_TRUE(fs::is_empty(m_folder.path()));
  }
}

template <class Action>
void expectMismatch(const std::string& words, Action action) {
  try {
    action();
    ADD_FAILURE() << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Mismatch);
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

TEST_F(ExportMap, RefusesARectangleThatIsNotThereAndLabelsOfAnotherNumber) {
  const auto map = head(0, 0);
  for (const MapRect& rect : {MapRect{{0, 14}, {0, 1}}, MapRect{{0, 1}, {-1, 2}}, MapRect{{4, 4}, {0, 1}}}) {
    expectMismatch("not a part of the map", [&] { exportMap(*map, m_folder / "a.npy", {.rect = rect}, Progress()); });
    expectMismatch("not a part of the map", [&] { tsvOf(*map, Stage::Weights, rect, {}, Progress()); });
  }
  expectMismatch("2 labels were given for 13 rows", [&] {
    exportMap(*map, m_folder / "a.npy", {.labels = {{"a", "b"}, {}}}, Progress());
  });
  expectMismatch("1 labels were given for 3 columns", [&] {
    tsvOf(*map, Stage::Weights, {{0, 1}, {0, 3}}, {{}, {"a"}}, Progress());
  });
  EXPECT_TRUE(fs::is_empty(m_folder.path()));
}

/// So many cells that nobody copies them.
class LargeMap final : public MapSource {
 public:
  explicit LargeMap(std::int64_t side) : m_side(side) {}
  std::string identity() const override { return "large"; }
  MapRect extent(Stage) const override { return {{0, m_side}, {0, m_side}}; }
  MapMask mask() const override { return AttentionMask(m_side); }
  MapValues rectangle(Stage, const MapRect& rect, const Progress&) const override {
    return {rect.rows.size(), rect.columns.size(), std::vector<float>(static_cast<std::size_t>(rect.cells()), 0.5f)};
  }

 private:
  std::int64_t m_side;
};

TEST(TextOfMap, IsALineARowWithLabelsBetweenTabs) {
  const LargeMap map(100);
  EXPECT_EQ(tsvOf(map, Stage::Weights, {{7, 9}, {1, 4}}, {{"a\tb", "c\nd"}, {"x", "y", "z"}}, Progress()),
            "\tx\ty\tz\na b\t0.5\t0.5\t0.5\nc d\t0.5\t0.5\t0.5\n");
  EXPECT_EQ(tsvOf(map, Stage::Weights, {{7, 8}, {1, 3}}, {}, Progress()), "\t1\t2\n7\t0.5\t0.5\n");
}

TEST(TextOfMap, E6_OfMoreThanFourMillionCellsIsRefusedWithBothNumbersAndAWayOut) {
  const LargeMap map(1'000'000);
  try {
    tsvOf(map, Stage::Weights, {{0, 2001}, {0, 2000}}, {}, Progress());
    ADD_FAILURE() << "it was copied";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::TooLarge);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("4002000 values"), HasSubstr("4000000"), HasSubstr("export them to a file")));
  }
  EXPECT_THROW(tsvOf(map, Stage::Weights, map.extent(Stage::Weights), {}, Progress()), Error);
  EXPECT_NO_THROW(tsvOf(map, Stage::Weights, {{0, 4}, {0, 1'000'000}}, {}, Progress()));
}

TEST(TextOfMap, CanBeCancelled) {
  const LargeMap map(3000);
  int seen = 0;
  EXPECT_THROW(tsvOf(map, Stage::Weights, {{0, 1300}, {0, 3000}}, {},
                     Progress([&](double, std::string_view) { return ++seen < 3; })),
               Error);
  EXPECT_EQ(seen, 3);
}

}  // namespace
}  // namespace core
