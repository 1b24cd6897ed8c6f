// The container of torch.save: a zip of stored members in one folder.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/checkpoint/file.h"
#include "core/checkpoint/zip_directory.h"

namespace core::checkpoint {

/// A stored member, by its name without the folder: "data.pkl", "data/0".
struct Record {
  std::uint64_t offset = 0;  ///< of its first byte in the file
  std::uint64_t size = 0;
  std::uint32_t crc = 0;  ///< as the directory says; some writers leave it wrong on purpose
};

/// Whether the members look like what torch.save writes, so that refusals can be those of a torch file.
bool looksLikeTorchArchive(const ZipDirectory& directory);

class TorchArchive {
 public:
  using Records = std::map<std::string, Record, std::less<>>;

  /// Checks every member against its local header before any is read; keeps a reference to the file.
  /// Errors: Corrupt, Unsupported (compressed, encrypted, TorchScript, big-endian), TooLarge, Truncated, Io.
  TorchArchive(const File& file, const ZipDirectory& directory);

  const File& file() const { return m_file; }
  const Records& records() const { return m_records; }

  /// Errors: Corrupt, naming the record, when it is not there.
  const Record& record(std::string_view name) const;

  /// A whole record. Errors: TooLarge above `limit` bytes.
  std::string read(std::string_view name, std::uint64_t limit) const;

 private:
  const File& m_file;
  Records m_records;
};

/// The pickle of a torch file; a real one is about 100 bytes a tensor.
inline constexpr std::uint64_t kLargestPickle = 32u << 20;

}  // namespace core::checkpoint
