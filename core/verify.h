// A whole file against the checksums that it carries.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/progress.h"

namespace core {

struct Verification {
  std::int64_t members = 0;
  std::int64_t bytes = 0;  ///< read and compared
};

/// Reads every member of the archive's folder, also those that opening leaves out; what stands outside of the folder
/// belongs to no checkpoint and is never read. Opening itself only warns of a wrong checksum, since torch.save can be
/// told to write none. Errors: Corrupt, naming the members whose checksum is another; those of opening the file;
/// Cancelled.
Verification verifyChecksums(const std::filesystem::path& path, const Progress& progress);

}  // namespace core
