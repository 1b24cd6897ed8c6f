#include "core/checkpoint/pickle_machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/checkpoint/printable.h"

namespace core::checkpoint::pickle {

Machine::Machine(std::string bytes, const std::string& origin) : m_origin(origin) {
  m_document.m_bytes = std::make_unique<const std::string>(std::move(bytes));
  m_bytes = *m_document.m_bytes;
  m_none = make(Kind::None);
  m_true = make(Kind::Bool);
  m_true->integer = 1;
  m_false = make(Kind::Bool);
}

namespace {

std::string_view adviceFor(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Unsafe: return "Nothing was run. Don't use this file; get the model from a source that you trust.";
    case ErrorKind::TooLarge: return "No checkpoint needs that much: don't use this file.";
    case ErrorKind::Unsupported: return "Save it again with torch.save, which writes protocol 2.";
    default: return "Download or copy the file again.";
  }
}

}  // namespace

void Machine::fail(ErrorKind kind, const std::string& what) const {
  throw Error(kind, fmt::format("{}: {} (byte {} of {}). {}", m_origin, what, grouped(std::uint64_t{m_operationAt}),
                                grouped(std::uint64_t{m_bytes.size()}), adviceFor(kind)));
}

std::string_view Machine::take(std::uint64_t count) {
  const std::uint64_t rest = m_bytes.size() - m_at;
  if (count > rest) {
    fail(ErrorKind::Truncated,
         fmt::format("the pickle needs {} bytes more, {} are left", grouped(count), grouped(rest)));
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
  if (end == std::string_view::npos) fail(ErrorKind::Truncated, "a line has no end");
  std::string_view line = take(end - m_at + 1);
  line.remove_suffix(1);
  return line;
}

Value* Machine::push(Value* value) {
  m_stack.push_back(value);
  return value;
}

Value* Machine::make(Kind kind) {
  if (m_document.m_values.size() >= kMostValues) {
    fail(ErrorKind::TooLarge, fmt::format("the pickle makes more than {} values", grouped(kMostValues)));
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
  countCopied(text.size());
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

void Machine::countCopied(std::uint64_t bytes) {
  m_copied += bytes;
  if (m_copied > kMostCopied) {
    fail(ErrorKind::TooLarge, fmt::format("the pickle uses the same texts and lists so often that copies of them take "
                                          "more than {} bytes",
                                          grouped(kMostCopied)));
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

Document Machine::run() && {
  while (!m_stopped) {
    m_operationAt = m_at;
    if (m_at == m_bytes.size()) fail(ErrorKind::Truncated, "the pickle ends without its STOP");
    if (++m_operations > kMostOperations) {
      fail(ErrorKind::TooLarge, fmt::format("the pickle has more than {} operations", grouped(kMostOperations)));
    }
    const auto code = static_cast<unsigned char>(take(1).front());
    const Operation operation = operations()[code];
    if (operation == nullptr) fail(ErrorKind::Corrupt, fmt::format("the byte {:#04x} is no pickle operation", code));
    (this->*operation)();
  }
  if (!m_marks.empty()) fail(ErrorKind::Corrupt, "the pickle ends with a MARK that nothing took");
  if (m_stack.size() != 1) {
    fail(ErrorKind::Corrupt,
         fmt::format("the pickle ends with {} instead of one", checkpoint::counted(m_stack.size(), "value")));
  }
  m_document.m_root = m_stack.back();
  m_document.m_trailingBytes = m_bytes.size() - m_at;
  return std::move(m_document);
}

Document parse(std::string bytes, const std::string& origin) { return Machine(std::move(bytes), origin).run(); }

}  // namespace core::checkpoint::pickle
