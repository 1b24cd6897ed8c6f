#include "core/overrides.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/number_text.h"

namespace core {

namespace {

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
    throw Error(ErrorKind::Mismatch, std::string("A ") + what + " of " + numberText(*given) + " was asked for, but a " +
                                         config.family + " model has none. Leave it out.");
  }
  const bool mayBeLeast = bound.side == Bound::Side::AtLeast;
  const bool inRange = *given > bound.least || (mayBeLeast && *given == bound.least);
  if (!std::isfinite(*given) || !inRange) {
    throw Error(ErrorKind::Mismatch, std::string("A ") + what + " of " + numberText(*given) +
                                         " was asked for; it must be a finite number " +
                                         (mayBeLeast ? "of at least " : "above ") + numberText(bound.least) + ".");
  }
  setting = *given;
}

void requireWidth(const ModelConfig& config, const std::string& what, std::int64_t left, const char* orElse) {
  if (left >= 0 && left <= config.context) return;
  throw Error(ErrorKind::Mismatch, what + " of " + std::to_string(left) +
                                       " keys before the query was asked for; it must be from 0, the query alone, to "
                                       "the context's " +
                                       std::to_string(config.context) + orElse + ".");
}

/// A width for each layer, or one for all.
void putWidths(const ModelConfig& config, const Overrides& overrides, RunSettings& settings) {
  const std::vector<Window>& given = *overrides.windows;
  if (overrides.pattern || overrides.shortWindow) {
    throw Error(ErrorKind::Mismatch, std::string("Windows were asked for as widths and by ") +
                                         (overrides.pattern ? "a pattern" : "an S window") +
                                         " too. Give one of the two.");
  }
  const auto layers = static_cast<std::size_t>(config.layers);
  if (given.size() != 1 && given.size() != layers) {
    throw Error(ErrorKind::Mismatch, std::to_string(given.size()) +
                                         " widths of windows were asked for, but the model has " +
                                         std::to_string(layers) + (layers == 1 ? " layer" : " layers") +
                                         ". Give a width for each of them, or one for all.");
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string what = given.size() == 1 ? "A window" : "A window of layer " + std::to_string(i);
    if (given[i].limited()) requireWidth(config, what, given[i].left, ", or all of it");
  }
  settings.windows = given.size() == 1 ? std::vector<Window>(layers, given.front()) : given;
}

void putWindows(const ModelConfig& config, const Overrides& overrides, RunSettings& settings) {
  if (overrides.windows) return putWidths(config, overrides, settings);
  if (!overrides.pattern && !overrides.shortWindow) return;
  WindowRule rule = config.windowRule;
  if (overrides.shortWindow) {
    const std::int64_t left = *overrides.shortWindow;
    requireWidth(config, "An S window", left, "");
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

/// Windows as S and L where these two letters tell them, else as widths.
struct Spelling {
  std::string text;
  std::optional<Window> shortWindow;  ///< what S means; nullopt without an S
};

/// A window that is as wide as the longest prompt hides nothing.
std::vector<Window> reaches(const ModelConfig& config, std::vector<Window> windows) {
  for (Window& window : windows) {
    if (window.left >= config.longestPrompt - 1) window = {};
  }
  return windows;
}

Spelling spell(const ModelConfig& config, const std::vector<Window>& given) {
  const std::vector<Window> windows = reaches(config, given);
  const Window longWindow = reaches(config, {config.windowRule.longWindow}).front();
  Spelling spelling;
  for (const Window window : windows) {
    const bool isLong = window == longWindow;
    const bool isOneMore = spelling.shortWindow && *spelling.shortWindow != window;
    if (!isLong && (window > longWindow || isOneMore)) return {widthsText(windows), std::nullopt};
    if (!isLong) spelling.shortWindow = window;
    spelling.text += isLong ? 'L' : 'S';
  }
  return spelling;
}

constexpr const char* kShare = "a quarter of the context, up to a multiple of 128";

/// Whether S has no rule of the family: the loaders have put a share of the context in.
bool isShortWindowAShare(const ModelConfig& config) {
  const std::vector<Window>& trained = config.trained.windows;
  return config.windowRule.shortWindow == shareOfContext(config.context, 4) &&
         std::none_of(trained.begin(), trained.end(), [](Window window) { return window.limited(); });
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
  settings.mask = overrides.mask.value_or(settings.mask);
  return settings;
}

std::vector<std::string> differences(const ModelConfig& config, const RunSettings& settings) {
  const RunSettings& trained = config.trained;
  std::vector<std::string> phrases;
  const auto compare = [&](const char* what, double now, double then) {
    if (now != then) phrases.push_back(std::string(what) + " " + numberText(now) + " instead of " + numberText(then));
  };
  // First: it changes every map, and a badge has room for a phrase or two.
  if (settings.mask != trained.mask) {
    phrases.push_back(std::string(word(settings.mask)) + " mask instead of " + word(trained.mask));
  }
  if (settings.gelu != trained.gelu) {
    phrases.push_back(std::string("GELU ") + name(settings.gelu) + " instead of " + name(trained.gelu));
  }
  compare("QK multiplier", settings.qkMultiplier, trained.qkMultiplier);
  compare("RoPE base", settings.ropeBase, trained.ropeBase);
  compare("soft cap", settings.softCap, trained.softCap);
  const Spelling now = spell(config, settings.windows);
  const Spelling then = spell(config, trained.windows);
  if (now.text != then.text) phrases.push_back("windows " + now.text + " instead of " + then.text);
  // A letter does not tell how wide it is.
  if (now.shortWindow && now.shortWindow != then.shortWindow) {
    phrases.push_back("S window " + std::to_string(now.shortWindow->left) +
                      (then.shortWindow ? " instead of " + std::to_string(then.shortWindow->left) : ""));
  }
  return phrases;
}

std::string windowOrigin(const ModelConfig& config, const RunSettings& settings) {
  const WindowRule& rule = config.windowRule;
  const std::vector<Window> windows = reaches(config, settings.windows);
  if (windows == reaches(config, config.trained.windows))
    return rule.origin.empty() ? "trained without windows" : rule.origin;
  const bool hasShort = std::find(windows.begin(), windows.end(), rule.shortWindow) != windows.end();
  return hasShort && isShortWindowAShare(config) ? std::string("chosen for this run; S is ") + kShare
                                                 : "chosen for this run";
}

std::string shortWindowOrigin(const ModelConfig& config) {
  return isShortWindowAShare(config) ? kShare : config.windowRule.origin;
}

}  // namespace core
