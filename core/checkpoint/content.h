// What a file is that is not a checkpoint we open, by its bytes: so that a refusal can say what it looks like.
#pragma once

#include <optional>

#include "core/checkpoint/file.h"
#include "core/checkpoint/zip_directory.h"
#include "core/error.h"

namespace core::checkpoint {

/// The refusal of a file that is no torch archive: its kind, what it looks like and what to do.
/// Errors: Unsafe for a pickle that asks for commands; Io, Truncated while looking.
Error refusalOf(const File& file);

/// The same where the bytes tell a type; else nothing. Errors: as refusalOf.
std::optional<Error> refusalByType(const File& file);

/// Whether a text file's name is that of another part of a model than its weights, config and index: tokenizer.json.
bool isPartByName(const File& file);

/// The refusal of a zip that torch.save did not write.
Error refusalOfZip(const File& file, const ZipDirectory& directory);

}  // namespace core::checkpoint
