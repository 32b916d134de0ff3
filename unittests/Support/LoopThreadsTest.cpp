//===- LoopThreadsTest.cpp - Loops with and without OpenMP ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/LoopThreads.h"
#include "gtest/gtest.h"
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace fusion;

namespace {

/// Returns whether a loop visits every index once.
bool visitsAll(const LoopThreads &threads, int64_t size) {
  std::vector<std::atomic<int>> visits(size);
  threads.parallelFor(5, 5 + size, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      ++visits[i - 5];
  });
  for (std::atomic<int> &count : visits)
    if (count != 1)
      return false;
  return true;
}

/// Returns what `function` gives in a forked process, for at most 60 seconds.
bool isTrueInChild(llvm::function_ref<bool()> function) {
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(function() ? 0 : 1);
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child &&
         WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool worksEverywhere() {
  bool isRight = true;
  for (unsigned count : {0u, 1u, 2u, 7u})
    for (int64_t size : {0, 1, 2, 3, 17, 1000})
      isRight &= visitsAll(LoopThreads(count), size);
  // Loops within loops, of other numbers of threads.
  LoopThreads outer(3), inner(2);
  std::atomic<int64_t> wrong{0};
  outer.parallelFor(0, 10, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      wrong += !visitsAll(inner, 50) + !visitsAll(outer, 50);
  });
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int64_t i = 0; i < 100; ++i)
        wrong += !visitsAll(outer, i);
    });
  for (std::thread &caller : callers)
    caller.join();
  return isRight && wrong == 0;
}

// One test, as a library that is loaded stays loaded: first without a runtime,
// then with GNU's, which is loaded as Python loads what its modules need.
TEST(LoopThreads, FindOpenMPWhenItIsLoaded) {
  ASSERT_FALSE(isOpenMPLoaded());
  EXPECT_EQ(LoopThreads(0).threads(), std::thread::hardware_concurrency());
  EXPECT_EQ(LoopThreads(3).threads(), 3u);
  EXPECT_TRUE(worksEverywhere());
  EXPECT_TRUE(isTrueInChild(worksEverywhere));

  void *library = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    GTEST_SKIP() << "there is no libgomp.so.1";
  EXPECT_TRUE(isOpenMPLoaded());
  auto setThreads =
      reinterpret_cast<void (*)(int)>(dlsym(library, "omp_set_num_threads"));
  auto inParallel =
      reinterpret_cast<int (*)()>(dlsym(library, "omp_in_parallel"));
  auto threadNumber =
      reinterpret_cast<int (*)()>(dlsym(library, "omp_get_thread_num"));
  ASSERT_TRUE(setThreads && inParallel && threadNumber);

  // OpenMP's own number is obeyed, and its threads are those of the loop: each
  // of three parts waits for the others.
  setThreads(3);
  LoopThreads threads(0);
  EXPECT_EQ(threads.threads(), 3u);
  std::atomic<int> there{0}, numbers{0}, inner{0};
  threads.parallelFor(0, 3, [&](int64_t, int64_t) {
    ++there;
    while (there < 3)
      std::this_thread::yield();
    numbers += 1 << (4 * threadNumber());
    inner += inParallel();
    // A loop within it has this thread alone.
    std::thread::id own = std::this_thread::get_id();
    threads.parallelFor(0, 30, [&](int64_t, int64_t) {
      if (std::this_thread::get_id() != own)
        inner += 1000;
    });
  });
  EXPECT_EQ(numbers, 0x111);
  EXPECT_EQ(inner, 3);
  setThreads(1);
  EXPECT_EQ(threads.threads(), 1u);
  threads.parallelFor(0, 3, [&](int64_t, int64_t) { inner += inParallel(); });
  LoopThreads(1).parallelFor(0, 3,
                             [&](int64_t, int64_t) { inner += inParallel(); });
  EXPECT_EQ(inner, 3);
  setThreads(2);
  EXPECT_TRUE(worksEverywhere());
  // OpenMP's threads do not exist in a forked process.
  EXPECT_TRUE(isTrueInChild(worksEverywhere));
  EXPECT_TRUE(worksEverywhere());
}

} // namespace
