// Options by the kind of their value.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace app {

/// An option whose value is one of a few words. A mistake is answered with all of them.
template <class Target, class Value>
CLI::Option* addChoice(CLI::App& command, const char* name, Target& target,
                       std::vector<std::pair<std::string, Value>> choices, const char* text) {
  std::string words;
  for (const auto& [word, value] : choices) words.append(words.empty() ? "" : "|").append(word);
  return command
      .add_option_function<std::string>(
          name,
          [=, &target](const std::string& given) {
            for (const auto& [word, value] : choices) {
              if (word != given) continue;
              target = value;
              return;
            }
            throw CLI::ValidationError(name, "'" + given + "' is not one of " + words);
          },
          text)
      ->type_name(words);
}

/// A table of words as addChoice() takes it.
template <class Value, std::size_t count>
std::vector<std::pair<std::string, Value>> choices(const std::array<std::pair<const char*, Value>, count>& table) {
  return {table.begin(), table.end()};
}

/// An optional number; CLI11's own message for a word that is none says enough.
template <class Value>
CLI::Option* addNumber(CLI::App& command, const char* name, std::optional<Value>& target, const std::string& text) {
  return command.add_option(name, target, text)->type_name("N");
}

/// An option whose text is parsed by `parse`, which answers std::nullopt for one that is not `like` an example.
template <class Target, class Parse>
CLI::Option* addParsed(CLI::App& command, const char* name, Target& target, Parse parse, const char* like,
                       const char* text) {
  return command.add_option_function<std::string>(
      name,
      [=, &target](const std::string& given) {
        const auto parsed = parse(given);
        if (!parsed) throw CLI::ValidationError(name, "'" + given + "' is not " + like);
        target = *parsed;
      },
      text);
}

}  // namespace app
