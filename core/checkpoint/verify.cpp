#include "core/verify.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/checkpoint/format.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core {

namespace {

using namespace checkpoint;

/// A stretch of a file that is read whole.
struct Member {
  std::string name;
  std::uint64_t offset = 0, size = 0;
  std::optional<std::uint32_t> crc;  ///< nothing where the container has no checksums
};

std::vector<Member> membersOf(const TorchArchive& archive) {
  std::vector<Member> members;
  for (const auto& [name, record] : archive.records())
    members.push_back({name, record.offset, record.size, record.crc});
  return members;
}

/// Of a container without checksums.
template <class Container>
std::vector<Member> membersOf(const Container& file) {
  std::vector<Member> members;
  for (const auto& [name, entry] : file.entries())
    members.push_back({name, entry.begin, entry.end - entry.begin, std::nullopt});
  return members;
}

class Verifier {
 public:
  explicit Verifier(const Progress& progress) : m_progress(progress) {}

  void verify(File file) {
    if (isGguf(file)) {
      const GgufFile gguf(std::move(file));
      verify(gguf.file(), membersOf(gguf));
    } else if (isSafetensors(file)) {
      const SafetensorsFile safetensors(std::move(file));
      verify(safetensors.file(), membersOf(safetensors));
    } else {
      const TorchArchive archive(file, torchDirectory(file));
      verify(file, membersOf(archive));
    }
  }

  Verification take() {
    if (m_withoutChecksum > 0) {
      m_verified.note =
          fmt::format("{} could be read whole; this kind of file has no checksums that {} could be compared with.",
                      counted(m_withoutChecksum, "tensor"), m_withoutChecksum == 1 ? "it" : "they");
    }
    return std::move(m_verified);
  }

 private:
  void verify(const File& file, const std::vector<Member>& members) {
    std::vector<std::string> different;
    std::uint64_t done = 0;
    for (const Member& member : members) {
      const std::uint32_t crc = read(file, member, done);
      if (!member.crc) ++m_withoutChecksum;
      if (member.crc && crc != *member.crc) different.push_back(member.name);
      ++m_verified.members;
    }
    if (different.empty()) return;
    throw Error(ErrorKind::Corrupt,
                fmt::format("{}: {} of {} have another checksum than the archive's directory says: {}. The file is "
                            "damaged, or was saved without checksums. Download or copy it again.",
                            file.name(), different.size(), counted(members.size(), "member"), listed(different)));
  }

  /// Reads a member piece by piece. Answers its checksum. `done`: bytes of the file before it.
  std::uint32_t read(const File& file, const Member& member, std::uint64_t& done) {
    constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;
    uLong crc = crc32(0, nullptr, 0);
    for (std::uint64_t at = 0; at < member.size;) {
      m_progress.report(std::min(1.0, static_cast<double>(done) / static_cast<double>(file.size())),
                        "verifying " + member.name);
      const std::string piece = file.read(member.offset + at, std::min(kPiece, member.size - at));
      crc = crc32(crc, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
      at += piece.size();
      done += piece.size();
      m_verified.bytes += static_cast<std::int64_t>(piece.size());
    }
    return static_cast<std::uint32_t>(crc);
  }

  const Progress& m_progress;
  Verification m_verified;
  std::uint64_t m_withoutChecksum = 0;
};

}  // namespace

Verification verifyChecksums(const std::filesystem::path& path, const Progress& progress) {
  Verifier verifier(progress);
  for (const std::filesystem::path& file : weightFiles(fileToOpen(path))) verifier.verify(File(file));
  return verifier.take();
}

}  // namespace core
