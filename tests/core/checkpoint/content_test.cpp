#include "core/checkpoint/content.h"

#include <gtest/gtest.h>

#include <cstring>
#include <ostream>

#include "core/checkpoint/checkpoint.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/pickle_builder.h"
#include "tests/core/checkpoint/zip_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

using namespace std::string_literals;

struct Foreign {
  std::string name;  ///< of the test, after the row
  std::string bytes;
  ErrorKind kind;
  std::string looksLike;
  std::string advice;
};

void PrintTo(const Foreign& foreign, std::ostream* out) { *out << foreign.name; }

std::string zipOf(const std::vector<std::string>& names) {
  support::ZipBuilder zip;
  for (const std::string& name : names) zip.add(name, "content");
  zip.zip64End = !names.empty();
  return zip.build();
}

std::string tar() {
  std::string bytes(512, '\0');
  bytes.replace(0, 4, "pkl\0"s).replace(257, 5, "ustar");
  return bytes;
}

const std::string kLegacy = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03."s;

class Content : public testing::TestWithParam<Foreign> {};

TEST_P(Content, IsNamedInTheRefusal) {
  const support::TemporaryFolder folder;
  const auto path = folder / "model.pt";
  support::writeFile(path, GetParam().bytes);
  support::expectError(GetParam().kind, {path.string(), GetParam().looksLike, GetParam().advice},
                       [&] { load(path, {}, Progress()); });
}

TEST_P(Content, F7_IsNamedInTheRefusalWhereTheNameIsThatOfSafetensorsToo) {
  const support::TemporaryFolder folder;
  const auto path = folder / "model.safetensors";
  support::writeFile(path, GetParam().bytes);
  support::expectError(GetParam().kind, {path.string(), GetParam().looksLike, GetParam().advice},
                       [&] { load(path, {}, Progress()); });
}

const ErrorKind kNot = ErrorKind::NotAModel, kUnsupported = ErrorKind::Unsupported;

