//===- ThreadPool.cpp - Runs ranges on all cores --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

#include <algorithm>

using namespace fusion;

ThreadPool::ThreadPool(unsigned threads) {
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 1; i < threads; ++i)
    workers.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stop = true;
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::takePartials() {
  for (;;) {
    int64_t begin = next.fetch_add(grain);
    if (begin >= limit)
      return;
    (*body)(begin, std::min(begin + grain, limit));
  }
}

void ThreadPool::work() {
  uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    wake.wait(lock, [&] { return stop || generation != seen; });
    if (stop)
      return;
    seen = generation;
    lock.unlock();
    takePartials();
    lock.lock();
    if (--running == 0)
      done.notify_one();
  }
}

void ThreadPool::parallelFor(
    int64_t begin, int64_t end,
    const std::function<void(int64_t, int64_t)> &body) {
  if (begin >= end)
    return;
  if (workers.empty() || end - begin == 1)
    return body(begin, end);
  {
    std::lock_guard<std::mutex> lock(mutex);
    this->body = &body;
    next = begin;
    limit = end;
    // Several parts per thread balance the load; few keep the overhead low.
    grain =
        std::max<int64_t>(1, (end - begin) / (int64_t(workers.size() + 1) * 8));
    running = workers.size();
    ++generation;
  }
  wake.notify_all();
  takePartials();
  std::unique_lock<std::mutex> lock(mutex);
  done.wait(lock, [&] { return running == 0; });
}
