//===- CriticalPath.cpp - What an iteration's time is made of -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/CriticalPath.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace fusion;
using namespace fusion::timing;

namespace {

/// Two issues of a loop's branch by one warp, without others of it between.
struct Iteration {
  Cycles cycles;
  uint32_t begin, end; ///< issues
};

} // namespace

/// Returns the iterations of a loop: the ones that stay in its instructions, as
/// others may have left it and come back; if there are none, all.
static std::vector<Iteration> iterationsOf(const HotLoop &loop,
                                           llvm::ArrayRef<Issue> issues) {
  struct Branch {
    uint32_t issue;
    bool hasLeft;
  };
  std::vector<Iteration> inside, all;
  llvm::DenseMap<unsigned, Branch> branches; // by warp: its last branch
  for (auto [number, issue] : llvm::enumerate(issues)) {
    auto last = branches.find(issue.warp);
    if (issue.inst < loop.begin || issue.inst >= loop.end) {
      if (last != branches.end())
        last->second.hasLeft = true;
    } else if (issue.inst + 1 == loop.end) {
      if (last != branches.end()) {
        uint32_t begin = last->second.issue;
        Iteration one{issue.time - issues[begin].time, begin, uint32_t(number)};
        all.push_back(one);
        if (!last->second.hasLeft)
          inside.push_back(one);
      }
      branches[issue.warp] = {uint32_t(number), false};
    }
  }
  return inside.empty() ? all : inside;
}

std::optional<CriticalPath>
fusion::timing::findCriticalPath(const HotLoop &loop,
                                 const SimulationResult &simulation) {
  llvm::ArrayRef<Issue> issues = simulation.issuesOfFirst;
  std::vector<Iteration> iterations = iterationsOf(loop, issues);
  if (iterations.empty())
    return std::nullopt;
  auto median = iterations.begin() + (iterations.size() - 1) / 2;
  std::nth_element(iterations.begin(), median, iterations.end(),
                   [](const Iteration &a, const Iteration &b) {
                     return std::tie(a.cycles, a.begin) <
                            std::tie(b.cycles, b.begin);
                   });
  CriticalPath path;
  Cycles begin = issues[median->begin].time;
  uint32_t at = median->end;
  while (issues[at].time > begin && issues[at].cause != Issue::kNone) {
    const Issue &issue = issues[at], &cause = issues[issue.cause];
    // The first link begins in the iteration before.
    Cycles cycles = issue.time - std::max(cause.time, begin);
    path.links.push_back({cause.inst, issue.inst, issue.wait, cycles});
    path.cycles += cycles;
    at = issue.cause;
  }
  std::reverse(path.links.begin(), path.links.end());
  return path;
}
