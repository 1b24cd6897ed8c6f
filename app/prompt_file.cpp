#include "app/prompt_file.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "core/error.h"

namespace app {

namespace {

constexpr std::size_t kLargest = std::size_t{64} << 20;  // far above any context; /dev/zero has no end

[[noreturn]] void fail(const std::filesystem::path& path, int reason) {
  if (reason == EINTR) throw core::Error(core::ErrorKind::Cancelled, "Cancelled.");
  core::ErrorKind kind = core::ErrorKind::Io;
  if (reason == ENOENT) kind = core::ErrorKind::NotFound;
  if (reason == EACCES) kind = core::ErrorKind::NoPermission;
  if (reason == EISDIR) kind = core::ErrorKind::NotAFile;
  throw core::Error(
      kind, "Cannot read the prompt from " + path.string() + ": " + std::generic_category().message(reason) + ".");
}

}  // namespace

std::string readPromptFile(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) fail(path, errno);
  std::string bytes;
  char buffer[1 << 16];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file.get())) {
    bytes.append(buffer, got);
    if (bytes.size() > kLargest) {
      throw core::Error(core::ErrorKind::TooLarge, "The prompt file " + path.string() + " is larger than " +
                                                       std::to_string(kLargest) + " bytes; cut out the part to run.");
    }
  }
  if (std::ferror(file.get()) != 0) fail(path, errno);
  return bytes;
}

}  // namespace app
