// A pickle as plain data. A pickle is a program; this reader runs none of it: a call becomes a node that says what was
// to be called with what. Protocols 0 to 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace core::checkpoint::pickle {

enum class Kind : std::uint8_t {
  None,
  Bool,
  Int,
  BigInt,
  Float,
  Text,
  Bytes,
  Tuple,
  List,
  Set,
  Dict,
  Global,
  Object,
  Persistent
};

/// A node of a Document. Nodes may share children and form cycles: never walk them without a budget.
struct Value {
  Kind kind = Kind::None;
  std::uint16_t depth = 0;   ///< of nesting, as known when the node got its last child
  std::int64_t integer = 0;  ///< Int, Bool
  double number = 0;         ///< Float
  std::string_view text;     ///< Text, Bytes; Global: "module.name". Text may be invalid UTF-8
  /// Tuple, List, Set: the items. Dict: key, value, key, value ... Persistent: {id}.
  /// Object: {callable, arguments, state (if any)}; nothing was called.
  std::vector<const Value*> items;
};

/// Owns the nodes and the bytes that they point into.
class Document {
 public:
  const Value& root() const { return *m_root; }
  std::size_t trailingBytes() const { return m_trailingBytes; }  ///< after STOP
  const std::deque<Value>& values() const { return m_values; }   ///< every node ever made

 private:
  friend class Machine;
  std::unique_ptr<const std::string> m_bytes;
  std::deque<Value> m_values;       // a deque: nodes keep their place, and none owns another
  std::deque<std::string> m_texts;  // those that are not in m_bytes as they are
  const Value* m_root = nullptr;
  std::size_t m_trailingBytes = 0;
};

inline constexpr std::uint64_t kMostOperations = 4'000'000;
inline constexpr std::uint64_t kMostValues = 1'000'000;
inline constexpr std::size_t kDeepestNesting = 256;
/// Bytes that are written again for what the pickle holds once: a few of them can ask for any number of copies.
inline constexpr std::uint64_t kMostCopied = 32u << 20;
inline constexpr std::size_t kLongestName = 1024;  ///< of a global

/// `origin` begins every sentence: "/x/ckpt.pt: data.pkl".
/// Errors: Unsafe for a dangerous global, wherever it stands; Truncated, Corrupt, TooLarge, Unsupported.
Document parse(std::string bytes, const std::string& origin);

/// "a dict", "a torch.nn.Linear object".
std::string describe(const Value& value);

/// The value of a text key; the last one counts, as in Python. Null when `dict` is no Dict or lacks it.
const Value* find(const Value& dict, std::string_view key);

/// The keys of a Dict; those that are no texts as their description.
std::vector<std::string> keyTexts(const Value& dict);

/// "module.name" of the Global that an Object was to call; empty for anything else.
std::string_view callee(const Value& object);

}  // namespace core::checkpoint::pickle
