#include "app/bench_options.h"

#include <array>
#include <charconv>
#include <string_view>

#include "app/cli_groups.h"
#include "app/cli_options.h"

namespace app {

namespace {

using core::DType;
using core::Kernel;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

/// A number of at least 1.
std::optional<std::int64_t> parseCount(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 1) return std::nullopt;
  return number;
}

std::optional<std::vector<std::int64_t>> parseCounts(std::string_view text, char separator, std::size_t count) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : split(text, separator)) {
    const auto number = parseCount(part);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.size() != count) return std::nullopt;
  return numbers;
}

std::optional<core::AttentionShape> parseShape(std::string_view text) {
  const auto numbers = parseCounts(text, ',', 5);
  if (!numbers) return std::nullopt;
  const auto& n = *numbers;
  return core::AttentionShape{.B = n[0], .H = n[1], .Hkv = n[2], .T = n[3], .D = n[4], .window = {}};
}

std::optional<Lengths> parseLengths(std::string_view text) {
  const auto numbers = parseCounts(text, ':', 2);
  if (!numbers || (*numbers)[0] > (*numbers)[1]) return std::nullopt;
  return Lengths{(*numbers)[0], (*numbers)[1]};
}

constexpr std::array kTypes = {DType::Float32, DType::BFloat16, DType::Float16};
constexpr std::array kKernels = {Kernel::Manual, Kernel::NanoGptLines,    Kernel::Flash,
                                 Kernel::Cudnn,  Kernel::MemoryEfficient, Kernel::Math};

template <class Value, std::size_t count>
std::string words(const std::array<Value, count>& values) {
  std::string text;
  for (const Value value : values) text.append(text.empty() ? "" : ",").append(word(value));
  return text;
}

/// A list of words out of a table.
template <class Value, std::size_t count>
void addWords(CLI::App& command, const char* name, std::vector<Value>& target, const std::array<Value, count>& values,
              const std::string& text) {
  command
      .add_option_function<std::string>(
          name,
          [=, &target](const std::string& given) {
            target.clear();
            for (const std::string_view part : split(given, ',')) {
              const auto found = std::find_if(values.begin(), values.end(), [&](Value v) { return part == word(v); });
              if (found == values.end()) {
                throw CLI::ValidationError(name, "'" + std::string(part) + "' is not one of " + words(values));
              }
              target.push_back(*found);
            }
          },
          text)
      ->type_name("LIST");
}

/// What only a model has a use for, or only shapes.
void checkModelOptions(const CLI::App& command, bool hasModel) {
  for (const char* name : {"--step", "--tokenizer", "--prompt", "--prompt-file", "--tokens", "--tokens-file",
                           "--no-bos", "--special-tokens", "--gelu", "--qk-multiplier", "--rope-base", "--soft-cap",
                           "--pattern", "--short-window", "--layer", "--verify"}) {
    if (hasModel || command.get_option(name)->count() == 0) continue;
    throw CLI::ValidationError(name, "is for a model; give its PATH");
  }
  for (const char* name : {"--shape", "--sweep"}) {
    if (!hasModel || command.get_option(name)->count() == 0) continue;
    throw CLI::ValidationError(name, "is for random numbers; with a model its own run is timed");
  }
}

}  // namespace

void addBench(CLI::App& command, Arguments& arguments) {
  BenchArguments& bench = arguments.bench;
  addModel(command, arguments);
  command.get_option("PATH")->required(false)->description("The checkpoint; without it random q, k, v are timed");
  addPrompt(command, arguments);
  for (const char* prompt : {"--prompt", "--prompt-file", "--tokens", "--tokens-file"}) {
    for (const char* other : {"--prompt", "--prompt-file", "--tokens", "--tokens-file"}) {
      if (std::string_view(prompt) != other) command.get_option(prompt)->excludes(command.get_option(other));
    }
  }
  addNumber(command, "--layer", bench.layer, "Attention of this layer alone; without it of all, one after the other");
  command.add_flag_callback(
      "--verify", [&] { bench.work = BenchWork::Verify; },
      "Instead of timing: manual against flash on each layer's q, k, v (exit code 4 when they differ)");
  addOverrides(command, arguments);

  const char* group = "Without a model";
  addParsed(command, "--shape", bench.shape, parseShape, "five numbers such as 1,12,12,1024,64",
            "B,H,Hkv,T,D: sequences, query heads, key/value heads, tokens, head size; 1,12,12,1024,64 without it")
      ->type_name("B,H,Hkv,T,D")
      ->group(group);
  addParsed(command, "--sweep", bench.sweep, parseLengths, "two lengths such as 64:4096",
            "Lengths T from A to B, each twice the one before")
      ->type_name("A:B")
      ->group(group);

  addWords(command, "--types", bench.types, kTypes, "Of q, k, v: " + words(kTypes) + "; fp32 without it");
  addWords(command, "--kernels", bench.kernels, kKernels,
           "Of " + words(kKernels) + "; without it all that the device has");
  addChoice<core::Device, core::Device>(command, "--device", arguments.device,
                                        {{"cpu", core::Device::Cpu}, {"cuda", core::Device::Cuda}}, "cpu without it");
  addNumber(command, "--runs", bench.runs, "Runs that count in each row, 20 without it; fewer when one takes over 1 s")
      ->check(CLI::Range(1, 10000));
  addNumber(command, "--threads", bench.threads, "Threads of the CPU kernels; without it as many as LibTorch takes")
      ->check(CLI::Range(1, 1024));
  addMemoryBudget(command, arguments);
  CLI::Option* csv = command.add_flag_callback(
      "--csv", [&] { arguments.format = OutputFormat::Csv; }, "Print a line of comma-separated values for each row");
  addJson(command, arguments);
  command.get_option("--json")->excludes(csv);
  command.final_callback([&command, &arguments] { checkModelOptions(command, !arguments.model.empty()); });
}

const char* const kBenchExamples =
    "Times attention alone by each kernel, on q, k, v of a model's own run or on random ones; with a model also the\n"
    "whole forward pass by both paths. A row holds the first run, median and quartiles of the runs after a warm-up\n"
    "(linear between samples), the memory held at once beyond q, k, v, and FLOP/s of visible cells. Without a prompt\n"
    "a model gets token ids 0, 1, 2, ... up to its context, 1024 at most. --windows is each layer's of a model;\n"
    "without one it lists windows to time one after the other.\n\n"
    "Examples:\n"
    "  headscope bench ckpt.pt\n"
    "  headscope bench d20 --step 21400 --prompt-file act1.txt --pattern SSSL --types fp32,bf16\n"
    "  headscope bench ckpt.pt --verify\n"
    "  headscope bench --shape 1,12,12,4096,64 --windows 128,512,all --kernels manual,flash\n"
    "  headscope bench --sweep 64:4096 --memory-budget 4G --json > speed.json\n"
    "  headscope bench --device cuda --types fp16,bf16 --sweep 512:32768 --csv > speed.csv\n";

}  // namespace app
