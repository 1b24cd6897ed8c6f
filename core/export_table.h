// A capture as a table of text.
#pragma once

#include "core/export_blocks.h"

namespace core {

/// Writes the table and its meta file, and notes them. Long: layer, head, query, key, q_token, k_token, weight of every
/// cell that the mask shows. Matrix: the map of one head; a header line with the keys and a first column with the
/// queries, as "17 · the". Errors: those of exportCapture().
void writeCsv(Exported& exported, const CapturePtr& capture, const ExportPlan& plan, const CaptureExport& options,
              std::uint64_t bytesNeeded, const Progress& progress);

}  // namespace core
