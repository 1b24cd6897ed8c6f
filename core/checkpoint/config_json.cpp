#include "core/checkpoint/config_json.h"

#include <fmt/format.h>

#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

std::int64_t wholeNumberAt(const Json& object, std::string_view key, const std::string& where, std::string_view advice,
                           std::int64_t most) {
  const auto found = object.find(key);
  if (found == object.end())
    throw Error(ErrorKind::Mismatch, fmt::format("{} has no {}. {}", where, inQuotes(key), advice));
  std::uint64_t size = 0;  // of what is no whole number above 0, too
  if (found->is_number_unsigned()) {
    size = found->get<std::uint64_t>();
  } else if (found->is_number_integer() && found->get<std::int64_t>() > 0) {
    size = found->get<std::uint64_t>();
  }
  if (size < 1 || size > static_cast<std::uint64_t>(most)) {
    throw Error(ErrorKind::Mismatch, fmt::format("{}: {} is {}; it must be a whole number from 1 to {}. {}", where,
                                                 inQuotes(key), shown(*found), grouped(most), advice));
  }
  return static_cast<std::int64_t>(size);
}

}  // namespace

std::int64_t sizeAt(const Json& object, std::string_view key, const std::string& where, std::string_view advice) {
  return wholeNumberAt(object, key, where, advice, kLargestSize);
}

int layersAt(const Json& object, std::string_view key, const std::string& where, std::string_view advice) {
  return static_cast<int>(wholeNumberAt(object, key, where, advice, kMostLayers));
}

std::string shown(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string()) return inQuotes(value.get_ref<const std::string&>());
  return value.dump();
}

}  // namespace core::checkpoint
