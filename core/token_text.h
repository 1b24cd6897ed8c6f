// A token as a person reads it.
#pragma once

#include <string>

#include "core/ids.h"

namespace core {

struct TokenText {
  TokenId id = 0;
  std::string bytes;  ///< exactly what the token stands for; may be part of a UTF-8 character
  std::string label;  ///< valid UTF-8 for display: visible marks for space and newline, hex for lone bytes; never empty
};

}  // namespace core
