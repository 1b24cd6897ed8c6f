#include "core/checkpoint/content.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/format.h"
#include "core/checkpoint/pickle.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/torch_archive.h"

namespace core::checkpoint {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kOther = "";  // whatOpens() has the words
constexpr std::string_view kErrorPage =
    "This is what a failed download leaves behind: download the checkpoint again and look at the file in an editor.";
constexpr std::string_view kConvert =
    "Convert it once with python -c \"import torch; torch.save(torch.load('old.pt', map_location='cpu', "
    "weights_only=True), 'new.pt')\" "
    "and open the new file.";
constexpr std::string_view kResave =
    "Load it in the program that wrote it and save its weights with torch.save(model.state_dict(), ...).";

/// Bytes at a place that tell a type.
struct Magic {
  std::size_t offset;
  std::string_view bytes;
  ErrorKind kind;
  std::string_view looksLike;
  std::string_view advice;
};

constexpr Magic kMagics[] = {
    {0, "\x89PNG\r\n\x1a\n"sv, ErrorKind::NotAModel, "a PNG picture", kOther},
    {0, "\xff\xd8\xff"sv, ErrorKind::NotAModel, "a JPEG picture", kOther},
    {0, "GIF8"sv, ErrorKind::NotAModel, "a GIF picture", kOther},
    {0, "%PDF-"sv, ErrorKind::NotAModel, "a PDF document", kOther},
    {0,
     "\x7f"
     "ELF"sv,
     ErrorKind::NotAModel, "an ELF program or library", kOther},
    {0, "MZ"sv, ErrorKind::NotAModel, "a Windows program", kOther},
    {0, "\x93NUMPY"sv, ErrorKind::NotAModel, "a NumPy array (.npy)", kOther},
    {0, "\x89HDF\r\n\x1a\n"sv, ErrorKind::NotAModel, "an HDF5 file (Keras and others)", kOther},
    {0, "SQLite format 3"sv, ErrorKind::NotAModel, "an SQLite database", kOther},
    {0, "\x1f\x8b"sv, ErrorKind::NotAModel, "a gzip archive", "Unpack it and open what is inside."},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     ErrorKind::NotAModel, "an xz archive", "Unpack it and open what is inside."},
    {0, "BZh"sv, ErrorKind::NotAModel, "a bzip2 archive", "Unpack it and open what is inside."},
    {0, "\x28\xb5\x2f\xfd"sv, ErrorKind::NotAModel, "a Zstandard archive", "Unpack it and open what is inside."},
    {0, "7z\xbc\xaf\x27\x1c"sv, ErrorKind::NotAModel, "a 7-Zip archive", "Unpack it and open what is inside."},
    {0, "Rar!"sv, ErrorKind::NotAModel, "a RAR archive", "Unpack it and open what is inside."},
    {0, "\x78\x9c"sv, ErrorKind::NotAModel, "zlib-compressed data, as joblib.dump writes", kResave},
    {0, "\x78\x5e"sv, ErrorKind::NotAModel, "zlib-compressed data, as joblib.dump writes", kResave},
    {0, "\x78\x01"sv, ErrorKind::NotAModel, "zlib-compressed data, as joblib.dump writes", kResave},
    {0, "ggml"sv, ErrorKind::Unsupported, "a GGML model, the format before GGUF", kOther},
    // The magic number 0x1950a86a20f9469cfc6c as the first value of the first of several pickles.
    {2, "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e"sv, ErrorKind::Unsupported,
     "a torch file of the kind before PyTorch 1.6", kConvert},
    {257, "ustar"sv, ErrorKind::Unsupported, "a tar archive, as PyTorch before 0.2 wrote checkpoints", kConvert},
    {0, "-----BEGIN"sv, ErrorKind::NotAModel, "a key or certificate", kOther}};

/// Members that tell which program wrote a zip.
struct ZipMark {
  std::string_view ending;
  std::string_view looksLike;
  std::string_view advice;
};

constexpr ZipMark kZipMarks[] = {{"AndroidManifest.xml", "an Android package (APK)", kOther},
                                 {"META-INF/MANIFEST.MF", "a Java archive (JAR)", kOther},
                                 {"word/document.xml", "a Word document (docx)", kOther},
                                 {"xl/workbook.xml", "an Excel workbook (xlsx)", kOther},
                                 {"[Content_Types].xml", "an Office document", kOther},
                                 {"META-INF/manifest.xml", "an OpenDocument file", kOther},
                                 {"META-INF/container.xml", "an e-book (EPUB)", kOther},
                                 {"model.weights.h5", "a Keras model", kOther},
                                 {"keras_metadata.pb", "a TensorFlow model", kOther},
                                 {".npy", "a NumPy archive (npz)", kOther},
                                 {".pt", "a zip with a checkpoint inside", "Unpack it and open what is inside."},
                                 {".safetensors", "a zip with a model inside", "Unpack it and open what is inside."}};

/// What stands beside a model and is text.
struct Part {
  std::string_view file;
  std::string_view what;
};

constexpr Part kParts[] = {{"tokenizer.json", "a tokenizer"},
                           {"tokenizer_config.json", "the settings of a tokenizer"},
                           {"special_tokens_map.json", "the special tokens of a tokenizer"},
                           {"added_tokens.json", "the added tokens of a tokenizer"},
                           {"vocab.json", "the vocabulary of a tokenizer"},
                           {"merges.txt", "the merges of a tokenizer"},
                           {"generation_config.json", "the settings of text generation"}};

