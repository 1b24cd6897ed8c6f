// Names, numbers and shapes from files, made fit to stand in a sentence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core::checkpoint {

/// In single quotes; control characters and bytes that are not UTF-8 as \x.., cut to about 100 characters.
std::string inQuotes(std::string_view text);

/// With thousands separated: "32,661,980".
std::string grouped(std::uint64_t number);
std::string grouped(std::int64_t number);

/// "(576, 192)".
std::string shapeText(std::span<const std::int64_t> shape);

/// The first `most` names, quoted and separated by commas, then "and 12 more".
std::string listed(const std::vector<std::string>& names, std::size_t most = 8);

/// "1 tensor", "27 tensors".
std::string counted(std::uint64_t number, std::string_view noun);

}  // namespace core::checkpoint
