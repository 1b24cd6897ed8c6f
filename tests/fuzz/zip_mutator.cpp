// A changed archive gets its sizes and places again: the members where their headers are found, each as long as what is
// between it and the next record.
#include <algorithm>
#include <string_view>
#include <vector>

#include "tests/fuzz/mutation.h"

namespace {

using Places = std::vector<std::size_t>;

constexpr std::size_t kLocalSize = 30;

Places placesOf(std::string_view bytes, std::string_view signature) {
  Places places;
  for (std::size_t at = bytes.find(signature); at != std::string_view::npos; at = bytes.find(signature, at + 1))
    places.push_back(at);
  return places;
}

std::size_t shortAt(std::string_view bytes, std::size_t at) {
  if (at + 2 > bytes.size()) return 0;
  return static_cast<unsigned char>(bytes[at]) | std::size_t{static_cast<unsigned char>(bytes[at + 1])} << 8;
}

void repair(std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t end = bytes.rfind("PK\5\6");
  const Places entries = placesOf(bytes, "PK\1\2");
  const Places members = placesOf(bytes, "PK\3\4");
  if (end == std::string_view::npos || entries.empty() || entries[0] > end) return;
  for (std::size_t i = 0; i < std::min(entries.size(), members.size()); ++i) {
    const std::size_t begin =
        members[i] + kLocalSize + shortAt(bytes, members[i] + 26) + shortAt(bytes, members[i] + 28);
    const std::size_t next = i + 1 < members.size() ? members[i + 1] : entries[0];
    const auto length = static_cast<std::uint32_t>(next > begin ? next - begin : 0);
    for (const std::size_t at : {members[i] + 18, members[i] + 22, entries[i] + 20, entries[i] + 24})
      fuzz::put(data, size, at, length);
    fuzz::put(data, size, entries[i] + 42, static_cast<std::uint32_t>(members[i]));
  }
  const auto count = static_cast<std::uint16_t>(entries.size());
  fuzz::put(data, size, end + 8, count);
  fuzz::put(data, size, end + 10, count);
  fuzz::put(data, size, end + 12, static_cast<std::uint32_t>(end - entries[0]));
  fuzz::put(data, size, end + 16, static_cast<std::uint32_t>(entries[0]));
  fuzz::put(data, size, end + 20, static_cast<std::uint16_t>(size - std::min(size, end + 22)));
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  const std::size_t changed = LLVMFuzzerMutate(data, size, most);
  if (seed % 2 != 0) repair(data, changed);
  return changed;
}
