// A vocabulary and its merges as GPT-2 and Hugging Face spell them: tokens in letters that stand for bytes.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/checkpoint/json.h"
#include "core/error.h"
#include "core/tokenizer/byte_bpe.h"
#include "core/tokenizer/tokenizer.h"

namespace core::checkpoint {

/// One past the largest id that is read: the largest vocabularies have a quarter of it.
inline constexpr std::int64_t kMostTokenIds = 1 << 20;
/// In one vocabulary, whatever their ids: so that it and the Json that it is made of stay small.
inline constexpr std::uint64_t kMostTokens = 400'000;

/// For a tokenizer that is not read: adds "Choose another tokenizer file, or give token ids." to the sentence.
Error tokenizerError(ErrorKind kind, const std::string& origin, const std::string& what);

struct Vocabulary {
  std::vector<std::string> tokens;         ///< bytes by id; empty for holes and what is in `spelled`
  std::map<TokenId, std::string> spelled;  ///< those with letters that stand for no byte
  std::unordered_map<std::string_view, tokenizer::Symbol> ids;  ///< by spelling; the texts are the Json's
};

/// {"spelling": id, ...}, ids in any order and with holes; the Json must outlive the vocabulary. `origin` begins
/// sentences: "/x/vocab.json".
/// Errors: Corrupt for what is no id or stands there twice, TooLarge for an id from kMostTokenIds on, or more than
/// kMostTokens.
Vocabulary readVocabulary(const Json& vocab, const std::string& origin);

/// Adds the next merge, whose rank is that of its place.
/// Errors: Corrupt when one of the tokens, or what they make, is not in the vocabulary; TooLarge.
void addMerge(tokenizer::MergeTable& merges, const Vocabulary& vocabulary, std::string_view left,
              std::string_view right, std::uint32_t rank, const std::string& origin);

/// The two tokens of a merge as one text: "a b". Nothing when it has other than one space.
std::optional<std::pair<std::string_view, std::string_view>> splitMerge(std::string_view text);

/// Whether an object is one of spellings and ids.
bool isVocabulary(const Json& json);
/// Whether a text begins as merges.txt does.
bool isMergeList(std::string_view head);

/// vocab.json and merges.txt (or encoder.json and vocab.bpe, their first names), by one of the two: what is in `path`
/// (a vocabulary by isVocabulary()), or merges. The split rule is GPT-2's, and <|endoftext|> in a text is that token.
/// Errors: NotFound for the other file; NotAModel where that is no vocabulary; Corrupt, TooLarge; those of readJson.
std::shared_ptr<const tokenizer::Tokenizer> readByVocabulary(const std::filesystem::path& path, const Json& vocabulary);
std::shared_ptr<const tokenizer::Tokenizer> readByMerges(const std::filesystem::path& path);

}  // namespace core::checkpoint
