// Arrays on their way into a file that other programs read: what they are, and how their values come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

enum class ArrayType { Float32, Int64, Text };

/// Takes the next bytes of an array.
using AppendBytes = std::function<void(std::span<const std::byte> bytes)>;

struct OutputArray {
  std::string name;
  ArrayType type = ArrayType::Float32;
  std::vector<std::int64_t> shape;
  std::int64_t textLength = 1;  ///< characters of an element of Text, at least 1; shorter ones are filled up
  /// Appends all its values in C order, little-endian, in blocks.
  std::function<void(const AppendBytes& append)> write;

  std::uint64_t bytes() const;
};

/// float32, int64, or NumPy's "U" with its length: for messages and snippets.
std::string typeName(const OutputArray& array);

OutputArray numbersArray(std::string name, std::vector<std::int64_t> values);
/// UTF-8 texts, shape (their number).
OutputArray textsArray(std::string name, const std::vector<std::string>& texts);
/// One text, shape ().
OutputArray textArray(std::string name, const std::string& text);

/// The header of NPY 1.0, padded to 64 bytes. Source: NumPy, "NPY format".
std::string npyHeader(ArrayType type, const std::vector<std::int64_t>& shape, std::int64_t textLength = 1);

}  // namespace core
