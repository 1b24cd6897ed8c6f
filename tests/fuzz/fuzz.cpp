#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

namespace fuzz {

MemoryFile::MemoryFile()
    : m_descriptor(memfd_create("input", MFD_CLOEXEC)), m_path("/proc/self/fd/" + std::to_string(m_descriptor)) {
  if (m_descriptor < 0) throw std::runtime_error("no memory file");
}

core::checkpoint::File MemoryFile::open(std::string_view bytes) const {
  const auto size = static_cast<off_t>(bytes.size());
  if (ftruncate(m_descriptor, size) != 0 || pwrite(m_descriptor, bytes.data(), bytes.size(), 0) != size) {
    throw std::runtime_error("the memory file takes no more bytes");
  }
  return core::checkpoint::File(m_path);
}

void require(bool claim, const char* sentence) {
  if (!claim) throw std::logic_error(sentence);
}

}  // namespace fuzz
