#include "core/attention/saved_parts.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/array_files.h"
#include "core/arrays/array_values.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"
#include "core/tokenizer/token_label.h"

namespace core {

using arrays::ArrayFile;
using arrays::ElementType;
using arrays::StoredArray;
using checkpoint::inQuotes;
using checkpoint::shapeText;

namespace {

constexpr std::int64_t kMostTokens = 1'000'000;
constexpr std::int64_t kMostLayersOrHeads = 10'000;
constexpr std::int64_t kMostMaps = 100'000;
constexpr const char* kNames[] = {"attn", "attentions", "attention", "weights"};
constexpr const char* kWanted =
    "Save attention weights of shape (L, H, T, T), (H, T, T) or (T, T) as an array of floats: numpy.savez('run.npz', "
    "attn=attn)";

bool isSquare(const StoredArray& array) {
  const std::size_t n = array.shape.size();
  return n >= 2 && n <= 4 && array.shape[n - 1] == array.shape[n - 2];
}

[[noreturn]] void refuse(const ArrayFile& file, const std::string& what) {
  throw Error(ErrorKind::Unsupported, file.file().name() + ": " + what + ". " + kWanted + ".");
}

/// A part of a run has other sums, and holes where nothing was saved.
[[noreturn]] void refusePart(const ArrayFile& file) {
  throw Error(ErrorKind::Unsupported,
              file.file().name() + ": it holds a part of the queries or keys of a run (" + file.listing() +
                  "); a capture is opened with all of them. Save it without choosing rows or columns.");
}

void requireFloats(const ArrayFile& file, const StoredArray& array) {
  if (array.type.isFloat()) return;
  if (array.type.kind == ElementType::Kind::Object) {
    throw Error(ErrorKind::Unsupported,
                file.placeOf(array) +
                    " holds pickled Python objects, which could run code and are not read. Save it as "
                    "an array of floats: numpy.stack(...).astype('float32').");
  }
  throw Error(ErrorKind::Unsupported, file.placeOf(array) + " holds " + array.type.name +
                                          "; weights are read as float16, bfloat16, float32 or float64. Save it as "
                                          "float32.");
}

/// Whether `rows` and `cols`, where they are there, name every position in its order.
bool hasAllPositions(const ArrayFile& file, std::int64_t T) {
  for (const char* name : {"rows", "cols"}) {
    const StoredArray* array = file.find(name);
    if (array == nullptr || !array->type.isInteger() || array->shape.size() != 1) continue;
    if (array->shape[0] != T) return false;
    const std::vector<std::int64_t> positions = readIntegers(file, *array, static_cast<std::uint64_t>(T));
    for (std::int64_t i = 0; i < T; ++i) {
      if (positions[static_cast<std::size_t>(i)] != i) return false;
    }
  }
  return true;
}

/// The text of the file's meta, and where it stands; nothing without one.
std::optional<std::pair<std::string, std::string>> metaText(const ArrayFile& file) {
  if (const auto found = file.texts().find("meta"); found != file.texts().end())
    return std::pair(found->second, file.file().name() + ": its meta");
  if (file.kind() == ArrayFile::Kind::Npy) {
    const std::filesystem::path beside = metaFileOf(file.file().path());
    if (std::error_code error; !std::filesystem::is_regular_file(beside, error)) return std::nullopt;
    const checkpoint::File json(beside);
    if (json.size() > kLargestMeta) {
      throw Error(ErrorKind::TooLarge, json.name() + " has " + checkpoint::grouped(json.size()) +
                                           " bytes, the limit is " + checkpoint::grouped(kLargestMeta) + ".");
    }
    return std::pair(json.read(0, json.size()), json.name());
  }
  const StoredArray* meta = file.find("meta");
  const bool isText =
      meta != nullptr && (meta->type.kind == ElementType::Kind::Text || meta->type.kind == ElementType::Kind::Bytes);
  if (!isText || meta->elements != 1) return std::nullopt;
  return std::pair(readTexts(file, *meta, 1).front(), file.placeOf(*meta));
}

/// Why the meta is not that of these weights; empty when it is.
std::string contradiction(const SavedMeta& meta, const WeightShape& shape) {
  const auto differ = [](const char* what, std::size_t said, std::int64_t stored) {
    if (static_cast<std::int64_t>(said) == stored) return std::string();
    return "it speaks of " + checkpoint::counted(said, what) + ", the weights have " + std::to_string(stored);
  };
  std::string text = differ("token", meta.tokens.size(), shape.tokens);
  if (text.empty()) text = differ("layer", meta.layers.size(), shape.layers);
  if (text.empty()) text = differ("head", meta.heads.size(), shape.heads);
  return text;
}

/// Whether an array of tokens has one for each: (T), or (1, T) as a batch of one.
bool isOfTokens(const StoredArray& array, std::int64_t T) {
  const auto& shape = array.shape;
  return !shape.empty() && shape.size() <= 2 && shape.back() == T && (shape.size() == 1 || shape.front() == 1);
}

}  // namespace

bool hasWeightsByName(const ArrayFile& file) {
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](const char* name) { return file.find(name) != nullptr; });
}

