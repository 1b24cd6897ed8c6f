// What the system can still give.
#pragma once

#include <cstdint>
#include <filesystem>

namespace core {

/// Bytes: what /proc/meminfo calls available, or less where a control group of this process, or one above it, has a
/// limit; file caches that the group can drop count as free. Version 1 and 2 of control groups.
/// The largest number where nothing can be read. `root` is "/" but in tests.
/// Source: proc(5), cgroups(7), the kernel's cgroup-v1/memory and cgroup-v2.
std::int64_t freeMemory(const std::filesystem::path& root = "/");

}  // namespace core
