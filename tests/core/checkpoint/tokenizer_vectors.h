// Ids that upstream's own tokenizers make of lines.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/tokenizer/tokenizer.h"
#include "tests/support/files.h"

namespace support {

inline nlohmann::json readJsonFile(const std::filesystem::path& path) { return nlohmann::json::parse(readFile(path)); }

/// The bytes of all ids together.
inline std::string decoded(const core::tokenizer::Tokenizer& tokenizer, const std::vector<core::TokenId>& ids) {
  std::string text;
  for (const core::TokenId id : ids) text += tokenizer.bytes(id);
  return text;
}

/// Every line has the ids of upstream, and they spell `before` and the line.
inline void expectVectors(const core::tokenizer::Tokenizer& tokenizer, const nlohmann::json& lines,
                          const nlohmann::json& ids, std::size_t atLeast, const std::string& before = "") {
  ASSERT_EQ(lines.size(), ids.size());
  ASSERT_GE(lines.size(), atLeast);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = lines[i].get<std::string>();
    const core::tokenizer::Encoding encoding = tokenizer.encode(line);
    EXPECT_EQ(encoding.ids, ids[i].get<std::vector<core::TokenId>>()) << "line " << i << ": " << line;
    EXPECT_EQ(decoded(tokenizer, encoding.ids), line.empty() ? line : before + line) << "line " << i;
    EXPECT_THAT(encoding.notEncodable, testing::IsEmpty()) << "line " << i;
  }
}

}  // namespace support
