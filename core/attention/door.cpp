#include "core/attention/door.h"

#include <exception>
#include <new>
#include <string>

#include "core/cuda/gpu.h"

namespace core::attention {

namespace {

bool isCpuOutOfMemory(std::string_view message) { return message.find("allocate memory") != std::string_view::npos; }

Error outOfMemory(std::string_view what, std::string details = {}) {
  return Error(ErrorKind::OutOfMemory,
               std::string(what) +
                   " needs more memory than this machine has free. Use a shorter prompt or close other programs.",
               std::move(details));
}

Error fromTorch(std::string_view what, const c10::Error& error) {
  const std::string message = error.what_without_backtrace();
  if (cuda::isGpuOutOfMemory(message))
    return Error(ErrorKind::OutOfMemory, cuda::outOfGpuMemory(what, message, cuda::releaseMemory()), message);
  if (isCpuOutOfMemory(message)) return outOfMemory(what, message);
  if (const auto lost = cuda::lostGpu())
    return Error(ErrorKind::Unsupported, std::string(what) + " failed. " + *lost, error.what());
  return Error(ErrorKind::Unsupported, std::string(what) + " failed inside LibTorch; see the details.", error.what());
}

}  // namespace

bool isOutOfMemory(const c10::Error& error) {
  const std::string_view message = error.what_without_backtrace();
  return cuda::isGpuOutOfMemory(message) || isCpuOutOfMemory(message);
}

void rethrowAsError(std::string_view what) {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw outOfMemory(what);
  } catch (const c10::Error& error) {
    throw fromTorch(what, error);
  } catch (const std::exception& error) {
    throw Error(ErrorKind::Unsupported, std::string(what) + " failed; see the details.", error.what());
  }
}

}  // namespace core::attention
