// What is known of an opened model: its numbers, and the report of what loading did.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace core {

/// The MLP's activation: exact x * Phi(x), or the tanh form that older nanoGPT and GPT-2 used.
enum class Gelu { Erf, Tanh };

/// The numbers that the arithmetic needs. D = headSize, C = embedding.
struct ModelConfig {
  std::string family;  ///< "nanoGPT"
  int layers = 0;
  int heads = 0;
  int kvHeads = 0;
  int headSize = 0;
  int embedding = 0;
  std::int64_t context = 0;     ///< the longest prompt, in tokens
  std::int64_t vocabulary = 0;  ///< rows of the embedding table, padding rows included
  double normEpsilon = 1e-5;
  Gelu gelu = Gelu::Erf;
  bool hasBias = true;
  bool tiedHead = true;  ///< lm_head shares the embedding table
};

/// What loading did, a line each, in the order of the enum.
struct ReportLine {
  enum class Topic { Family, Version, Read, Ignored, Patched, Prefix, Tokenizer, Warning };
  Topic topic;
  std::string text;
};

struct ModelInfo {
  std::filesystem::path path;  ///< the checkpoint as opened
  std::string name;            ///< for titles: "shakespeare-char"
  ModelConfig config;
  std::string storedType;       ///< type of the weights in the file: "fp32", "bf16", "fp32 + bf16"
  std::int64_t parameters = 0;  ///< weights counted once where shared
  std::int64_t bytesRead = 0;   ///< bytes of weights read from the file
  std::string tokenizer;        ///< "65 characters (meta.pkl)", or empty when there is none
  std::string device = "CPU";
  std::vector<ReportLine> report;
};

}  // namespace core
