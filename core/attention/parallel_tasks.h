// Pieces of work of unlike size on LibTorch's own threads.
#pragma once

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace core::attention {

/// Threads that forEachTask() uses for so many tasks: what a workspace for each of them must be made for.
inline std::int64_t threadsFor(std::int64_t tasks) {
  return std::clamp<std::int64_t>(tasks, 1, at::in_parallel_region() ? 1 : at::get_num_threads());
}

/// Calls work(task, thread) for every task in [0, tasks), each thread taking the next one when it is done: causal
/// blocks of rows grow longer. `thread` is in [0, threadsFor(tasks)). Exceptions of the work reach the caller.
template <class Work>
void forEachTask(std::int64_t tasks, const Work& work) {
  const std::int64_t threads = threadsFor(tasks);
  std::atomic<std::int64_t> next{0};
  at::parallel_for(0, threads, 1, [&](std::int64_t begin, std::int64_t end) {
    const c10::InferenceMode inference;  // a mode of the thread
    for (std::int64_t thread = begin; thread < end; ++thread) {
      for (std::int64_t task = next++; task < tasks; task = next++) work(task, thread);
    }
  });
}

}  // namespace core::attention
