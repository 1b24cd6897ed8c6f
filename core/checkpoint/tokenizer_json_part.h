// A part of a tokenizer.json, which knows its name.
#pragma once

#include <string>
#include <vector>

#include "core/checkpoint/json.h"
#include "core/ids.h"

namespace core::checkpoint {

/// An object within the file, and how sentences about it begin: "/x/tokenizer.json: 'pre_tokenizer'".
/// Errors of all that read: Corrupt when the member is absent or of another type.
struct JsonPart {
  const Json& json;
  std::string origin;

  /// The member, or null where it is absent or null.
  const Json* find(const std::string& key) const;

  JsonPart object(const std::string& key) const;
  const Json& list(const std::string& key) const;
  std::vector<JsonPart> objects(const std::string& key) const;  ///< of a list of objects
  const std::string& text(const std::string& key) const;
  bool flag(const std::string& key) const;
  bool flag(const std::string& key, bool whereAbsent) const;
};

/// The parts of root[name] in their order, those of a "Sequence" (also within another) one by one from its list `key`;
/// none where it is absent. Errors: Unsupported for more than are in use.
std::vector<JsonPart> stepsOf(const JsonPart& root, const std::string& name, const std::string& key);

/// "the type 'X' is not supported"
[[noreturn]] void failUnsupported(const JsonPart& part, const std::string& type);

/// A number as a token id. Errors: Corrupt when it is none, TooLarge from kMostTokenIds on.
TokenId readTokenId(const Json& number, const std::string& origin);

}  // namespace core::checkpoint
