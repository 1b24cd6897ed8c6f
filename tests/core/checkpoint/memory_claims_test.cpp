// A loader takes memory for what a file has, never for what it claims: each of these files is opened in a process that
// may take 256 MiB, and is refused in its sentence (or opens) in less than 2 seconds of the processor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "tests/core/checkpoint/claims.h"
#include "tests/core/checkpoint/confined.h"
#include "tests/support/files.h"

namespace support {

void PrintTo(const Claim& claim, std::ostream* out) { *out << claim.name; }

namespace {

class MemoryClaims : public testing::TestWithParam<Claim> {};

TEST_P(MemoryClaims, AreNotBelieved) {
  const TemporaryFolder folder;
  const Claim::Files files = GetParam().write(folder.path());
  if (files.model.empty()) GTEST_SKIP() << "this file system has no files of that size";
  const ConfinedLoad load = loadConfined(files.model, files.tokenizer);
  EXPECT_EQ(load.code, 0) << "128 + signal";
  EXPECT_EQ(load.result, GetParam().kind ? std::string(name(*GetParam().kind)) : "opened") << load.sentence;
  for (const std::string& part : GetParam().parts) EXPECT_THAT(load.sentence, testing::HasSubstr(part));
  if (GetParam().kind) {
    EXPECT_THAT(load.sentence, testing::HasSubstr(folder.path().string()));
  }
  if (canConfine()) {
    EXPECT_LT(load.seconds, 2.0) << load.sentence;
  }
}

std::string nameOf(const testing::TestParamInfo<Claim>& instance) { return instance.param.name; }

INSTANTIATE_TEST_SUITE_P(Zip, MemoryClaims, testing::ValuesIn(zipClaims()), nameOf);
INSTANTIATE_TEST_SUITE_P(Pickle, MemoryClaims, testing::ValuesIn(pickleClaims()), nameOf);
INSTANTIATE_TEST_SUITE_P(Safetensors, MemoryClaims, testing::ValuesIn(safetensorsClaims()), nameOf);
INSTANTIATE_TEST_SUITE_P(Gguf, MemoryClaims, testing::ValuesIn(ggufClaims()), nameOf);
INSTANTIATE_TEST_SUITE_P(Config, MemoryClaims, testing::ValuesIn(configClaims()), nameOf);
INSTANTIATE_TEST_SUITE_P(Tokenizer, MemoryClaims, testing::ValuesIn(tokenizerClaims()), nameOf);

}  // namespace
}  // namespace support
