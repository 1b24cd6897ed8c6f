// P20 and the rules for tensors: every number that describes one is checked against the others.
#include <gtest/gtest.h>

#include <cstring>

#include "core/checkpoint/checkpoint.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

namespace op = support::pickle;
using support::ModelBuilder;

constexpr const char* kName = "transformer.wpe.weight";  // (3, 4) in the record data/1 of 48 bytes

class Tensors : public testing::Test {
 protected:
  Checkpoint open(const std::string& bytes) {
    support::writeFile(m_folder / "ckpt.pt", bytes);
    return load(m_folder / "ckpt.pt", {}, Progress());
  }

  /// The tiny model with the pickle of wpe replaced.
  static std::string with(const std::string& tensor) {
    const ModelBuilder model;
    std::string bytes = model.pickleBytes();
    const std::string key = op::text(kName);
    const std::size_t begin = bytes.find(key) + key.size();
    const std::size_t end = bytes.find(op::text("transformer.h.0.ln_1.weight"));
    bytes.replace(begin, end - begin, tensor);
    support::ZipBuilder zip = model.archive();
    zip.remove("ckpt/data.pkl");
    zip.add("ckpt/data.pkl", bytes);
    return zip.build();
  }

  static op::TensorSpec spec() {
    op::TensorSpec right;
    right.key = "1";
    right.elements = 12;
    right.sizes = {3, 4};
    return right;
  }

  static std::string rebuild(const std::string& storage, const std::string& offset, const std::string& sizes,
                             const std::string& strides) {
    return op::reduce(op::global("torch._utils", "_rebuild_tensor_v2"),
                      {storage, offset, sizes, strides, op::boolean(false),
                       op::reduce(op::global("collections", "OrderedDict"), {})});
  }

  void refuse(ErrorKind kind, std::vector<std::string> parts, const std::string& tensor) {
    parts.push_back((m_folder / "ckpt.pt").string());
    parts.push_back(kName);
    support::expectError(kind, parts, [&] { open(with(tensor)); });
  }

  support::TemporaryFolder m_folder;
};

TEST_F(Tensors, TheReplacementItselfOpens) {
  EXPECT_EQ(open(with(op::tensor(spec()))).tensors.at("wpe.weight").elements(), 12);
}

