//===- GreedyFusion.cpp - XLA's rules, and the order of kernels -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SiblingFusion.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

void fusion::orderPatterns(const OperatorGraph &graph,
                           std::vector<StitchPattern> &patterns) {
  // Where a value is taken from: the kernel that makes it and nothing after it
  // first, since a copy's value stays inside.
  std::vector<SmallVector<unsigned, 2>> patternsOf(graph.vertices.size());
  for (auto [number, pattern] : llvm::enumerate(patterns))
    for (unsigned vertex : pattern)
      patternsOf[vertex].push_back(number);
  std::vector<unsigned> missing(patterns.size(), 0);
  std::vector<SmallVector<unsigned, 4>> next(patterns.size());
  for (auto [number, pattern] : llvm::enumerate(patterns)) {
    llvm::SmallDenseSet<unsigned, 8> needed;
    for (unsigned vertex : pattern)
      for (const OperatorGraph::Input &input : graph.vertices[vertex].inputs) {
        ArrayRef<unsigned> makers = patternsOf[input.vertex];
        if (llvm::is_contained(makers, number))
          continue;
        for (unsigned maker : makers)
          if (needed.insert(maker).second) {
            next[maker].push_back(number);
            ++missing[number];
          }
      }
  }
  auto later = [&](unsigned a, unsigned b) {
    return std::make_pair(patterns[a].front(), a) >
           std::make_pair(patterns[b].front(), b);
  };
  std::vector<unsigned> ready;
  for (unsigned number = 0; number < patterns.size(); ++number)
    if (missing[number] == 0)
      ready.push_back(number);
  std::make_heap(ready.begin(), ready.end(), later);
  std::vector<StitchPattern> ordered;
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    unsigned number = ready.back();
    ready.pop_back();
    ordered.push_back(patterns[number]);
    for (unsigned other : next[number])
      if (--missing[other] == 0) {
        ready.push_back(other);
        std::push_heap(ready.begin(), ready.end(), later);
      }
  }
  assert(ordered.size() == patterns.size() && "a plan has a cycle");
  patterns = std::move(ordered);
}

/// Whether XLA would compute `producer` inside of the kernel of `consumer`, one
/// of its readers.
static bool isFusible(const OperatorGraph &graph, unsigned producer,
                      unsigned consumer, unsigned readers) {
  const OperatorGraph::Vertex &from = graph.vertices[producer],
                              &to = graph.vertices[consumer];
  if (from.isForeign || to.isForeign)
    return false;
  // Reductions are roots (gpu_fusible: an epilogue of conversions only, and of
  // one reader).
  if (from.isReduction)
    return to.isConversion && readers == 1;
  // The producer is expensive, and the consumer reuses its elements.
  return !from.isExpensive || to.points <= from.rows;
}

StitchPlan fusion::fuseGreedily(const OperatorGraph &graph, bool copies,
                                const PatternOracle &oracle,
                                unsigned maxVertices) {
  StitchPlan plan;
  std::vector<SmallVector<unsigned, 4>> consumers = graph.consumers();
  // By vertex: the kernels that compute it, by their roots, ascending. Readers
  // come first.
  std::vector<SmallVector<unsigned, 2>> rootsOf(graph.vertices.size());
  std::vector<StitchPattern> members(graph.vertices.size());
  for (unsigned vertex = graph.vertices.size(); vertex-- > 0;) {
    const SmallVector<unsigned, 4> &readers = consumers[vertex];
    SmallVector<unsigned, 4> roots;
    bool isTaken = !readers.empty() && !graph.vertices[vertex].escapes;
    for (unsigned reader : readers) {
      isTaken &= isFusible(graph, vertex, reader, readers.size());
      for (unsigned root : rootsOf[reader])
        if (!llvm::is_contained(roots, root))
          roots.push_back(root);
    }
    isTaken &= copies || roots.size() == 1;
    for (unsigned root : roots) {
      if (!isTaken)
        break;
      // A reduction that a conversion follows is its kernel's only one.
      if (graph.vertices[vertex].isReduction)
        isTaken &= members[root].size() == 1;
      StitchPattern grown = members[root];
      grown.insert(grown.begin(), vertex);
      ++plan.scored;
      isTaken =
          isTaken && grown.size() <= maxVertices && oracle.canStitch(grown);
    }
    if (!isTaken)
      roots.assign(1, vertex);
    llvm::sort(roots);
    for (unsigned root : roots) {
      members[root].insert(members[root].begin(), vertex);
      rootsOf[vertex].push_back(root);
    }
  }
  for (StitchPattern &pattern : members)
    if (!pattern.empty())
      plan.patterns.push_back(std::move(pattern));
  orderPatterns(graph, plan.patterns);
  if (copies)
    fuseSiblings(graph, oracle, plan);
  return plan;
}
