// What the tests of pickle::parse have in common.
#pragma once

#include <string>
#include <vector>

#include "core/checkpoint/pickle.h"
#include "core/error.h"
#include "tests/core/checkpoint/expect_error.h"

namespace core::checkpoint::pickle {

inline const std::string kOrigin = "/x/ckpt.pt: data.pkl";

inline Document read(const std::string& bytes) { return parse(bytes, kOrigin); }

/// The refusal names the file, the item, `parts` and the byte.
inline void refuse(ErrorKind kind, std::vector<std::string> parts, const std::string& bytes) {
  parts.push_back(kOrigin);
  parts.push_back("byte ");
  support::expectError(kind, parts, [&] { read(bytes); });
}

}  // namespace core::checkpoint::pickle
