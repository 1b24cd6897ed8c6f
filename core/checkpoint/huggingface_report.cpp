#include "core/checkpoint/huggingface_report.h"

#include <fmt/format.h>

#include "core/checkpoint/config_report.h"
#include "core/checkpoint/family_weights.h"
#include "core/checkpoint/huggingface_files.h"
#include "core/checkpoint/printable.h"

namespace core::checkpoint::huggingface {

namespace {

using Topic = ReportLine::Topic;

}  // namespace

void reportConfig(const Config& config, ModelInfo& info) {
  reportNumbers(info);
  if (!config.defaults.empty()) {
    say(info, Topic::Version,
        fmt::format("not in config.json, taken as transformers does: {}", fmt::join(config.defaults, ", ")));
  }
  if (!config.ignored.empty()) {
    say(info, Topic::Ignored,
        fmt::format("keys of config.json that a {} model does not read: {}", info.config.family,
                    listed(config.ignored)));
  }
  for (const std::string& warning : config.warnings) say(info, Topic::Warning, warning);
}

void reportFile(const std::filesystem::path& weights, const Content& content, ModelInfo& info) {
  const std::string extension = weights.extension().string();
  const bool isSafetensors = !content.torch && !content.json;
  if (content.torch && extension == ".safetensors") {
    say(info, Topic::Family, "recognised by its content: a torch archive, although its name ends in '.safetensors'");
  } else if (isSafetensors && extension != ".safetensors") {
    say(info, Topic::Family,
        fmt::format("recognised by its content: safetensors, although its name ends in {}", inQuotes(extension)));
  }
  if (content.torch) {
    for (const std::string& note : content.torch->notes()) say(info, Topic::Warning, note);
  }
  if (has(info.path, kAdapterConfigName)) {
    say(info, Topic::Warning,
        fmt::format("An adapter lies in the folder ({}) and is not applied: the maps are those of the model without "
                    "it.",
                    kAdapterConfigName));
  }
}

}  // namespace core::checkpoint::huggingface