const StoredArray& weightsIn(const ArrayFile& file) {
  for (const char* name : kNames) {
    const StoredArray* array = file.find(name);
    if (array == nullptr) continue;
    requireFloats(file, *array);
    if (isSquare(*array)) return *array;
    if (file.find("rows") != nullptr && file.find("cols") != nullptr) refusePart(file);
    const bool isBatch = array->shape.size() == 5 && array->shape[1] == 1;
    refuse(file, "the array " + inQuotes(name) + " is of the shape " + shapeText(array->shape) +
                     (isBatch ? ", with a batch of one in the second place: take it out, attn[:, 0]" : ""));
  }
  std::vector<const StoredArray*> candidates;
  for (const StoredArray& array : file.arrays()) {
    if (isSquare(array) && array.name != "logits") candidates.push_back(&array);
  }
  if (candidates.size() == 1) {
    requireFloats(file, *candidates.front());
    return *candidates.front();
  }
  if (file.kind() == ArrayFile::Kind::Npy) {
    requireFloats(file, file.arrays().front());
    refuse(file, "it is of the shape " + shapeText(file.arrays().front().shape));
  }
  refuse(file, (candidates.empty() ? "none of its arrays can be attention weights: "
                                   : "several of its arrays could be the attention weights: ") +
                   file.listing());
}

WeightShape shapeOf(const ArrayFile& file, const StoredArray& weights) {
  const std::vector<std::int64_t>& shape = weights.shape;
  WeightShape sizes;
  sizes.tokens = shape.back();
  if (shape.size() >= 3) sizes.heads = shape[shape.size() - 3];
  if (shape.size() == 4) sizes.layers = shape[0];
  if (sizes.tokens == 0 || sizes.heads == 0 || sizes.layers == 0)
    refuse(file, "its weights are of the shape " + shapeText(shape) + ", with nothing in it");
  if (sizes.tokens > kMostTokens || sizes.heads > kMostLayersOrHeads || sizes.layers > kMostLayersOrHeads ||
      sizes.heads * sizes.layers > kMostMaps) {
    throw Error(ErrorKind::TooLarge, file.placeOf(weights) + " is of the shape " + shapeText(shape) +
                                         "; the limits are " + checkpoint::grouped(kMostTokens) + " tokens and " +
                                         checkpoint::grouped(kMostMaps) + " heads in all. Save fewer.");
  }
  if (!hasAllPositions(file, sizes.tokens)) refusePart(file);
  return sizes;
}

std::optional<SavedMeta> metaOf(const ArrayFile& file, const WeightShape& shape, std::vector<std::string>& warnings) {
  std::optional<SavedMeta> meta;
  std::string place;
  try {
    const auto text = metaText(file);
    if (!text) return std::nullopt;
    place = text->second;
    meta = readMeta(text->first, place);
  } catch (const Error& error) {
    warnings.push_back(std::string("The meta is not used: ") + error.what());
    return std::nullopt;
  }
  if (!meta) return std::nullopt;
  if (!meta->allCells) refusePart(file);
  const std::string why = contradiction(*meta, shape);
  if (why.empty()) return meta;
  warnings.push_back(place + " is not used: " + why + ".");
  return std::nullopt;
}

std::vector<TokenText> tokensIn(const ArrayFile& file, const WeightShape& shape, std::vector<std::string>& warnings) {
  const auto T = static_cast<std::uint64_t>(shape.tokens);
  std::vector<TokenId> ids(T);
  std::iota(ids.begin(), ids.end(), TokenId{0});
  std::vector<std::string> bytes(T);
  bool known = false;
  const auto read = [&](const char* name, auto readInto) {
    const StoredArray* array = file.find(name);
    if (array == nullptr) return;
    if (!isOfTokens(*array, shape.tokens)) {
      warnings.push_back(file.placeOf(*array) + " is of the shape " + shapeText(array->shape) +
                         ", not one for each of " + std::to_string(shape.tokens) + " tokens: it is not used.");
      return;
    }
    try {
      readInto(*array);
      known = true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::Unsupported && error.kind() != ErrorKind::TooLarge) throw;
      warnings.push_back(std::string("It is not used: ") + error.what());
    }
  };
  read("token_ids", [&](const StoredArray& array) { ids = readIntegers(file, array, T); });
  read("tokens", [&](const StoredArray& array) { bytes = readTexts(file, array, T); });
  if (!known) warnings.push_back(file.file().name() + ": it says nothing of its tokens: they are numbered.");
  return tokenizer::labelTokens(ids, bytes);
}

std::vector<int> numbersIn(const ArrayFile& file, const char* name, std::int64_t count,
                           std::vector<std::string>& warnings) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  const StoredArray* array = file.find(name);
  if (array == nullptr) return numbers;
  if (array->shape == std::vector{count} && array->type.isInteger()) {
    const std::vector<std::int64_t> stored = readIntegers(file, *array, static_cast<std::uint64_t>(count));
    const bool inRange = std::all_of(stored.begin(), stored.end(),
                                     [](std::int64_t number) { return number >= 0 && number < kMostLayersOrHeads; });
    if (inRange && std::set<std::int64_t>(stored.begin(), stored.end()).size() == stored.size()) {
      std::transform(stored.begin(), stored.end(), numbers.begin(),
                     [](std::int64_t number) { return static_cast<int>(number); });
      return numbers;
    }
  }
  warnings.push_back(file.placeOf(*array) + " does not name " + std::to_string(count) + " different " + name +
                     ": they are counted from 0.");
  return numbers;
}

const StoredArray* logitsIn(const ArrayFile& file, const WeightShape& shape, std::vector<std::string>& warnings) {
  const StoredArray* array = file.find("logits");
  if (array == nullptr) return nullptr;
  const std::size_t n = array->shape.size();
  const bool fits =
      array->type.isFloat() && array->elements > 0 && (n == 1 || (n == 2 && array->shape[0] == shape.tokens));
  if (fits) return array;
  warnings.push_back(file.placeOf(*array) + " is of the shape " + shapeText(array->shape) + " and holds " +
                     array->type.name + ", not floats (T, V) or (V): it is not used.");
  return nullptr;
}

}  // namespace core
