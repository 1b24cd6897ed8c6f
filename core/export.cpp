#include "core/export.h"

#include <algorithm>
#include <new>
#include <set>
#include <string>

#include "core/attention_map.h"
#include "core/error.h"
#include "core/npz_writer.h"

namespace core {

namespace {

constexpr std::int64_t kBlockValues = std::int64_t{1} << 20;  // 4 MiB: well under a second of work

template <class Kind>
std::vector<Kind> chosen(const std::vector<Kind>& asked, int count, const char* what) {
  std::vector<Kind> all;
  if (asked.empty()) {
    for (int i = 0; i < count; ++i) all.push_back(Kind(i));
    return all;
  }
  std::set<Kind> seen;
  for (const Kind kind : asked) {
    const std::string item = std::string(what) + " " + std::to_string(kind.value);
    if (kind.value < 0 || kind.value >= count) {
      throw Error(ErrorKind::Mismatch, "There is no " + item + ": the model has " + std::to_string(count) + " " + what +
                                           "s, 0 to " + std::to_string(count - 1) + ".");
    }
    if (!seen.insert(kind).second)
      throw Error(ErrorKind::Mismatch, "The " + item + " is named twice; name each one once.");
  }
  return asked;
}

template <class Kind>
std::vector<std::int64_t> numbers(const std::vector<Kind>& kinds) {
  std::vector<std::int64_t> values;
  for (const Kind kind : kinds) values.push_back(kind.value);
  return values;
}

/// What is to be written, with the choices resolved.
struct Plan {
  std::vector<Layer> layers;
  std::vector<Head> heads;
  bool narrowed;
  std::int64_t tokens;
  std::int64_t vocabulary;
  PositionRange logitRows;

  Plan(const ModelConfig& config, std::int64_t T, const NpzOptions& options)
      : layers(chosen(options.layers, config.layers, "layer")),
        heads(chosen(options.heads, config.heads, "head")),
        narrowed(!options.layers.empty() || !options.heads.empty()),
        tokens(T),
        vocabulary(config.vocabulary),
        logitRows{options.logits == NpzOptions::Logits::All ? 0 : T - 1, T} {}

  std::int64_t maps() const { return static_cast<std::int64_t>(layers.size() * heads.size()); }
  std::int64_t attentionValues() const { return maps() * tokens * tokens; }
  std::int64_t logitValues() const { return logitRows.size() * vocabulary; }
};

/// Calls write(rows) for blocks of rows of `width` values each.
template <class Write>
void inBlocks(const PositionRange& rows, std::int64_t width, Write write) {
  const std::int64_t step = std::max<std::int64_t>(1, kBlockValues / width);
  for (Position begin = rows.begin; begin < rows.end; begin += step) {
    write(PositionRange{begin, std::min(begin + step, rows.end)});
  }
}

void writeArrays(NpzWriter& writer, const std::shared_ptr<const Capture>& capture, const Plan& plan, bool allLogits,
                 const Progress& progress) {
  const double total = static_cast<double>(plan.attentionValues() + plan.logitValues());
  std::int64_t done = 0;
  const auto report = [&](const char* stage) { progress.report(static_cast<double>(done) / total, stage); };

  const auto layers = static_cast<std::int64_t>(plan.layers.size());
  const auto heads = static_cast<std::int64_t>(plan.heads.size());
  writer.begin("attn", NpzWriter::Type::Float32, {layers, heads, plan.tokens, plan.tokens});
  for (const Layer layer : plan.layers) {
    for (const Head head : plan.heads) {
      const AttentionMap map(capture, {layer, head});
      inBlocks({0, plan.tokens}, plan.tokens, [&](const PositionRange& rows) {
        report("Writing attention");
        writer.append(std::span<const float>(map.rectangle(Stage::Weights, {rows, {0, plan.tokens}}).values));
        done += rows.size() * plan.tokens;
      });
    }
  }

  std::vector<std::int64_t> ids;
  for (const TokenText& token : capture->tokens()) ids.push_back(token.id);
  writer.begin("token_ids", NpzWriter::Type::Int64, {plan.tokens});
  writer.append(ids);

  using Shape = std::vector<std::int64_t>;
  writer.begin("logits", NpzWriter::Type::Float32,
               allLogits ? Shape{plan.tokens, plan.vocabulary} : Shape{plan.vocabulary});
  inBlocks(plan.logitRows, plan.vocabulary, [&](const PositionRange& rows) {
    report("Writing logits");
    writer.append(std::span<const float>(capture->logits(rows)));
    done += rows.size() * plan.vocabulary;
  });

  if (plan.narrowed) {
    writer.begin("layers", NpzWriter::Type::Int64, {layers});
    writer.append(numbers(plan.layers));
    writer.begin("heads", NpzWriter::Type::Int64, {heads});
    writer.append(numbers(plan.heads));
  }
  report("Writing");
}

}  // namespace

std::uint64_t npzBytes(const ModelConfig& config, std::int64_t tokens, const NpzOptions& options) {
  const Plan plan(config, tokens, options);
  const std::size_t numbersWritten =
      static_cast<std::size_t>(tokens) + (plan.narrowed ? plan.layers.size() + plan.heads.size() : 0);
  return static_cast<std::uint64_t>(plan.attentionValues() + plan.logitValues()) * sizeof(float) +
         numbersWritten * sizeof(std::int64_t);
}

std::uint64_t exportNpz(const std::shared_ptr<const Capture>& capture, const std::filesystem::path& path,
                        const NpzOptions& options, const Progress& progress) {
  const ModelConfig& config = capture->model().config;
  try {
    const Plan plan(config, capture->size(), options);
    NpzWriter writer(path, options.existing, npzBytes(config, capture->size(), options));
    writeArrays(writer, capture, plan, options.logits == NpzOptions::Logits::All, progress);
    return writer.finish();
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::OutOfMemory,
                "Not enough memory to write " + path.string() + "; choose fewer layers or heads.");
  }
}

}  // namespace core
