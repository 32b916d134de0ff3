//===- PlanDrafts.cpp - Plans while they are made -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanDrafts.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

DraftBeam::DraftBeam(const DeltaEvaluator &evaluator, unsigned vertices,
                     unsigned width)
    : evaluator(evaluator), size(vertices), width(std::max(1u, width)),
      drafts({Draft{Assignment(vertices)}}) {}

void DraftBeam::Assignment::set(unsigned vertex, const Candidate *candidate) {
  std::shared_ptr<Part> &part = parts[vertex / kPart];
  if (part.use_count() > 1)
    part = std::make_shared<Part>(*part);
  (*part)[vertex % kPart] = candidate;
}

/// Returns whether `pattern` and the chosen patterns need each other's values.
bool DraftBeam::closesCycle(const Draft &draft,
                            ArrayRef<unsigned> pattern) const {
  unsigned last = std::max(draft.last, pattern.back());
  llvm::SmallDenseSet<unsigned, 64> seen;
  llvm::SmallDenseSet<const Candidate *, 16> left;
  SmallVector<unsigned, 32> work;
  auto isInside = [&](unsigned vertex) {
    return std::binary_search(pattern.begin(), pattern.end(), vertex);
  };
  auto leave = [&](unsigned vertex) {
    for (unsigned next : evaluator.consumers(vertex))
      if (next <= last && !isInside(next) && seen.insert(next).second)
        work.push_back(next);
  };
  auto reaches = [&](unsigned vertex) {
    return llvm::any_of(evaluator.consumers(vertex), isInside);
  };
  for (unsigned vertex : pattern)
    leave(vertex);
  while (!work.empty()) {
    unsigned vertex = work.pop_back_val();
    const Candidate *kernel = draft.patternOf[vertex];
    if (!kernel) {
      if (reaches(vertex))
        return true;
      leave(vertex);
      continue;
    }
    if (!left.insert(kernel).second)
      continue;
    // A path that reaches a kernel reaches all kernels that depend on it.
    for (unsigned member : kernel->vertices) {
      if (reaches(member))
        return true;
      leave(member);
    }
  }
  return false;
}

void DraftBeam::extend(ArrayRef<Candidate> candidates) {
  for (const Candidate &candidate : candidates) {
    if (candidate.vertices.size() < 2 || candidate.score <= 0)
      continue;
    struct Step {
      double score;
      unsigned from;
      bool extends;
    };
    SmallVector<Step, 8> steps;
    for (unsigned i = 0; i < drafts.size(); ++i)
      steps.push_back({drafts[i].score, i, false});
    for (unsigned i = 0; i < drafts.size(); ++i) {
      bool overlaps = llvm::any_of(candidate.vertices, [&](unsigned member) {
        return drafts[i].patternOf[member] != nullptr;
      });
      if (!overlaps && !closesCycle(drafts[i], candidate.vertices))
        steps.push_back({drafts[i].score + candidate.score, i, true});
    }
    llvm::sort(steps, [](const Step &a, const Step &b) {
      return std::make_tuple(-a.score, a.extends, a.from) <
             std::make_tuple(-b.score, b.extends, b.from);
    });
    if (steps.size() > width)
      steps.truncate(width);
    std::vector<Draft> next;
    for (const Step &step : steps) {
      Draft &draft = next.emplace_back(drafts[step.from]);
      if (!step.extends)
        continue;
      for (unsigned member : candidate.vertices)
        draft.patternOf.set(member, &candidate);
      draft.score = step.score;
      draft.last = std::max(draft.last, candidate.vertices.back());
    }
    drafts = std::move(next);
  }
}

std::vector<StitchPlan> DraftBeam::plans() const {
  std::vector<StitchPlan> plans;
  for (const Draft &draft : drafts) {
    StitchPlan &plan = plans.emplace_back();
    plan.score = draft.score;
    for (unsigned vertex = 0; vertex < size; ++vertex) {
      const Candidate *kernel = draft.patternOf[vertex];
      if (!kernel)
        plan.patterns.push_back({vertex});
      else if (kernel->vertices.front() == vertex)
        plan.patterns.push_back(kernel->vertices);
    }
  }
  return plans;
}
