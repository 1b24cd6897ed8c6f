#include "core/checkpoint/tokenizer_choice.h"

#include <fmt/format.h>

#include "core/checkpoint/family_weights.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/tokenizer_file.h"
#include "core/error.h"

namespace core::checkpoint {

using Topic = ReportLine::Topic;

void useTokenizer(Checkpoint& checkpoint, std::shared_ptr<const tokenizer::Tokenizer> tokenizer,
                  const std::string& source, SpareIds spare) {
  ModelInfo& info = checkpoint.info;
  info.tokenizer = tokenizer->description() + source;
  const std::int64_t size = tokenizer->size();
  const std::int64_t vocabulary = info.config.vocabulary;
  checkpoint.tokenizer = std::move(tokenizer);
  constexpr std::int64_t kMostPadding = 32;
  const std::int64_t harmless = spare == SpareIds::Padding ? vocabulary / kMostPadding : 0;
  if (size > vocabulary || size < vocabulary - harmless) {
    say(info, Topic::Warning,
        fmt::format("The tokenizer covers {} ids, the model has {}.", grouped(size), grouped(vocabulary)));
  }
}

bool tryTokenizer(Checkpoint& checkpoint, const std::function<std::shared_ptr<const tokenizer::Tokenizer>()>& read,
                  const std::string& source, const std::string& where, SpareIds spare) {
  try {
    useTokenizer(checkpoint, read(), source, spare);
    return true;
  } catch (const Error& error) {
    checkpoint.info.noTokenizer = error.what();
    say(checkpoint.info, Topic::Warning, fmt::format("The tokenizer {} can't be used. {}", where, error.what()));
    return false;
  }
}

bool chooseTokenizer(Checkpoint& checkpoint, const LoadOptions& options, const std::filesystem::path& path,
                     const std::string& lookedFor, SpareIds spare) {
  ModelInfo& info = checkpoint.info;
  const bool byHand = !options.tokenizer.empty();
  const std::filesystem::path& file = byHand ? options.tokenizer : path;
  if (file.empty()) {
    info.noTokenizer = fmt::format("There is no {}.", lookedFor);
    say(info, Topic::Warning,
        fmt::format("No tokenizer: there is no {}. Choose one, or give the prompt as token ids.", lookedFor));
    return false;
  }
  const std::string source = fmt::format(" ({})", file.filename().string());
  const auto read = [&] { return readTokenizer(file); };
  if (byHand) {
    useTokenizer(checkpoint, read(), source, spare);
  } else if (!tryTokenizer(checkpoint, read, source, "beside the model", spare)) {
    return false;
  }
  say(info, Topic::Tokenizer, fmt::format("{} from {}", checkpoint.tokenizer->description(), file.string()));
  return true;
}

}  // namespace core::checkpoint
