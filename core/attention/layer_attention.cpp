#include "core/attention/layer_attention.h"

#include <algorithm>

namespace core::attention {

namespace {

/// A flash kernel can't be interrupted: this many operations at most in one call, but always a whole group of heads.
constexpr double kFlopOfOneCall = 4e10;

/// Groups of query heads of a call, so that cancelling is heard between calls.
std::int64_t groupsAtOnce(const at::Tensor& q, const at::Tensor& k) {
  const auto H = q.size(0), R = q.size(1), D = q.size(2), Hkv = k.size(0), T = k.size(1);
  const double flopOfGroup = 4.0 * static_cast<double>(H / Hkv * R * T) * static_cast<double>(D);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(kFlopOfOneCall / flopOfGroup), 1, Hkv);
}

LayerAttention flash(DType type, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const AttentionMask& mask, const BlockReport& report) {
  const std::int64_t Hkv = k.size(0);
  const std::int64_t group = q.size(0) / Hkv;
  const std::int64_t step = groupsAtOnce(q, k);
  std::vector<at::Tensor> outputs, lses;
  for (std::int64_t begin = 0; begin < Hkv; begin += step) {
    report.report(static_cast<double>(begin) / static_cast<double>(Hkv));
    const std::int64_t end = std::min(begin + step, Hkv);
    const auto part = [&](const at::Tensor& heads, std::int64_t each) {
      return heads.slice(0, begin * each, end * each).to(scalarType(type)).unsqueeze(0);
    };
    const AttentionOutput result =
        runKernel(Kernel::Flash, {.q = part(q, group), .k = part(k, 1), .v = part(v, 1), .mask = mask});
    outputs.push_back(result.output[0].to(at::kFloat));
    lses.push_back(result.lse[0]);
  }
  const Device device = q.is_cpu() ? Device::Cpu : Device::Cuda;
  const auto whole = [](const std::vector<at::Tensor>& parts) { return parts.size() == 1 ? parts[0] : at::cat(parts); };
  return {whole(outputs), whole(lses), "flash path, " + kernelName(Kernel::Flash, device)};
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
                      const AttentionMask& mask, const BlockReport& report) {
  if (path == AttentionPath::Flash) return flash(type, q, k, v, mask, report);
  ManualAttention manual(q, k, v, mask);
  manual.run(report);
  return {rounded(type, manual.output()), manual.lse(), manual.path()};
}

}  // namespace core::attention
