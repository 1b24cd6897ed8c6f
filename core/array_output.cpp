#include "core/array_output.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/tokenizer/utf8.h"

namespace core {

namespace {

std::uint64_t itemSize(ArrayType type, std::int64_t textLength) {
  switch (type) {
    case ArrayType::Float32: return 4;
    case ArrayType::Int64: return 8;
    case ArrayType::Text: return 4 * static_cast<std::uint64_t>(textLength);
  }
  return 0;
}

std::string descr(ArrayType type, std::int64_t textLength) {
  switch (type) {
    case ArrayType::Float32: return "<f4";
    case ArrayType::Int64: return "<i8";
    case ArrayType::Text: return "<U" + std::to_string(textLength);
  }
  return {};
}

/// The characters as NumPy keeps them.
std::vector<char32_t> charactersOf(const std::string& text) {
  std::vector<char32_t> characters;
  for (std::size_t at = 0; at < text.size();) {
    const tokenizer::CodePoint point = tokenizer::codePointAt(text, at);
    characters.push_back(point.valid ? point.value : U'\uFFFD');
    at += point.length;
  }
  return characters;
}

/// shape: of the array of these texts.
OutputArray arrayOf(std::string name, const std::vector<std::string>& texts, std::vector<std::int64_t> shape) {
  const auto characters = std::make_shared<std::vector<std::vector<char32_t>>>();
  std::size_t longest = 1;
  for (const std::string& text : texts) {
    characters->push_back(charactersOf(text));
    longest = std::max(longest, characters->back().size());
  }
  OutputArray array{std::move(name), ArrayType::Text, std::move(shape), static_cast<std::int64_t>(longest), {}};
  array.write = [characters, longest](const AppendBytes& append) {
    std::vector<char32_t> padded;
    for (const std::vector<char32_t>& one : *characters) {
      padded.assign(longest, U'\0');
      std::copy(one.begin(), one.end(), padded.begin());
      append(std::as_bytes(std::span(padded)));
    }
  };
  return array;
}

}  // namespace

std::uint64_t OutputArray::bytes() const {
  std::uint64_t bytes = itemSize(type, textLength);
  for (const std::int64_t length : shape) bytes *= static_cast<std::uint64_t>(length);
  return bytes;
}

std::string typeName(const OutputArray& array) {
  switch (array.type) {
    case ArrayType::Float32: return "float32";
    case ArrayType::Int64: return "int64";
    case ArrayType::Text: return std::string("U").append(std::to_string(array.textLength));
  }
  return {};
}

OutputArray numbersArray(std::string name, std::vector<std::int64_t> values) {
  OutputArray array{std::move(name), ArrayType::Int64, {static_cast<std::int64_t>(values.size())}, 1, {}};
  array.write = [values = std::move(values)](const AppendBytes& append) { append(std::as_bytes(std::span(values))); };
  return array;
}

OutputArray textsArray(std::string name, const std::vector<std::string>& texts) {
  return arrayOf(std::move(name), texts, {static_cast<std::int64_t>(texts.size())});
}

OutputArray textArray(std::string name, const std::string& text) { return arrayOf(std::move(name), {text}, {}); }

std::string npyHeader(ArrayType type, const std::vector<std::int64_t>& shape, std::int64_t textLength) {
  std::string text = "{'descr': '" + descr(type, textLength) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ' ';
    text += std::to_string(shape[i]);
    if (i + 1 < shape.size() || shape.size() == 1) text += ',';
  }
  text += "), }";
  text += '\n';
  constexpr std::size_t kBefore = 10;  // magic, version, length
  const std::size_t padding = 63 - (kBefore + text.size() + 63) % 64;
  text.insert(text.size() - 1, padding, ' ');

  std::string header("\x93NUMPY\x01\x00", 8);
  header.push_back(static_cast<char>(text.size() & 0xFF));
  header.push_back(static_cast<char>(text.size() >> 8));
  return header.append(text);
}

}  // namespace core
