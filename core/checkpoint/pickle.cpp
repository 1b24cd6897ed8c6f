#include "core/checkpoint/pickle.h"

#include "core/checkpoint/printable.h"

namespace core::checkpoint::pickle {

std::string describe(const Value& value) {
  switch (value.kind) {
    case Kind::None: return "None";
    case Kind::Bool: return value.integer != 0 ? "True" : "False";
    case Kind::Int: return "the number " + std::to_string(value.integer);
    case Kind::BigInt: return "a number beyond 64 bits";
    case Kind::Float: return "the number " + std::to_string(value.number);
    case Kind::Text: return "the text " + inQuotes(value.text);
    case Kind::Bytes: return counted(value.text.size(), "byte");
    case Kind::Tuple: return "a tuple of " + counted(value.items.size(), "item");
    case Kind::List: return "a list of " + counted(value.items.size(), "item");
    case Kind::Set: return "a set of " + counted(value.items.size(), "item");
    case Kind::Dict: return "a dict of " + counted(value.items.size() / 2, "key");
    case Kind::Global: return "the name " + inQuotes(value.text);
    case Kind::Object: return "an object of " + inQuotes(callee(value));
    case Kind::Persistent: return "a storage";
  }
  return "?";
}

const Value* find(const Value& dict, std::string_view key) {
  if (dict.kind != Kind::Dict) return nullptr;
  for (std::size_t i = dict.items.size(); i >= 2; i -= 2) {
    const Value& candidate = *dict.items[i - 2];
    if (candidate.kind == Kind::Text && candidate.text == key) return dict.items[i - 1];
  }
  return nullptr;
}

std::vector<std::string> keyTexts(const Value& dict) {
  std::vector<std::string> names;
  names.reserve(dict.items.size() / 2);
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const Value& key = *dict.items[i];
    names.push_back(key.kind == Kind::Text ? std::string(key.text) : describe(key));
  }
  return names;
}

std::string_view callee(const Value& object) {
  return object.kind == Kind::Object ? object.items[0]->text : std::string_view();  // "" where an object was called
}

}  // namespace core::checkpoint::pickle
