#include "core/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace core {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void failIo(const std::string& sentence) { throw Error(ErrorKind::Io, sentence); }

std::string reasonText(int reason) { return std::generic_category().message(reason); }

bool isDevice(const fs::file_status& status) {
  return status.type() == fs::file_type::character || status.type() == fs::file_type::block;
}

fs::path folderOf(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

/// A link keeps pointing where it does: the file behind it is replaced, not the link.
fs::path resolveLink(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target;
}

}  // namespace

void OutputFile::check(const fs::path& path, Existing existing) {
  if (path.empty()) failIo("The file to write has no name; give one.");
  std::error_code error;
  const fs::path target = resolveLink(path);
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) failIo(path.string() + " is a folder; name a file in it.");
  if (isDevice(status)) return;
  if (fs::exists(status)) {
    if (!fs::is_regular_file(status)) failIo(path.string() + " is neither a file nor a device; name a file.");
    if (existing == Existing::Refuse) {
      failIo(path.string() +
             " exists already and is left as it is; choose another name or allow overwriting (--force).");
    }
  }
  const fs::path folder = folderOf(target);
  if (!fs::is_directory(folder, error))
    failIo("There is no folder " + folder.string() + " to write " + path.string() + " into; make it first.");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    failIo("Cannot write into the folder " + folder.string() + ": " + reasonText(errno) + ".");
  }
}

OutputFile::OutputFile(const fs::path& path, Existing existing, std::uint64_t bytesNeeded)
    : m_asked(path), m_target(resolveLink(path)), m_existing(existing), m_needed(bytesNeeded) {
  check(path, existing);
  std::error_code error;
  const fs::file_status status = fs::status(m_target, error);
  if (isDevice(status)) {
    m_file = ::open(m_target.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (m_file < 0) fail("open", errno);
    return;
  }
  const fs::space_info space = fs::space(folderOf(m_target), error);
  if (!error && space.available < bytesNeeded) {
    failIo(m_asked.string() + " needs " + std::to_string(bytesNeeded) + " bytes, but its disk has " +
           std::to_string(space.available) + " free; free some space, write elsewhere or narrow what is written.");
  }
  std::random_device random;
  for (int attempt = 0; m_file < 0; ++attempt) {
    m_temporary = folderOf(m_target) / std::string(".headscope-part-").append(std::to_string(random()));
    m_file = ::open(m_temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (m_file < 0 && (errno != EEXIST || attempt == 100)) fail("create", errno);
  }
  // A file that is replaced keeps its permissions.
  if (fs::exists(status)) static_cast<void>(::fchmod(m_file, static_cast<mode_t>(status.permissions()) & 07777));
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::append(std::span<const std::byte> bytes) {
  writeAll(bytes);
  m_size += bytes.size();
}

void OutputFile::patch(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (::lseek(m_file, static_cast<off_t>(offset), SEEK_SET) < 0) fail("write", errno);
  writeAll(bytes);
  if (::lseek(m_file, static_cast<off_t>(m_size), SEEK_SET) < 0) fail("write", errno);
}

void OutputFile::commit() {
  if (m_temporary.empty()) {
    const int file = std::exchange(m_file, -1);
    if (::close(file) != 0) fail("write", errno);
    return;
  }
  // Some file systems tell only here that the disk is full.
  if (::fsync(m_file) != 0) fail("write", errno);
  if (::close(std::exchange(m_file, -1)) != 0) fail("write", errno);
  check(m_asked, m_existing);  // it may have come into being since
  if (::rename(m_temporary.c_str(), m_target.c_str()) != 0) fail("rename the finished part of", errno);
  m_temporary.clear();
}

void OutputFile::writeAll(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(m_file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", errno);
    if (written == 0) fail("write", ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::discard() {
  if (m_file >= 0) ::close(std::exchange(m_file, -1));
  if (!m_temporary.empty()) ::unlink(m_temporary.c_str());
}

void OutputFile::fail(const char* action, int reason) const {
  failIo(std::string("Cannot ") + action + " " + m_asked.string() + ": " + reasonText(reason) + "; " +
         std::to_string(m_needed) + " bytes are needed, " + std::to_string(m_size) + " were written.");
}

}  // namespace core
