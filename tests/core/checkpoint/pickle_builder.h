// Pickle operations by name, each as the bytes that Python's pickle writes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace support::pickle {

/// The whole pickle of protocol 2 that `value` makes.
std::string whole(const std::string& value);

std::string text(const std::string& value);
std::string integer(std::int64_t value);
std::string real(double value);
std::string boolean(bool value);
std::string none();
std::string global(const std::string& module, const std::string& name);
std::string tuple(const std::vector<std::string>& items);
std::string list(const std::vector<std::string>& items);

using Pairs = std::vector<std::pair<std::string, std::string>>;  ///< text keys, values as bytes
std::string dict(const Pairs& pairs);
/// As torch writes a state dict: an OrderedDict with a _metadata attribute.
std::string orderedDict(const Pairs& pairs);

std::string reduce(const std::string& callable, const std::vector<std::string>& arguments);

/// torch._utils._rebuild_tensor_v2 over one storage.
struct TensorSpec {
  std::string key = "0";
  std::string storage = "FloatStorage";
  std::string device = "cpu";
  std::int64_t elements = 0;  ///< of the storage
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;  ///< empty: row-major
};
std::string tensor(const TensorSpec& spec);

}  // namespace support::pickle
