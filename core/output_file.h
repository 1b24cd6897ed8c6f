// A file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace core {

/// What to do when the file to write is there already.
enum class Existing { Refuse, Replace };

/// Writes to a temporary file in the same folder; commit() gives it its name. Without commit() nothing stays behind and
/// an older file is untouched. Devices are written in place. Errors of every call: Io, with the file and the system's
/// reason.
class OutputFile {
 public:
  /// Errors: Io when `path` could not be written as `existing` says, so that it is said before long work.
  static void check(const std::filesystem::path& path, Existing existing);

  /// bytesNeeded: what will be written at least, for the check of free space and for messages.
  OutputFile(const std::filesystem::path& path, Existing existing, std::uint64_t bytesNeeded);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::uint64_t size() const { return m_size; }
  void append(std::span<const std::byte> bytes);
  /// Replaces bytes that were written before.
  void patch(std::uint64_t offset, std::span<const std::byte> bytes);
  void commit();

 private:
  [[noreturn]] void fail(const char* action, int reason) const;
  void writeAll(std::span<const std::byte> bytes);
  void discard();

  std::filesystem::path m_asked;      ///< as the user wrote it, for messages
  std::filesystem::path m_target;     ///< links resolved
  std::filesystem::path m_temporary;  ///< empty: written in place
  Existing m_existing;
  std::uint64_t m_needed;
  std::uint64_t m_size = 0;
  int m_file = -1;
};

}  // namespace core
