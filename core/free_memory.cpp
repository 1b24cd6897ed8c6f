#include "core/free_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace core {

namespace {

namespace fs = std::filesystem;

/// The number after a word at the begin of a line: "MemAvailable: 123 kB", "inactive_file 4096".
std::optional<std::int64_t> numberAfter(const fs::path& path, const std::string& word) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(word, 0) != 0) continue;
    try {
      return std::stoll(line.substr(word.size()));
    } catch (const std::exception&) {
      return std::nullopt;  // "max": no limit
    }
  }
  return std::nullopt;
}

/// What the two versions call their files.
struct Names {
  const char* limit;
  const char* used;
  const char* droppable;
};
constexpr Names kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "};
constexpr Names kVersion2{"memory.max", "memory.current", "inactive_file "};

/// Of the group at `path` below `mount` and of those above it.
std::int64_t leftInGroups(const fs::path& mount, const fs::path& path, const Names& names) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (fs::path group = path;; group = group.parent_path()) {
    const fs::path folder = mount / group.relative_path();
    const auto limit = numberAfter(folder / names.limit, "");
    const auto used = numberAfter(folder / names.used, "");
    if (limit && used) {
      const std::int64_t droppable = numberAfter(folder / "memory.stat", names.droppable).value_or(0);
      least = std::min(least, std::max<std::int64_t>(*limit - *used + droppable, 0));
    }
    if (!group.has_relative_path()) return least;
  }
}

}  // namespace

std::int64_t freeMemory(const fs::path& root) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  if (const auto kilobytes = numberAfter(root / "proc/meminfo", "MemAvailable:")) least = 1024 * *kilobytes;
  // A line a hierarchy: "4:memory:/user.slice", or "0::/user.slice" of version 2.
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path path = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, leftInGroups(root / "sys/fs/cgroup", path, kVersion2));
    if (controllers == "memory") least = std::min(least, leftInGroups(root / "sys/fs/cgroup/memory", path, kVersion1));
  }
  return least;
}

}  // namespace core
