#include "core/export_plan.h"

#include <numeric>
#include <set>
#include <string>
#include <type_traits>

#include "core/error.h"

namespace core {

namespace {

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

PositionRange chosenLogits(const CaptureExport& options, PositionRange there) {
  using Logits = CaptureExport::Logits;
  const bool hasPlace = options.format == ExportFormat::Npz || options.format == ExportFormat::Safetensors;
  if (!hasPlace || options.logits == Logits::None || there.size() <= 0) return {};
  return options.logits == Logits::All ? there : PositionRange{there.end - 1, there.end};
}

template <class Kind>
std::vector<std::int64_t> toNumbers(const std::vector<Kind>& kinds) {
  std::vector<std::int64_t> values;
  for (const Kind kind : kinds) values.push_back(numberOf(kind));
  return values;
}

}  // namespace

ExportPlan::ExportPlan(const ModelConfig& config, std::int64_t T, const CaptureExport& options, PositionRange logits)
    : layers(chosen(options.layers, config.layers, "layer", "the model has")),
      heads(chosen(options.heads, config.heads, "head", "the model has")),
      rows(chosen(options.rows, T, "row", "the run has")),
      columns(chosenColumns(options.columns, T)),
      someHeads(!options.layers.empty() || !options.heads.empty()),
      someCells(!options.rows.empty() || options.columns),
      tokens(T),
      vocabulary(config.vocabulary),
      logitRows(chosenLogits(options, logits)),
      allLogits(options.logits == CaptureExport::Logits::All && logitRows.size() == T) {
  const bool matrix = options.format == ExportFormat::Csv && options.csv.form == CsvOptions::Form::Matrix;
  if (!matrix || headCount() == 1) return;
  throw Error(ErrorKind::Mismatch, "A table in the form of a matrix holds one head, not " +
                                       std::to_string(headCount()) + ": choose one layer and one head.");
}

std::vector<PositionRange> ExportPlan::rowRuns() const {
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

std::vector<std::int64_t> numbersOf(const std::vector<Layer>& layers) { return toNumbers(layers); }
std::vector<std::int64_t> numbersOf(const std::vector<Head>& heads) { return toNumbers(heads); }

std::vector<std::int64_t> numbersOf(const PositionRange& range) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(range.size()));
  std::iota(values.begin(), values.end(), range.begin);
  return values;
}

}  // namespace core
