// Containers, names and calls: what makes one value of others.
#include <fmt/format.h>

#include "core/checkpoint/pickle_globals.h"
#include "core/checkpoint/pickle_machine.h"
#include "core/checkpoint/printable.h"
#include "core/tokenizer/utf8.h"

namespace core::checkpoint::pickle {

void Machine::appendAll(Value& list, const std::vector<Value*>& items) {
  if (list.kind == Kind::Object) return;  // a foreign class with an append of its own: it stays opaque
  if (list.kind != Kind::List) fail(ErrorKind::Corrupt, fmt::format("an item is appended to {}", describe(list)));
  for (const Value* item : items) adopt(list, item);
}

void Machine::setAll(Value& dict, const std::vector<Value*>& items) {
  if (items.size() % 2 != 0) fail(ErrorKind::Corrupt, fmt::format("{} keys and values are no pairs", items.size()));
  if (dict.kind == Kind::Object) return;
  if (dict.kind != Kind::Dict) fail(ErrorKind::Corrupt, fmt::format("a key is set in {}", describe(dict)));
  for (std::size_t i = 0; i < items.size(); i += 2) setPair(dict, items[i], items[i + 1]);
}

/// Whoever looks for names copies the keys, also one that is set a million times. The size of a node stands for what a
/// key takes beside its text.
void Machine::setPair(Value& dict, const Value* key, const Value* value) {
  countCopied(sizeof(Value) + key->text.size());
  adopt(dict, key);
  adopt(dict, value);
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
  const std::size_t length = module.size() + 1 + name.size();
  if (length > kLongestName) {
    fail(ErrorKind::TooLarge, fmt::format("the name of a class or function has {} bytes; the limit is {}",
                                          grouped(std::uint64_t{length}), grouped(std::uint64_t{kLongestName})));
  }
  const std::string full = fmt::format("{}.{}", module, name);
  if (isDangerous(module, name)) {
    fail(ErrorKind::Unsafe,
         fmt::format("the pickle asks for {}, which could run commands or read files", inQuotes(full)));
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
  if (callable->text == "collections.OrderedDict" && items.size() <= 1) {
    Value* dict = make(Kind::Dict);
    // Python 2 wrote the pairs as the argument.
    if (!items.empty()) {
      if (items[0]->kind != Kind::List)
        fail(ErrorKind::Corrupt, fmt::format("an OrderedDict is made of {}", describe(*items[0])));
      for (const Value* pair : items[0]->items) {
        if ((pair->kind != Kind::Tuple && pair->kind != Kind::List) || pair->items.size() != 2) {
          fail(ErrorKind::Corrupt, fmt::format("an OrderedDict has {} for a pair", describe(*pair)));
        }
        setPair(*dict, pair->items[0], pair->items[1]);
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

}  // namespace core::checkpoint::pickle
