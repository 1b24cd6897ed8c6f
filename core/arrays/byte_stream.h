// The bytes of a part of a file from begin to end: as they lie there, or inflated.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/arrays/zip_members.h"
#include "core/checkpoint/file.h"

namespace core::arrays {

class ByteStream {
 public:
  /// `origin` begins sentences: "/x/run.npz: the array 'attn'". The file must outlive the stream.
  ByteStream(const checkpoint::File& file, std::uint64_t offset, std::uint64_t size, std::string origin);
  ByteStream(const checkpoint::File& file, const ZipMember& member, std::string origin);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  std::uint64_t left() const { return m_left; }  ///< bytes that were not read yet

  /// Fills `into`. Errors: Truncated when fewer are left; Corrupt when they can't be inflated; Io.
  void read(std::span<std::byte> into);
  std::string read(std::uint64_t length);

  /// To be called when all was read. Errors: Corrupt when the checksum is another, or packed bytes are left.
  void finish();

 private:
  class Inflater;

  void requireLeft(std::uint64_t length) const;  // throws Truncated

  const checkpoint::File& m_file;
  std::string m_origin;
  std::uint64_t m_at = 0;  ///< in the file
  std::uint64_t m_left = 0;
  std::optional<std::uint32_t> m_wantedCrc;
  std::uint32_t m_crc = 0;
  std::unique_ptr<Inflater> m_inflater;  ///< null: the bytes lie in the file as they are
};

}  // namespace core::arrays
