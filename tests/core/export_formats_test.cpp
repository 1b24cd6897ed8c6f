// The other formats than .npz, each read back by Python and equal to the maps bit by bit; and what all formats promise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/array_files.h"
#include "core/attention_map.h"
#include "core/error.h"
#include "core/export.h"
#include "core/session.h"
#include "tests/support/changed_model.h"
#include "tests/support/files.h"
#include "tests/support/python.h"

namespace core {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

constexpr ExportFormat kFormats[] = {ExportFormat::Npz, ExportFormat::Npy, ExportFormat::Safetensors,
                                     ExportFormat::Csv};
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::size_t filesIn(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Read in Python as `expected`, float32, by the scripts' beginning.
void writeMaps(const fs::path& path, const std::shared_ptr<const Capture>& capture) {
  std::string bytes;
  for (const Layer layer : capture->layers()) {
    for (const Head head : capture->heads()) {
      const AttentionMap map(capture, {layer, head});
      const MapValues values = map.rectangle(Stage::Weights, map.extent(Stage::Weights));
      bytes.append(reinterpret_cast<const char*>(values.values.data()), values.values.size() * sizeof(float));
    }
  }
  support::writeFile(path, bytes);
}

constexpr const char* kBegin = R"(
import csv, json, struct, sys
import numpy as np
folder = sys.argv[1]
def constant(name): raise ValueError(name)
def strict(text): return json.loads(text, parse_constant=constant)
def same(a, b): return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
# A part of a map is computed by itself: the last bit may be another than in the whole one.
def close(a, b): return a.shape == b.shape and a.dtype == b.dtype and bool((np.abs(a - b) <= 1e-6).all())
)";

class ExportFormats : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto session = Session::open(support::repository("models/shakespeare-char"), {}, Progress());
    const auto tokens = session->check("KING RICHARD III:\n--'tis well; go.").tokens;
    RunRequest request{.tokens = tokens};
    request.overrides.windows = std::vector<Window>{Window{4}, Window{}, Window{0}, Window{}, Window{}, Window{}};
    s_capture = session->run(request, Progress());
  }
  static void TearDownTestSuite() { s_capture.reset(); }

  void SetUp() override {
    m_python = support::pythonWithNumpy();
    writeMaps(m_scratch / "maps", s_capture);
  }

  /// What a script prints that finds the files in m_folder and `expected` of shape (6, 6, 34, 34).
  std::string python(const std::string& script) {
    const std::string begin = std::string(kBegin) + "expected = np.fromfile('" + (m_scratch / "maps").string() +
                              "', dtype='<f4').reshape(6, 6, 34, 34)\n";
    return support::runPython(*m_python, begin + script, m_folder.path().string());
  }
  Exported write(const std::string& name, CaptureExport options = {}) {
    options.format = *exportFormatOf(name);
    return exportCapture(s_capture, m_folder / name, options, Progress());
  }

  static std::shared_ptr<const Capture> s_capture;
  support::TemporaryFolder m_folder;
  support::TemporaryFolder m_scratch;
  std::optional<fs::path> m_python;
};

std::shared_ptr<const Capture> ExportFormats::s_capture;

#define NEEDS_PYTHON() \
  if (!m_python) GTEST_SKIP() << "no python3 with numpy here"

TEST_F(ExportFormats, TheNameTellsTheFormat) {
  EXPECT_EQ(exportFormatOf("a/b.npz"), ExportFormat::Npz);
  EXPECT_EQ(exportFormatOf("b.x.NPY"), ExportFormat::Npy);
  EXPECT_EQ(exportFormatOf("b.SafeTensors"), ExportFormat::Safetensors);
  EXPECT_EQ(exportFormatOf("b.csv"), ExportFormat::Csv);
  for (const char* name : {"b", "b.npz.gz", "npz", ".npz", "b.png", ""}) EXPECT_EQ(exportFormatOf(name), std::nullopt);
  EXPECT_EQ(exportExtensions(), ".npz, .npy, .safetensors or .csv");
}

