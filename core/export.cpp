#include "core/export.h"

#include <new>
#include <string>

#include "core/array_files.h"
#include "core/attention_map.h"
#include "core/capture_meta.h"
#include "core/error.h"
#include "core/export_blocks.h"
#include "core/export_table.h"

namespace core {

namespace {

OutputArray attentionArray(const CapturePtr& capture, const ExportPlan& plan, Share& share) {
  OutputArray array{"attn",
                    ArrayType::Float32,
                    {std::ssize(plan.layers), std::ssize(plan.heads), plan.rowCount(), plan.columns.size()},
                    1,
                    {}};
  array.write = [&](const AppendBytes& append) {
    forEachBlock(capture, plan, share, [&](const AttentionMap&, const PositionRange&, const MapValues& values) {
      append(std::as_bytes(std::span(values.values)));
    });
  };
  return array;
}

OutputArray logitsArray(const CapturePtr& capture, const ExportPlan& plan, Share& share) {
  using Shape = std::vector<std::int64_t>;
  OutputArray array{"logits",
                    ArrayType::Float32,
                    plan.allLogits ? Shape{plan.tokens, plan.vocabulary} : Shape{plan.vocabulary},
                    1,
                    {}};
  array.write = [&](const AppendBytes& append) {
    inRowBlocks(plan.logitRows, plan.vocabulary, [&](const PositionRange& rows) {
      share.report("Writing logits");
      append(std::as_bytes(std::span<const float>(capture->logits(rows))));
      share.add(rows.size() * plan.vocabulary);
    });
    share.report("Writing logits");
  };
  return array;
}

/// All arrays but the meta text.
std::vector<OutputArray> arraysOf(const CapturePtr& capture, const ExportPlan& plan, Share& share) {
  std::vector<std::int64_t> ids;
  std::vector<std::string> labels;
  for (const TokenText& token : capture->tokens()) {
    ids.push_back(token.id);
    labels.push_back(token.label);
  }
  std::vector<OutputArray> arrays{attentionArray(capture, plan, share), numbersArray("token_ids", std::move(ids)),
                                  textsArray("tokens", labels)};
  if (plan.logitRows.size() > 0) arrays.push_back(logitsArray(capture, plan, share));
  if (plan.someHeads) {
    arrays.push_back(numbersArray("layers", numbersOf(plan.layers)));
    arrays.push_back(numbersArray("heads", numbersOf(plan.heads)));
  }
  if (plan.someCells) {
    arrays.push_back(numbersArray("rows", plan.rows));
    arrays.push_back(numbersArray("cols", numbersOf(plan.columns)));
  }
  return arrays;
}

/// Of one head the map alone, of one layer its heads, else all of it.
void dropLengthsOfOne(OutputArray& attention) {
  std::vector<std::int64_t>& shape = attention.shape;
  while (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
}

void note(Exported& exported, const std::vector<OutputArray>& arrays) {
  for (const OutputArray& array : arrays) exported.arrays.push_back({array.name, typeName(array), array.shape});
}

void writeArrays(Exported& exported, const CapturePtr& capture, const ExportPlan& plan, const CaptureExport& options,
                 const Progress& progress) {
  Share share(progress, plan.attentionValues() + plan.logitValues());
  const std::string meta = captureMeta(*capture, plan);
  std::vector<OutputArray> arrays = arraysOf(capture, plan, share);
  switch (options.format) {
    case ExportFormat::Npz:
      arrays.push_back(textArray("meta", meta));
      note(exported, arrays);
      exported.bytes = writeNpz(exported.file, options.existing, arrays);
      break;
    case ExportFormat::Safetensors:
      std::erase_if(arrays, [](const OutputArray& array) { return array.type == ArrayType::Text; });
      note(exported, arrays);
      exported.bytes = writeSafetensors(exported.file, options.existing, arrays, captureTexts(*capture, meta));
      break;
    case ExportFormat::Npy:
      arrays.resize(1);
      dropLengthsOfOne(arrays.front());
      note(exported, arrays);
      exported.bytes = writeNpy(exported.file, options.existing, arrays.front(), meta);
      break;
    case ExportFormat::Csv: break;  // no arrays
  }
}

/// A table's shortest line of a cell: 0,0,0,0,"a","a",0.
constexpr std::uint64_t kShortestLine = 18;

/// Of a table: the cells that the layers' masks show.
std::uint64_t tableBytes(const RunSettings& settings, const ExportPlan& plan, CsvOptions::Form form) {
  if (form == CsvOptions::Form::Matrix) return 2 * static_cast<std::uint64_t>(plan.attentionValues());
  std::int64_t cells = 0;
  for (const Layer layer : plan.layers) {
    const AttentionMask mask(plan.tokens, settings.windows[static_cast<std::size_t>(layer.value)], settings.mask);
    for (const Position row : plan.rows) cells += countedColumns(mask, Stage::Weights, row, plan.columns).size();
  }
  return kShortestLine * static_cast<std::uint64_t>(cells) * plan.heads.size();
}

std::uint64_t bytesOf(const RunSettings& settings, const ExportPlan& plan, const CaptureExport& options) {
  const auto values = static_cast<std::uint64_t>(plan.attentionValues() + plan.logitValues());
  const auto numbers = static_cast<std::uint64_t>(plan.tokens) +
                       (plan.someHeads ? plan.layers.size() + plan.heads.size() : 0) +
                       (plan.someCells ? plan.rows.size() + static_cast<std::uint64_t>(plan.columns.size()) : 0);
  switch (options.format) {
    case ExportFormat::Npz:
    case ExportFormat::Safetensors: return values * sizeof(float) + numbers * sizeof(std::int64_t);
    case ExportFormat::Npy: return values * sizeof(float);
    case ExportFormat::Csv: return tableBytes(settings, plan, options.csv.form);
  }
  return 0;
}

/// A saved capture may hold some layers and heads alone: "all" are these then, with their true numbers.
CaptureExport withHeld(CaptureExport options, const Capture& capture) {
  if (options.layers.empty() && std::ssize(capture.layers()) < capture.model().config.layers)
    options.layers = capture.layers();
  if (options.heads.empty() && std::ssize(capture.heads()) < capture.model().config.heads)
    options.heads = capture.heads();
  return options;
}

}  // namespace

std::uint64_t exportBytes(const ModelConfig& config, const RunSettings& settings, std::int64_t tokens,
                          const CaptureExport& options) {
  return bytesOf(settings, ExportPlan(config, tokens, options, {0, tokens}), options);
}

Exported exportCapture(const std::shared_ptr<const Capture>& capture, const std::filesystem::path& path,
                       const CaptureExport& asked, const Progress& progress) {
  try {
    const CaptureExport options = withHeld(asked, *capture);
    const ExportPlan plan(capture->model().config, capture->size(), options, capture->logitRows());
    for (const Layer layer : plan.layers) {
      for (const Head head : plan.heads) capture->requireHead({layer, head});
    }
    Exported exported{.format = options.format, .file = path};
    if (options.format == ExportFormat::Npy || options.format == ExportFormat::Csv)
      exported.metaFile = metaFileOf(path);
    if (options.format == ExportFormat::Csv) {
      writeCsv(exported, capture, plan, options, bytesOf(capture->facts().settings, plan, options), progress);
    } else {
      writeArrays(exported, capture, plan, options, progress);
    }
    return exported;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::OutOfMemory,
                "Not enough memory to write " + path.string() + "; choose fewer layers, heads or rows.");
  }
}

}  // namespace core
