// Writes .npy and .npz files as NumPy does, and wrong ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/core/checkpoint/zip_builder.h"

namespace support {

/// An .npy of this header text (a Python dictionary) and data, of version 1.0 or another one.
std::string npyOf(const std::string& dictionary, const std::string& data, int major = 1, int minor = 0);

/// With everything right. `shape` as Python writes it: "(2, 3)".
std::string npy(const std::string& descr, const std::string& shape, const std::string& data);
std::string npy(const std::string& shape, const std::vector<float>& values);

/// The weights of `maps` causal heads of T tokens, row i uniform over its i + 1 keys: 1, 1/2 1/2, 1/3 ...
std::vector<float> uniformWeights(std::int64_t maps, std::int64_t T);

std::string bytesOf(const std::vector<float>& values);
std::string bytesOf(const std::vector<std::int64_t>& values);

/// Adds a member as NumPy does: stored, or deflated, with the sizes before the data.
ZipMember& addStored(ZipBuilder& zip, const std::string& name, const std::string& data);
ZipMember& addDeflated(ZipBuilder& zip, const std::string& name, const std::string& data);
std::string deflated(const std::string& data);  ///< raw, without zlib's own header

}  // namespace support
