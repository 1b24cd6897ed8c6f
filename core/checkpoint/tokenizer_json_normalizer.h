// The normalizers of a tokenizer.json.
#pragma once

#include <vector>

#include "core/checkpoint/tokenizer_json_part.h"
#include "core/tokenizer/normalizer.h"

namespace core::checkpoint {

/// NFC, NFD, NFKC, NFKD, Prepend, Replace of a fixed text or a Sequence of them; none where there is no "normalizer".
/// Errors: Unsupported, naming another, a regular expression, or what makes texts many times as long; Corrupt.
std::vector<tokenizer::NormalStep> readNormalizer(const JsonPart& root);

}  // namespace core::checkpoint
