#include "core/checkpoint/pickle_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <type_traits>

#include "core/checkpoint/pickle_globals.h"
#include "core/checkpoint/pickle_text.h"
#include "core/checkpoint/printable.h"
#include "core/tokenizer/utf8.h"

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

// ---- bytes ----

Machine::Machine(std::string bytes, const std::string& origin) : m_origin(origin) {
  m_document.m_bytes = std::make_unique<const std::string>(std::move(bytes));
  m_bytes = *m_document.m_bytes;
  m_none = make(Kind::None);
  m_true = make(Kind::Bool);
  m_true->integer = 1;
  m_false = make(Kind::Bool);
}

void Machine::fail(ErrorKind kind, const std::string& what) const {
  throw Error(kind, fmt::format("{}: {} (byte {} of {}).", m_origin, what, grouped(std::uint64_t{m_operationAt}),
                                grouped(std::uint64_t{m_bytes.size()})));
}

std::string_view Machine::take(std::uint64_t count) {
  const std::uint64_t rest = m_bytes.size() - m_at;
  if (count > rest) {
    fail(ErrorKind::Truncated,
         fmt::format("the pickle needs {} bytes more, {} are left; download or copy the file again", grouped(count),
                     grouped(rest)));
  }
  if (m_at < m_frameEnd && count > m_frameEnd - m_at) {
    fail(ErrorKind::Corrupt, fmt::format("an item of {} bytes crosses the end of its frame, {} bytes on",
                                         grouped(count), grouped(std::uint64_t{m_frameEnd - m_at})));
  }
  const std::string_view taken = m_bytes.substr(m_at, count);
  m_at += count;
  return taken;
}

std::string_view Machine::takeLine() {
  const std::size_t end = m_bytes.find('\n', m_at);
  if (end == std::string_view::npos) fail(ErrorKind::Truncated, "a line has no end; download or copy the file again");
  std::string_view line = take(end - m_at + 1);
  line.remove_suffix(1);
  return line;
}

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

// ---- stack ----

Value* Machine::push(Value* value) {
  m_stack.push_back(value);
  return value;
}

Value* Machine::make(Kind kind) {
  if (m_document.m_values.size() >= kMostValues) {
    fail(ErrorKind::TooLarge,
         fmt::format("the pickle makes more than {} values; a checkpoint needs far fewer", grouped(kMostValues)));
  }
  Value& value = m_document.m_values.emplace_back();
  value.kind = kind;
  return &value;
}

Value* Machine::pushText(Kind kind, std::string_view text) {
  Value* value = push(make(kind));
  value->text = text;
  return value;
}

Value* Machine::pushDecoded(Kind kind, std::string text) {
  return pushText(kind, m_document.m_texts.emplace_back(std::move(text)));
}

Value* Machine::pushInteger(Kind kind, std::int64_t integer) {
  Value* value = push(make(kind));
  value->integer = integer;
  return value;
}

Value* Machine::top() {
  const std::size_t floor = m_marks.empty() ? 0 : m_marks.back();
  if (m_stack.size() <= floor) fail(ErrorKind::Corrupt, "an operation finds its stack empty");
  return m_stack.back();
}

Value* Machine::pop() {
  Value* value = top();
  m_stack.pop_back();
  return value;
}

std::vector<Value*> Machine::popToMark() {
  if (m_marks.empty()) fail(ErrorKind::Corrupt, "an operation finds no MARK");
  const auto begin = m_stack.begin() + static_cast<std::ptrdiff_t>(m_marks.back());
  std::vector<Value*> items(begin, m_stack.end());
  m_stack.erase(begin, m_stack.end());
  m_marks.pop_back();
  return items;
}

void Machine::adopt(Value& parent, const Value* child) {
  parent.items.push_back(child);
  parent.depth = std::max(parent.depth, static_cast<std::uint16_t>(child->depth + 1));
  if (parent.depth > kDeepestNesting) {
    fail(ErrorKind::TooLarge,
         fmt::format("values are nested more than {} deep (nesting > {})", kDeepestNesting, kDeepestNesting));
  }
}

void Machine::setMemo(std::uint64_t id) {
  if (id >= kMostValues) {
    fail(ErrorKind::Corrupt,
         fmt::format("the memo number {} is beyond the limit of {}", grouped(id), grouped(kMostValues)));
  }
  m_memo[id] = top();
}

