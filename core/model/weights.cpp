#include "core/model/weights.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace core::model {

namespace {

at::ScalarType scalarType(checkpoint::DType type) {
  using checkpoint::DType;
  switch (type) {
    case DType::F32: return at::kFloat;
    case DType::F16: return at::kHalf;
    case DType::BF16: return at::kBFloat16;
    case DType::F64: return at::kDouble;
    case DType::I64: return at::kLong;
    case DType::I32: return at::kInt;
    case DType::I16: return at::kShort;
    case DType::I8: return at::kChar;
    case DType::U8: return at::kByte;
    case DType::Bool: return at::kBool;
  }
  throw std::logic_error("a dtype without a Torch type");
}

}  // namespace

at::Tensor Weights::take(const std::string& name) {
  const auto entry = m_tensors.find(name);
  if (entry == m_tensors.end()) throw std::logic_error("the loader promised the tensor " + name);
  const checkpoint::Tensor tensor = std::move(entry->second);
  m_tensors.erase(entry);

  const bool turned = tensor.order == checkpoint::Order::ColumnMajor;
  const auto asShown = [&](const at::Tensor& values) { return turned ? values.t() : values; };
  const auto seen = m_taken.find(tensor.data.get());
  if (seen != m_taken.end()) return asShown(seen->second);

  std::vector<std::int64_t> inMemory = tensor.shape;
  if (turned) std::reverse(inMemory.begin(), inMemory.end());
  // from_blob wants a mutable pointer; nothing writes to weights.
  auto* bytes = const_cast<std::byte*>(tensor.data.get());
  const at::Tensor inPlace = at::from_blob(
      bytes, inMemory, [owner = tensor.data](void*) {}, at::TensorOptions().dtype(scalarType(tensor.type)));
  return asShown(m_taken[tensor.data.get()] = inPlace.to(m_device, at::kFloat));
}

at::Tensor Weights::takeOptional(const std::string& name) {
  return m_tensors.contains(name) ? take(name) : at::Tensor();
}

}  // namespace core::model
