// Gives a checkpoint its tokenizer, and says in the report where it is from and how it fits.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/checkpoint/checkpoint.h"

namespace core::checkpoint {

/// Ids that the model has more than its tokenizer. Padding: tables are rounded up, by less than a thirty-second; more
/// are a sign of another tokenizer. Mismatch: any are.
enum class SpareIds { Padding, Mismatch };

/// `source` is added to the description: " (meta.pkl)". Warns when the numbers of ids differ.
void useTokenizer(Checkpoint& checkpoint, std::shared_ptr<const tokenizer::Tokenizer> tokenizer,
                  const std::string& source, SpareIds spare);

/// The tokenizer that `read` gives, `where` it is ("beside the model"): its errors are a warning in the report and no
/// tokenizer. Answers whether there is one now.
bool tryTokenizer(Checkpoint& checkpoint, const std::function<std::shared_ptr<const tokenizer::Tokenizer>()>& read,
                  const std::string& source, const std::string& where, SpareIds spare);

/// The tokenizer chosen by hand, whose errors are errors; else the one of `path`, whose errors are a warning in the
/// report and no tokenizer; else (an empty path) a warning that says what was looked for: `lookedFor` is a phrase.
/// Answers whether there is one now.
bool chooseTokenizer(Checkpoint& checkpoint, const LoadOptions& options, const std::filesystem::path& path,
                     const std::string& lookedFor, SpareIds spare);

}  // namespace core::checkpoint
