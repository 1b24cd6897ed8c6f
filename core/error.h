// The one exception type of core: a kind and a sentence that a user can act on.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace core {

enum class ErrorKind {
  NotFound,
  NoPermission,
  NotAFile,
  NotAModel,
  Truncated,
  Corrupt,
  Unsupported,
  Unsafe,
  Mismatch,
  TooLarge,
  OutOfMemory,
  Cancelled,
  Io,
};

/// The kind's name as users and scripts see it: "NotFound".
std::string_view name(ErrorKind kind);

/// what() is one sentence (or two): which file and item, what is wrong with which numbers, what to do.
/// details() is for the "Details" button and the log: technical, may be empty.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& sentence, std::string details = {})
      : std::runtime_error(sentence), m_kind(kind), m_details(std::move(details)) {}

  ErrorKind kind() const { return m_kind; }
  const std::string& details() const { return m_details; }

 private:
  ErrorKind m_kind;
  std::string m_details;
};

}  // namespace core
