#include "core/checkpoint/tokenizer_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/checkpoint/file.h"
#include "core/checkpoint/json.h"
#include "core/checkpoint/meta_pickle.h"
#include "core/checkpoint/pickle.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/tiktoken_pickle.h"
#include "core/checkpoint/tokenizer_json.h"
#include "core/checkpoint/torch_archive.h"
#include "core/checkpoint/vocab_merges.h"
#include "core/error.h"

namespace core::checkpoint {

namespace fs = std::filesystem;

namespace {

using TokenizerPointer = std::shared_ptr<const tokenizer::Tokenizer>;

Error notATokenizer(const File& file, const std::string& what) {
  return Error(ErrorKind::NotAModel,
               fmt::format("{}: {}, which is no tokenizer. Choose a tokenizer.json, tokenizer.pkl, "
                           "meta.pkl or vocab.json (with merges.txt beside it).",
                           file.name(), what));
}

TokenizerPointer readAnyJson(const File& file) {
  const Json json = readJson(file, kTokenizerJsonLimits);
  if (isTokenizerJson(json)) return readTokenizerJson(json, file.name());
  if (isVocabulary(json)) return readByVocabulary(file.path(), json);
  std::vector<std::string> keys;
  if (json.is_object()) {
    for (const auto& item : json.items()) keys.push_back(item.key());
  }
  throw notATokenizer(file, keys.empty()
                                ? "it is JSON without anything in it"
                                : fmt::format("it is JSON with {} ({})", counted(keys.size(), "key"), listed(keys, 4)));
}

TokenizerPointer readAnyPickle(const File& file) {
  if (file.size() > kLargestPickle) {
    throw tokenizerError(
        ErrorKind::TooLarge, file.name(),
        fmt::format("it has {} bytes; the limit for a pickle is {}", grouped(file.size()), grouped(kLargestPickle)));
  }
  const pickle::Document document = pickle::parse(file.read(0, file.size()), file.name());
  if (isTiktoken(document.root())) return readTiktoken(document.root(), file.name());
  if (pickle::find(document.root(), "itos") != nullptr) return readMetaPickle(file.path());
  throw notATokenizer(file, fmt::format("the pickle holds {}", pickle::describe(document.root())));
}

}  // namespace

TokenizerPointer readTokenizer(const fs::path& path) {
  const File file(path);
  const std::string head = file.read(0, std::min<std::uint64_t>(file.size(), 64));
  if (isMergeList(head)) return readByMerges(path);
  const std::size_t start = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  if (head.substr(start).starts_with('{')) return readAnyJson(file);
  if (head[0] == '\x80') return readAnyPickle(file);
  throw notATokenizer(file, fmt::format("it begins with {}", inQuotes(std::string_view(head).substr(0, 8))));
}

}  // namespace core::checkpoint