/// The row of a file's name; the end where there is none.
const Part* partOf(const File& file) {
  const std::string name = file.path().filename().string();
  return std::find_if(std::begin(kParts), std::end(kParts), [&](const Part& part) { return part.file == name; });
}

/// What opens, from the table of formats.
std::string whatOpens() { return fmt::format("Choose one of those that open: {}.", allLookedFor()); }

Error refusal(const File& file, ErrorKind kind, std::string_view looksLike, std::string_view advice) {
  const char* verdict = kind == ErrorKind::NotAModel ? "is no model" : "can't be opened";
  return Error(kind, fmt::format("{}: the file looks like {} ({} bytes) and {}. {}", file.name(), looksLike,
                                 grouped(file.size()), verdict, advice.empty() ? whatOpens() : advice));
}

/// The beginning of a text file, in small letters and without byte-order mark and leading white space.
std::string textStart(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  std::string start(head.substr(0, 256));
  std::transform(start.begin(), start.end(), start.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return start;
}

bool isText(std::string_view head) {
  return std::none_of(head.begin(), head.end(),
                      [](unsigned char byte) { return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r'; });
}

/// The size that a Git LFS pointer promises ("size 32661980"), as words.
std::string pointedSize(std::string_view head) {
  const std::size_t at = head.find("\nsize ");
  std::uint64_t size = 0;
  if (at == std::string_view::npos) return "";
  const std::string_view digits = head.substr(at + 6);
  if (std::from_chars(digits.data(), digits.data() + digits.size(), size).ec != std::errc()) return "";
  return fmt::format(" to a file of {} bytes", grouped(size));
}

Error refusalOfText(const File& file, std::string_view head) {
  const std::string start = textStart(head);
  if (start.starts_with("version https://git-lfs")) {
    return Error(ErrorKind::NotAModel,
                 fmt::format("{}: this is a Git LFS pointer of {} bytes{}, not the file itself. Run git lfs pull in "
                             "its folder.",
                             file.name(), grouped(file.size()), pointedSize(head)));
  }
  if (start.starts_with("<!doctype html") || start.find("<html") != std::string::npos) {
    return refusal(file, ErrorKind::NotAModel, "an HTML page", kErrorPage);
  }
  if (start.starts_with("<")) return refusal(file, ErrorKind::NotAModel, "XML", kErrorPage);
  if (isPartByName(file)) {
    return Error(ErrorKind::NotAModel,
                 fmt::format("{}: it is {}, not a model. Open its folder.", file.name(), partOf(file)->what));
  }
  if (start.starts_with("{") || start.starts_with("[")) return refusal(file, ErrorKind::NotAModel, "JSON", kErrorPage);
  return refusal(file, ErrorKind::NotAModel, "a text file", kOther);
}

/// Protocol 2 and up begin with PROTO and an operation, none of which is 0 as the third byte of a length is.
bool isPickle(std::string_view head) {
  return head.size() >= 3 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5 && head[2] != '\0';
}

/// A pickle that asks for commands is refused as that, not as the wrong type. Errors: Unsafe.
void requireSafePickle(const File& file) {
  if (file.size() > kLargestPickle) return;
  try {
    pickle::parse(file.read(0, file.size()), file.name());
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Unsafe) throw;
  }
}

}  // namespace

bool isPartByName(const File& file) { return partOf(file) != std::end(kParts); }

std::optional<Error> refusalByType(const File& file) {
  const std::string bytes = file.read(0, std::min<std::uint64_t>(file.size(), 4096));
  const std::string_view head = bytes;
  for (const Magic& magic : kMagics) {
    if (head.size() >= magic.offset && head.substr(magic.offset).starts_with(magic.bytes)) {
      return refusal(file, magic.kind, magic.looksLike, magic.advice);
    }
  }
  if (isPickle(head) || head.starts_with("c") || head.starts_with("(")) requireSafePickle(file);
  if (isPickle(head)) {
    const bool joblib = head.find("joblib") != std::string_view::npos || head.find("sklearn") != std::string_view::npos;
    return refusal(file, ErrorKind::NotAModel,
                   joblib ? "a pickle that joblib wrote" : "a plain Python pickle without tensors", kResave);
  }
  if (isText(head)) return refusalOfText(file, head);
  return std::nullopt;
}

Error refusalOf(const File& file) {
  if (std::optional<Error> known = refusalByType(file)) return *known;
  const std::string head = file.read(0, std::min<std::uint64_t>(file.size(), 8));
  return Error(ErrorKind::NotAModel,
               fmt::format("{}: the file of {} bytes is of no type known here; it begins with {}. {}", file.name(),
                           grouped(file.size()), inQuotes(head), whatOpens()));
}

Error refusalOfZip(const File& file, const ZipDirectory& directory) {
  for (const ZipMark& mark : kZipMarks) {
    for (const ZipEntry& entry : directory.entries) {
      if (entry.name.ends_with(mark.ending)) return refusal(file, ErrorKind::NotAModel, mark.looksLike, mark.advice);
    }
  }
  std::vector<std::string> names;
  for (const ZipEntry& entry : directory.entries) names.push_back(entry.name);
  return refusal(file, ErrorKind::NotAModel,
                 fmt::format("a zip archive with {} ({})", counted(names.size(), "member"), listed(names, 4)), kOther);
}

}  // namespace core::checkpoint
