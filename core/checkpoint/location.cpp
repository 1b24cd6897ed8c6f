#include "core/checkpoint/location.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string>

#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

namespace fs = std::filesystem;

namespace {

std::string withoutEscapes(std::string_view text, std::string_view location) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const char* end = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
    if (end - digits.data() != 2) {
      throw Error(ErrorKind::NotAFile,
                  fmt::format("{}: the %-escape at letter {} is not two hexadecimal digits. Give the path itself.",
                              inQuotes(location), i + 1));
    }
    plain += static_cast<char>(value);
    i += 2;
  }
  return plain;
}

/// The path of a file URL: what follows the host.
std::string urlPath(std::string_view location) {
  std::string_view rest = location.substr(std::string_view("file://").size());
  const std::string_view host = rest.substr(0, rest.find('/'));
  if (!host.empty() && host != "localhost") {
    throw Error(ErrorKind::NotAFile, fmt::format("{}: the file is on another computer ({}). Copy it to this one.",
                                                 inQuotes(location), inQuotes(host)));
  }
  rest.remove_prefix(host.size());
  return withoutEscapes(rest, location);
}

bool hasScheme(std::string_view location) {
  const std::size_t colon = location.find("://");
  return colon != std::string_view::npos && colon > 0 &&
         std::all_of(location.begin(), location.begin() + static_cast<std::ptrdiff_t>(colon), [](unsigned char letter) {
           return std::isalnum(letter) || letter == '+' || letter == '-' || letter == '.';
         });
}

}  // namespace

fs::path resolve(std::string_view location) {
  std::string path(location);
  if (location.starts_with("file://")) {
    path = urlPath(location);
  } else if (hasScheme(location)) {
    throw Error(ErrorKind::NotAFile,
                fmt::format("{} is an address, not a file of this computer. Download it and open the copy.",
                            inQuotes(location)));
  } else if (location == "~" || location.starts_with("~/")) {
    if (const char* home = std::getenv("HOME")) path.replace(0, 1, home);
  }
  if (path.empty()) throw Error(ErrorKind::NotFound, "No file was named. Give the path of a checkpoint.");
  if (path.find('\0') != std::string::npos) {
    throw Error(ErrorKind::NotAFile,
                fmt::format("{}: a path has no NUL character. Give the path itself.", inQuotes(path)));
  }
  return fs::absolute(path).lexically_normal();
}

}  // namespace core::checkpoint
