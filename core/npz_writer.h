// Writes .npz files that numpy.load opens without pickle, array by array, never holding one whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/array_output.h"
#include "core/output_file.h"

namespace core {

/// A stored (uncompressed) zip of NPY 1.0 files: little-endian, C order, headers padded to 64 bytes; zip64 where a size
/// or an offset needs it. Errors: Io as OutputFile. Source: PKWARE APPNOTE 6.3.10; NumPy, "NPY format".
class NpzWriter {
 public:
  static constexpr std::uint64_t kZip64From = 0xFFFF'FFFF;

  /// zip64From: sizes and offsets from here on are written in zip64 form; smaller only in tests.
  NpzWriter(const std::filesystem::path& path, Existing existing, std::uint64_t bytesNeeded,
            std::uint64_t zip64From = kZip64From);

  /// One whole array. Errors: also those of its write().
  void add(const OutputArray& array);

  /// Completes the file and gives it its name; returns its size. Without it nothing stays behind.
  std::uint64_t finish();

 private:
  struct Entry {
    std::string name;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;  ///< of the local header
    std::uint32_t crc = 0;
  };

  OutputFile m_file;
  std::uint64_t m_zip64From;
  std::vector<Entry> m_entries;
};

}  // namespace core
