//===- ThreadPool.cpp - Runs ranges on several threads --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/ThreadPool.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

using namespace fusion;

/// Tells the processor that a loop waits for memory to change.
static void pauseInLoop() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Looks at memory before a thread sleeps: 10 to 50 microseconds.
static constexpr unsigned kSpins = 1000;

/// How often this process is a fork's child.
static std::atomic<unsigned> forks{0};

static void countForks() {
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });
  });
}

/// Whether this thread executes a part of a range.
static thread_local bool isPartOfRange = false;

bool ThreadPool::isInRange() { return isPartOfRange; }
bool ThreadPool::isForkedProcess() { return forks != 0; }

/// The threads of a pool in one process, and the range that they work at.
///
/// `state` has the number of the range, whether it is open, and the number of
/// threads in it beside the caller. A thread enters an open range only. The
/// caller closes it when no part is left, waits until all have left, and only
/// then changes the other members.
class ThreadPool::Team {
public:
  explicit Team(unsigned workers) : fork(forks) {
    for (unsigned i = 0; i < workers; ++i)
      threads.emplace_back([this] { work(); });
  }
  ~Team() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (std::thread &thread : threads)
      thread.join();
  }

  /// Whether the threads are those of a process that forked this one.
  bool isForeign() const { return fork != forks; }

  /// Returns false where another range has the threads.
  bool run(int64_t begin, int64_t end, int64_t grain, Body body) {
    std::unique_lock<std::mutex> owner(callers, std::try_to_lock);
    if (!owner)
      return false;
    next.store(begin, std::memory_order_relaxed);
    limit = end;
    this->grain = grain;
    this->body = body;
    state.store((state.load() & ~uint64_t(kThreads)) + kNumber + kOpen);
    if (sleepers.load() > 0)
      wakeFor((end - begin - 1) / grain);
    takeParts();
    uint64_t now = state.fetch_sub(kOpen) - kOpen;
    for (unsigned i = 0; (now & kThreads) && i < kSpins; ++i) {
      pauseInLoop();
      now = state.load();
    }
    if (now & kThreads)
      sleepUntilLeft();
    return true;
  }

private:
  static constexpr uint64_t kThreads = 0xffff, kOpen = 0x10000,
                            kNumber = 0x20000;

  void wakeFor(int64_t parts) {
    // A thread counts itself a sleeper under the lock before it looks at the
    // state for the last time.
    {
      std::lock_guard<std::mutex> lock(mutex);
    }
    if (parts >= int64_t(threads.size()))
      return wake.notify_all();
    for (int64_t i = 0; i < parts; ++i)
      wake.notify_one();
  }

  void sleepUntilLeft() {
    std::unique_lock<std::mutex> lock(mutex);
    isCallerAsleep = true;
    left.wait(lock, [&] { return (state.load() & kThreads) == 0; });
    isCallerAsleep = false;
  }

  void takeParts() {
    bool outer = isPartOfRange;
    isPartOfRange = true;
    for (;;) {
      int64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
      if (begin >= limit)
        break;
      body(begin, std::min(begin + grain, limit));
    }
    isPartOfRange = outer;
  }

  /// Enters the range if it is open and another one than `seen`, which it then
  /// becomes.
  bool enter(uint64_t &seen) {
    uint64_t now = state.load();
    while ((now & kOpen) && now / kNumber != seen)
      if (state.compare_exchange_weak(now, now + 1)) {
        seen = now / kNumber;
        return true;
      }
    return false;
  }

  void leave() {
    uint64_t now = state.fetch_sub(1) - 1;
    if ((now & (kThreads | kOpen)) || !isCallerAsleep)
      return;
    {
      std::lock_guard<std::mutex> lock(mutex);
    }
    left.notify_one();
  }

  void work() {
    uint64_t seen = 0;
    while (!stop) {
      bool isIn = false;
      for (unsigned i = 0; i < kSpins && !stop && !isIn; ++i) {
        isIn = enter(seen);
        if (!isIn)
          pauseInLoop();
      }
      if (!isIn) {
        std::unique_lock<std::mutex> lock(mutex);
        ++sleepers;
        wake.wait(lock, [&] { return stop || (isIn = enter(seen)); });
        --sleepers;
      }
      if (!isIn)
        return;
      takeParts();
      leave();
    }
  }

  const unsigned fork;
  std::vector<std::thread> threads;
  std::mutex callers; ///< held by the caller of the current range
  std::mutex mutex;   ///< of those who sleep
  std::condition_variable wake, left;
  std::atomic<unsigned> sleepers{0};
  std::atomic<bool> isCallerAsleep{false}, stop{false};

  alignas(64) std::atomic<uint64_t> state{0};
  alignas(64) std::atomic<int64_t> next{0};
  alignas(64) int64_t limit = 0;
  int64_t grain = 1;
  Body body;
};

ThreadPool::ThreadPool(unsigned threads)
    : count(threads ? threads
                    : std::max(1u, std::thread::hardware_concurrency())) {
  countForks();
}

ThreadPool::~ThreadPool() {
  // The threads of another process cannot be joined.
  if (Team *own = team.load(); own && !own->isForeign())
    delete own;
}

/// Returns the threads of this process. The first call starts them.
ThreadPool::Team *ThreadPool::ownTeam() {
  Team *own = team.load(std::memory_order_acquire);
  if (own && !own->isForeign())
    return own;
  static std::mutex starting;
  std::lock_guard<std::mutex> lock(starting);
  own = team.load();
  if (!own || own->isForeign()) {
    own = new Team(count - 1);
    team.store(own, std::memory_order_release);
  }
  return own;
}

void ThreadPool::parallelFor(int64_t begin, int64_t end, Body body,
                             int64_t grain) {
  if (begin >= end)
    return;
  constexpr int64_t partsOfThread = 8;
  if (grain <= 0)
    grain = std::max<int64_t>(1, (end - begin) / (count * partsOfThread));
  if (count > 1 && !isPartOfRange && end - begin > grain &&
      ownTeam()->run(begin, end, grain, body))
    return;
  for (; begin < end; begin += grain)
    body(begin, std::min(begin + grain, end));
}