TEST_F(Tensors, P9_StorageKeysBeyondTheLimitAreCorrupt) {
  op::TensorSpec tensor = spec();
  tensor.key = std::string(1'025, '1');
  refuse(ErrorKind::Corrupt, {"1,025 bytes", "1,024"}, op::tensor(tensor));
}

TEST_F(Tensors, P20_DeviceIsIgnored) {
  for (const char* device : {"cuda:7", "mps", "xla:0"}) {
    op::TensorSpec tensor = spec();
    tensor.device = device;
    EXPECT_EQ(open(with(op::tensor(tensor))).tensors.at("wpe.weight").elements(), 12) << device;
  }
}

TEST_F(Tensors, P20_MetaTensorsHaveNoData) {
  op::TensorSpec tensor = spec();
  tensor.device = "meta";
  refuse(ErrorKind::Unsupported, {"'meta'", "no data"}, op::tensor(tensor));
  refuse(ErrorKind::Unsupported, {"'meta'", "no data"},
         op::reduce(op::global("torch._utils", "_rebuild_meta_tensor_no_storage"), {}));
  refuse(ErrorKind::Unsupported, {"xla"},
         op::reduce(op::global("torch._utils", "_rebuild_device_tensor_from_numpy"), {}));
}

TEST_F(Tensors, P20_PersistentIdOfAnotherFormIsCorrupt) {
  const std::string sizes = op::tuple({op::integer(3), op::integer(4)}),
                    strides = op::tuple({op::integer(4), op::integer(1)});
  const std::string storage = op::text("storage"), type = op::global("torch", "FloatStorage"), key = op::text("1"),
                    cpu = op::text("cpu");
  for (const std::string& id :
       {op::tuple({storage, type, key, cpu}), op::tuple({storage, type, key, cpu, op::integer(12), op::none()}),
        op::tuple({op::text("module"), type, key, cpu, op::integer(12)}),
        op::tuple({storage, op::text("FloatStorage"), key, cpu, op::integer(12)}),
        op::tuple({storage, type, op::integer(1), cpu, op::integer(12)}),
        op::tuple({storage, type, key, op::integer(0), op::integer(12)}),
        op::list({storage, type, key, cpu, op::integer(12)}), op::text("1"), op::none()}) {
    refuse(ErrorKind::Corrupt, {"no storage of the form"}, rebuild(id + "Q", op::integer(0), sizes, strides));
  }
  refuse(ErrorKind::Corrupt, {"no storage of the form"}, rebuild("P1\n", op::integer(0), sizes, strides));
  refuse(ErrorKind::Corrupt, {"no storage of the form"}, rebuild(op::none(), op::integer(0), sizes, strides));
  refuse(ErrorKind::Corrupt, {"storage's length", "'12'"},
         rebuild(op::tuple({storage, type, key, cpu, op::text("12")}) + "Q", op::integer(0), sizes, strides));
  refuse(ErrorKind::Corrupt, {"storage's length", "-12"},
         rebuild(op::tuple({storage, type, key, cpu, op::integer(-12)}) + "Q", op::integer(0), sizes, strides));
}

TEST_F(Tensors, P20_WrongTypesOfSizesStridesAndOffsetAreCorrupt) {
  const std::string storage = op::tuple({op::text("storage"), op::global("torch", "FloatStorage"), op::text("1"),
                                         op::text("cpu"), op::integer(12)}) +
                              "Q";
  const std::string sizes = op::tuple({op::integer(3), op::integer(4)}),
                    strides = op::tuple({op::integer(4), op::integer(1)});
  refuse(ErrorKind::Corrupt, {"offset", "'0'"}, rebuild(storage, op::text("0"), sizes, strides));
  refuse(ErrorKind::Corrupt, {"offset", "-1"}, rebuild(storage, op::integer(-1), sizes, strides));
  refuse(ErrorKind::Corrupt, {"sizes", "a list"},
         rebuild(storage, op::integer(0), op::list({op::integer(3), op::integer(4)}), strides));
  refuse(ErrorKind::Corrupt, {"sizes", "-3"},
         rebuild(storage, op::integer(0), op::tuple({op::integer(-3), op::integer(4)}), strides));
  refuse(ErrorKind::Corrupt, {"strides", "3.0"},
         rebuild(storage, op::integer(0), sizes, op::tuple({op::real(3), op::integer(1)})));
  refuse(ErrorKind::Corrupt, {"9 dimensions"},
         rebuild(storage, op::integer(0), op::tuple(std::vector<std::string>(9, op::integer(1))), strides));
  refuse(ErrorKind::Corrupt, {"2 values"},
         op::reduce(op::global("torch._utils", "_rebuild_tensor_v2"), {storage, op::integer(0)}));
}

TEST_F(Tensors, TorchSizeIsATuple) {
  const std::string storage = op::tuple({op::text("storage"), op::global("torch", "FloatStorage"), op::text("1"),
                                         op::text("cpu"), op::integer(12)}) +
                              "Q";
  const std::string sizes = op::reduce(op::global("torch", "Size"), {op::tuple({op::integer(3), op::integer(4)})});
  const std::string strides = op::tuple({op::integer(4), op::integer(1)});
  EXPECT_EQ(open(with(rebuild(storage, op::integer(0), sizes, strides))).tensors.size(), 10u);
  const std::string two = op::reduce(op::global("torch", "Size"),
                                     {op::tuple({op::integer(3), op::integer(4)}), op::tuple({op::integer(5)})});
  refuse(ErrorKind::Corrupt, {"sizes", "torch.Size"}, rebuild(storage, op::integer(0), two, strides));
}

TEST_F(Tensors, ParameterIsItsTensor) {
  const std::string parameter =
      op::reduce(op::global("torch._utils", "_rebuild_parameter"),
                 {op::tensor(spec()), op::boolean(true), op::reduce(op::global("collections", "OrderedDict"), {})});
  EXPECT_EQ(open(with(parameter)).tensors.size(), 10u);
  std::string nested = parameter;
  for (int i = 0; i < 50; ++i) nested = op::reduce(op::global("torch._utils", "_rebuild_parameter"), {nested});
  refuse(ErrorKind::Corrupt, {"parameter without a tensor"}, nested);
}

TEST_F(Tensors, P20_B21_StridesPastTheStorageAreCorrupt) {
  op::TensorSpec tensor = spec();
  tensor.strides = {5, 1};
  refuse(ErrorKind::Corrupt, {"(3, 4)", "(5, 1)", "12 elements"}, op::tensor(tensor));
  tensor = spec();
  tensor.offset = 1;
  refuse(ErrorKind::Corrupt, {"offset 1", "12 elements"}, op::tensor(tensor));
  tensor = spec();
  tensor.offset = INT64_MAX;
  refuse(ErrorKind::Corrupt, {"9,223,372,036,854,775,807"}, op::tensor(tensor));
  tensor = spec();
  tensor.sizes = {std::int64_t{1} << 62, 4};
  tensor.strides = {4, 1};
  refuse(ErrorKind::Corrupt, {"4611686018427387904"}, op::tensor(tensor));
}

TEST_F(Tensors, P20_ViewsThatRepeatElementsAreCorrupt) {
  op::TensorSpec tensor = spec();
  tensor.sizes = {1000, 1000};
  tensor.strides = {0, 0};
  refuse(ErrorKind::Corrupt, {"(1000, 1000)", "(0, 0)"}, op::tensor(tensor));
}

TEST_F(Tensors, P20_StorageLengthMustBeThatOfItsRecord) {
  op::TensorSpec tensor = spec();
  for (const std::int64_t elements : {std::int64_t{11}, std::int64_t{13}, INT64_MAX}) {
    tensor.elements = elements;
    refuse(ErrorKind::Corrupt, {"'data/1'", "48 bytes"}, op::tensor(tensor));
  }
}

TEST_F(Tensors, TransposedViewIsReadInItsOwnOrder) {
  op::TensorSpec tensor = spec();
  tensor.strides = {1, 3};
  const Tensor read = open(with(op::tensor(tensor))).tensors.at("wpe.weight");
  const float* values = reinterpret_cast<const float*>(read.data.get());
  // The storage holds 100.5, 101.5 ...: row 0 takes every third.
  EXPECT_EQ(values[0], 100.5f);
  EXPECT_EQ(values[1], 103.5f);
  EXPECT_EQ(values[4], 101.5f);
  EXPECT_EQ(values[11], 111.5f);
}

TEST_F(Tensors, C10_QuantizedSparseAndOddTypesAreUnsupportedByName) {
  refuse(ErrorKind::Unsupported, {"quantized"}, op::reduce(op::global("torch._utils", "_rebuild_qtensor"), {}));
  refuse(ErrorKind::Unsupported, {"sparse"}, op::reduce(op::global("torch._utils", "_rebuild_sparse_tensor"), {}));
  refuse(ErrorKind::Unsupported, {"_rebuild_tensor_v3"},
         op::reduce(op::global("torch._utils", "_rebuild_tensor_v3"), {}));
  for (const char* storage : {"QInt8Storage", "ComplexFloatStorage"}) {
    op::TensorSpec tensor = spec();
    tensor.storage = storage;
    refuse(ErrorKind::Unsupported, {storage}, op::tensor(tensor));
  }
  refuse(ErrorKind::Unsupported, {"None", "not a tensor"}, op::none());
  refuse(ErrorKind::Unsupported, {"a tuple of 2 items, not a tensor"},
         op::tuple({op::global("torch._utils", "_rebuild_tensor_v2"), op::tuple({op::none()})}));
  op::TensorSpec integers = spec();
  integers.storage = "IntStorage";
  refuse(ErrorKind::Unsupported, {"int32", "float32"}, op::tensor(integers));
}

TEST_F(Tensors, OverlappingTensorsThatOutgrowTheFileAreCorrupt) {
  // Every linear is another view of one large storage: none is wrong alone, together they are more than the file.
  ModelBuilder model;
  model.setArgument("n_embd", op::integer(64));
  const std::string storage = support::floats(64 * 256 + 32);
  std::int64_t at = 0;
  op::Pairs state;
  const auto view = [&](const std::string& name, std::vector<std::int64_t> shape) {
    op::TensorSpec tensor;
    tensor.key = "0";
    tensor.elements = 64 * 256 + 32;
    tensor.offset = at++;
    tensor.sizes = std::move(shape);
    state.emplace_back(name, op::tensor(tensor));
  };
  view("transformer.wte.weight", {5, 64});
  view("transformer.wpe.weight", {3, 64});
  for (const char* name : {"transformer.h.0.ln_1.weight", "transformer.h.0.ln_2.weight", "transformer.ln_f.weight"})
    view(name, {64});
  view("transformer.h.0.attn.c_attn.weight", {192, 64});
  view("transformer.h.0.attn.c_proj.weight", {64, 64});
  view("transformer.h.0.mlp.c_fc.weight", {256, 64});
  view("transformer.h.0.mlp.c_proj.weight", {64, 256});
  support::ZipBuilder zip;
  zip.add("ckpt/data.pkl",
          op::whole(op::dict({{"model", op::orderedDict(state)}, {"model_args", op::dict(model.modelArgs)}})));
  zip.add("ckpt/data/0", storage);
  support::expectError(ErrorKind::Corrupt, {(m_folder / "ckpt.pt").string(), "overlap"}, [&] { open(zip.build()); });
}

}  // namespace
}  // namespace core::checkpoint
