// meta.pkl: which character each token of a character-level nanoGPT model stands for.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/tokenizer/tokenizer.h"

namespace core::checkpoint {

/// The tokenizer of a meta.pkl: a pickled dict with `itos`, the character of each id from 0 up.
/// Errors: those of File and pickle::parse; NotAModel when there is no itos; Corrupt when ids have gaps or characters
/// repeat.
std::shared_ptr<const tokenizer::Tokenizer> readMetaPickle(const std::filesystem::path& path);

/// Where nanoGPT keeps it: beside the checkpoint, or in data/<dataset> of a folder above it. Nothing when it is not
/// there. `dataset` comes from the file: names that lead elsewhere are not followed.
std::optional<std::filesystem::path> findMetaPickle(const std::filesystem::path& checkpoint, std::string_view dataset);

}  // namespace core::checkpoint
