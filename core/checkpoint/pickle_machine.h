// The stack machine behind pickle::parse.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/checkpoint/pickle.h"
#include "core/error.h"

namespace core::checkpoint::pickle {

class Machine {
 public:
  Machine(std::string bytes, const std::string& origin);
  Document run() &&;

 private:
  using Operation = void (Machine::*)();
  static const std::array<Operation, 256>& operations();

  // The bytes.
  [[noreturn]] void fail(ErrorKind kind, const std::string& what) const;
  std::string_view take(std::uint64_t count);
  std::string_view takeLine();
  template <class T>
  T takeNumber();
  template <class Length>
  std::string_view takeCounted();

  // The stack.
  Value* push(Value* value);
  Value* make(Kind kind);
  Value* pushText(Kind kind, std::string_view text);
  Value* pushDecoded(Kind kind, std::string text);
  Value* pushInteger(Kind kind, std::int64_t integer);
  Value* pop();
  Value* top();
  std::vector<Value*> popToMark();
  void adopt(Value& parent, const Value* child);
  void countCopied(std::uint64_t bytes);
  void setMemo(std::uint64_t id);
  void pushMemo(std::uint64_t id);

  // The operations; each is a line of the table.
  void stop();
  void mark();
  void popTop();
  void popMark();
  void duplicate();
  void none();
  void constantTrue();
  void constantFalse();
  void integerLine();
  void longLine();
  void floatLine();
  void floatBinary();
  template <class T>
  void integerBinary();
  template <class Length>
  void longBinary();
  void stringLine();
  void unicodeLine();
  template <class Length, Kind kind>
  void counted();
  template <Kind kind>
  void empty();
  template <Kind kind>
  void fromMark();
  template <int count>
  void tuple();
  void append();
  void appends();
  void addItems();
  void setItem();
  void setItems();
  void global();
  void stackGlobal();
  void instance();
  void object();
  void reduce();
  void newObject();
  void newObjectKeywords();
  void build();
  void persistentLine();
  void persistent();
  void putLine();
  void getLine();
  template <class T>
  void put();
  template <class T>
  void get();
  void memoize();
  void protocol();
  void frame();
  void extension();
  void outOfBand();

  void pushGlobal(std::string_view module, std::string_view name);
  void call(Value* callable, Value* arguments);
  void appendAll(Value& list, const std::vector<Value*>& items);
  void setAll(Value& dict, const std::vector<Value*>& items);
  void setPair(Value& dict, const Value* key, const Value* value);

  std::string m_origin;
  Document m_document;
  std::string_view m_bytes;
  std::size_t m_at = 0;
  std::size_t m_operationAt = 0;
  std::size_t m_frameEnd = 0;
  std::uint64_t m_operations = 0;
  std::uint64_t m_copied = 0;
  bool m_stopped = false;
  std::vector<Value*> m_stack;
  std::vector<std::size_t> m_marks;
  std::unordered_map<std::uint64_t, Value*> m_memo;
  Value* m_none = nullptr;
  Value* m_true = nullptr;
  Value* m_false = nullptr;
};

}  // namespace core::checkpoint::pickle
