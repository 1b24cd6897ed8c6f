// Source: elf(5), and the layout that nvcc gives .nv_fatbin: containers that each begin with a magic number and their
// size, in them entries of kind (1: PTX, 2: machine code), size of their header and of their payload, and architecture.
#include "tests/core/elf_file.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "tests/support/files.h"

namespace support {

namespace {

template <class T>
T at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) throw std::runtime_error("cut off");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string_view cut(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) throw std::runtime_error("cut off");
  return bytes.substr(offset, size);
}

std::vector<Elf64_Shdr> sections(std::string_view file) {
  const auto header = at<Elf64_Ehdr>(file, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw std::runtime_error("not an ELF file");
  std::vector<Elf64_Shdr> found;
  for (std::uint64_t n = 0; n < header.e_shnum; ++n)
    found.push_back(at<Elf64_Shdr>(file, header.e_shoff + n * sizeof(Elf64_Shdr)));
  return found;
}

std::string_view content(std::string_view file, const Elf64_Shdr& section) {
  return cut(file, section.sh_offset, section.sh_size);
}

std::string text(std::string_view strings, std::uint64_t offset) { return std::string(strings.substr(offset).data()); }

struct ContainerHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t headerSize;
  std::uint64_t size;  ///< of the entries
};
constexpr std::uint32_t kMagic = 0xBA55ED50;

struct EntryHeader {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t headerSize;
  std::uint64_t size;  ///< of the payload behind the header
  std::uint32_t others[3];
  std::uint32_t architecture;  ///< 90
};

}  // namespace

std::vector<std::string> neededLibraries(const std::filesystem::path& program) {
  const std::string file = readFile(program);
  const std::vector<Elf64_Shdr> all = sections(file);
  std::vector<std::string> needed;
  for (const Elf64_Shdr& section : all) {
    if (section.sh_type != SHT_DYNAMIC) continue;
    const std::string_view entries = content(file, section);
    const std::string_view strings = content(file, all.at(section.sh_link));
    for (std::uint64_t offset = 0; offset < entries.size(); offset += sizeof(Elf64_Dyn)) {
      const auto entry = at<Elf64_Dyn>(entries, offset);
      if (entry.d_tag == DT_NEEDED) needed.emplace_back(text(strings, entry.d_un.d_val));
    }
  }
  return needed;
}

std::set<std::string> gpuCode(const std::filesystem::path& program) {
  const std::string file = readFile(program);
  const std::vector<Elf64_Shdr> all = sections(file);
  const std::string_view names = content(file, all.at(at<Elf64_Ehdr>(file, 0).e_shstrndx));
  std::set<std::string> found;
  for (const Elf64_Shdr& section : all) {
    if (text(names, section.sh_name) != ".nv_fatbin") continue;
    const std::string_view bytes = content(file, section);
    std::uint64_t offset = 0;
    while (offset + sizeof(ContainerHeader) <= bytes.size()) {
      const auto container = at<ContainerHeader>(bytes, offset);
      if (container.magic != kMagic) {
        offset += 8;  // what aligns the next one
        continue;
      }
      const std::string_view entries = cut(bytes, offset + container.headerSize, container.size);
      for (std::uint64_t place = 0; place < entries.size();) {
        const auto entry = at<EntryHeader>(entries, place);
        found.insert((entry.kind == 2 ? "sm_" : "compute_") + std::to_string(entry.architecture));
        place += entry.headerSize + entry.size;
      }
      offset += container.headerSize + container.size;
    }
  }
  return found;
}

}  // namespace support
