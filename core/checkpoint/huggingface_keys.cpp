#include "core/checkpoint/huggingface_keys.h"

#include <fmt/format.h>

#include "core/checkpoint/config_json.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint::huggingface {

const Json* Keys::find(std::string_view key) const {
  const auto found = m_object.find(key);
  return found == m_object.end() ? nullptr : &*found;
}

const Json* Keys::findSet(std::string_view key) const {
  const Json* value = find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::int64_t Keys::size(std::string_view key) const { return sizeAt(m_object, key, m_where, kSaveAgain); }

std::int64_t Keys::size(std::string_view key, std::int64_t otherwise) {
  if (find(key) != nullptr) return size(key);
  note(key, std::to_string(otherwise));
  return otherwise;
}

std::optional<std::int64_t> Keys::sizeWhereSet(std::string_view key) const {
  if (findSet(key) == nullptr) return std::nullopt;
  return size(key);
}

double Keys::positive(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) mismatch(fmt::format("it has no {}", inQuotes(key)));
  const double number = value->is_number() ? value->get<double>() : 0;
  if (!(number > 0)) mistyped(key, *value, "a number above 0");
  return number;
}

double Keys::positive(std::string_view key, double otherwise) {
  if (find(key) != nullptr) return positive(key);
  note(key, fmt::format("{}", otherwise));
  return otherwise;
}

bool Keys::truth(std::string_view key, bool otherwise) const {
  const Json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) mistyped(key, *value, "true or false");
  return value->get<bool>();
}

std::string Keys::text(std::string_view key, std::string_view otherwise) const {
  const Json* value = find(key);
  if (value == nullptr) return std::string(otherwise);
  if (!value->is_string()) mistyped(key, *value, "a text");
  return value->get<std::string>();
}

void Keys::note(std::string_view key, std::string_view taken) {
  m_defaults.push_back(fmt::format("{} {}", key, taken));
}

void Keys::mismatch(const std::string& what) const {
  throw Error(ErrorKind::Mismatch, fmt::format("{}: {}. {}", m_where, what, kSaveAgain));
}

void Keys::unsupported(const std::string& what, std::string_view advice) const {
  throw Error(ErrorKind::Unsupported, fmt::format("{}: {}. {}", m_where, what, advice));
}

void Keys::mistyped(std::string_view key, const Json& value, std::string_view wanted) const {
  mismatch(fmt::format("{} is {}; it must be {}", inQuotes(key), shown(value), wanted));
}

}  // namespace core::checkpoint::huggingface
