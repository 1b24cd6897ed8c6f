// Files that say they hold, or ask for, far more than they have: the table of memory_claims_test.cpp.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"

namespace support {

struct Claim {
  struct Files {
    std::filesystem::path model;      ///< what is opened; empty where the file system can't hold a file so large
    std::filesystem::path tokenizer;  ///< chosen by hand, if any
  };
  std::string name;                                                 ///< of the test: the row, and what is claimed
  std::function<Files(const std::filesystem::path& folder)> write;  ///< into an empty folder
  std::optional<core::ErrorKind> kind;                              ///< of the refusal; nullopt: the file opens
  std::vector<std::string> parts;                                   ///< of the sentence
};

/// A line for each file of a kind.
std::vector<Claim> zipClaims();
std::vector<Claim> pickleClaims();
std::vector<Claim> safetensorsClaims();
std::vector<Claim> ggufClaims();
std::vector<Claim> configClaims();
std::vector<Claim> tokenizerClaims();

}  // namespace support
