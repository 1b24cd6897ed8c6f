// What was measured of attention's ways: a row each, and what follows from comparing them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attention_kernel.h"
#include "core/speed_machine.h"
#include "core/speed_timing.h"

namespace core {

/// What the clock goes around: attention alone, of one layer or of several in turn, or a prompt's whole forward pass.
enum class SpeedScope { Attention, Forward };
const char* word(SpeedScope scope);  ///< "attention", "forward"

/// Against the manual row on the same inputs.
struct OutputDifference {
  double absolute = 0;  ///< the largest of all elements
  double relative = 0;  ///< that by the largest element of the manual output
};

struct SpeedRow {
  SpeedScope scope = SpeedScope::Attention;
  Kernel kernel = Kernel::Manual;  ///< that was asked for, and if anything ran, that ran; of a forward pass its path
  Device device = Device::Cpu;
  std::string kernelName = {};       ///< "LibTorch's flash kernel for the CPU"
  AttentionShape shape;              ///< of a layer, the first where there are several
  std::vector<Window> windows = {};  ///< (layers): of each layer that a run goes through
  std::string refusal = {};          ///< why nothing ran, as a sentence; empty when it did
  std::string outside = {};  ///< what the clock does not count: "the mask (T x T), made beforehand"; may be empty
  Timing timing = {};
  std::int64_t peakBytes = 0;  ///< held at once beyond the inputs, outputs included
  std::int64_t maskBytes = 0;  ///< of stored masks, the largest layer's; not told of a forward pass
  double flop = 0;             ///< of attention, all layers: visible cells only
  std::optional<OutputDifference> difference = std::nullopt;
  std::optional<double> attentionShare = std::nullopt;  ///< of a forward pass: attention alone / the whole

  bool ran() const { return refusal.empty(); }
  double median() const { return timing.quartiles().median; }
  /// A mask of all T x T cells was stored: ours and flash never do, the others where they store one at all.
  bool wholeMask() const { return maskBytes > 0 && kernel != Kernel::Manual && kernel != Kernel::Flash; }
  /// FLOP/s; nullopt for a forward pass, whose work is not attention alone.
  std::optional<double> rate() const;
};

struct SpeedReport {
  MachineFacts machine = {};
  std::string inputs = {};              ///< "random q, k, v, seed 1"
  std::vector<std::string> notes = {};  ///< sentences
  std::vector<SpeedRow> rows = {};
};

/// How many times as fast as the manual row of the same scope and inputs: below 1 is slower. nullopt where one of the
/// two did not run.
std::optional<double> timesManual(const SpeedReport& report, const SpeedRow& row);
/// "3.20x faster", "1.40x slower", "as fast" within 0.5 %.
std::string speedWords(double ratio);

}  // namespace core
