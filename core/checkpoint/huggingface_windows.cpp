#include "core/checkpoint/huggingface_windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/checkpoint/config_json.h"
#include "core/checkpoint/printable.h"

namespace core::checkpoint::huggingface {

namespace {

// Sources: MistralConfig, Qwen2Config, Qwen3Config.
constexpr std::int64_t kWindow = 4096;
constexpr std::int64_t kFirstLayer = 28;

using HasWindow = std::vector<bool>;  // (layers)

/// The width, or nothing where the file says null: no window.
std::optional<std::int64_t> width(Keys& config) {
  if (config.find("sliding_window") == nullptr) return config.size("sliding_window", kWindow);
  return config.sizeWhereSet("sliding_window");
}

/// A layer's kind. Errors: Unsupported.
bool isSliding(const Keys& config, const Json& kind) {
  if (kind == "sliding_attention") return true;
  if (kind != "full_attention" && kind != "attention") {  // an older word for it
    config.unsupported(
        fmt::format("'layer_types' has {}; built are 'full_attention' and 'sliding_attention'", shown(kind)),
        "Open a model of these layers.");
  }
  return false;
}

/// What layer_types says. Errors: as readWindows.
HasWindow listedLayers(const Keys& config, const Json& types, const ModelConfig& numbers) {
  if (!types.is_array()) config.mismatch(fmt::format("'layer_types' is {}, not a list", shown(types)));
  if (types.size() != static_cast<std::size_t>(numbers.layers)) {
    config.mismatch(
        fmt::format("'layer_types' is a list of {}, but 'num_hidden_layers' is {}", types.size(), numbers.layers));
  }
  HasWindow sliding;
  for (const Json& kind : types) sliding.push_back(isSliding(config, kind));
  return sliding;
}

void use(const HasWindow& sliding, std::int64_t keys, std::string origin, ModelConfig& numbers) {
  numbers.windowRule.shortWindow = Window{keys - 1};
  numbers.windowRule.origin = std::move(origin);
  for (std::size_t layer = 0; layer < sliding.size(); ++layer) {
    if (sliding[layer]) numbers.trained.windows[layer] = numbers.windowRule.shortWindow;
  }
}

void readLayerTypes(Keys& config, const Json& types, WindowKeys rule, ModelConfig& numbers,
                    std::vector<std::string>& warnings) {
  const HasWindow sliding = listedLayers(config, types, numbers);
  const bool any = std::find(sliding.begin(), sliding.end(), true) != sliding.end();
  const bool all = std::find(sliding.begin(), sliding.end(), false) == sliding.end();
  const Json* ownWindow = config.find("sliding_window");
  if (rule == WindowKeys::EveryLayer && !all && (ownWindow == nullptr || !ownWindow->is_null())) {
    warnings.emplace_back(
        "layer_types of config.json says that some layers have no window, which is obeyed. transformers' own Mistral "
        "class does not read it and gives every layer the window.");
  }
  if (!any) return;
  if (rule == WindowKeys::None) {
    config.unsupported(
        fmt::format("'layer_types' has 'sliding_attention', but {} models have no windows", numbers.family),
        "Open a model whose layers are 'full_attention'.");
  }
  if (rule == WindowKeys::FromALayer && !config.truth("use_sliding_window", false))
    config.mismatch("'layer_types' has 'sliding_attention', but 'use_sliding_window' is not true");
  const std::optional<std::int64_t> keys = width(config);
  if (!keys) config.mismatch("'layer_types' has 'sliding_attention', but 'sliding_window' is null");
  use(sliding, *keys, fmt::format("sliding_window {} and layer_types of config.json", *keys), numbers);
}

}  // namespace

void readWindows(Keys& config, WindowKeys rule, ModelConfig& numbers, std::vector<std::string>& warnings) {
  const auto layers = static_cast<std::size_t>(numbers.layers);
  numbers.trained.windows.assign(layers, Window{});
  numbers.windowRule.shortWindow = shareOfContext(numbers.context, 4);
  if (const Json* types = config.findSet("layer_types")) {
    readLayerTypes(config, *types, rule, numbers, warnings);
  } else if (rule == WindowKeys::EveryLayer) {
    const bool absent = config.find("sliding_window") == nullptr;
    if (const std::optional<std::int64_t> keys = width(config)) {
      use(HasWindow(layers, true), *keys,
          absent ? fmt::format("sliding_window {}, which config.json leaves to transformers' default", *keys)
                 : fmt::format("sliding_window {} of config.json", *keys),
          numbers);
    }
  } else if (rule == WindowKeys::FromALayer && config.truth("use_sliding_window", false)) {
    const std::optional<std::int64_t> keys = width(config);
    if (!keys) return;
    HasWindow sliding(layers, true);
    // 0 is a number that these files use: every layer.
    const Json* from = config.find("max_window_layers");
    const std::int64_t first = from != nullptr && *from == 0 ? 0 : config.size("max_window_layers", kFirstLayer);
    const auto full = static_cast<std::size_t>(std::min<std::int64_t>(first, numbers.layers));
    std::fill_n(sliding.begin(), full, false);
    if (full == layers) return;
    use(sliding, *keys, fmt::format("sliding_window {} and max_window_layers {} of config.json", *keys, first),
        numbers);
  }
}

}  // namespace core::checkpoint::huggingface
