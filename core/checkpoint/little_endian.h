// Numbers as zip and pickle store them.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace core::checkpoint {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "tensors are read as they lie in the file: little-endian");

/// The T at bytes[offset]. Errors: std::out_of_range past the end, which only a fault of ours can cause.
template <class T>
T little(std::string_view bytes, std::size_t offset) {
  T value{};
  const std::string_view field = bytes.substr(offset);
  if (field.size() < sizeof(T)) throw std::out_of_range("a field past the end of its record");
  std::memcpy(&value, field.data(), sizeof(T));
  return value;
}

}  // namespace core::checkpoint