INSTANTIATE_TEST_SUITE_P(
    Refused, Content,
    testing::Values(
        Foreign{"F7_html", "\n <!DOCTYPE html><html><body>404</body></html>", kNot, "HTML", "download"},
        Foreign{"F7_htmlWithoutItsTag", "<!doctype html>\n<title>404</title>", kNot, "an HTML page", "download"},
        Foreign{"F7_xhtml", "<?xml version=\"1.0\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\">", kNot,
                "an HTML page", "download"},
        Foreign{"F7_xml", "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>", kNot, "XML", "download"},
        Foreign{"F7_json", "{\"error\": \"Invalid username or password.\"}", kNot, "JSON", "download"},
        Foreign{"F7_jsonWithByteOrderMark", "\xef\xbb\xbf[1, 2]", kNot, "JSON", "download"},
        Foreign{"F8_png", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"s, kNot, "PNG", "ckpt.pt"},
        Foreign{"F8_jpeg", "\xff\xd8\xff\xe0\0\x10JFIF"s, kNot, "JPEG", "ckpt.pt"},
        Foreign{"F8_pdf", "%PDF-1.7\n%\xe2\xe3", kNot, "PDF", "ckpt.pt"},
        Foreign{"F8_elf",
                "\x7f"
                "ELF\x02\x01\x01\0"s,
                kNot, "ELF", "ckpt.pt"},
        Foreign{"F8_gzip", "\x1f\x8b\x08\0\0\0\0\0\0\x03"s, kNot, "gzip", "Unpack"},
        Foreign{"F8_text", "Lorem ipsum dolor sit amet\n", kNot, "text", "ckpt.pt"},
        Foreign{"B9_gitLfsPointer", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 32661980\n",
                kNot, "Git LFS pointer", "git lfs pull"},
        Foreign{"B9_gitLfsPointerSize", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 32661980\n",
                kNot, "32,661,980 bytes", "git lfs pull"},
        Foreign{"Z15_torchScript", zipOf({"m/data.pkl", "m/constants.pkl", "m/code/__torch__.py", "m/data/0"}),
                kUnsupported, "TorchScript", "state_dict"},
        Foreign{"Z16_legacyTorchFile", kLegacy, kUnsupported, "before PyTorch 1.6", "python -c"},
        Foreign{"Z16_tar", tar(), kUnsupported, "tar", "python -c"},
        Foreign{"Z17_plainPickle", "\x80\x04\x95\x02\0\0\0\0\0\0\0}\x94."s, kNot, "plain Python pickle", "state_dict"},
        Foreign{"Z17_joblib",
                support::pickle::whole(
                    support::pickle::reduce(support::pickle::global("joblib.numpy_pickle", "NumpyArrayWrapper"), {})),
                kNot, "joblib", "state_dict"},
        Foreign{
            "Z17_sklearn",
            support::pickle::whole(support::pickle::reduce(support::pickle::global("sklearn.svm._classes", "SVC"), {})),
            kNot, "joblib", "state_dict"},
        Foreign{"Z17_joblibCompressed", "\x78\x9c\xab\x56\xca\x48\xcd\xc9\xc9\x07"s, kNot, "joblib", "state_dict"},
        Foreign{"Z17_npz", zipOf({"arr_0.npy", "arr_1.npy"}), kNot, "NumPy archive (npz)", "ckpt.pt"},
        Foreign{"Z17_npy", "\x93NUMPY\x01\0"s, kNot, "NumPy array", "ckpt.pt"},
        Foreign{"Z17_keras", zipOf({"metadata.json", "config.json", "model.weights.h5"}), kNot, "Keras", "ckpt.pt"},
        Foreign{"Z17_hdf5", "\x89HDF\r\n\x1a\n"s, kNot, "HDF5", "ckpt.pt"},
        Foreign{"Z17_apk", zipOf({"AndroidManifest.xml", "classes.dex"}), kNot, "Android package", "ckpt.pt"},
        Foreign{"Z17_docx", zipOf({"[Content_Types].xml", "word/document.xml"}), kNot, "Word document", "ckpt.pt"},
        Foreign{"Z17_otherZip", zipOf({"readme.txt"}), kNot, "'readme.txt'", "ckpt.pt"},
        Foreign{"Z17_zippedCheckpoint", zipOf({"out/ckpt.pt"}), kNot, "a checkpoint inside", "Unpack"},
        Foreign{"Z17_emptyZip", zipOf({}), kNot, "0 members", "ckpt.pt"}),
    [](const auto& instance) { return instance.param.name; });

TEST(ContentAdvice, UnknownBytesAreShownAndEveryFormatThatOpensIsNamed) {
  const support::TemporaryFolder folder;
  support::writeFile(folder / "m.pt", "\x01\x02\x03\xfe\xff");
  support::expectError(
      kNot,
      {"\\x01\\x02\\x03\\xfe\\xff",
       "ckpt.pt (nanoGPT), model_<step>.pt (nanochat), config.json (Hugging Face), *.gguf (llama.cpp)"},
      [&] { load(folder / "m.pt", {}, Progress()); });
}

TEST(ContentAdvice, PartsBesideAModelAreCalledThat) {
  const support::TemporaryFolder folder;
  const auto refuse = [&](const std::string& name, const std::string& bytes, const std::string& what) {
    support::writeFile(folder / name, bytes);
    support::expectError(kNot, {name + ": it is " + what + ", not a model. Open its folder."},
                         [&] { load(folder / name, {}, Progress()); });
  };
  refuse("tokenizer.json", R"({"version": "1.0", "model": {"type": "BPE"}})", "a tokenizer");
  refuse("tokenizer_config.json",
         "\n"
         R"({"tokenizer_class": "X"})",
         "the settings of a tokenizer");
  refuse("generation_config.json", R"({"eos_token_id": 2})", "the settings of text generation");
  refuse("vocab.json", R"({"a": 0})", "the vocabulary of a tokenizer");
  refuse("merges.txt", "#version: 0.2\na b\n", "the merges of a tokenizer");
  std::string large = R"({"model": {"vocab": [)";
  while (large.size() < (20u << 20)) large += "0, ";
  refuse("tokenizer.json", large + "0]}}", "a tokenizer");
}

TEST(ContentAdvice, B9_GitLfsPointerWithoutASizePromisesNone) {
  const support::TemporaryFolder folder;
  const std::string start = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n";  // 59 bytes
  for (const auto& [end, size] : {std::pair("", "59"), {"size abc\n", "68"}}) {
    support::writeFile(folder / "m.pt", start + end);
    support::expectError(kNot, {std::string("Git LFS pointer of ") + size + " bytes, not the file itself"},
                         [&] { load(folder / "m.pt", {}, Progress()); });
  }
}

TEST(ContentOrder, SafetensorsWhoseLengthLooksLikeAMagicIsStillSafetensors) {
  const support::TemporaryFolder folder;
  std::string bytes(8, '\0');
  bytes[0] = '\x78';  // 0x178 bytes of header: also how zlib data begin
  bytes[1] = '\x01';
  bytes += "{" + std::string(0x177, ' ');
  support::writeFile(folder / "m.safetensors", bytes);
  support::expectError(ErrorKind::Corrupt, {"m.safetensors", "header"},
                       [&] { load(folder / "m.safetensors", {}, Progress()); });
}

}  // namespace
}  // namespace core::checkpoint
