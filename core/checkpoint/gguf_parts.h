// Models that llama-gguf-split has cut into several GGUF files, and files that were cut anywhere.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/checkpoint/gguf_file.h"
#include "core/error.h"

namespace core::checkpoint {

/// The files of a model, the first (which has the metadata) at the front, by one of them.
/// Errors: NotFound naming the parts that are not beside it, Mismatch for names that don't fit what is inside,
/// TooLarge, Unsupported for parts that were put together with cat.
std::vector<std::filesystem::path> ggufParts(const GgufFile& file);

/// Whether a file's name is that of the second or a later part.
bool isLaterPart(const std::filesystem::path& path);

/// The refusal of a file whose name says that it is a piece of one that was cut anywhere ("model.gguf.part1of2").
std::optional<Error> refusalOfPiece(const std::filesystem::path& path);

}  // namespace core::checkpoint