TEST_F(ExportFormats, AnNpyHoldsTheMapsOfAllLayersOfOneOrOfOneHead) {
  NEEDS_PYTHON();
  write("all.npy");
  write("layer.npy", {.layers = {Layer(2)}});
  write("head.npy", {.layers = {Layer(4)}, .heads = {Head(5)}});
  write("heads.npy", {.layers = {Layer(4), Layer(1)}, .heads = {Head(5)}});
  write("part.npy", {.layers = {Layer(0)}, .heads = {Head(0)}, .rows = {9, 3, 4}, .columns = PositionRange{2, 12}});
  EXPECT_EQ(python(R"(
raw = open(folder + "/all.npy", "rb").read()
print(raw[:8], (10 + struct.unpack("<H", raw[8:10])[0]) % 64)
for name, part in (("all", expected), ("layer", expected[2]), ("head", expected[4, 5]),
                   ("heads", expected[[4, 1]][:, [5]]), ("part", expected[0, 0][[9, 3, 4], 2:12])):
    array = np.load(folder + "/" + name + ".npy", mmap_mode="r", allow_pickle=False)
    equal = close if name == "part" else same
    print(name, array.shape, equal(np.ascontiguousarray(array), np.ascontiguousarray(part)), array.flags.c_contiguous)
)"),
            "b'\\x93NUMPY\\x01\\x00' 0\n"
            "all (6, 6, 34, 34) True True\n"
            "layer (6, 34, 34) True True\n"
            "head (34, 34) True True\n"
            "heads (2, 1, 34, 34) True True\n"
            "part (3, 10) True True\n");
}

TEST_F(ExportFormats, TheMetaSaysWhatRanWithEveryTokenAsLabelIdAndBytes) {
  NEEDS_PYTHON();
  const Exported exported = write("run.npy", {.layers = {Layer(1), Layer(2)}});
  EXPECT_EQ(exported.metaFile, m_folder / "run.json");
  EXPECT_EQ(exported.bytes, fs::file_size(m_folder / "run.npy") + fs::file_size(m_folder / "run.json"));
  EXPECT_EQ(python(R"(
import base64
m = strict(open(folder + "/run.json", encoding="utf-8", newline="").read())
print(list(m))
print(m["schema"], m["kind"], m["app"].split()[0], m["mask"], m["windows"], m["layers"], m["heads"], m["rows"], m["columns"])
print(m["model"]["name"], m["model"]["family"], m["model"]["layers"], m["model"]["heads"], m["model"]["kv_heads"],
      m["model"]["head_size"], m["model"]["vocabulary"], m["model"]["file_bytes"] > 1000)
print(ascii(m["prompt"]), b"".join(base64.b64decode(b) for b in m["token_bytes"]).decode() == m["prompt"])
print(ascii("".join(m["tokens"])), len(m["token_ids"]), m["token_ids"][17])
print(m["device"], m["dtype"], m["seconds"] > 0, len(m["differences"]), m["path"])
)"),
            "['schema', 'kind', 'app', 'model', 'prompt', 'tokens', 'token_ids', 'token_bytes', 'mask', 'windows', "
            "'differences', 'path', 'device', 'dtype', 'seconds', 'warnings', 'layers', 'heads', 'rows', 'columns']\n"
            "1 capture Headscope causal [4, None, 0, None, None, None] [1, 2] [0, 1, 2, 3, 4, 5] None None\n"
            "shakespeare-char nanoGPT 6 6 6 32 65 True\n"
            "\"KING RICHARD III:\\n--'tis well; go.\" True\n"
            "\"KING\\u2423RICHARD\\u2423III:\\u23ce--'tis\\u2423well;\\u2423go.\" 34 0\n"
            "CPU float32 True 1 manual path, all rows of a head at once\n");
}

