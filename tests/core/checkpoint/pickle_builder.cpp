#include "tests/core/checkpoint/pickle_builder.h"

#include <algorithm>
#include <bit>

namespace support::pickle {

namespace {

std::string bytesOf(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  return bytes;
}

std::string joined(const std::vector<std::string>& items) {
  std::string bytes;
  for (const std::string& item : items) bytes += item;
  return bytes;
}

std::string items(const Pairs& pairs) {
  std::string bytes = "(";
  for (const auto& [key, value] : pairs) bytes += text(key) + value;
  return bytes + "u";
}

std::string numbers(const std::vector<std::int64_t>& values) {
  std::vector<std::string> parts;
  for (const std::int64_t value : values) parts.push_back(integer(value));
  return tuple(parts);
}

}  // namespace

std::string whole(const std::string& value) { return "\x80\x02" + value + "."; }
std::string text(const std::string& value) { return "X" + bytesOf(value.size(), 4) + value; }

std::string integer(std::int64_t value) {
  if (value >= INT32_MIN && value <= INT32_MAX) return "J" + bytesOf(static_cast<std::uint64_t>(value), 4);
  return std::string("\x8a\x08") + bytesOf(static_cast<std::uint64_t>(value), 8);
}

std::string real(double value) {
  std::string bytes = bytesOf(std::bit_cast<std::uint64_t>(value), 8);
  std::reverse(bytes.begin(), bytes.end());
  return "G" + bytes;
}

std::string boolean(bool value) { return value ? "\x88" : "\x89"; }
std::string none() { return "N"; }
std::string global(const std::string& module, const std::string& name) { return "c" + module + "\n" + name + "\n"; }
std::string tuple(const std::vector<std::string>& parts) { return "(" + joined(parts) + "t"; }
std::string list(const std::vector<std::string>& parts) { return "](" + joined(parts) + "e"; }
std::string dict(const Pairs& pairs) { return "}" + items(pairs); }

std::string orderedDict(const Pairs& pairs) {
  return reduce(global("collections", "OrderedDict"), {}) + items(pairs) + dict({{"_metadata", dict({})}}) + "b";
}

std::string reduce(const std::string& callable, const std::vector<std::string>& arguments) {
  return callable + tuple(arguments) + "R";
}

std::string tensor(const TensorSpec& spec) {
  std::vector<std::int64_t> strides = spec.strides;
  if (strides.empty()) {
    strides.resize(spec.sizes.size(), 1);
    for (std::size_t i = spec.sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * spec.sizes[i];
  }
  const std::string storage = tuple({text("storage"), global("torch", spec.storage), text(spec.key), text(spec.device),
                                     integer(spec.elements)}) +
                              "Q";
  return reduce(global("torch._utils", "_rebuild_tensor_v2"),
                {storage, integer(spec.offset), numbers(spec.sizes), numbers(strides), boolean(false),
                 reduce(global("collections", "OrderedDict"), {})});
}

}  // namespace support::pickle
