#include "core/verify.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/checkpoint/format.h"
#include "core/checkpoint/location.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core {

Verification verifyChecksums(const std::filesystem::path& path, const Progress& progress) {
  using namespace checkpoint;
  constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;
  const File file(fileToOpen(resolve(path.string())));
  const TorchArchive archive(file, torchDirectory(file));

  Verification verified;
  std::vector<std::string> different;
  for (const auto& [name, record] : archive.records()) {
    uLong crc = crc32(0, nullptr, 0);
    for (std::uint64_t done = 0; done < record.size;) {
      progress.report(std::min(1.0, static_cast<double>(verified.bytes) / static_cast<double>(file.size())),
                      "verifying " + name);
      const std::string piece = file.read(record.offset + done, std::min(kPiece, record.size - done));
      crc = crc32(crc, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
      done += piece.size();
      verified.bytes += static_cast<std::int64_t>(piece.size());
    }
    if (crc != record.crc) different.push_back(name);
    ++verified.members;
  }
  if (!different.empty()) {
    throw Error(
        ErrorKind::Corrupt,
        fmt::format("{}: {} of {} have another checksum than the archive's directory says: {}. The file is "
                    "damaged, or was saved without checksums. Download or copy it again.",
                    file.name(), different.size(), counted(archive.records().size(), "member"), listed(different)));
  }
  return verified;
}

}  // namespace core