TEST_F(ExportFormats, ASafetensorsFileHasTheSameArraysAndTheTextsInItsMetadata) {
  NEEDS_PYTHON();
  const Exported exported = write("run.safetensors", {.layers = {Layer(4), Layer(1)},
                                                      .rows = {5, 2},
                                                      .columns = PositionRange{0, 6},
                                                      .logits = CaptureExport::Logits::Last});
  EXPECT_EQ(exported.bytes, fs::file_size(m_folder / "run.safetensors"));
  EXPECT_EQ(python(R"(
raw = open(folder + "/run.safetensors", "rb").read()
length = struct.unpack("<Q", raw[:8])[0]
header = strict(raw[8:8 + length].decode())
texts = header.pop("__metadata__")
print(length % 8, sorted(texts), all(type(t) is str for t in texts.values()), texts["model"], texts["model_file"], ascii(texts["prompt"][:5]))
meta = strict(texts["meta"])
print(meta["layers"], meta["rows"], meta["columns"])
end, arrays = 0, {}
for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
    assert entry["data_offsets"][0] == end
    dtype = {"F32": "<f4", "I64": "<i8"}[entry["dtype"]]
    begin, end = entry["data_offsets"]
    assert begin % np.dtype(dtype).itemsize == 0
    arrays[name] = np.frombuffer(raw[8 + length:][begin:end], dtype).reshape(entry["shape"])
print(end == len(raw) - 8 - length, {name: array.shape for name, array in arrays.items()})
print(close(arrays["attn"], np.ascontiguousarray(expected[[4, 1]][:, :, [5, 2], 0:6])), arrays["layers"].tolist(), arrays["cols"].tolist())
)"),
            "0 ['app', 'meta', 'model', 'model_bytes', 'model_file', 'prompt'] True shakespeare-char ckpt.pt 'KING '\n"
            "[4, 1] [5, 2] [0, 6]\n"
            "True {'token_ids': (34,), 'layers': (2,), 'heads': (6,), 'rows': (2,), 'cols': (6,), "
            "'attn': (2, 6, 2, 6), 'logits': (65,)}\n"
            "True [4, 1] [0, 1, 2, 3, 4, 5]\n");
}

