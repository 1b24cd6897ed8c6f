#include "core/checkpoint/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/checkpoint/checked.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

namespace fs = std::filesystem;

namespace {

std::string modeText(mode_t mode) {
  std::string text = "rwxrwxrwx";
  for (std::size_t bit = 0; bit < text.size(); ++bit) {
    if ((mode & (0400u >> bit)) == 0) text[bit] = '-';
  }
  return text;
}

std::string ownerText(uid_t owner) {
  passwd entry{};
  passwd* found = nullptr;
  char buffer[4096];
  if (getpwuid_r(owner, &entry, buffer, sizeof buffer, &found) == 0 && found != nullptr) return found->pw_name;
  return fmt::format("user {}", owner);
}

/// What stops us: the file itself, or a folder on the way to it.
std::string permissionText(const fs::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return "a folder on the way to it may not be entered";
  return fmt::format("its mode is {} and its owner is {}", modeText(status.st_mode), ownerText(status.st_uid));
}

[[noreturn]] void failOpen(const fs::path& path, int error) {
  const std::string name = path.string();
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      throw Error(
          ErrorKind::NotFound,
          fmt::format("{}: there is no such file. It was moved, renamed or deleted: choose where it is now.", name));
    case EACCES:
    case EPERM:
      throw Error(ErrorKind::NoPermission,
                  fmt::format("{}: it may not be read: {}. Ask for the right to read it (chmod +r), or copy it.", name,
                              permissionText(path)));
    case ENXIO:
      throw Error(ErrorKind::NotAFile,
                  fmt::format("{}: it is a socket or a device, not a file. Choose a checkpoint file.", name));
    default:
      throw Error(ErrorKind::Io,
                  fmt::format("{}: it can't be opened: {} (errno {}). Try again.", name, std::strerror(error), error));
  }
}

void requireRegular(const fs::path& path, const struct stat& status) {
  if (S_ISREG(status.st_mode)) return;
  const char* what = S_ISDIR(status.st_mode)    ? "a folder"
                     : S_ISFIFO(status.st_mode) ? "a FIFO (named pipe)"
                     : S_ISSOCK(status.st_mode) ? "a socket"
                                                : "a device";
  throw Error(ErrorKind::NotAFile,
              fmt::format("{}: it is {}, not a file. Choose a checkpoint file.", path.string(), what));
}

}  // namespace

File::File(const fs::path& path, ReadFunction readFunction)
    : m_path(path), m_read(readFunction ? readFunction : ::pread) {
  // Asked before opening: to open a device can already do something (rewind a tape).
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) failOpen(path, errno);
  requireRegular(path, status);
  do {
    m_descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  } while (m_descriptor < 0 && errno == EINTR);
  if (m_descriptor < 0) failOpen(path, errno);
  try {
    if (fstat(m_descriptor, &status) != 0) failOpen(path, errno);
    requireRegular(path, status);  // it may have been replaced in between
    m_size = static_cast<std::uint64_t>(status.st_size);
    if (m_size == 0) {
      throw Error(ErrorKind::Truncated,
                  fmt::format("{}: the file is empty (0 bytes). Download or copy it again.", name()));
    }
  } catch (...) {
    ::close(m_descriptor);
    throw;
  }
}

File::~File() {
  if (m_descriptor >= 0) ::close(m_descriptor);
}

File::File(File&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_read(other.m_read),
      m_descriptor(std::exchange(other.m_descriptor, -1)),
      m_size(other.m_size) {}

void File::requireRange(std::uint64_t offset, std::uint64_t length) const {
  if (rangeFits(m_size, offset, length)) return;
  throw Error(ErrorKind::Truncated,
              fmt::format("{}: {} bytes at byte {} are needed, the file has {}. Download or copy it again.", name(),
                          grouped(length), grouped(offset), grouped(m_size)));
}

void File::read(std::uint64_t offset, std::span<std::byte> into) const {
  requireRange(offset, into.size());
  constexpr std::size_t kLargestRead = std::size_t{1} << 30;  // Linux transfers at most 2 GiB a call
  std::size_t done = 0;
  while (done < into.size()) {
    const std::size_t wanted = std::min(into.size() - done, kLargestRead);
    const ssize_t got = m_read(m_descriptor, into.data() + done, wanted, static_cast<off_t>(offset + done));
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (got == 0) {
      throw Error(
          ErrorKind::Truncated,
          fmt::format("{}: it was cut short while it was being read: byte {} of {} is gone. Wait until it is written, "
                      "then open it again.",
                      name(), grouped(offset + done), grouped(m_size)));
    } else if (errno != EINTR) {
      const int error = errno;
      throw Error(
          ErrorKind::Io,
          fmt::format("{}: reading {} bytes at byte {} failed: {} (errno {}). Try again; if it stays, copy "
                      "the file to a local disk.",
                      name(), grouped(std::uint64_t{wanted}), grouped(offset + done), std::strerror(error), error));
    }
  }
}

std::string File::read(std::uint64_t offset, std::uint64_t length) const {
  requireRange(offset, length);  // before anything is allocated
  std::string bytes(length, '\0');
  read(offset, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

}  // namespace core::checkpoint
