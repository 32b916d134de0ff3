//===- SequencePlan.cpp - Partition of a candidate sequence ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SequencePlan.h"
#include "fusion/Search/Chains/ScheduleSearch.h"
#include "llvm/Support/SaveAndRestore.h"
#include <limits>

using namespace mlir;
using namespace fusion;

SequencePlan::SequencePlan(const CandidateSequence &sequence,
                           ChainEvaluator &evaluator, bool forceFusion)
    : sequence(sequence), evaluator(evaluator), forceFusion(forceFusion),
      count(sequence.links.size()), parts(count, std::vector<Segment>(count)) {
  for (unsigned first = 0; first < count; ++first)
    for (unsigned last = first; last < count; ++last) {
      {
        llvm::SaveAndRestore<bool> rough(evaluator.isRough, first != last);
        parts[first][last] = evaluator.predict(sequence, first, last);
      }
      // A rough search may find no legal schedule.
      if (!parts[first][last].time)
        exactSegment(first, last);
    }
  choose();
  auto findRough = [&] {
    auto list = kernels();
    auto *found = llvm::find_if(list, [&](auto part) {
      return parts[part.first][part.second].isRough;
    });
    return found == list.end() ? std::nullopt : std::optional(*found);
  };
  while (auto rough = findRough()) {
    exactSegment(rough->first, rough->second);
    choose();
  }
}

const Segment &SequencePlan::exactSegment(unsigned first, unsigned last) {
  Segment &part = parts[first][last];
  if (part.isRough)
    part = evaluator.predict(sequence, first, last);
  return part;
}

double SequencePlan::minTime(const Segment &part) const {
  return kernelTime(part) *
         (part.isRough ? 1 - roughness(part.contractions) : 1);
}

bool SequencePlan::isBetter(const Cost &a, const Cost &b) const {
  if (forceFusion && a.kernels != b.kernels)
    return a.kernels < b.kernels;
  return a.time < b.time;
}

void SequencePlan::choose() {
  best.assign(count + 1, Plan());
  for (unsigned end = 1; end <= count; ++end)
    for (unsigned start = 0; start < end; ++start) {
      if (!isPossible(start, end - 1))
        continue;
      Plan plan;
      plan.time = best[start].time + minTime(parts[start][end - 1]);
      plan.kernels = best[start].kernels + 1;
      plan.start = start;
      if (best[end].kernels == 0 || isBetter(plan, best[end]))
        best[end] = plan;
    }
}

SequencePlan::Cost SequencePlan::costWith(unsigned first, unsigned last) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  constexpr unsigned most = std::numeric_limits<unsigned>::max() / 2;
  std::vector<Cost> rest(count + 1, Cost{never, most});
  rest[count] = {};
  Cost least{never, most};
  for (unsigned start = count; start-- > first;)
    for (unsigned end = start; end < count; ++end) {
      if (!isPossible(start, end))
        continue;
      Cost own{kernelTime(parts[start][end]) + rest[end + 1].time,
               rest[end + 1].kernels + 1};
      if (start > first && isBetter(own, rest[start]))
        rest[start] = own;
      else if (start == first && end >= last && isBetter(own, least))
        least = own;
    }
  return {best[first].time + least.time, best[first].kernels + least.kernels};
}

SequencePlan::Cost SequencePlan::costCut(unsigned first, unsigned last) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  // By number of links: the least cost of the links before it.
  std::vector<Cost> least(last + 2 - first, Cost{never, 0});
  least[0] = {};
  for (unsigned end = first; end <= last; ++end)
    for (unsigned start = first; start <= end; ++start) {
      if (!isPossible(start, end) || (start == first && end == last))
        continue;
      const Cost &before = least[start - first];
      Cost own{before.time + kernelTime(parts[start][end]), before.kernels + 1};
      if (own.time < least[end + 1 - first].time)
        least[end + 1 - first] = own;
    }
  return least.back();
}

llvm::SmallVector<std::pair<unsigned, unsigned>> SequencePlan::kernels() const {
  llvm::SmallVector<std::pair<unsigned, unsigned>> list;
  for (unsigned end = count; end > 0; end = best[end].start)
    list.push_back({best[end].start, end - 1});
  return {list.rbegin(), list.rend()};
}
