#include "core/checkpoint/meta_pickle.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "core/checkpoint/file.h"
#include "core/checkpoint/pickle.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"
#include "core/tokenizer/char_tokenizer.h"
#include "core/tokenizer/utf8.h"

namespace core::checkpoint {

namespace fs = std::filesystem;

namespace {

using pickle::Kind;
using pickle::Value;

constexpr std::uint64_t kLargestMetaPickle = 8u << 20;
constexpr int kFoldersUp = 4;

[[noreturn]] void fail(const File& file, ErrorKind kind, const std::string& what) {
  throw Error(kind, fmt::format("{}: {}. Choose the meta.pkl that the model was trained with.", file.name(), what));
}

/// The characters in the order of their ids, from {id: character} or [character, ...].
std::vector<std::string> characters(const File& file, const Value& itos) {
  std::vector<std::string> texts;
  std::set<std::string_view> seen;
  const auto add = [&](const Value& text) {
    if (text.kind != Kind::Text || text.text.empty()) {
      fail(file, ErrorKind::Corrupt,
           fmt::format("'itos' has {} for the id {}, not a character", describe(text), texts.size()));
    }
    if (tokenizer::codePointAt(text.text, 0).length != text.text.size()) {
      fail(file, ErrorKind::Unsupported,
           fmt::format("'itos' has {} for the id {}; one character a token is read, not words", describe(text),
                       texts.size()));
    }
    if (!seen.insert(text.text).second) {
      fail(file, ErrorKind::Corrupt, fmt::format("the character {} stands in 'itos' twice", inQuotes(text.text)));
    }
    texts.emplace_back(text.text);
  };
  if (itos.kind == Kind::List) {
    for (const Value* text : itos.items) add(*text);
    return texts;
  }
  std::vector<const Value*> byId(itos.items.size() / 2, nullptr);
  for (std::size_t i = 0; i + 1 < itos.items.size(); i += 2) {
    const Value& id = *itos.items[i];
    if (id.kind != Kind::Int || id.integer < 0 || static_cast<std::uint64_t>(id.integer) >= byId.size()) {
      fail(file, ErrorKind::Corrupt,
           fmt::format("'itos' has {} as an id among {}; ids run from 0 without gaps", describe(id),
                       counted(byId.size(), "character")));
    }
    byId[static_cast<std::size_t>(id.integer)] = itos.items[i + 1];
  }
  for (const Value* text : byId) {
    if (text == nullptr)
      fail(file, ErrorKind::Corrupt, fmt::format("'itos' has no character for the id {}", texts.size()));
    add(*text);
  }
  return texts;
}

}  // namespace

std::shared_ptr<const tokenizer::Tokenizer> readMetaPickle(const fs::path& path) {
  const File file(path);
  if (file.size() > kLargestMetaPickle) {
    fail(file, ErrorKind::TooLarge,
         fmt::format("it has {} bytes; the limit for a meta.pkl is {}", grouped(file.size()),
                     grouped(kLargestMetaPickle)));
  }
  const pickle::Document document = pickle::parse(file.read(0, file.size()), file.name());
  const Value* itos = pickle::find(document.root(), "itos");
  if (itos == nullptr || (itos->kind != Kind::Dict && itos->kind != Kind::List)) {
    fail(file, ErrorKind::NotAModel,
         fmt::format("it holds {} without a list of characters ('itos')", describe(document.root())));
  }
  return tokenizer::makeCharTokenizer(characters(file, *itos));
}

std::optional<fs::path> findMetaPickle(const fs::path& checkpoint, std::string_view dataset) {
  std::error_code ignored;
  const fs::path folder = checkpoint.parent_path();
  if (fs::is_regular_file(folder / "meta.pkl", ignored)) return folder / "meta.pkl";
  const bool plainName = !dataset.empty() && dataset.front() != '/' && dataset.find("..") == std::string_view::npos &&
                         dataset.find('\0') == std::string_view::npos;
  if (!plainName) return std::nullopt;
  fs::path above = folder;
  for (int i = 0; i <= kFoldersUp; ++i, above = above.parent_path()) {
    const fs::path candidate = above / "data" / dataset / "meta.pkl";
    if (fs::is_regular_file(candidate, ignored)) return candidate;
  }
  return std::nullopt;
}

}  // namespace core::checkpoint
