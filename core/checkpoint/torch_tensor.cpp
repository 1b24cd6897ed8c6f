#include "core/checkpoint/torch_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/checkpoint/checked.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

using pickle::Kind;
using pickle::Value;

constexpr std::string_view kStorageFolder = "data/";
constexpr std::size_t kMostDimensions = 8;

struct StorageType {
  std::string_view global;
  DType type;
};

constexpr StorageType kStorageTypes[] = {{"torch.FloatStorage", DType::F32},     {"torch.HalfStorage", DType::F16},
                                         {"torch.BFloat16Storage", DType::BF16}, {"torch.DoubleStorage", DType::F64},
                                         {"torch.LongStorage", DType::I64},      {"torch.IntStorage", DType::I32},
                                         {"torch.ShortStorage", DType::I16},     {"torch.CharStorage", DType::I8},
                                         {"torch.ByteStorage", DType::U8},       {"torch.BoolStorage", DType::Bool}};

/// Functions of torch that rebuild a tensor. An empty reason: we know how.
struct Rebuild {
  std::string_view global;
  ErrorKind kind;
  std::string_view reason;
};

constexpr Rebuild kRebuilds[] = {
    {"torch._utils._rebuild_tensor_v2", ErrorKind::Corrupt, ""},
    {"torch._utils._rebuild_tensor", ErrorKind::Corrupt, ""},
    {"torch._utils._rebuild_parameter", ErrorKind::Corrupt, ""},
    {"torch._utils._rebuild_tensor_v3", ErrorKind::Unsupported,
     "is of a type that torch has no storage class for (8-bit float or unsigned)"},
    {"torch._utils._rebuild_qtensor", ErrorKind::Unsupported, "is quantized"},
    {"torch._utils._rebuild_sparse_tensor", ErrorKind::Unsupported, "is sparse"},
    {"torch._utils._rebuild_sparse_csr_tensor", ErrorKind::Unsupported, "is sparse"},
    {"torch._utils._rebuild_nested_tensor", ErrorKind::Unsupported, "is nested"},
    {"torch._utils._rebuild_meta_tensor_no_storage", ErrorKind::Unsupported, "is on the device 'meta': it has no data"},
    {"torch._utils._rebuild_device_tensor_from_numpy", ErrorKind::Unsupported, "is on a device without storages (xla)"},
    {"torch._utils._rebuild_device_tensor_from_cpu_tensor", ErrorKind::Unsupported, "is on a device without storages"},
    {"torch._utils._rebuild_wrapper_subclass", ErrorKind::Unsupported, "is of a tensor subclass"},
    {"torch._utils._rebuild_parameter_with_state", ErrorKind::Unsupported, "is a parameter with a state of its own"},
    {"torch._tensor._rebuild_from_type_v2", ErrorKind::Unsafe, "can only be made by running code of the file's choice"},
    {"numpy.core.multiarray._reconstruct", ErrorKind::Unsafe,
     "is a numpy array, which only running numpy's code could rebuild"},
    {"numpy._core.multiarray._reconstruct", ErrorKind::Unsafe,
     "is a numpy array, which only running numpy's code could rebuild"}};

const Rebuild* findRebuild(const Value& value) {
  const std::string_view callee = pickle::callee(value);
  const auto found =
      std::find_if(std::begin(kRebuilds), std::end(kRebuilds), [&](const Rebuild& r) { return r.global == callee; });
  return found == std::end(kRebuilds) ? nullptr : found;
}

/// The place in a sentence where something is wrong.
struct Place {
  const TorchArchive& archive;
  std::string_view name;

  [[noreturn]] void fail(ErrorKind kind, const std::string& what) const {
    throw Error(kind, fmt::format("{}: the tensor {} {}. {}", archive.file().name(), inQuotes(name), what,
                                  kind == ErrorKind::Corrupt ? "Download or copy the file again, or save it again."
                                                             : "Save the model as plain float32 tensors."));
  }
};

std::vector<std::int64_t> dimensions(const Place& place, const Value& value, const char* what) {
  const Value* tuple = &value;
  // torch.Size is written as a call with the tuple.
  if (pickle::callee(value) == "torch.Size" && value.items[1]->items.size() == 1) tuple = value.items[1]->items[0];
  std::vector<std::int64_t> numbers;
  if (tuple->kind != Kind::Tuple)
    place.fail(ErrorKind::Corrupt, fmt::format("has {} as its {}", describe(*tuple), what));
  if (tuple->items.size() > kMostDimensions) {
    place.fail(ErrorKind::Corrupt,
               fmt::format("has {} dimensions; the limit is {}", tuple->items.size(), kMostDimensions));
  }
  for (const Value* item : tuple->items) {
    if (item->kind != Kind::Int || item->integer < 0) {
      place.fail(ErrorKind::Corrupt, fmt::format("has {} in its {}", describe(*item), what));
    }
    numbers.push_back(item->integer);
  }
  return numbers;
}

std::int64_t wholeNumber(const Place& place, const Value& value, const char* what) {
  if (value.kind != Kind::Int || value.integer < 0)
    place.fail(ErrorKind::Corrupt, fmt::format("has {} as its {}", describe(value), what));
  return value.integer;
}

