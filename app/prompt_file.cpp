#include "app/prompt_file.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/error.h"

namespace app {

namespace {

constexpr int kMoment = 100;                             // milliseconds
constexpr std::size_t kLargest = std::size_t{64} << 20;  // far above any context; /dev/zero has no end

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

[[noreturn]] void fail(const std::filesystem::path& path, int reason) {
  core::ErrorKind kind = core::ErrorKind::Io;
  if (reason == ENOENT) kind = core::ErrorKind::NotFound;
  if (reason == EACCES) kind = core::ErrorKind::NoPermission;
  if (reason == EISDIR) kind = core::ErrorKind::NotAFile;
  throw core::Error(
      kind, "Cannot read the prompt from " + path.string() + ": " + std::generic_category().message(reason) + ".");
}

}  // namespace

std::string readPromptFile(const std::filesystem::path& path, const core::Progress& progress) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (file.number < 0) fail(path, errno);
  std::string bytes;
  char buffer[1 << 16];
  while (true) {
    // A signal may come at any time, so no wait is longer than a moment. A FIFO is ready once somebody has written.
    progress.report(0, "reading the prompt");
    pollfd ready{file.number, POLLIN, 0};
    if (::poll(&ready, 1, kMoment) <= 0) continue;
    const ssize_t got = ::read(file.number, buffer, sizeof buffer);
    if (got == 0) return bytes;
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got < 0) fail(path, errno);
    bytes.append(buffer, static_cast<std::size_t>(got));
    if (bytes.size() > kLargest) {
      throw core::Error(core::ErrorKind::TooLarge, "The prompt file " + path.string() + " is larger than " +
                                                       std::to_string(kLargest) + " bytes; cut out the part to run.");
    }
  }
}

}  // namespace app