void Machine::pushMemo(std::uint64_t id) {
  const auto found = m_memo.find(id);
  if (found == m_memo.end())
    fail(ErrorKind::Corrupt, fmt::format("the memo number {} is used before it is set", grouped(id)));
  push(found->second);
}

// ---- operations ----

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

void Machine::appendAll(Value& list, const std::vector<Value*>& items) {
  if (list.kind == Kind::Object) return;  // a foreign class with an append of its own: it stays opaque
  if (list.kind != Kind::List) fail(ErrorKind::Corrupt, fmt::format("an item is appended to {}", describe(list)));
  for (const Value* item : items) adopt(list, item);
}

void Machine::setAll(Value& dict, const std::vector<Value*>& items) {
  if (items.size() % 2 != 0) fail(ErrorKind::Corrupt, fmt::format("{} keys and values are no pairs", items.size()));
  if (dict.kind == Kind::Object) return;
  if (dict.kind != Kind::Dict) fail(ErrorKind::Corrupt, fmt::format("a key is set in {}", describe(dict)));
  for (const Value* item : items) adopt(dict, item);
}

void Machine::append() {
  Value* item = pop();
  appendAll(*top(), {item});
}

void Machine::appends() {
  const std::vector<Value*> items = popToMark();
  appendAll(*top(), items);
}

void Machine::addItems() {
  const std::vector<Value*> items = popToMark();
  Value& set = *top();
  if (set.kind == Kind::Object) return;
  if (set.kind != Kind::Set) fail(ErrorKind::Corrupt, fmt::format("an item is added to {}", describe(set)));
  for (const Value* item : items) adopt(set, item);
}

void Machine::setItem() {
  Value* value = pop();
  Value* key = pop();
  setAll(*top(), {key, value});
}

void Machine::setItems() {
  const std::vector<Value*> items = popToMark();
  setAll(*top(), items);
}

void Machine::pushGlobal(std::string_view module, std::string_view name) {
  const std::string full = fmt::format("{}.{}", module, name);
  if (isDangerous(module, name)) {
    fail(ErrorKind::Unsafe,
         fmt::format("the pickle asks for {}, which could run commands or read files. Nothing was run. Don't use "
                     "this file; get the model from a source that you trust",
                     inQuotes(full)));
  }
  pushDecoded(Kind::Global, full);
}

void Machine::global() {
  const std::string_view module = takeLine();
  pushGlobal(module, takeLine());
}

void Machine::stackGlobal() {
  const Value* name = pop();
  const Value* module = pop();
  if (name->kind != Kind::Text || module->kind != Kind::Text) {
    fail(ErrorKind::Corrupt,
         fmt::format("a name is made of {} and {}, not of two texts", describe(*module), describe(*name)));
  }
  pushGlobal(module->text, name->text);
}

/// What calling would give: known harmless containers become themselves, all else an opaque Object.
void Machine::call(Value* callable, Value* arguments) {
  if (callable->kind != Kind::Global && callable->kind != Kind::Object) {
    fail(ErrorKind::Corrupt, fmt::format("{} is called like a function", describe(*callable)));
  }
  if (arguments->kind != Kind::Tuple)
    fail(ErrorKind::Corrupt, fmt::format("a call has {} as its arguments", describe(*arguments)));
  const std::vector<const Value*>& items = arguments->items;
  if (callable->text == "collections.OrderedDict" && callable->kind == Kind::Global && items.size() <= 1) {
    Value* dict = make(Kind::Dict);
    // Python 2 wrote the pairs as the argument.
    if (!items.empty()) {
      if (items[0]->kind != Kind::List)
        fail(ErrorKind::Corrupt, fmt::format("an OrderedDict is made of {}", describe(*items[0])));
      for (const Value* pair : items[0]->items) {
        if ((pair->kind != Kind::Tuple && pair->kind != Kind::List) || pair->items.size() != 2) {
          fail(ErrorKind::Corrupt, fmt::format("an OrderedDict has {} for a pair", describe(*pair)));
        }
        adopt(*dict, pair->items[0]);
        adopt(*dict, pair->items[1]);
      }
    }
    push(dict);
    return;
  }
  // Protocol 2 has no bytes: Python 3 writes them as a text to be encoded.
  if (callable->text == "_codecs.encode" && items.size() == 2 && items[0]->kind == Kind::Text &&
      items[1]->kind == Kind::Text && (items[1]->text == "latin1" || items[1]->text == "latin-1")) {
    std::string bytes;
    for (std::size_t i = 0; i < items[0]->text.size();) {
      const tokenizer::CodePoint point = tokenizer::codePointAt(items[0]->text, i);
      if (point.value > 0xff) fail(ErrorKind::Corrupt, fmt::format("{} is not Latin-1", inQuotes(items[0]->text)));
      bytes += static_cast<char>(point.value);
      i += point.length;
    }
    pushDecoded(Kind::Bytes, std::move(bytes));
    return;
  }
  Value* object = make(Kind::Object);
  adopt(*object, callable);
  adopt(*object, arguments);
  push(object);
}

