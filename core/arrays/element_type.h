// What one element of an array is, and how it becomes a number of ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace core::arrays {

struct ElementType {
  enum class Kind { Float, BFloat, Int, Unsigned, Bool, Text, Bytes, Object, Other };
  Kind kind = Kind::Other;
  std::size_t bytes = 0;  ///< of one element; Text has 4 a character
  bool bigEndian = false;
  std::string name;  ///< as the file writes it: "<f4", "BF16"

  bool isFloat() const { return kind == Kind::BFloat || (kind == Kind::Float && bytes <= 8); }
  bool isInteger() const { return (kind == Kind::Int || kind == Kind::Unsigned) && bytes <= 8; }
  /// float32 as it lies in this computer's memory.
  bool isPlainFloat() const { return kind == Kind::Float && bytes == 4 && !bigEndian; }
};

/// Of NumPy's array interface: "<f4", ">i8", "|b1", "<U12", "|O". Kind::Other, with 0 bytes, for one that is none of
/// these; nothing for a size that no element has. Source: NumPy, "The array interface protocol", typestr.
std::optional<ElementType> elementTypeOf(std::string_view typestr);

/// float16, bfloat16, float32 or float64 as float32; `bytes` holds whole elements, `into` as many numbers.
void toFloats(const ElementType& type, std::span<const std::byte> bytes, float* into);

/// One whole number of isInteger(); one above 2^63 - 1 becomes negative.
std::int64_t toInteger(const ElementType& type, std::span<const std::byte> element);

/// One element of Kind::Text or Kind::Bytes, without the NULs that fill it up. Text as UTF-8, with U+FFFD for what is
/// no character.
std::string toText(const ElementType& type, std::span<const std::byte> element);

/// By how much the sum of `count` weights may differ from 1 because each was rounded to float16 or bfloat16: half a
/// unit in the last place of each, 2^-11 or 2^-8 of it, and of float16's smallest numbers 2^-25. 0 for wider types.
double roundingOfSum(const ElementType& type, std::int64_t count);

}  // namespace core::arrays
