#include "core/attention/memory_meter.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <memory>

#ifdef HEADSCOPE_WITH_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#endif

namespace core::attention {

namespace {

/// Stands where LibTorch's profiler would, and gets its reports: a size for each buffer, negative when it is given
/// back.
class CpuMeter final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, std::int64_t size, std::size_t, std::size_t, c10::Device device) override {
    if (!device.is_cpu()) return;
    m_held += size;
    m_peak = std::max(m_peak, m_held);
  }
  bool memoryProfilingEnabled() const override { return true; }
  std::int64_t peak() const { return m_peak; }

 private:
  std::int64_t m_held = 0;
  std::int64_t m_peak = 0;
};

#ifdef HEADSCOPE_WITH_CUDA
std::int64_t cudaPeak(const std::function<void()>& work) {
  namespace allocator = c10::cuda::CUDACachingAllocator;
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  const c10::DeviceIndex device = c10::cuda::current_device();
  allocator::resetPeakStats(device);
  const std::int64_t before = allocator::getDeviceStats(device).requested_bytes[kAll].current;
  work();
  return allocator::getDeviceStats(device).requested_bytes[kAll].peak - before;
}
#endif

}  // namespace

std::int64_t peakBytes([[maybe_unused]] Device device, const std::function<void()>& work) {
#ifdef HEADSCOPE_WITH_CUDA
  if (device == Device::Cuda) return cudaPeak(work);
#endif
  const auto meter = std::make_shared<CpuMeter>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, meter);
  work();
  return meter->peak();
}

}  // namespace core::attention