void Machine::reduce() {
  Value* arguments = pop();
  call(pop(), arguments);
}

void Machine::newObject() { reduce(); }

void Machine::newObjectKeywords() {
  const Value* keywords = pop();
  if (keywords->kind != Kind::Dict)
    fail(ErrorKind::Corrupt, fmt::format("a call has {} as its keywords", describe(*keywords)));
  reduce();
}

void Machine::instance() {
  const std::string_view module = takeLine();
  pushGlobal(module, takeLine());
  Value* callable = pop();
  Value* arguments = make(Kind::Tuple);
  for (const Value* item : popToMark()) adopt(*arguments, item);
  call(callable, arguments);
}

void Machine::object() {
  const std::vector<Value*> items = popToMark();
  if (items.empty()) fail(ErrorKind::Corrupt, "an object has no class");
  Value* arguments = make(Kind::Tuple);
  for (std::size_t i = 1; i < items.size(); ++i) adopt(*arguments, items[i]);
  call(items[0], arguments);
}

void Machine::build() {
  const Value* state = pop();
  Value& target = *top();
  if (target.kind == Kind::Object) {
    adopt(target, state);
  } else if (target.kind != Kind::Dict) {  // the _metadata of a state dict is not needed
    fail(ErrorKind::Corrupt, fmt::format("{} is given a state", describe(target)));
  }
}

void Machine::persistentLine() {
  Value* id = pushText(Kind::Text, takeLine());
  Value* value = make(Kind::Persistent);
  adopt(*value, id);
  m_stack.back() = value;
}

void Machine::persistent() {
  const Value* id = pop();
  Value* value = make(Kind::Persistent);
  adopt(*value, id);
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
         fmt::format("it is a pickle of protocol {}; protocols 0 to {} are read. Save it again with a newer "
                     "torch.save, which writes protocol 2",
                     number, kNewestProtocol));
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
  fail(ErrorKind::Unsupported,
       "the pickle uses the extension registry of the program that wrote it. Save it again with torch.save");
}

void Machine::outOfBand() {
  fail(ErrorKind::Unsupported,
       "the pickle's data are in buffers outside of it (protocol 5). Save it again with torch.save");
}

/// What each byte does. Source: CPython, Lib/pickletools.py.
struct Machine::Table {
  std::array<Operation, 256> operations{};

  constexpr Table() {
    const auto set = [this](unsigned char code, Operation operation) { operations[code] = operation; };
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
  }
};

Document Machine::run() && {
  static constexpr Table kTable;
  while (!m_stopped) {
    m_operationAt = m_at;
    if (m_at == m_bytes.size())
      fail(ErrorKind::Truncated, "the pickle ends without its STOP; download or copy the file again");
    if (++m_operations > kMostOperations) {
      fail(ErrorKind::TooLarge, fmt::format("the pickle has more than {} operations; a checkpoint needs far fewer",
                                            grouped(kMostOperations)));
    }
    const auto code = static_cast<unsigned char>(take(1).front());
    const Operation operation = kTable.operations[code];
    if (operation == nullptr) fail(ErrorKind::Corrupt, fmt::format("the byte {:#04x} is no pickle operation", code));
    (this->*operation)();
  }
  if (!m_marks.empty() || m_stack.size() != 1) {
    fail(ErrorKind::Corrupt,
         fmt::format("the pickle ends with {} instead of one", checkpoint::counted(m_stack.size(), "value")));
  }
  m_document.m_root = m_stack.back();
  m_document.m_trailingBytes = m_bytes.size() - m_at;
  return std::move(m_document);
}

Document parse(std::string bytes, const std::string& origin) { return Machine(std::move(bytes), origin).run(); }

}  // namespace core::checkpoint::pickle
