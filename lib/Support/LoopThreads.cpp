//===- LoopThreads.cpp - The threads that loops run on --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/LoopThreads.h"

#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <chrono>
#include <dlfcn.h>
#include <link.h>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

using namespace fusion;

namespace {

/// The functions of an OpenMP runtime. LLVM's and Intel's have GOMP_parallel
/// beside their own entry points.
struct OpenMP {
  void (*parallel)(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags) = nullptr;
  int (*inParallel)() = nullptr;
  int (*maxThreads)() = nullptr;

  /// Looks for the functions in a library, or with RTLD_DEFAULT in libraries
  /// that are open for everybody.
  bool find(void *library) {
    auto get = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(
          dlsym(library, name));
      return function != nullptr;
    };
    return get(parallel, "GOMP_parallel") &&
           get(inParallel, "omp_in_parallel") &&
           get(maxThreads, "omp_get_max_threads");
  }
};

/// A loop whose parts are taken by those who are free.
struct Loop {
  std::atomic<int64_t> next;
  const int64_t end, grain;
  ThreadPool::Body body;

  void takeParts() {
    for (;;) {
      int64_t first = next.fetch_add(grain, std::memory_order_relaxed);
      if (first >= end)
        return;
      body(first, std::min(first + grain, end));
    }
  }
};

} // namespace

/// Looks among all loaded libraries: Python opens those of its modules for
/// themselves alone.
static int findInLibrary(dl_phdr_info *info, size_t, void *data) {
  llvm::StringRef path = info->dlpi_name;
  llvm::StringRef name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with("libgomp") && !name.starts_with("libomp") &&
      !name.starts_with("libiomp"))
    return 0;
  *static_cast<std::string *>(data) = path.str();
  return 1;
}

/// Looks for a runtime for the rest of the process. Returns null if none is
/// loaded yet.
static const OpenMP *findOpenMP() {
  static std::mutex looking;
  static OpenMP openMP;
  static bool isFound = false;
  std::lock_guard<std::mutex> lock(looking);
  if (isFound)
    return &openMP;
  isFound = openMP.find(RTLD_DEFAULT);
  std::string path;
  if (!isFound && dl_iterate_phdr(findInLibrary, &path))
    // Never closed: what was found stays.
    if (void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD))
      isFound = openMP.find(library);
  return isFound ? &openMP : nullptr;
}

/// Returns the loaded runtime, or null. One that is loaded later is found
/// within 10 ms, as a look takes longer than small loops do; at once if
/// `isNow`.
static const OpenMP *loadedOpenMP(bool isNow = false) {
  using Clock = std::chrono::steady_clock;
  static std::atomic<const OpenMP *> found{nullptr};
  static std::atomic<Clock::duration> looked{Clock::duration::min()};
  if (const OpenMP *openMP = found.load(std::memory_order_acquire))
    return openMP;
  Clock::duration now = Clock::now().time_since_epoch(),
                  last = looked.load(std::memory_order_relaxed);
  if (!isNow && last != Clock::duration::min() &&
      now - last < std::chrono::milliseconds(10))
    return nullptr;
  looked.store(now, std::memory_order_relaxed);
  const OpenMP *openMP = findOpenMP();
  found.store(openMP, std::memory_order_release);
  return openMP;
}

/// Returns the process's pool of a size. Its threads are there to its end.
static ThreadPool &poolOf(unsigned threads) {
  static std::mutex mutex;
  static auto *pools = new std::map<unsigned, std::unique_ptr<ThreadPool>>;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<ThreadPool> &pool = (*pools)[threads];
  if (!pool)
    pool = std::make_unique<ThreadPool>(threads);
  return *pool;
}

bool fusion::isOpenMPLoaded() {
  return loadedOpenMP(/*isNow=*/true) != nullptr;
}

LoopThreads::LoopThreads(unsigned threads) : requested(threads) {
  // Counts forks from here on; no thread starts.
  poolOf(1);
  loadedOpenMP(/*isNow=*/true);
}

unsigned LoopThreads::threads() const {
  if (requested)
    return requested;
  if (const OpenMP *openMP = loadedOpenMP())
    return std::max(1, openMP->maxThreads());
  // The C library reads a file for the number.
  static const unsigned cores =
      std::max(1u, std::thread::hardware_concurrency());
  return cores;
}

void LoopThreads::parallelFor(int64_t begin, int64_t end,
                              ThreadPool::Body body) const {
  if (begin >= end)
    return;
  const OpenMP *openMP = loadedOpenMP();
  unsigned count = threads();
  bool isAlone = count == 1 || end - begin == 1 || ThreadPool::isInRange() ||
                 (openMP && openMP->inParallel());
  if (!isAlone && (!openMP || ThreadPool::isForkedProcess()))
    return poolOf(count).parallelFor(begin, end, body);

  constexpr int64_t partsOfThread = 8;
  Loop loop{{begin},
            end,
            std::max<int64_t>(1, (end - begin) / (count * partsOfThread)),
            body};
  if (isAlone)
    return loop.takeParts();
  openMP->parallel([](void *data) { static_cast<Loop *>(data)->takeParts(); },
                   &loop, count, /*flags=*/0);
}
