// Whole files against the checksums that they carry.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/progress.h"

namespace core {

struct Verification {
  std::int64_t members = 0;  ///< records of a torch archive, tensors of a safetensors file
  std::int64_t bytes = 0;    ///< read
  std::string note;          ///< a sentence where something could not be compared, since it has no checksum; else empty
};

/// Reads every member of an archive's folder, also those that opening leaves out; what stands outside of the folder
/// belongs to no checkpoint and is never read. Opening itself only warns of a wrong checksum, since torch.save can be
/// told to write none. A safetensors file has none at all: every tensor of it is read whole, to see that it can be. Of
/// a set of files those that hold weights.
/// Errors: Corrupt, naming the members whose checksum is another; those of opening the file; Cancelled.
Verification verifyChecksums(const std::filesystem::path& path, const Progress& progress);

}  // namespace core
