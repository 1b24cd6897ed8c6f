#include "core/checkpoint/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/checkpoint/json_scan.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

[[noreturn]] void failCorrupt(const std::string& origin, const std::string& what) {
  throw Error(ErrorKind::Corrupt, fmt::format("{}: {}. Download or copy it again.", origin, what));
}

/// Reads the text for the parser and lets others know how far it is.
class TrackedByte {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TrackedByte(const char* at, const char** reached) : m_at(at), m_reached(reached) {}
  reference operator*() const { return *m_at; }
  TrackedByte& operator++() {
    *m_reached = ++m_at;
    return *this;
  }
  TrackedByte operator++(int) {
    TrackedByte before = *this;
    ++*this;
    return before;
  }
  bool operator==(const TrackedByte& other) const { return m_at == other.m_at; }
  bool operator!=(const TrackedByte& other) const { return m_at != other.m_at; }

 private:
  const char* m_at;
  const char** m_reached;
};

/// What the parser itself says is wrong, without its prefix, place and the text that it read.
std::string reasonOf(const nlohmann::json::exception& exception) {
  std::string text = exception.what();
  const std::size_t number = text.find("] ");
  if (const std::size_t dash = text.find(" - "); dash != std::string::npos) {
    text.erase(0, dash + 3);
  } else if (number != std::string::npos) {
    text.erase(0, number + 2);
  }
  text.erase(std::min(text.find("; last read"), text.size()));
  return text.size() <= 100 ? text : text.substr(0, 100) + "...";
}

/// Builds the values as the parser finds them; what is open stands on a stack, never on the call stack.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, const std::string& origin) : m_text(text), m_origin(origin) {}

  Json take() { return std::move(m_root); }
  const char** reached() { return &m_reached; }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string& /*digits*/) override { return add(value); }
  bool string(std::string& value) override { return add(value); }  // a copy: its capacity is no larger than need be
  bool binary(Json::binary_t& value) override { return add(std::move(value)); }  // JSON text has none

  bool start_object(std::size_t /*count*/) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*count*/) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    // Two readers may each believe another of the two values.
    const auto [member, isNew] = m_open.back()->get_ref<Json::object_t&>().try_emplace(name);
    if (!isNew) {
      failCorrupt(m_origin,
                  fmt::format("the key {} stands twice in one object, the second time before byte {}", inQuotes(name),
                              grouped(static_cast<std::uint64_t>(m_reached - m_text.data()))));
    }
    m_member = &member->second;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& exception) override {
    // The parser counts the byte that it stumbled over.
    failCorrupt(m_origin, fmt::format("it is no JSON at byte {}: {}",
                                      grouped(std::uint64_t{position > 0 ? position - 1 : 0}), reasonOf(exception)));
  }

 private:
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    m_open.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    m_open.pop_back();
    return true;
  }

  /// An array grows only while none of its items is open, so the answer holds until the value is closed.
  Json* place(Json value) {
    if (m_open.empty()) {
      m_root = std::move(value);
      return &m_root;
    }
    if (m_open.back()->is_array()) {
      Json::array_t& items = m_open.back()->get_ref<Json::array_t&>();
      items.push_back(std::move(value));
      return &items.back();
    }
    *m_member = std::move(value);
    return m_member;
  }

  std::string_view m_text;
  const std::string& m_origin;
  const char* m_reached = m_text.data();
  Json m_root;
  std::vector<Json*> m_open;
  Json* m_member = nullptr;  ///< of the object on top, for its key's value
};

void requireSize(std::uint64_t bytes, const std::string& origin, const JsonLimits& limits) {
  if (bytes <= limits.bytes) return;
  throw Error(ErrorKind::TooLarge,
              fmt::format("{}: it has {} bytes of JSON, the limit is {}. Open the file of a model.", origin,
                          grouped(bytes), grouped(limits.bytes)));
}

}  // namespace

Json parseJson(std::string_view text, const std::string& origin, const JsonLimits& limits) {
  requireSize(text.size(), origin, limits);
  // The parser would skip it.
  if (text.starts_with("\xef\xbb\xbf")) {
    failCorrupt(origin, "it begins with a byte-order mark (byte 0), which no writer of JSON puts there");
  }
  requireLimits(text, origin, limits);
  Builder builder(text, origin);
  const char* const begin = text.data();
  Json::sax_parse(TrackedByte(begin, builder.reached()), TrackedByte(begin + text.size(), builder.reached()), &builder);
  return builder.take();
}

Json readJson(const File& file, const JsonLimits& limits) {
  requireSize(file.size(), file.name(), limits);
  return parseJson(file.read(0, file.size()), file.name(), limits);
}

}  // namespace core::checkpoint
