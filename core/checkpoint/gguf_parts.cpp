#include "core/checkpoint/gguf_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <string>

#include "core/checkpoint/printable.h"

namespace core::checkpoint {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostParts = 512;  // each is an open file
constexpr std::string_view kCountKey = "split.count";
constexpr std::string_view kNumberKey = "split.no";  // from 0

/// "model-00002-of-00003.gguf"; numbers from 1.
std::string partName(std::string_view stem, std::uint64_t number, std::uint64_t count) {
  return fmt::format("{}-{:05}-of-{:05}.gguf", stem, number, count);
}

/// Of a name that partName() makes for these numbers; nothing for another.
std::optional<std::string> stemOf(const fs::path& path, std::uint64_t number, std::uint64_t count) {
  const std::string name = path.filename().string(), ending = partName("", number, count);
  if (name.size() <= ending.size() || !name.ends_with(ending)) return std::nullopt;
  return name.substr(0, name.size() - ending.size());
}

void requireNoFileBehind(const GgufFile& file) {
  constexpr std::uint64_t kFarthest = 64u << 10;  // the largest padding
  const std::uint64_t rest = std::min(file.file().size() - file.end(), kFarthest + kGgufMagic.size());
  if (file.file().read(file.end(), rest).find(kGgufMagic) == std::string::npos) return;
  throw Error(
      ErrorKind::Unsupported,
      fmt::format("{}: at byte {}, where its tensors end, another part begins: the parts were put together with "
                  "cat. Join them with llama-gguf-split --merge, or open the first of the parts.",
                  file.file().name(), grouped(file.end())));
}

}  // namespace

std::vector<fs::path> ggufParts(const GgufFile& file) {
  const fs::path& path = file.file().path();
  const std::uint64_t count = file.metadata().wholeNumber(kCountKey).value_or(0);
  if (count <= 1) return {path};
  if (count > kMostParts) {
    throw Error(ErrorKind::TooLarge, fmt::format("{}: it is one of {} parts, the limit is {}. Open a smaller model.",
                                                 path.string(), grouped(count), kMostParts));
  }
  requireNoFileBehind(file);
  const std::uint64_t number = file.metadata().wholeNumber(kNumberKey).value_or(0) + 1;
  const std::optional<std::string> stem = stemOf(path, number, count);
  if (!stem) {
    throw Error(ErrorKind::Mismatch,
                fmt::format("{}: it is part {} of {}, and the others are found by its name, which should end in {}. "
                            "Give all parts their names again.",
                            path.string(), grouped(number), count, inQuotes(partName("", number, count))));
  }
  std::vector<fs::path> parts;
  std::vector<std::string> missing;
  std::error_code error;
  for (std::uint64_t i = 1; i <= count; ++i) {
    parts.push_back(path.parent_path() / partName(*stem, i, count));
    if (!fs::exists(parts.back(), error)) missing.push_back(parts.back().filename().string());
  }
  if (missing.empty()) return parts;
  throw Error(ErrorKind::NotFound,
              fmt::format("{}: {} of the {} parts that hold the model {} not beside it: {}. Download or copy {} there.",
                          path.string(), missing.size(), count, missing.size() == 1 ? "is" : "are", listed(missing),
                          missing.size() == 1 ? "it" : "them"));
}

bool isLaterPart(const fs::path& path) {
  static const std::regex pattern(R"(.+-(\d{5})-of-\d{5}\.gguf)");
  std::smatch match;
  const std::string name = path.filename().string();
  return std::regex_match(name, match, pattern) && match[1] != "00001";
}

std::optional<Error> refusalOfPiece(const fs::path& path) {
  static const std::regex pattern(R"((.+)\.part(\d{1,4})of(\d{1,4}))");
  const std::string name = path.filename().string();
  std::smatch match;
  if (!std::regex_match(name, match, pattern)) return std::nullopt;
  const int count = std::stoi(match[3]);
  std::vector<std::string> pieces, missing;
  std::error_code error;
  for (int i = 1; i <= count; ++i) {
    pieces.push_back(fmt::format("{}.part{}of{}", match[1].str(), i, count));
    if (!fs::exists(path.parent_path() / pieces.back(), error)) missing.push_back(pieces.back());
  }
  const std::string absent = missing.empty() ? ""
                                             : fmt::format(", of which {} {} not beside it", listed(missing),
                                                           missing.size() == 1 ? "is" : "are");
  return Error(
      ErrorKind::Truncated,
      fmt::format("{}: by its name it is piece {} of {} of one file{}. Put the pieces together in their order, "
                  "with cat {} > {}, and open that.",
                  path.string(), match[2].str(), count, absent,
                  count <= 3 ? fmt::format("{}", fmt::join(pieces, " ")) : pieces.front() + " ...", match[1].str()));
}

}  // namespace core::checkpoint
