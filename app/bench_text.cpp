#include "app/bench_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/number_text.h"
#include "core/speed_crossing.h"

namespace app {

namespace {

using Cells = std::vector<std::string>;

/// Columns as wide as their widest cell, two spaces between.
std::string table(const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Cells& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    text.append(line, 0, line.find_last_not_of(' ') + 1).append("\n");
  }
  return text;
}

std::string secondsText(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} us", seconds * 1e6);
}

std::string windowText(core::Window window) { return core::widthsText({window}); }

/// "128", or "128 x 3, all x 1" where layers differ.
std::string windowsText(const core::SpeedRow& row) {
  std::vector<std::pair<core::Window, int>> counted;
  for (const core::Window window : row.windows) {
    const auto same = [&](const auto& entry) { return entry.first == window; };
    const auto place = std::find_if(counted.begin(), counted.end(), same);
    if (place == counted.end()) {
      counted.emplace_back(window, 1);
    } else {
      ++place->second;
    }
  }
  if (counted.size() == 1) return windowText(counted.front().first);
  std::string text;
  for (const auto& [window, count] : counted) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", windowText(window), count);
  }
  return text;
}

std::string maskText(const core::SpeedRow& row) {
  if (row.scope == core::SpeedScope::Forward) return "-";
  if (row.maskBytes == 0) return "none";
  return core::bytesText(row.maskBytes) + (row.wholeMask() ? ", full T x T" : "");
}

const Cells kHeader = {"scope",     "kernel", "type", "T",    "window",  "median",         "quartiles",
                       "first run", "runs",   "peak", "mask", "GFLOP/s", "against manual", "difference"};

Cells cells(const core::SpeedReport& report, const core::SpeedRow& row) {
  Cells line{word(row.scope), word(row.kernel), word(row.shape.type), std::to_string(row.shape.T), windowsText(row)};
  if (!row.ran()) {
    line.emplace_back("did not run");
    return line;
  }
  const core::Quartiles quartiles = row.timing.quartiles();
  const auto rate = row.rate();
  const auto ratio = timesManual(report, row);
  const bool isManual = row.kernel == core::Kernel::Manual;
  const std::string median = secondsText(quartiles.median);
  line.insert(line.end(),
              {median, secondsText(quartiles.q1) + " - " + secondsText(quartiles.q3), secondsText(row.timing.cold),
               std::to_string(row.timing.samples.size()), core::bytesText(row.peakBytes), maskText(row),
               rate ? fmt::format("{:.3g}", *rate / 1e9) : "-", isManual || !ratio ? "-" : core::speedWords(*ratio),
               row.difference ? fmt::format("{:.1e}", row.difference->absolute) : "-"});
  return line;
}

std::string rowName(const core::SpeedRow& row) {
  return fmt::format("{} {} {} T = {}, window {}", word(row.scope), word(row.kernel), word(row.shape.type), row.shape.T,
                     windowsText(row));
}

std::string header(const core::SpeedReport& report) {
  const core::MachineFacts& machine = report.machine;
  std::vector<Cells> lines{{"machine", machine.processor + ", " + std::to_string(machine.threads) +
                                           (machine.threads == 1 ? " thread" : " threads")},
                           {"device", machine.device},
                           {"built", "LibTorch " + machine.torch + "; Headscope " + machine.build},
                           {"inputs", report.inputs}};
  if (!report.rows.empty()) {
    const core::AttentionShape& shape = report.rows.front().shape;
    lines.push_back(
        {"shape", fmt::format("B {}, H {}, Hkv {}, D {}, {}", shape.B, shape.H, shape.Hkv, shape.D, word(shape.mask))});
  }
  return table(lines);
}

/// The kernels by their whole names, and by what clock.
std::string kernels(const core::SpeedReport& report) {
  std::vector<Cells> lines;
  for (const core::SpeedRow& row : report.rows) {
    const Cells line{word(row.kernel), row.kernelName + (row.outside.empty() ? "" : ". " + row.outside)};
    if (row.ran() && std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  return lines.empty() ? "" : "\nkernels that ran\n" + table(lines);
}

/// Each reason once, after the rows that it is of.
std::vector<std::string> refusals(const core::SpeedReport& report) {
  std::vector<std::pair<std::string, std::string>> found;  // reason, rows
  for (const core::SpeedRow& row : report.rows) {
    if (row.ran()) continue;
    const auto same = [&](const auto& entry) { return entry.first == row.refusal; };
    const auto place = std::find_if(found.begin(), found.end(), same);
    if (place == found.end()) {
      found.emplace_back(row.refusal, rowName(row));
    } else {
      place->second += "; " + rowName(row);
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [reason, rows] : found) sentences.push_back(rows + ": " + reason);
  return sentences;
}

std::string section(const char* title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return "";
  std::string text = std::string("\n") + title + "\n";
  for (const std::string& sentence : sentences) text += "  " + sentence + "\n";
  return text;
}

}  // namespace

std::string benchText(const core::SpeedReport& report) {
  std::vector<Cells> lines{kHeader};
  std::vector<std::string> notes = report.notes, shares, crossed;
  for (const core::SpeedRow& row : report.rows) {
    lines.push_back(cells(report, row));
    if (!row.timing.note.empty()) notes.push_back(rowName(row) + ": " + row.timing.note + ".");
    if (row.attentionShare) {
      shares.push_back(
          fmt::format("{}: attention takes {:.0f} % of the forward pass.", rowName(row), *row.attentionShare * 100));
    }
  }
  const std::vector<std::string> refused = refusals(report);
  for (const core::Crossing& crossing : crossings(report)) {
    crossed.push_back(fmt::format("{}, window {}: {}", word(crossing.shape.type), windowText(crossing.shape.window),
                                  crossing.sentence));
  }
  const auto ran = std::find_if(report.rows.begin(), report.rows.end(), [](const auto& row) { return row.ran(); });
  if (ran != report.rows.end()) {
    notes.push_back(
        "Clock: " + ran->timing.clock +
        ". Quartiles are linear between samples. Peak: what LibTorch's allocator held at once beyond q, k, v (of a "
        "forward pass: beyond the model), the output included, of several layers the largest; buffers inside "
        "its libraries and small ones of its threads are not counted. Difference: from the manual path.");
  }
  return header(report) + "\n" + table(lines) + kernels(report) + section("did not run", refused) +
         section("attention's share", shares) + section("manual and flash", crossed) + section("notes", notes);
}

std::string verifyText(const std::vector<core::PathCheck>& checks) {
  std::vector<Cells> lines{
      {"type", "layer", "largest |manual - flash|", "tolerance", "largest |output|", "of lse", "tolerance", ""}};
  const auto text = [](double value) { return fmt::format("{:.2e}", value); };
  for (const core::PathCheck& check : checks) {
    for (const core::LayerCheck& layer : check.layers) {
      lines.push_back({word(check.type), std::to_string(layer.layer.value), text(layer.output.difference),
                       text(layer.output.tolerance), text(layer.output.largest),
                       layer.lse ? text(layer.lse->difference) : "-", layer.lse ? text(layer.lse->tolerance) : "-",
                       layer.passed() ? "passed" : "FAILED"});
    }
  }
  return table(lines) +
         "\nTolerance: 1e-05 (fp32) or 2e-02 (fp16, bf16) for elements up to 1, and for larger ones in proportion.\n";
}

}  // namespace app
