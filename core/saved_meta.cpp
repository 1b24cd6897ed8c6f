// Reads what core/capture_meta.h writes.
#include <algorithm>
#include <set>

#include "core/base64.h"
#include "core/capture_meta.h"
#include "core/checkpoint/json.h"
#include "core/checkpoint/printable.h"
#include "core/tokenizer/token_label.h"

namespace core {

using checkpoint::inQuotes;
using checkpoint::Json;

namespace {

/// The tokens of a run, three values each, and its prompt.
constexpr checkpoint::JsonLimits kLimits{
    .bytes = kLargestMeta, .depth = 8, .values = 1'200'000, .stringBytes = 8u << 20};
constexpr std::int64_t kMostTokens = 400'000;
constexpr std::int64_t kMostLayersOrHeads = 10'000;

/// A text of a file, fit to stand in a line of the window.
std::string oneLine(std::string text) {
  for (char& byte : text) {
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) byte = ' ';
  }
  return text;
}

/// One object of the meta.
class Fields {
 public:
  Fields(const Json& json, const std::string& origin) : m_json(json), m_origin(origin) {}

  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw Error(ErrorKind::Corrupt, m_origin + ": " + inQuotes(key) + " " + what + ". Save the capture again.");
  }

  const Json& field(const char* key) const {
    const auto found = m_json.find(key);
    if (found == m_json.end()) fail(key, "is missing");
    return *found;
  }
  std::string text(const char* key) const {
    const Json& value = field(key);
    if (value.is_null()) return {};
    if (!value.is_string()) fail(key, std::string("is ") + value.type_name() + ", no text");
    return oneLine(value.get<std::string>());
  }
  std::int64_t number(const char* key, std::int64_t least, std::int64_t most) const {
    return numberIn(key, field(key), least, most);
  }
  std::int64_t numberIn(const char* key, const Json& value, std::int64_t least, std::int64_t most) const {
    // An unsigned one above 2^63 would turn round.
    const bool isWhole = value.is_number_integer() &&
                         (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
    const std::int64_t number = isWhole ? value.get<std::int64_t>() : 0;
    if (isWhole && number >= least && number <= most) return number;
    fail(key, "holds " + inQuotes(value.dump(-1, ' ', false, Json::error_handler_t::replace)) +
                  ", not a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  const Json& list(const char* key) const {
    const Json& value = field(key);
    if (!value.is_array()) fail(key, std::string("is ") + value.type_name() + ", no list");
    return value;
  }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> all;
    for (const Json& value : list(key)) {
      if (!value.is_string()) fail(key, std::string("holds ") + value.type_name() + ", not only texts");
      all.push_back(oneLine(value.get<std::string>()));
    }
    return all;
  }
  std::vector<std::int64_t> numbers(const char* key, std::int64_t least, std::int64_t most) const {
    std::vector<std::int64_t> all;
    for (const Json& value : list(key)) all.push_back(numberIn(key, value, least, most));
    return all;
  }
  /// Different indices below `count`, at least one.
  std::vector<int> indices(const char* key, int count) const {
    std::vector<int> all;
    for (const std::int64_t index : numbers(key, 0, count - 1)) all.push_back(static_cast<int>(index));
    if (all.empty()) fail(key, "is empty");
    if (std::set<int>(all.begin(), all.end()).size() != all.size()) fail(key, "names one twice");
    return all;
  }

 private:
  const Json& m_json;
  const std::string& m_origin;
};

ModelInfo readModel(const Fields& fields) {
  ModelInfo info;
  ModelConfig& config = info.config;
  info.name = fields.text("name");
  info.storedType = fields.text("stored_type");
  info.parameters = fields.number("parameters", 0, INT64_MAX);
  config.family = fields.text("family");
  config.version = fields.text("version");
  config.layers = static_cast<int>(fields.number("layers", 1, kMostLayersOrHeads));
  config.heads = static_cast<int>(fields.number("heads", 1, kMostLayersOrHeads));
  config.kvHeads = static_cast<int>(fields.number("kv_heads", 1, config.heads));
  if (config.heads % config.kvHeads != 0) fields.fail("kv_heads", "does not divide the heads");
  config.embedding = static_cast<int>(fields.number("embedding", 0, INT32_MAX));
  config.context = fields.number("context", 0, INT64_MAX);
  config.vocabulary = fields.number("vocabulary", 0, INT64_MAX);
  return info;
}

std::vector<TokenText> readTokens(const Fields& fields) {
  const std::vector<std::int64_t> ids = fields.numbers("token_ids", INT64_MIN, INT64_MAX);
  const std::vector<std::string> encoded = fields.texts("token_bytes");
  if (ids.empty() || std::ssize(ids) > kMostTokens || ids.size() != encoded.size()) {
    fields.fail("token_ids", "has " + std::to_string(ids.size()) + " tokens and 'token_bytes' " +
                                 std::to_string(encoded.size()) + "; both have the same number, 1 to " +
                                 std::to_string(kMostTokens));
  }
  std::vector<std::string> bytes;
  for (const std::string& text : encoded) {
    const auto decoded = fromBase64(text);
    if (!decoded) fields.fail("token_bytes", "holds " + inQuotes(text) + ", which is no base64");
    bytes.push_back(*decoded);
  }
  return tokenizer::labelTokens(ids, bytes);
}

MaskKind readMask(const Fields& fields) {
  const std::string mask = fields.text("mask");
  for (const MaskKind kind : {MaskKind::Causal, MaskKind::Bidirectional}) {
    if (mask == word(kind)) return kind;
  }
  fields.fail("mask", "is " + inQuotes(mask) + ", neither 'causal' nor 'bidirectional'");
}

std::vector<Window> readWindows(const Fields& fields, int layers) {
  std::vector<Window> windows;
  for (const Json& value : fields.list("windows"))
    windows.push_back(value.is_null() ? Window{} : Window{fields.numberIn("windows", value, 0, Window::kNoLimit - 1)});
  if (std::ssize(windows) != layers) {
    fields.fail("windows",
                "has " + std::to_string(windows.size()) + " windows for " + std::to_string(layers) + " layers");
  }
  return windows;
}

/// Whether the file has every query and key of T tokens, in their order.
bool hasAllCells(const Fields& fields, std::int64_t T) {
  if (!fields.field("rows").is_null()) {
    const std::vector<std::int64_t> rows = fields.numbers("rows", 0, T - 1);
    if (std::ssize(rows) != T) return false;
    for (std::int64_t i = 0; i < T; ++i) {
      if (rows[static_cast<std::size_t>(i)] != i) return false;
    }
  }
  return fields.field("columns").is_null() || fields.numbers("columns", 0, T) == std::vector<std::int64_t>{0, T};
}

}  // namespace

