// Numbers, texts, the memo and the table of operations.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <type_traits>

#include "core/checkpoint/pickle_machine.h"
#include "core/checkpoint/pickle_text.h"
#include "core/checkpoint/printable.h"

namespace core::checkpoint::pickle {

namespace {

constexpr std::size_t kMostMarks = kDeepestNesting;
constexpr int kNewestProtocol = 5;

template <class Number>
bool parseWhole(std::string_view text, Number& number) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

template <class T>
T Machine::takeNumber() {
  T number{};
  std::memcpy(&number, take(sizeof(T)).data(), sizeof(T));
  return number;
}

template <class Length>
std::string_view Machine::takeCounted() {
  const auto length = takeNumber<Length>();
  if (std::is_signed_v<Length> && length < 0)
    fail(ErrorKind::Corrupt, fmt::format("an item has the length {}", length));
  return take(static_cast<std::uint64_t>(length));
}

void Machine::stop() { m_stopped = true; }

void Machine::mark() {
  if (m_marks.size() >= kMostMarks) {
    fail(ErrorKind::TooLarge,
         fmt::format("values are nested more than {} deep (nesting > {})", kMostMarks, kMostMarks));
  }
  m_marks.push_back(m_stack.size());
}

void Machine::popTop() {
  // POP right after MARK takes the mark.
  if (!m_marks.empty() && m_marks.back() == m_stack.size()) {
    m_marks.pop_back();
  } else {
    pop();
  }
}

void Machine::popMark() { popToMark(); }
void Machine::duplicate() { push(top()); }
void Machine::none() { push(m_none); }
void Machine::constantTrue() { push(m_true); }
void Machine::constantFalse() { push(m_false); }

void Machine::integerLine() {
  const std::string_view line = takeLine();
  if (line == "00" || line == "01") {
    push(line == "01" ? m_true : m_false);
    return;
  }
  std::int64_t number = 0;
  if (!parseWhole(line, number))
    fail(ErrorKind::Corrupt, fmt::format("{} is not a whole number of 64 bits", inQuotes(line)));
  pushInteger(Kind::Int, number);
}

void Machine::longLine() {
  std::string_view line = takeLine();
  if (line.ends_with('L')) line.remove_suffix(1);
  std::int64_t number = 0;
  if (parseWhole(line, number)) {
    pushInteger(Kind::Int, number);
  } else if (!line.empty() &&
             line.find_first_not_of("0123456789", line.front() == '-' ? 1 : 0) == std::string_view::npos) {
    push(make(Kind::BigInt));
  } else {
    fail(ErrorKind::Corrupt, fmt::format("{} is not a whole number", inQuotes(line)));
  }
}

void Machine::floatLine() {
  const std::string_view line = takeLine();
  double number = 0;
  if (!parseWhole(line, number)) fail(ErrorKind::Corrupt, fmt::format("{} is not a number", inQuotes(line)));
  push(make(Kind::Float))->number = number;
}

void Machine::floatBinary() {
  std::uint64_t bits = 0;
  for (const char byte : take(8)) bits = (bits << 8) | static_cast<unsigned char>(byte);  // big-endian, unlike all else
  push(make(Kind::Float))->number = std::bit_cast<double>(bits);
}

template <class T>
void Machine::integerBinary() {
  pushInteger(Kind::Int, static_cast<std::int64_t>(takeNumber<T>()));
}

template <class Length>
void Machine::longBinary() {
  const std::string_view bytes = takeCounted<Length>();
  if (bytes.size() > 8) {
    push(make(Kind::BigInt));
    return;
  }
  std::uint64_t bits = !bytes.empty() && static_cast<signed char>(bytes.back()) < 0 ? ~std::uint64_t{0} : 0;
  for (std::size_t i = bytes.size(); i-- > 0;) bits = (bits << 8) | static_cast<unsigned char>(bytes[i]);
  pushInteger(Kind::Int, static_cast<std::int64_t>(bits));
}

void Machine::stringLine() {
  const std::string_view line = takeLine();
  if (line.size() < 2 || line.front() != line.back() || (line.front() != '\'' && line.front() != '"')) {
    fail(ErrorKind::Corrupt, fmt::format("the string {} has no quotes around it", inQuotes(line)));
  }
  pushDecoded(Kind::Text, withoutStringEscapes(line.substr(1, line.size() - 2)));
}

void Machine::unicodeLine() { pushDecoded(Kind::Text, withoutUnicodeEscapes(takeLine())); }

template <class Length, Kind kind>
void Machine::counted() {
  pushText(kind, takeCounted<Length>());
}

template <Kind kind>
void Machine::empty() {
  push(make(kind));
}

template <Kind kind>
void Machine::fromMark() {
  const std::vector<Value*> items = popToMark();
  Value* value = make(kind);
  if (kind == Kind::Dict) {
    setAll(*value, items);
  } else {
    for (const Value* item : items) adopt(*value, item);
  }
  push(value);
}

template <int count>
void Machine::tuple() {
  std::array<Value*, count> items{};
  for (std::size_t i = count; i-- > 0;) items[i] = pop();
  Value* value = make(Kind::Tuple);
  for (const Value* item : items) adopt(*value, item);
  push(value);
}

void Machine::putLine() {
  const std::string_view line = takeLine();
  std::uint64_t id = 0;
  if (!parseWhole(line, id)) fail(ErrorKind::Corrupt, fmt::format("{} is not a memo number", inQuotes(line)));
  setMemo(id);
}

void Machine::getLine() {
  const std::string_view line = takeLine();
  std::uint64_t id = 0;
  if (!parseWhole(line, id)) fail(ErrorKind::Corrupt, fmt::format("{} is not a memo number", inQuotes(line)));
  pushMemo(id);
}

template <class T>
void Machine::put() {
  setMemo(takeNumber<T>());
}

template <class T>
void Machine::get() {
  pushMemo(takeNumber<T>());
}

void Machine::memoize() { setMemo(m_memo.size()); }

void Machine::protocol() {
  const int number = takeNumber<std::uint8_t>();
  if (number > kNewestProtocol) {
    fail(ErrorKind::Unsupported,
         fmt::format("it is a pickle of protocol {}; protocols 0 to {} are read", number, kNewestProtocol));
  }
}

void Machine::frame() {
  const bool nested = m_operationAt < m_frameEnd;
  const auto length = takeNumber<std::uint64_t>();
  if (nested) fail(ErrorKind::Corrupt, "a frame begins inside a frame");
  if (length > m_bytes.size() - m_at) {
    fail(ErrorKind::Corrupt, fmt::format("a frame is said to be {} bytes, {} are left", grouped(length),
                                         grouped(std::uint64_t{m_bytes.size() - m_at})));
  }
  m_frameEnd = m_at + length;
}

void Machine::extension() {
  fail(ErrorKind::Unsupported, "the pickle uses the extension registry of the program that wrote it");
}

void Machine::outOfBand() {
  fail(ErrorKind::Unsupported, "the pickle's data are in buffers outside of it (protocol 5)");
}

/// What each byte does. Source: CPython, Lib/pickletools.py.
const std::array<Machine::Operation, 256>& Machine::operations() {
  static constexpr std::array<Operation, 256> kTable = [] {
    std::array<Operation, 256> table{};
    const auto set = [&table](unsigned char code, Operation operation) { table[code] = operation; };
    set('.', &Machine::stop);
    set('(', &Machine::mark);
    set('0', &Machine::popTop);
    set('1', &Machine::popMark);
    set('2', &Machine::duplicate);
    set('N', &Machine::none);
    set(0x88, &Machine::constantTrue);
    set(0x89, &Machine::constantFalse);
    set('I', &Machine::integerLine);
    set('L', &Machine::longLine);
    set('F', &Machine::floatLine);
    set('G', &Machine::floatBinary);
    set('J', &Machine::integerBinary<std::int32_t>);
    set('K', &Machine::integerBinary<std::uint8_t>);
    set('M', &Machine::integerBinary<std::uint16_t>);
    set(0x8a, &Machine::longBinary<std::uint8_t>);
    set(0x8b, &Machine::longBinary<std::int32_t>);
    set('S', &Machine::stringLine);
    set('V', &Machine::unicodeLine);
    set('U', &Machine::counted<std::uint8_t, Kind::Text>);
    set('T', &Machine::counted<std::int32_t, Kind::Text>);
    set('X', &Machine::counted<std::uint32_t, Kind::Text>);
    set(0x8c, &Machine::counted<std::uint8_t, Kind::Text>);
    set(0x8d, &Machine::counted<std::uint64_t, Kind::Text>);
    set('C', &Machine::counted<std::uint8_t, Kind::Bytes>);
    set('B', &Machine::counted<std::uint32_t, Kind::Bytes>);
    set(0x8e, &Machine::counted<std::uint64_t, Kind::Bytes>);
    set(0x96, &Machine::counted<std::uint64_t, Kind::Bytes>);
    set(')', &Machine::empty<Kind::Tuple>);
    set(']', &Machine::empty<Kind::List>);
    set('}', &Machine::empty<Kind::Dict>);
    set(0x8f, &Machine::empty<Kind::Set>);
    set('t', &Machine::fromMark<Kind::Tuple>);
    set('l', &Machine::fromMark<Kind::List>);
    set('d', &Machine::fromMark<Kind::Dict>);
    set(0x91, &Machine::fromMark<Kind::Set>);
    set(0x85, &Machine::tuple<1>);
    set(0x86, &Machine::tuple<2>);
    set(0x87, &Machine::tuple<3>);
    set('a', &Machine::append);
    set('e', &Machine::appends);
    set(0x90, &Machine::addItems);
    set('s', &Machine::setItem);
    set('u', &Machine::setItems);
    set('c', &Machine::global);
    set(0x93, &Machine::stackGlobal);
    set('i', &Machine::instance);
    set('o', &Machine::object);
    set('R', &Machine::reduce);
    set(0x81, &Machine::newObject);
    set(0x92, &Machine::newObjectKeywords);
    set('b', &Machine::build);
    set('P', &Machine::persistentLine);
    set('Q', &Machine::persistent);
    set('p', &Machine::putLine);
    set('q', &Machine::put<std::uint8_t>);
    set('r', &Machine::put<std::uint32_t>);
    set('g', &Machine::getLine);
    set('h', &Machine::get<std::uint8_t>);
    set('j', &Machine::get<std::uint32_t>);
    set(0x94, &Machine::memoize);
    set(0x80, &Machine::protocol);
    set(0x95, &Machine::frame);
    set(0x82, &Machine::extension);
    set(0x83, &Machine::extension);
    set(0x84, &Machine::extension);
    set(0x97, &Machine::outOfBand);
    set(0x98, &Machine::outOfBand);
    return table;
  }();
  return kTable;
}

}  // namespace core::checkpoint::pickle
