#include "core/attention/layer_attention.h"

namespace core::attention {

namespace {

LayerAttention flash(DType type, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const AttentionMask& mask, const Progress& progress) {
  const auto typed = [&](const at::Tensor& heads) { return heads.to(scalarType(type)).unsqueeze(0); };
  const AttentionOutput result =
      runKernel(Kernel::Flash, {.q = typed(q), .k = typed(k), .v = typed(v), .mask = mask, .progress = progress});
  const Device device = q.is_cpu() ? Device::Cpu : Device::Cuda;
  return {result.output[0].to(at::kFloat), result.lse[0], "flash path, " + kernelName(Kernel::Flash, device),
          result.maskBytes};
}

}  // namespace

at::ScalarType scalarType(DType type) {
  switch (type) {
    case DType::Float32: return at::kFloat;
    case DType::Float16: return at::kHalf;
    case DType::BFloat16: return at::kBFloat16;
  }
  return at::kFloat;
}

at::Tensor rounded(DType type, const at::Tensor& values) {
  return type == DType::Float32 ? values : values.to(scalarType(type)).to(at::kFloat);
}

LayerAttention attend(AttentionPath path, DType type, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                      const AttentionMask& mask, const Progress& progress) {
  if (path == AttentionPath::Flash) return flash(type, q, k, v, mask, progress);
  ManualAttention manual(q, k, v, mask);
  manual.run(progress);
  return {rounded(type, manual.output()), manual.lse(), manual.path(), 0};
}

}  // namespace core::attention
