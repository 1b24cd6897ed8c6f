// Writes .npz files that numpy.load opens without pickle, array by array, never holding one whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/output_file.h"

namespace core {

/// A stored (uncompressed) zip of NPY 1.0 files: little-endian, C order, headers padded to 64 bytes; zip64 where a size
/// or an offset needs it. Errors: Io as OutputFile. Source: PKWARE APPNOTE 6.3.10; NumPy, "NPY format".
class NpzWriter {
 public:
  enum class Type { Float32, Int64 };
  static constexpr std::uint64_t kZip64From = 0xFFFF'FFFF;

  /// zip64From: sizes and offsets from here on are written in zip64 form; smaller only in tests.
  NpzWriter(const std::filesystem::path& path, Existing existing, std::uint64_t bytesNeeded,
            std::uint64_t zip64From = kZip64From);

  /// Starts the array `name`; append() then gives its values in C order, all of them, before the next begin() or
  /// finish().
  void begin(std::string_view name, Type type, const std::vector<std::int64_t>& shape);
  void append(std::span<const float> values);
  void append(std::span<const std::int64_t> values);

  /// Completes the file and gives it its name; returns its size. Without it nothing stays behind.
  std::uint64_t finish();

 private:
  struct Entry {
    std::string name;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;  ///< of the local header
    std::uint32_t crc = 0;
  };

  void appendData(Type type, std::span<const std::byte> bytes);
  void endArray();

  OutputFile m_file;
  std::uint64_t m_zip64From;
  std::vector<Entry> m_entries;
  Type m_type = Type::Float32;
  std::uint64_t m_left = 0;  ///< bytes of the current array still to come
};

}  // namespace core
