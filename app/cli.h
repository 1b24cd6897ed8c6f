// The command line as values.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/bench_arguments.h"
#include "app/render_arguments.h"
#include "core/attention_map.h"
#include "core/export.h"
#include "core/output_file.h"
#include "core/session.h"

namespace app {

/// What the program ends with, for scripts.
enum ExitCode { kOk = 0, kUsage = 2, kCannotLoad = 3, kCannotRun = 4, kCannotWrite = 5, kCancelled = 130 };

enum class Command { Window, Info, Capture, Render, Generate, Bench };
enum class OutputFormat { Text, Json, Csv };
enum class Checksums { Trust, Verify };

/// One set of options for all commands; a command reads those that it has.
struct Arguments {
  Command command = Command::Window;
  std::filesystem::path model;  ///< empty only for the window, the bundled one, and for bench, random numbers
  std::optional<std::filesystem::path> tokenizer;
  std::optional<std::int64_t> step;  ///< of a folder that holds several
  OutputFormat format = OutputFormat::Text;
  Checksums checksums = Checksums::Trust;

  std::optional<std::string> prompt;  ///< at most one of the four
  std::optional<std::filesystem::path> promptFile;
  std::optional<std::string> tokens;
  std::optional<std::filesystem::path> tokensFile;
  std::optional<core::Prefix> prefix;  ///< nullopt: as trained; in the window as the last time
  core::Specials specials = core::Specials::AsUpstream;
  core::Overrides overrides;
  core::AttentionPath path = core::AttentionPath::Manual;
  std::optional<std::int64_t> memoryBudget;  ///< bytes
  core::Device device = core::Device::Cpu;

  std::filesystem::path output;
  core::Existing existing = core::Existing::Refuse;
  std::vector<int> layers;
  std::vector<int> heads;
  std::vector<core::Position> rows;
  std::optional<core::PositionRange> columns;
  std::optional<core::CaptureExport::Logits> logits;
  core::CsvOptions csv;
  std::vector<std::string> csvGiven;  ///< the names of the options that set it

  RenderArguments render;

  std::int64_t count = 50;  ///< tokens to generate
  core::Sampling sampling;

  BenchArguments bench;

  std::filesystem::path screenshot;
};

struct ParsedArguments {
  std::optional<Arguments> arguments;  ///< nullopt: there is nothing to do, the texts are already printed
  int exitCode = kOk;
};

/// Prints help and version to standard output, mistakes to standard error.
ParsedArguments parseArguments(int argc, const char* const* argv);

}  // namespace app
