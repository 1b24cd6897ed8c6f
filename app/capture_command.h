// What `headscope capture` and `generate -o` write.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/cli.h"
#include "core/export.h"

namespace app {

/// The format from the name of `output`; nothing where it tells none. What can't be written as a file, a folder or a
/// device, has one too: writing it says what is wrong.
std::optional<core::ExportFormat> outputFormat(const std::filesystem::path& output);

core::CaptureExport exportOptions(const Arguments& arguments);

/// Errors: Io when the output, or the meta file beside it, could not be written.
void checkOutputFiles(const Arguments& arguments);

/// file, format, meta_file (where there is one), arrays (names and shapes) or table (form and lines), bytes.
nlohmann::ordered_json exportedJson(const core::Exported& exported);

/// "run.npz: attn [6,6,48,48], token_ids [48], logits [48,65], 400,123 bytes"
std::string exportedText(const core::Exported& exported);

}  // namespace app
