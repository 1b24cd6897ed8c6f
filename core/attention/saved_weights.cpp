#include "core/attention/saved_weights.h"

#include <algorithm>
#include <string>

#include "core/error.h"

namespace core {

namespace {

constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 20;

template <class Kind>
std::optional<std::size_t> placeIn(const std::vector<Kind>& all, Kind one) {
  const auto found = std::find(all.begin(), all.end(), one);
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

/// "layers 1, 4".
template <class Kind>
std::string listed(const char* what, const std::vector<Kind>& all) {
  constexpr std::size_t kMost = 12;
  std::string text = what + std::string(all.size() == 1 ? " " : "s ");
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(all[i].value);
  return all.size() > kMost ? text + " and " + std::to_string(all.size() - kMost) + " more" : text;
}

const char* nameOf(Stage stage) {
  switch (stage) {
    case Stage::Scores: return "scores";
    case Stage::MaskedScores: return "masked scores";
    case Stage::Weights: return "weights";
    case Stage::Output: return "the output";
    case Stage::Reassembled: return "the reassembled output";
  }
  return "";
}

}  // namespace

std::optional<std::size_t> SavedWeights::placeOf(HeadId head) const {
  const auto layer = placeIn(layers, head.layer);
  const auto inLayer = placeIn(heads, head.head);
  if (!layer || !inLayer) return std::nullopt;
  return *layer * heads.size() + *inLayer;
}

MapValues SavedWeights::rectangle(HeadId head, const MapRect& rect, const Progress& progress) const {
  const auto place = placeOf(head);
  if (!place) refuse(head);
  MapValues values{rect.rows.size(), rect.columns.size(), {}};
  values.values.resize(static_cast<std::size_t>(rect.cells()));
  const auto T = static_cast<std::uint64_t>(tokens);
  // Whole rows lie one behind the other: one read for many of them.
  const bool whole = rect.columns == PositionRange{0, tokens};
  const std::int64_t step = whole ? std::max<std::int64_t>(1, kCellsAtOnce / tokens) : 1;
  std::int64_t unreported = 0;
  for (Position row = rect.rows.begin; row < rect.rows.end; row += step) {
    const std::int64_t rows = std::min(step, rect.rows.end - row);
    const std::uint64_t first =
        (*place * T + static_cast<std::uint64_t>(row)) * T + static_cast<std::uint64_t>(rect.columns.begin);
    const auto at = static_cast<std::size_t>((row - rect.rows.begin) * values.columns);
    weights->read(first, std::span(values.values).subspan(at, static_cast<std::size_t>(rows * values.columns)));
    unreported += rows * values.columns;
    if (unreported < kCellsAtOnce) continue;
    unreported = 0;
    progress.report(static_cast<double>(row - rect.rows.begin) / static_cast<double>(values.rows), "map");
  }
  return values;
}

std::vector<float> SavedWeights::logitsOf(const PositionRange& rows, std::int64_t V) const {
  if (!logits) {
    throw Error(ErrorKind::Unsupported,
                file.string() + ": it holds no logits. Open the model and run the prompt to see what comes next.");
  }
  if (rows.begin < logitRows.begin || rows.end > logitRows.end) {
    throw Error(ErrorKind::Unsupported, file.string() + ": it holds the logits of the last token alone, not of token " +
                                            std::to_string(rows.begin) +
                                            ". Save the capture with all logits, or run the prompt.");
  }
  std::vector<float> values(static_cast<std::size_t>(rows.size() * V));
  logits->read(static_cast<std::uint64_t>((rows.begin - logitRows.begin) * V), values);
  return values;
}

void SavedWeights::refuse(HeadId head) const {
  throw Error(ErrorKind::Unsupported, file.string() + ": it holds " + listed("layer", layers) + " and " +
                                          listed("head", heads) + ", not layer " + std::to_string(head.layer.value) +
                                          ", head " + std::to_string(head.head.value) +
                                          ". Save the capture again with them.");
}

void SavedWeights::refuse(Stage stage) const {
  throw Error(ErrorKind::Unsupported, file.string() + ": a saved capture holds the weights alone, not " +
                                          nameOf(stage) + ". Open the model and run the prompt to see them.");
}

}  // namespace core
