// Which names in a pickle are a reason to refuse the whole file.
#pragma once

#include <string_view>

namespace core::checkpoint::pickle {

/// True for names that only an attack needs: they reach the shell, files, the network or Python's own inside.
/// Every other name is harmless here, since nothing is ever imported or called; unknown ones stay opaque nodes.
bool isDangerous(std::string_view module, std::string_view name);

}  // namespace core::checkpoint::pickle
