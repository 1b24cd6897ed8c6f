#include "core/checkpoint/tokenizer_json_part.h"

#include <fmt/format.h>

#include "core/checkpoint/config_json.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/vocab_merges.h"

namespace core::checkpoint {

namespace {

constexpr std::size_t kMostSteps = 16;

std::string described(const Json& value) { return (value.is_string() ? "the text " : "") + shown(value); }

/// The member, which must be there.
const Json& require(const JsonPart& part, const std::string& key, bool (Json::*is)() const noexcept,
                    const char* wanted) {
  const Json* found = part.find(key);
  if (found == nullptr) {
    throw tokenizerError(ErrorKind::Corrupt, part.origin, fmt::format("{} is missing", inQuotes(key)));
  }
  if (!(found->*is)()) {
    throw tokenizerError(ErrorKind::Corrupt, part.origin,
                         fmt::format("{} is {}, not {}", inQuotes(key), described(*found), wanted));
  }
  return *found;
}

/// The recursion is no deeper than readJson lets a file nest.
void flatten(const JsonPart& part, const std::string& key, std::vector<JsonPart>& parts) {
  if (part.text("type") != "Sequence") {
    parts.push_back(part);
    return;
  }
  for (const JsonPart& inner : part.objects(key)) flatten(inner, key, parts);
}

}  // namespace

const Json* JsonPart::find(const std::string& key) const {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

JsonPart JsonPart::object(const std::string& key) const {
  return {require(*this, key, &Json::is_object, "an object"), fmt::format("{}: {}", origin, inQuotes(key))};
}

const Json& JsonPart::list(const std::string& key) const { return require(*this, key, &Json::is_array, "a list"); }

std::vector<JsonPart> JsonPart::objects(const std::string& key) const {
  std::vector<JsonPart> parts;
  for (const Json& item : list(key)) {
    const std::string name = fmt::format("{}: {} item {}", origin, inQuotes(key), parts.size() + 1);
    if (!item.is_object()) {
      throw tokenizerError(ErrorKind::Corrupt, name, fmt::format("it is {}, not an object", described(item)));
    }
    parts.push_back({item, name});
  }
  return parts;
}

const std::string& JsonPart::text(const std::string& key) const {
  return require(*this, key, &Json::is_string, "a text").get_ref<const std::string&>();
}

bool JsonPart::flag(const std::string& key) const {
  return require(*this, key, &Json::is_boolean, "true or false").get<bool>();
}

bool JsonPart::flag(const std::string& key, bool whereAbsent) const {
  return find(key) == nullptr ? whereAbsent : flag(key);
}

std::vector<JsonPart> stepsOf(const JsonPart& root, const std::string& name, const std::string& key) {
  std::vector<JsonPart> parts;
  if (root.find(name) != nullptr) flatten(root.object(name), key, parts);
  if (parts.size() > kMostSteps) {
    throw tokenizerError(
        ErrorKind::Unsupported, root.origin,
        fmt::format("{} has {}; up to {} are read", inQuotes(name), counted(parts.size(), "step"), kMostSteps));
  }
  return parts;
}

void failUnsupported(const JsonPart& part, const std::string& type) {
  throw tokenizerError(ErrorKind::Unsupported, part.origin,
                       fmt::format("the type {} is not supported", inQuotes(type)));
}

TokenId readTokenId(const Json& number, const std::string& origin) {
  if (!number.is_number_unsigned()) {
    throw tokenizerError(ErrorKind::Corrupt, origin,
                         fmt::format("the id is {}, not a whole number from 0", described(number)));
  }
  const auto id = number.get<std::uint64_t>();
  if (id >= static_cast<std::uint64_t>(kMostTokenIds)) {
    throw tokenizerError(ErrorKind::TooLarge, origin,
                         fmt::format("the id is {}; ids up to {} are read", grouped(id), grouped(kMostTokenIds - 1)));
  }
  return static_cast<TokenId>(id);
}

}  // namespace core::checkpoint
