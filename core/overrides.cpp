#include "core/overrides.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/error.h"

namespace core {

namespace {

std::string text(double number) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.7g", number);
  return digits;
}

const char* name(Gelu gelu) { return gelu == Gelu::Erf ? "erf" : "tanh"; }

/// Numbers that a setting may have.
struct Bound {
  enum class Side { Above, AtLeast } side;
  double least;
};

/// Puts a number in where it is given.
void put(const std::optional<double>& given, double& setting, const char* what, bool inUse, Bound bound,
         const ModelConfig& config) {
  if (!given) return;
  if (!inUse) {
    throw Error(ErrorKind::Mismatch, std::string("A ") + what + " of " + text(*given) + " was asked for, but a " +
                                         config.family + " model has none. Leave it out.");
  }
  const bool mayBeLeast = bound.side == Bound::Side::AtLeast;
  const bool inRange = *given > bound.least || (mayBeLeast && *given == bound.least);
  if (!std::isfinite(*given) || !inRange) {
    throw Error(ErrorKind::Mismatch, std::string("A ") + what + " of " + text(*given) +
                                         " was asked for; it must be a finite number " +
                                         (mayBeLeast ? "of at least " : "above ") + text(bound.least) + ".");
  }
  setting = *given;
}

void putWindows(const ModelConfig& config, const Overrides& overrides, RunSettings& settings) {
  if (!overrides.pattern && !overrides.shortWindow) return;
  WindowRule rule = config.windowRule;
  if (overrides.shortWindow) {
    const std::int64_t left = *overrides.shortWindow;
    if (left < 0 || left > config.context) {
      throw Error(ErrorKind::Mismatch, "An S window of " + std::to_string(left) +
                                           " keys before the query was asked for; it must be from 0, the query alone, "
                                           "to the context's " +
                                           std::to_string(config.context) + ".");
    }
    rule.shortWindow = {left};
  }
  if (overrides.pattern) {
    settings.windows = windowsOf(*overrides.pattern, config.layers, rule);
  } else {
    // Without a pattern of its own the layers that were short stay the short ones.
    for (Window& window : settings.windows) {
      if (letterOf(window, config.windowRule) == 'S') window = rule.shortWindow;
    }
  }
  const bool isUsed =
      std::find(settings.windows.begin(), settings.windows.end(), rule.shortWindow) != settings.windows.end();
  if (overrides.shortWindow && !isUsed) {
    throw Error(ErrorKind::Mismatch, "An S window of " + std::to_string(*overrides.shortWindow) +
                                         " was asked for, but no layer is an S layer. Give a pattern too, such as "
                                         "\"SSSL\".");
  }
}

std::string lettersOf(const std::vector<Window>& windows, const WindowRule& rule) {
  std::string letters;
  for (const Window window : windows) letters += letterOf(window, rule);
  return letters;
}

}  // namespace

OverridesInUse overridesInUse(const ModelConfig& config) {
  const bool isNanochat = config.qkNorm == QkNorm::Unit;
  return {.gelu = config.mlp == Mlp::Gelu,
          .qkMultiplier = isNanochat,
          .ropeBase = config.positions == Positions::Rotary,
          .softCap = isNanochat};
}

RunSettings settingsFor(const ModelConfig& config, const Overrides& overrides) {
  const OverridesInUse inUse = overridesInUse(config);
  RunSettings settings = config.trained;
  if (overrides.gelu) {
    if (!inUse.gelu) {
      throw Error(ErrorKind::Mismatch, std::string("GELU ") + name(*overrides.gelu) +
                                           " was asked for, but the MLP of a " + config.family +
                                           " model has no GELU. Leave it out.");
    }
    settings.gelu = *overrides.gelu;
  }
  put(overrides.qkMultiplier, settings.qkMultiplier, "QK multiplier", inUse.qkMultiplier, {Bound::Side::Above, 0},
      config);
  put(overrides.ropeBase, settings.ropeBase, "RoPE base", inUse.ropeBase, {Bound::Side::Above, 1}, config);
  put(overrides.softCap, settings.softCap, "soft cap", inUse.softCap, {Bound::Side::AtLeast, 0}, config);
  putWindows(config, overrides, settings);
  return settings;
}

std::vector<std::string> differences(const ModelConfig& config, const RunSettings& settings) {
  const RunSettings& trained = config.trained;
  std::vector<std::string> phrases;
  const auto compare = [&](const char* what, double now, double then) {
    if (now != then) phrases.push_back(std::string(what) + " " + text(now) + " instead of " + text(then));
  };
  if (settings.gelu != trained.gelu) {
    phrases.push_back(std::string("GELU ") + name(settings.gelu) + " instead of " + name(trained.gelu));
  }
  compare("QK multiplier", settings.qkMultiplier, trained.qkMultiplier);
  compare("RoPE base", settings.ropeBase, trained.ropeBase);
  compare("soft cap", settings.softCap, trained.softCap);
  const std::string now = lettersOf(settings.windows, config.windowRule);
  const std::string then = lettersOf(trained.windows, config.windowRule);
  if (now != then) phrases.push_back("windows " + now + " instead of " + then);
  // A letter does not tell how wide it is.
  const Window narrowest = *std::min_element(settings.windows.begin(), settings.windows.end());
  const bool wasThere = std::find(trained.windows.begin(), trained.windows.end(), narrowest) != trained.windows.end();
  if (!wasThere) {
    const bool hadShort = then.find('S') != std::string::npos;
    phrases.push_back("S window " + std::to_string(narrowest.left) +
                      (hadShort ? " instead of " + std::to_string(config.windowRule.shortWindow.left) : ""));
  }
  return phrases;
}

}  // namespace core
