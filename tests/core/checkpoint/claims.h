// Files that say they hold, or ask for, far more than they have: the table of memory_claims_test.cpp.
#pragma once

#include <concepts>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace support {

/// What a file holds, made when it is written: some are large, and every test of the table lists them all.
class Bytes {
 public:
  Bytes(const char* text) : Bytes(std::string(text)) {}
  Bytes(std::string bytes) : m_make([bytes = std::move(bytes)] { return bytes; }) {}
  template <std::invocable Maker>
  Bytes(Maker maker) : m_make(std::move(maker)) {}

  std::string make() const { return m_make(); }

 private:
  std::function<std::string()> m_make;
};

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
