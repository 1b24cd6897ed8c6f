#include "core/speed_measure.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/attention/timed_kernel.h"
#include "core/attention/timed_rows.h"

namespace core {

namespace {

constexpr std::int64_t kLongest = std::int64_t{1} << 24;  // tokens

void require(const AttentionShape& shape) {
  // kernelBytes() of these is below 2^63.
  constexpr double kMostElements = std::int64_t{1} << 34;
  const std::pair<const char*, std::int64_t> numbers[] = {
      {"B", shape.B}, {"H", shape.H}, {"Hkv", shape.Hkv}, {"T", shape.T}, {"D", shape.D}};
  for (const auto& [name, number] : numbers) {
    if (number >= 1) continue;
    throw Error(ErrorKind::Mismatch,
                std::string(name) + " is " + std::to_string(number) + "; each number of a shape is at least 1.");
  }
  const double elements = static_cast<double>(shape.B) * static_cast<double>(shape.H) * static_cast<double>(shape.T) *
                          static_cast<double>(shape.D);
  if (elements > kMostElements || shape.T > kLongest) {
    throw Error(ErrorKind::TooLarge, "B = " + std::to_string(shape.B) + ", H = " + std::to_string(shape.H) +
                                         ", T = " + std::to_string(shape.T) + ", D = " + std::to_string(shape.D) +
                                         " is too large to be timed: at most 2^34 numbers in q and 2^24 tokens.");
  }
  if (shape.H % shape.Hkv != 0) {
    throw Error(ErrorKind::Mismatch, std::to_string(shape.H) + " query heads do not share " +
                                         std::to_string(shape.Hkv) + " key/value heads evenly.");
  }
}

/// Kernels that a length was too long for, each with its shape.
class Outgrown {
 public:
  void add(Kernel kernel, const AttentionShape& shape) { m_found.emplace_back(kernel, shape); }
  bool longer(Kernel kernel, const AttentionShape& shape) const {
    return std::any_of(m_found.begin(), m_found.end(), [&](const auto& found) {
      AttentionShape same = shape;
      same.T = found.second.T;
      return kernel == found.first && same == found.second && shape.T > same.T;
    });
  }

 private:
  std::vector<std::pair<Kernel, AttentionShape>> m_found;
};

}  // namespace

std::vector<Kernel> kernelsOf(Device device) {
  if (device == Device::Cpu) return {Kernel::Manual, Kernel::NanoGptLines, Kernel::Flash, Kernel::Math};
  return {Kernel::Manual, Kernel::NanoGptLines, Kernel::Flash, Kernel::Cudnn, Kernel::MemoryEfficient, Kernel::Math};
}

std::vector<AttentionShape> shapesOf(const Sweep& sweep) {
  if (sweep.last > kLongest) {
    throw Error(ErrorKind::TooLarge, "A sweep to " + std::to_string(sweep.last) +
                                         " tokens is too long to be timed: at most " + std::to_string(kLongest) + ".");
  }
  std::vector<AttentionShape> shapes;
  for (const DType type : sweep.types) {
    for (const Window window : sweep.windows) {
      for (std::int64_t T = std::max<std::int64_t>(sweep.first, 1); T <= sweep.last; T *= 2) {
        AttentionShape shape = sweep.base;
        shape.type = type, shape.window = window, shape.T = T;
        shapes.push_back(shape);
      }
    }
  }
  return shapes;
}

SpeedReport timeShapes(const std::vector<AttentionShape>& shapes, const SpeedOptions& given, const Progress& progress) {
  const SpeedOptions options = attention::settled(given);
  std::for_each(shapes.begin(), shapes.end(), require);
  SpeedReport report{.machine = machineFacts(options.device),
                     .inputs = "random q, k, v, standard normal with a fixed seed, the same for each kernel"};
  attention::RowProgress rowProgress(progress, shapes.size() * options.kernels.size());
  Outgrown outgrown;
  for (const AttentionShape& shape : shapes) {
    std::vector<SpeedRow> rows;
    for (const Kernel kernel : options.kernels) {
      if (outgrown.longer(kernel, shape)) {
        rowProgress.skip();
        continue;
      }
      SpeedRow row = attention::attentionRow(kernel, options.device, shape, {shape.window});
      const auto refused = row.ran() ? attention::doesNotFit(kernel, shape, 1, options) : std::nullopt;
      if (refused) {
        row.refusal = *refused + " Longer ones are not tried.";
        outgrown.add(kernel, shape);
      }
      rows.push_back(std::move(row));
    }
    attention::timeRows(
        rows, [&] { return attention::randomInputs(shape, options.device); }, options, rowProgress);
    std::move(rows.begin(), rows.end(), std::back_inserter(report.rows));
  }
  return report;
}

}  // namespace core