std::optional<SavedMeta> readMeta(std::string_view text, const std::string& origin) {
  if (!text.starts_with("{")) return std::nullopt;
  const Json json = checkpoint::parseJson(text, origin, kLimits);
  const auto kind = json.find("kind");
  if (kind == json.end() || *kind != "capture") return std::nullopt;
  const Fields fields(json, origin);
  if (const std::int64_t schema = fields.number("schema", 0, INT64_MAX); schema != 1) {
    throw Error(ErrorKind::Unsupported, origin + ": its schema is " + std::to_string(schema) +
                                            ", this version reads 1. Open it with a newer Headscope.");
  }
  SavedMeta meta;
  meta.app = fields.text("app");
  const Json& model = fields.field("model");
  if (!model.is_object()) fields.fail("model", "is no object");
  meta.model = readModel(Fields(model, origin));
  meta.tokens = readTokens(fields);
  meta.mask = readMask(fields);
  meta.windows = readWindows(fields, meta.model.config.layers);
  meta.differences = fields.texts("differences");
  meta.warnings = fields.texts("warnings");
  meta.path = fields.text("path");
  meta.device = fields.text("device");
  const Json& seconds = fields.field("seconds");
  if (!seconds.is_number() && !seconds.is_null()) fields.fail("seconds", "is no number");
  meta.seconds = seconds.is_number() ? seconds.get<double>() : 0;
  meta.layers = fields.indices("layers", meta.model.config.layers);
  meta.heads = fields.indices("heads", meta.model.config.heads);
  meta.allCells = hasAllCells(fields, std::ssize(meta.tokens));
  return meta;
}

}  // namespace core
