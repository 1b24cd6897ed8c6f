#include "app/step_choice.h"

#include <algorithm>
#include <string>

#include "core/error.h"

namespace app {

namespace {

std::string listOf(const std::vector<core::Openable>& offers) {
  std::string list;
  for (const core::Openable& offer : offers) {
    if (!list.empty()) list += "\n  ";
    if (offer.step) list += "--step " + std::to_string(*offer.step) + "  ";
    list += offer.label + "  (" + offer.path.string() + ")";
  }
  return list;
}

}  // namespace

std::filesystem::path chooseStep(const std::filesystem::path& location, const std::vector<core::Openable>& offers,
                                 std::optional<std::int64_t> step) {
  std::vector<const core::Openable*> fitting;
  for (const core::Openable& offer : offers)
    if (!step || offer.step == step) fitting.push_back(&offer);
  if (fitting.size() == 1) return fitting.front()->path;
  const bool haveSteps =
      std::all_of(offers.begin(), offers.end(), [](const auto& offer) { return offer.step.has_value(); });
  std::string sentence = std::to_string(fitting.size()) + " checkpoints are here; name one " +
                         (haveSteps ? "with --step or by its path:" : "by its path:");
  if (fitting.empty()) sentence = "there is no step " + std::to_string(*step) + " here; there is:";
  if (step && fitting.size() > 1) {
    sentence = std::to_string(fitting.size()) + " checkpoints of step " + std::to_string(*step) +
               " are here; name one by its path:";
  }
  throw core::Error(core::ErrorKind::Mismatch, location.string() + ": " + sentence, listOf(offers));
}

}  // namespace app
