// The header of an .npy file: a Python literal, read as one and never evaluated.
// Source: NumPy, "NPY format" (numpy.lib.format), versions 1.0, 2.0 and 3.0.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/arrays/element_type.h"

namespace core::arrays {

enum class Order { C, Fortran };  ///< which index runs fastest: the last one, or the first

struct NpyHeader {
  ElementType type;
  Order order = Order::C;
  std::vector<std::int64_t> shape;
  std::uint64_t dataOffset = 0;  ///< where the first element begins
};

bool looksLikeNpy(std::string_view head);

/// read(n): the next n bytes. `origin` begins every sentence: "/x/run.npz: the array 'attn'".
/// Errors: Corrupt for anything but {'descr': TEXT, 'fortran_order': True or False, 'shape': (numbers)}; Unsupported
/// for another version and for records (a list as descr); TooLarge for a header above 64 KiB; those of read().
NpyHeader readNpyHeader(const std::function<std::string(std::uint64_t)>& read, const std::string& origin);

}  // namespace core::arrays
