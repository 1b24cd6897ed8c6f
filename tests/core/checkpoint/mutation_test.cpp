// Small files with bytes changed at random: whatever comes, it opens or is refused as core::Error.
#include <gtest/gtest.h>

#include <random>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/pickle.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

std::string mutated(std::string bytes, std::mt19937& random) {
  const std::size_t changes = 1 + random() % 4;
  for (std::size_t i = 0; i < changes; ++i) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 4) {
      case 0: bytes[at] = static_cast<char>(random()); break;
      case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8))); break;
      case 2: bytes.erase(at, 1 + random() % 8); break;
      default: bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 16)); break;
    }
    if (bytes.empty()) bytes = "x";
  }
  return bytes;
}

TEST(Mutation, ChangedPicklesAreReadOrRefused) {
  std::mt19937 random(1);
  const std::string whole = support::ModelBuilder(true).pickleBytes();
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    try {
      pickle::parse(mutated(whole, random), "mutation");
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(Mutation, ChangedCheckpointsOpenOrAreRefused) {
  std::mt19937 random(2);
  const support::TemporaryFolder folder;
  const std::string whole = support::ModelBuilder().build();
  int refused = 0;
  for (int i = 0; i < 500; ++i) {
    support::writeFile(folder / "ckpt.pt", mutated(whole, random));
    try {
      load(folder / "ckpt.pt", {}, Progress());
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(Mutation, ChangedPicklesInAWholeArchiveOpenOrAreRefused) {
  std::mt19937 random(3);
  const support::TemporaryFolder folder;
  const support::ModelBuilder model;
  const std::string whole = model.pickleBytes();
  support::ZipBuilder zip = model.archive();
  int refused = 0;
  for (int i = 0; i < 500; ++i) {
    zip.remove("ckpt/data.pkl");
    zip.add("ckpt/data.pkl", mutated(whole, random));
    support::writeFile(folder / "ckpt.pt", zip.build());
    try {
      load(folder / "ckpt.pt", {}, Progress());
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace core::checkpoint
