#include "core/export_table.h"

#include <string>

#include "core/array_files.h"
#include "core/capture_meta.h"
#include "core/text_table.h"

namespace core {

namespace {

/// A line a cell that the mask shows.
void writeLong(TextTable& table, const CapturePtr& capture, const ExportPlan& plan, CsvOptions::Formulas formulas,
               Share& share) {
  std::vector<std::string> fields;
  for (const TokenText& token : capture->tokens()) fields.push_back(quotedField(escapedText(token), formulas));
  const auto field = [&](Position at) -> const std::string& { return fields[static_cast<std::size_t>(at)]; };
  table.line() += "layer,head,query,key,q_token,k_token,weight";
  table.endLine();
  forEachBlock(capture, plan, share, [&](const AttentionMap& map, const PositionRange& rows, const MapValues& values) {
    const std::string head = std::to_string(map.head().layer.value) + ',' + std::to_string(map.head().head.value) + ',';
    for (Position query = rows.begin; query < rows.end; ++query) {
      const std::string begin = head + std::to_string(query) + ',';
      const std::string middle = ',' + field(query) + ',';
      const PositionRange keys = countedColumns(map.mask(), Stage::Weights, query, plan.columns);
      for (Position key = keys.begin; key < keys.end; ++key) {
        std::string& line = table.line();
        (((line += begin) += std::to_string(key)) += middle) += field(key);
        (line += ',') += numberField(values.at(query - rows.begin, key - plan.columns.begin));
        table.endLine();
      }
    }
  });
}

std::string numbered(const Capture& capture, Position at) {
  return std::to_string(at) + " \u00b7 " + capture.tokens()[static_cast<std::size_t>(at)].label;
}

void writeMatrix(TextTable& table, const CapturePtr& capture, const ExportPlan& plan, const Progress& progress) {
  constexpr auto kPlain = CsvOptions::Formulas::AsTheyAre;  // a number stands in front of every label
  MatrixLabels labels{quotedField("query / key", kPlain), {}, {}};
  for (const Position row : plan.rows) labels.rows.push_back(quotedField(numbered(*capture, row), kPlain));
  for (Position key = plan.columns.begin; key < plan.columns.end; ++key)
    labels.columns.push_back(quotedField(numbered(*capture, key), kPlain));
  writeMatrixHeader(table, labels);
  const AttentionMap map(capture, {plan.layers.front(), plan.heads.front()});
  std::int64_t done = 0;
  for (const PositionRange& run : plan.rowRuns()) {
    const auto share = [&](std::int64_t rows) {
      return static_cast<double>(rows) / static_cast<double>(plan.rowCount());
    };
    writeMatrixRows(table, map, Stage::Weights, {run, plan.columns}, labels, static_cast<std::size_t>(done),
                    progress.part(share(done), share(done + run.size()), "Writing attention"));
    done += run.size();
  }
}

}  // namespace

void writeCsv(Exported& exported, const CapturePtr& capture, const ExportPlan& plan, const CaptureExport& options,
              std::uint64_t bytesNeeded, const Progress& progress) {
  FileWithMeta files(exported.file, options.existing, bytesNeeded, captureMeta(*capture, plan));
  TextTable table([&](std::span<const std::byte> bytes) { files.data().append(bytes); }, ',');
  if (options.csv.mark == CsvOptions::ByteOrderMark::Written) table.line() += "\xef\xbb\xbf";
  Share share(progress, plan.attentionValues());
  if (options.csv.form == CsvOptions::Form::Matrix) {
    writeMatrix(table, capture, plan, progress);
  } else {
    writeLong(table, capture, plan, options.csv.formulas, share);
  }
  table.finish();
  progress.report(1, "Writing");
  exported.form = options.csv.form;
  exported.lines = table.lines();
  exported.bytes = files.commit();
}

}  // namespace core