/// Fills type, storage and record from ('storage', <type>, key, device, elements). The device is not asked for.
void describeStorage(const Place& place, const Value& value, TorchTensor& tensor) {
  const Value* id = value.kind == Kind::Persistent ? value.items[0] : nullptr;
  if (id == nullptr || id->kind != Kind::Tuple || id->items.size() != 5 || id->items[0]->text != "storage" ||
      id->items[1]->kind != Kind::Global || id->items[2]->kind != Kind::Text || id->items[3]->kind != Kind::Text) {
    place.fail(ErrorKind::Corrupt,
               fmt::format("has no storage of the form ('storage', type, key, device, elements) but {}",
                           describe(id != nullptr ? *id : value)));
  }
  const std::string_view global = id->items[1]->text;
  const std::optional<DType> type = storageType(global);
  if (!type) {
    place.fail(ErrorKind::Unsupported, fmt::format("is stored as {}, a type that is not read", inQuotes(global)));
  }
  if (id->items[3]->text == "meta") {
    place.fail(ErrorKind::Unsupported,
               "is on the device 'meta': it has no data, since it was saved before its weights were loaded");
  }
  tensor.type = *type;
  const auto elements = static_cast<std::uint64_t>(wholeNumber(place, *id->items[4], "storage's length"));
  const std::string_view key = id->items[2]->text;
  // Every tensor may name the same one.
  if (key.size() > pickle::kLongestName) {
    place.fail(ErrorKind::Corrupt,
               fmt::format("has a storage whose key has {} bytes; the limit is {}", grouped(std::uint64_t{key.size()}),
                           grouped(std::uint64_t{pickle::kLongestName})));
  }
  const std::string record = fmt::format("{}{}", kStorageFolder, key);
  const auto found = place.archive.records().find(record);
  if (found == place.archive.records().end()) {
    place.fail(ErrorKind::Corrupt,
               fmt::format("has its numbers in the record {}, which is not in the archive", inQuotes(record)));
  }
  tensor.storage = std::string_view(found->first).substr(kStorageFolder.size());
  tensor.record = found->second;
  const auto bytes = checkedMultiply(elements, itemSize(tensor.type));
  if (bytes != tensor.record.size) {
    place.fail(ErrorKind::Corrupt,
               fmt::format("has a storage of {} elements of {} bytes, but its record {} has {} bytes",
                           grouped(elements), itemSize(tensor.type), inQuotes(record), grouped(tensor.record.size)));
  }
}

}  // namespace

std::optional<DType> storageType(std::string_view global) {
  const auto found = std::find_if(std::begin(kStorageTypes), std::end(kStorageTypes),
                                  [&](const StorageType& known) { return known.global == global; });
  if (found == std::end(kStorageTypes)) return std::nullopt;
  return found->type;
}

std::uint64_t TorchTensor::bytes() const { return elementCount(sizes).value_or(0) * itemSize(type); }

bool TorchTensor::isContiguous() const {
  if (bytes() == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] != 1 && strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

bool TorchTensor::ByView::operator()(const TorchTensor& left, const TorchTensor& right) const {
  const auto view = [](const TorchTensor& tensor) {
    return std::tie(tensor.record.offset, tensor.type, tensor.offset, tensor.sizes, tensor.strides);
  };
  return view(left) < view(right);
}

bool isTensor(const Value& value) { return findRebuild(value) != nullptr; }

TorchTensor describeTensor(const TorchArchive& archive, const Value& value, std::string_view name) {
  const Place place{archive, name};
  const Rebuild* rebuild = findRebuild(value);
  if (rebuild == nullptr) place.fail(ErrorKind::Unsupported, fmt::format("is {}, not a tensor", describe(value)));
  if (!rebuild->reason.empty()) {
    place.fail(rebuild->kind, fmt::format("{} ({})", rebuild->reason, inQuotes(rebuild->global)));
  }
  const std::vector<const Value*>& arguments = value.items[1]->items;
  if (rebuild->global == "torch._utils._rebuild_parameter") {
    if (arguments.empty() || pickle::callee(*arguments[0]) == rebuild->global) {
      place.fail(ErrorKind::Corrupt, "is a parameter without a tensor");
    }
    return describeTensor(archive, *arguments[0], name);
  }
  if (arguments.size() < 4)
    place.fail(ErrorKind::Corrupt, fmt::format("is made of {} instead of storage, offset, sizes and strides",
                                               counted(arguments.size(), "value")));
  TorchTensor tensor;
  describeStorage(place, *arguments[0], tensor);
  tensor.offset = wholeNumber(place, *arguments[1], "offset");
  tensor.sizes = dimensions(place, *arguments[2], "sizes");
  tensor.strides = dimensions(place, *arguments[3], "strides");
  const auto count = elementCount(tensor.sizes);
  // A view that repeats its elements would need more memory than the file has bytes: no saved weight is one.
  if (!viewFits(tensor.record.size, tensor.offset, tensor.sizes, tensor.strides, itemSize(tensor.type)) ||
      *count > tensor.record.size / itemSize(tensor.type)) {
    place.fail(ErrorKind::Corrupt,
               fmt::format("of shape {}, strides {} and offset {} does not fit into its storage of {} elements",
                           shapeText(tensor.sizes), shapeText(tensor.strides), grouped(tensor.offset),
                           grouped(tensor.record.size / itemSize(tensor.type))));
  }
  return tensor;
}

}  // namespace core::checkpoint