TEST_F(ExportFormats, ALongTableHasALineForEachCellThatTheMaskShows) {
  NEEDS_PYTHON();
  const Exported exported = write("run.csv");
  EXPECT_EQ(exported.metaFile, m_folder / "run.json");
  EXPECT_EQ(exported.form, CsvOptions::Form::Long);
  EXPECT_EQ(python(R"(
raw = open(folder + "/run.csv", "rb").read()
print(raw[:44], raw.count(b"\r"), strict(open(folder + "/run.json", encoding="utf-8").read())["windows"])
rows = list(csv.reader(open(folder + "/run.csv", encoding="utf-8", newline="")))
print(len(rows), rows[1], raw.split(b"\n")[1])
prompt = "KING RICHARD III:\n--'tis well; go."
seen = np.zeros(expected.shape, "<f4")
cells = 0
for layer, head, query, key, q, k, weight in rows[1:]:
    l, h, i, j = int(layer), int(head), int(query), int(key)
    window = {0: 4, 2: 0}.get(l, 100)
    assert 0 <= i - j <= window
    assert q == prompt[i].replace("\n", "\\n") and k == prompt[j].replace("\n", "\\n")
    seen[l, h, i, j] = np.float32(weight)
    cells += 1
print(same(seen, expected), cells == 6 * (4 * 34 * 35 // 2 + 34 + 34 * 5 - 10))
)"),
            "b'layer,head,query,key,q_token,k_token,weight\\n' 0 [4, None, 0, None, None, None]\n" +
                std::to_string(exported.lines) +
                " ['0', '0', '0', '0', 'K', 'K', '1'] b'0,0,0,0,\"K\",\"K\",1'\n"
                "True True\n");
}

TEST_F(ExportFormats, AMatrixIsOneHeadWithNumberedTokensAsHeaderLineAndFirstColumn) {
  NEEDS_PYTHON();
  CaptureExport options{.layers = {Layer(3)}, .heads = {Head(1)}, .rows = {17, 16, 2}, .columns = PositionRange{1, 18}};
  options.csv = {.form = CsvOptions::Form::Matrix, .mark = CsvOptions::ByteOrderMark::Written};
  const Exported exported = write("head.csv", options);
  EXPECT_EQ(exported.lines, 4u);
  EXPECT_EQ(exported.form, CsvOptions::Form::Matrix);
  EXPECT_EQ(
      python(R"(
raw = open(folder + "/head.csv", "rb").read()
rows = list(csv.reader(open(folder + "/head.csv", encoding="utf-8-sig", newline="")))
print(raw[:3], ascii(rows[0][:3]), [ascii(row[0]) for row in rows], abs(float(rows[1][-1]) - expected[3, 1, 17, 17]) < 1e-6)
values = np.array([[np.float32(cell) for cell in row[1:]] for row in rows[1:]])
print(close(values, np.ascontiguousarray(expected[3, 1][[17, 16, 2], 1:18])))
)"),
      "b'\\xef\\xbb\\xbf' ['query / key', '1 \\xb7 I', '2 \\xb7 N'] [\"'query / key'\", \"'17 \\\\xb7 \\\\u23ce'\", "
      "\"'16 \\\\xb7 :'\", \"'2 \\\\xb7 N'\"] True\nTrue\n");
}

TEST_F(ExportFormats, AMatrixOfSeveralHeadsIsRefusedBeforeAnyWork) {
  CaptureExport options{.format = ExportFormat::Csv, .layers = {Layer(3)}};
  options.csv.form = CsvOptions::Form::Matrix;
  try {
    write("head.csv", options);
    ADD_FAILURE() << "it was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Mismatch);
    EXPECT_THAT(error.what(), HasSubstr("holds one head, not 6"));
  }
  EXPECT_TRUE(fs::is_empty(m_folder.path()));
}

TEST_F(ExportFormats, NaNStaysNaNInArraysIsNanInATableAndIsNotInTheMeta) {
  NEEDS_PYTHON();
  support::writeChangedModel("hf-qwen2-bias", {{"model.layers.1.self_attn.q_proj.bias", 3 * 8, 1, kNaN}},
                             m_scratch.path());
  const auto session = Session::open(m_scratch.path(), {}, Progress());
  const auto capture = session->run({.tokens = {1, 2, 3}, .path = AttentionPath::Flash}, Progress());
  for (const char* name : {"a.npz", "b.npy", "c.safetensors", "d.csv"}) {
    CaptureExport options{.format = *exportFormatOf(name), .layers = {Layer(1)}};
    exportCapture(capture, m_folder / name, options, Progress());
  }
  EXPECT_EQ(python(R"(
whole = np.tril(np.ones((3, 3))) == 1
a = np.load(folder + "/a.npz", allow_pickle=False)
b = np.load(folder + "/b.npy")
raw = open(folder + "/c.safetensors", "rb").read()
length = struct.unpack("<Q", raw[:8])[0]
entry = json.loads(raw[8:8 + length])["attn"]
c = np.frombuffer(raw[8 + length:][slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"])
for array in (a["attn"][0], b, c[0]):
    print(np.isnan(array).sum(), (np.isnan(array[3]) == whole).all(), (array[3][~whole] == 0).all())
lines = [line.split(",") for line in open(folder + "/d.csv", encoding="utf-8").read().splitlines()[1:]]
print(sum(line[-1] == "nan" for line in lines), all(line[1] == "3" for line in lines if line[-1] == "nan"))
strict(a["meta"].item()), strict(open(folder + "/b.json").read()), strict(json.loads(raw[8:8 + length])["__metadata__"]["meta"])
)"),
            "6 True True\n6 True True\n6 True True\n6 True\n");
}

// --- what is promised of every format

TEST_F(ExportFormats, CancelledAtAnyMomentNoFileStaysAndAnOlderOneIsUntouched) {
  for (const ExportFormat format : kFormats) {
    for (const Existing existing : {Existing::Refuse, Existing::Replace}) {
      const CaptureExport options{.format = format, .existing = existing};
      const fs::path path = m_folder / (std::string("run") + extensionOf(format));
      int reports = 0;
      exportCapture(s_capture, path, options, Progress([&](double, std::string_view) { return ++reports > 0; }));
      ASSERT_GT(reports, 36) << extensionOf(format);
      const std::size_t files = filesIn(m_folder.path());
      const auto restore = [&] {
        for (const auto& entry : fs::directory_iterator(m_folder.path())) {
          if (existing == Existing::Refuse) fs::remove(entry.path());
          if (existing == Existing::Replace) support::writeFile(entry.path(), "old");
        }
      };
      restore();
      for (const int stop : {0, 1, reports / 2, reports - 1}) {
        int seen = 0;
        try {
          exportCapture(s_capture, path, options, Progress([&](double, std::string_view) { return seen++ < stop; }));
          ADD_FAILURE() << "not cancelled at report " << stop;
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
        }
        EXPECT_EQ(filesIn(m_folder.path()), existing == Existing::Refuse ? 0 : files) << extensionOf(format) << stop;
        for (const auto& entry : fs::directory_iterator(m_folder.path()))
          EXPECT_EQ(support::readFile(entry.path()), "old") << entry.path();
      }
      for (const auto& entry : fs::directory_iterator(m_folder.path())) fs::remove(entry.path());
    }
  }
}

TEST_F(ExportFormats, ProgressOnlyGrowsAndEndsAtOne) {
  for (const ExportFormat format : kFormats) {
    double last = 0;
    exportCapture(s_capture, m_folder / (std::string("run") + extensionOf(format)),
                  {.format = format, .existing = Existing::Replace}, Progress([&](double fraction, std::string_view) {
                    EXPECT_GE(fraction, last);
                    EXPECT_LE(fraction, 1.0);
                    last = fraction;
                    return true;
                  }));
    EXPECT_EQ(last, 1.0) << extensionOf(format);
  }
}

TEST_F(ExportFormats, E1_AFullDiskIsSaidWithTheBytesThatAreNeededAndNoMetaFileStays) {
  for (const ExportFormat format : kFormats) {
    const fs::path path = m_folder / (std::string("full") + extensionOf(format));
    fs::create_symlink("/dev/full", path);
    const CaptureExport options{.format = format};
    try {
      exportCapture(s_capture, path, options, Progress());
      ADD_FAILURE() << "wrote to a full device";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Io);
      EXPECT_THAT(error.what(), AllOf(HasSubstr(path.string()), HasSubstr("No space left on device"),
                                      ContainsRegex("[0-9]+ bytes are needed")));
      const std::string sentence = error.what();
      const std::uint64_t needed = std::stoull(sentence.substr(sentence.find("; ") + 2));
      EXPECT_GE(needed, exportBytes(s_capture->model().config, s_capture->facts().settings, 34, options)) << sentence;
    }
    fs::remove(path);
    EXPECT_TRUE(fs::is_empty(m_folder.path())) << extensionOf(format);
  }
}

TEST_F(ExportFormats, WhatIsForetoldOfAFileIsAtLeastWrittenAndNotFarFromIt) {
  for (const ExportFormat format : kFormats) {
    const CaptureExport options{.format = format, .layers = {Layer(0), Layer(1)}, .rows = {33, 3, 4, 5}};
    const Exported exported =
        exportCapture(s_capture, m_folder / (std::string("a") + extensionOf(format)), options, Progress());
    const std::uint64_t foretold = exportBytes(s_capture->model().config, s_capture->facts().settings, 34, options);
    EXPECT_GE(fs::file_size(exported.file), foretold) << extensionOf(format);
    EXPECT_LE(exported.bytes, 2 * foretold + 20'000) << extensionOf(format);
    fs::remove(m_folder / "a.json");
  }
}

TEST_F(ExportFormats, E3_AMetaFileThatIsThereIsRefusedOrReplacedAsTheFileItselfIs) {
  for (const char* name : {"run.npy", "run.csv"}) {
    support::writeFile(m_folder / "run.json", "mine");
    try {
      write(name);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Io);
      EXPECT_THAT(error.what(), AllOf(HasSubstr((m_folder / "run.json").string()), HasSubstr("exists already")));
    }
    EXPECT_EQ(support::readFile(m_folder / "run.json"), "mine");
    EXPECT_EQ(filesIn(m_folder.path()), 1u);
    write(name, {.existing = Existing::Replace});
    EXPECT_THAT(support::readFile(m_folder / "run.json"), HasSubstr("\"kind\":\"capture\""));
    fs::remove(m_folder / name);
  }
}

// --- the snippets

TEST_F(ExportFormats, TheSnippetOfAnArrayFileLoadsItUnderAnyName) {
  NEEDS_PYTHON();
  const std::string names[] = {"run",          "it's \"a\" \\ b", "line\nbreak\ttab", "\xe4\xbd\xa0\xe5\xa5\xbd",
                               "no\xff utf-8", "turn\u202e round"};
  for (const std::string& name : names) {
    for (const char* extension : {".npz", ".npy"}) {
      const Exported exported = write(name + extension);
      // The names are of bytes that the shell would pass on as they are; exec() sees the text as Python source.
      support::writeFile(m_scratch / "snippet.py", pythonSnippet(exported));
      EXPECT_EQ(python("exec(open('" + (m_scratch / "snippet.py").string() + R"(', encoding="utf-8").read())
print(same(attn, expected), meta["kind"]))"),
                "True capture\n")
          << pythonSnippet(exported);
      for (const auto& entry : fs::directory_iterator(m_folder.path())) fs::remove(entry.path());
    }
  }
}

TEST_F(ExportFormats, TheSnippetSaysWhatEachArrayIs) {
  const std::string npz = pythonSnippet(write("a.npz", {.layers = {Layer(1)}}));
  EXPECT_THAT(npz, AllOf(HasSubstr("import numpy as np\n"),
                         HasSubstr("attn = d[\"attn\"]  # (1, 6, 34, 34) float32: layer, head, query, key\n"),
                         HasSubstr("logits = d[\"logits\"]  # (34, 65) float32\n"),
                         HasSubstr("layers = d[\"layers\"]  # (1,) int64\n"),
                         HasSubstr("meta = json.loads(d[\"meta\"].item())\n")));
  EXPECT_THAT(pythonSnippet(write("a.npy", {.layers = {Layer(1)}})),
              AllOf(HasSubstr("a.npy\")  # (6, 34, 34) float32: head, query, key\n"),
                    HasSubstr("a.json\", encoding=\"utf-8\"")));
  EXPECT_THAT(pythonSnippet(write("a.safetensors")),
              AllOf(HasSubstr("from safetensors.numpy import load_file\n"), HasSubstr("d = load_file(\""),
                    HasSubstr("attn = d[\"attn\"]  # (6, 6, 34, 34) float32")));
  CaptureExport options{.existing = Existing::Replace};
  EXPECT_THAT(pythonSnippet(write("a.csv", options)),
              AllOf(HasSubstr("import pandas as pd\n"), HasSubstr("table = pd.read_csv(\"")));
  options.csv.form = CsvOptions::Form::Matrix;
  options.layers = {Layer(0)};
  options.heads = {Head(0)};
  EXPECT_THAT(pythonSnippet(write("a.csv", options)), HasSubstr("index_col=0)"));
}

}  // namespace
}  // namespace core
