#include "core/export.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <set>
#include <string>
#include <type_traits>

#include "core/attention_map.h"
#include "core/error.h"
#include "core/npz_writer.h"

namespace core {

namespace {

constexpr std::int64_t kBlockValues = std::int64_t{1} << 20;  // 4 MiB: well under a second of work

std::int64_t numberOf(std::int64_t position) { return position; }
template <class Tag>
std::int64_t numberOf(Index<Tag> index) {
  return index.value;
}

/// What is asked for, or all when nothing is. `where` says where they are: "the model has 6 heads".
template <class Kind>
std::vector<Kind> chosen(const std::vector<Kind>& asked, std::int64_t count, const std::string& what,
                         const std::string& where) {
  std::vector<Kind> all;
  if (asked.empty()) {
    using Number = std::conditional_t<std::is_same_v<Kind, Position>, Position, int>;
    for (std::int64_t i = 0; i < count; ++i) all.push_back(Kind(static_cast<Number>(i)));
    return all;
  }
  std::set<Kind> seen;
  for (const Kind kind : asked) {
    const std::string item = what + " " + std::to_string(numberOf(kind));
    if (numberOf(kind) < 0 || numberOf(kind) >= count) {
      throw Error(ErrorKind::Mismatch, "There is no " + item + ": " + where + " " + std::to_string(count) + " " + what +
                                           "s, 0 to " + std::to_string(count - 1) + ".");
    }
    if (!seen.insert(kind).second)
      throw Error(ErrorKind::Mismatch, "The " + item + " is named twice; name each one once.");
  }
  return asked;
}

PositionRange chosenColumns(const std::optional<PositionRange>& asked, std::int64_t T) {
  const PositionRange columns = asked.value_or(PositionRange{0, T});
  if (columns.begin < 0 || columns.size() <= 0 || columns.end > T) {
    throw Error(ErrorKind::Mismatch, "Columns " + std::to_string(columns.begin) + ":" + std::to_string(columns.end) +
                                         " are not in the map: the run has " + std::to_string(T) +
                                         " columns, 0:" + std::to_string(T) + " (the end is not included).");
  }
  return columns;
}

template <class Kind>
std::vector<std::int64_t> numbers(const std::vector<Kind>& kinds) {
  std::vector<std::int64_t> values;
  for (const Kind kind : kinds) values.push_back(numberOf(kind));
  return values;
}

std::vector<std::int64_t> numbers(PositionRange range) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(range.size()));
  std::iota(values.begin(), values.end(), range.begin);
  return values;
}

/// What is to be written, with the choices resolved.
struct Plan {
  std::vector<Layer> layers;
  std::vector<Head> heads;
  std::vector<Position> rows;
  PositionRange columns;
  bool someHeads;  // layers or heads are chosen
  bool someCells;  // rows or columns are
  std::int64_t tokens;
  std::int64_t vocabulary;
  PositionRange logitRows;

  Plan(const ModelConfig& config, std::int64_t T, const NpzOptions& options)
      : layers(chosen(options.layers, config.layers, "layer", "the model has")),
        heads(chosen(options.heads, config.heads, "head", "the model has")),
        rows(chosen(options.rows, T, "row", "the run has")),
        columns(chosenColumns(options.columns, T)),
        someHeads(!options.layers.empty() || !options.heads.empty()),
        someCells(!options.rows.empty() || options.columns),
        tokens(T),
        vocabulary(config.vocabulary),
        logitRows{options.logits == NpzOptions::Logits::All ? 0 : T - 1, T} {}

  std::int64_t rowCount() const { return static_cast<std::int64_t>(rows.size()); }
  std::int64_t attentionValues() const {
    return static_cast<std::int64_t>(layers.size() * heads.size()) * rowCount() * columns.size();
  }
  std::int64_t logitValues() const { return logitRows.size() * vocabulary; }
  std::int64_t integers() const {
    return tokens + (someHeads ? static_cast<std::int64_t>(layers.size() + heads.size()) : 0) +
           (someCells ? rowCount() + columns.size() : 0);
  }
};

/// The rows in their order as ranges: neighbours together.
std::vector<PositionRange> runsOf(const std::vector<Position>& rows) {
  std::vector<PositionRange> runs;
  for (const Position row : rows) {
    if (!runs.empty() && runs.back().end == row) {
      ++runs.back().end;
    } else {
      runs.push_back({row, row + 1});
    }
  }
  return runs;
}

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
  const auto writeNumbers = [&](const char* name, const std::vector<std::int64_t>& values) {
    writer.begin(name, NpzWriter::Type::Int64, {static_cast<std::int64_t>(values.size())});
    writer.append(values);
  };
  writer.begin("attn", NpzWriter::Type::Float32, {layers, heads, plan.rowCount(), plan.columns.size()});
  const std::vector<PositionRange> runs = runsOf(plan.rows);
  for (const Layer layer : plan.layers) {
    for (const Head head : plan.heads) {
      const AttentionMap map(capture, {layer, head});
      for (const PositionRange& run : runs) {
        inBlocks(run, plan.columns.size(), [&](const PositionRange& rows) {
          report("Writing attention");
          writer.append(std::span<const float>(map.rectangle(Stage::Weights, {rows, plan.columns}).values));
          done += rows.size() * plan.columns.size();
        });
      }
    }
  }

  std::vector<std::int64_t> ids;
  for (const TokenText& token : capture->tokens()) ids.push_back(token.id);
  writeNumbers("token_ids", ids);

  using Shape = std::vector<std::int64_t>;
  writer.begin("logits", NpzWriter::Type::Float32,
               allLogits ? Shape{plan.tokens, plan.vocabulary} : Shape{plan.vocabulary});
  inBlocks(plan.logitRows, plan.vocabulary, [&](const PositionRange& rows) {
    report("Writing logits");
    writer.append(std::span<const float>(capture->logits(rows)));
    done += rows.size() * plan.vocabulary;
  });

  if (plan.someHeads) {
    writeNumbers("layers", numbers(plan.layers));
    writeNumbers("heads", numbers(plan.heads));
  }
  if (plan.someCells) {
    writeNumbers("rows", plan.rows);
    writeNumbers("cols", numbers(plan.columns));
  }
  report("Writing");
}

}  // namespace

std::uint64_t npzBytes(const ModelConfig& config, std::int64_t tokens, const NpzOptions& options) {
  const Plan plan(config, tokens, options);
  return static_cast<std::uint64_t>(plan.attentionValues() + plan.logitValues()) * sizeof(float) +
         static_cast<std::uint64_t>(plan.integers()) * sizeof(std::int64_t);
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
                "Not enough memory to write " + path.string() + "; choose fewer layers, heads or rows.");
  }
}

}  // namespace core
