#include "tests/fuzz/whole_store.h"

#include "core/error.h"
#include "tests/fuzz/fuzz.h"

namespace fuzz {

core::checkpoint::Reading readAll(const core::checkpoint::TensorStore& store) {
  std::map<std::string, std::string> wanted;
  std::map<std::string, core::checkpoint::StoredTensor> described;
  for (const std::string& name : store.names()) {
    try {
      described.emplace("our " + name, store.describe(name));
      wanted.emplace("our " + name, name);
    } catch (const core::Error&) {  // no tensor, or one that no weight is read from
    }
  }
  auto reading = store.read(wanted, core::Progress());
  require(reading.tensors.size() == described.size(), "every tensor that has a description is read");
  for (const auto& [name, tensor] : reading.tensors) {
    require(tensor.shape == described.at(name).shape && tensor.type == described.at(name).type, "as it was described");
    require(tensor.elements() == 0 || tensor.data != nullptr, "a tensor has its numbers");
  }
  require(static_cast<std::uint64_t>(reading.bytes) <= store.fileBytes(), "no more is read than the file has");
  return reading;
}

}  // namespace fuzz
