// A regular file opened for reading. Weights are read, never mapped: a file may change under a running program.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace core::checkpoint {

class File {
 public:
  /// The shape of pread(2), which is used; tests put one in that fails or records.
  using ReadFunction = ssize_t (*)(int descriptor, void* into, std::size_t size, off_t offset);

  /// Never waits for a writer of a FIFO.
  /// Errors: NotFound, NoPermission, NotAFile (folder, FIFO, socket, device), Truncated (empty), Io.
  explicit File(const std::filesystem::path& path, ReadFunction readFunction = nullptr);
  ~File();
  File(File&& other) noexcept;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File& operator=(File&&) = delete;

  const std::filesystem::path& path() const { return m_path; }
  std::string name() const { return m_path.string(); }  ///< how sentences begin
  std::uint64_t size() const { return m_size; }         ///< when it was opened

  /// Fills `into` whole, however short the reads come.
  /// Errors: Truncated when the file ends before that (also when it shrank since it was opened), Io.
  void read(std::uint64_t offset, std::span<std::byte> into) const;

  /// The bytes of [offset, offset + length). Errors: as above, before anything is allocated for a range beyond the end.
  std::string read(std::uint64_t offset, std::uint64_t length) const;

 private:
  void requireRange(std::uint64_t offset, std::uint64_t length) const;

  std::filesystem::path m_path;
  ReadFunction m_read;
  int m_descriptor = -1;
  std::uint64_t m_size = 0;
};

}  // namespace core::checkpoint
