//===- SiblingFusion.cpp - XLA's fusions of several results ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SiblingFusion.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <algorithm>
#include <array>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

class SiblingFuser {
public:
  SiblingFuser(const OperatorGraph &graph, const PatternOracle &oracle,
               StitchPlan &plan)
      : graph(graph), oracle(oracle), plan(plan), consumers(graph.consumers()),
        kernelsOf(graph.vertices.size()) {
    for (StitchPattern &pattern : plan.patterns) {
      for (unsigned vertex : pattern)
        kernelsOf[vertex].push_back(kernels.size());
      kernels.push_back({std::move(pattern), {}});
      kernels.back().results.push_back(kernels.back().members.back());
    }
  }

  void run();

private:
  struct Kernel {
    StitchPattern members; ///< none: it is part of another one
    SmallVector<unsigned, 2> results;
  };
  /// Distinct kernels that read a value from outside.
  using Readers = llvm::SmallSetVector<unsigned, 8>;
  void addReaders(ArrayRef<unsigned> vertices, unsigned maker,
                  Readers &readers) const;
  void fuseReaders(const Readers &readers);
  void fuseIntoReader(unsigned maker);
  bool canMerge(unsigned a, unsigned b);
  bool reaches(unsigned from, unsigned to, bool skipsEdge) const;
  void merge(unsigned into, unsigned other);
  /// The reduction whose axes the kernel's loop is over, or a result.
  const OperatorGraph::Vertex &hero(unsigned kernel) const;
  unsigned countReductions(unsigned kernel) const;
  bool hasOperandsFor(unsigned a, unsigned b) const;
  bool canJoin(unsigned kernel) const {
    return !graph.vertices[kernels[kernel].members.front()].isForeign;
  }

  const OperatorGraph &graph;
  const PatternOracle &oracle;
  StitchPlan &plan;
  std::vector<SmallVector<unsigned, 4>> consumers;
  std::vector<SmallVector<unsigned, 2>> kernelsOf; ///< by vertex
  std::vector<Kernel> kernels;
};

} // namespace

void SiblingFuser::addReaders(ArrayRef<unsigned> vertices, unsigned maker,
                              Readers &readers) const {
  for (unsigned vertex : vertices)
    for (unsigned kernel : kernelsOf[vertex])
      if (kernel != maker)
        readers.insert(kernel);
}

const OperatorGraph::Vertex &SiblingFuser::hero(unsigned kernel) const {
  for (unsigned vertex : kernels[kernel].members)
    if (graph.vertices[vertex].isReduction)
      return graph.vertices[vertex];
  return graph.vertices[kernels[kernel].results.front()];
}

unsigned SiblingFuser::countReductions(unsigned kernel) const {
  return llvm::count_if(kernels[kernel].members, [&](unsigned vertex) {
    return graph.vertices[vertex].isReduction;
  });
}

/// Whether both as one kernel have few enough operands and results
/// (FusionFitsInBudget).
bool SiblingFuser::hasOperandsFor(unsigned a, unsigned b) const {
  constexpr size_t most = 96;
  size_t results = kernels[a].results.size() + kernels[b].results.size();
  llvm::SmallDenseSet<unsigned, 16> made, read;
  auto isEnough = [&] { return results + made.size() + read.size() <= most; };
  // A copied operator is in many kernels, so ask the kernels, not the vertex.
  auto isInside = [&](unsigned vertex) {
    return llvm::any_of(std::array{a, b}, [&](unsigned kernel) {
      const StitchPattern &members = kernels[kernel].members;
      return std::binary_search(members.begin(), members.end(), vertex);
    });
  };
  for (unsigned kernel : {a, b})
    for (unsigned vertex : kernels[kernel].members) {
      if (!isEnough())
        return false;
      for (const OperatorGraph::Input &input : graph.vertices[vertex].inputs)
        if (!isInside(input.vertex))
          made.insert(input.vertex);
      for (auto [tensor, bytes] : graph.vertices[vertex].reads)
        read.insert(tensor);
    }
  return isEnough();
}

/// Returns whether `to` depends on `from`; with `skipsEdge`, through some other
/// kernel.
bool SiblingFuser::reaches(unsigned from, unsigned to, bool skipsEdge) const {
  llvm::SmallDenseSet<unsigned, 32> seen{from};
  SmallVector<unsigned, 16> work{from};
  while (!work.empty()) {
    unsigned kernel = work.pop_back_val();
    Readers readers;
    for (unsigned result : kernels[kernel].results)
      addReaders(consumers[result], kernel, readers);
    for (unsigned reader : readers) {
      if (reader == to && !(skipsEdge && kernel == from))
        return true;
      if (reader != to && seen.insert(reader).second)
        work.push_back(reader);
    }
  }
  return false;
}

/// Returns whether two kernels may be merged
/// (ShapesCompatibleForMultiOutputFusion and FusionFitsInBudget).
bool SiblingFuser::canMerge(unsigned a, unsigned b) {
  constexpr unsigned maxReductions = 8;
  if (!canJoin(a) || !canJoin(b))
    return false;
  const OperatorGraph::Vertex &one = hero(a), &other = hero(b);
  bool mustMatch = (one.isReduction && other.isReduction) ||
                   (one.isTransposing && other.isTransposing);
  if (one.points != other.points || (mustMatch && one.loops != other.loops) ||
      (one.isReduction && other.isTransposing) ||
      (one.isTransposing && other.isReduction))
    return false;
  if (countReductions(a) + countReductions(b) > maxReductions ||
      !hasOperandsFor(a, b))
    return false;
  StitchPattern both;
  std::set_union(kernels[a].members.begin(), kernels[a].members.end(),
                 kernels[b].members.begin(), kernels[b].members.end(),
                 std::back_inserter(both));
  ++plan.scored;
  return oracle.canStitch(both);
}

void SiblingFuser::merge(unsigned into, unsigned other) {
  StitchPattern both;
  std::set_union(kernels[into].members.begin(), kernels[into].members.end(),
                 kernels[other].members.begin(), kernels[other].members.end(),
                 std::back_inserter(both));
  for (unsigned vertex : kernels[other].members) {
    llvm::erase(kernelsOf[vertex], other);
    if (!llvm::is_contained(kernelsOf[vertex], into))
      kernelsOf[vertex].push_back(into);
  }
  kernels[into].members = std::move(both);
  llvm::append_range(kernels[into].results, kernels[other].results);
  kernels[other] = Kernel();
}

/// Merges readers of one value. Kernels of several results come first, then
/// kernels of several operators.
void SiblingFuser::fuseReaders(const Readers &readers) {
  SmallVector<unsigned, 8> siblings(readers.begin(), readers.end());
  llvm::sort(siblings, [&](unsigned a, unsigned b) {
    auto key = [&](unsigned kernel) {
      return std::make_tuple(kernels[kernel].results.size() < 2,
                             kernels[kernel].members.size() < 2, kernel);
    };
    return key(a) < key(b);
  });
  for (unsigned i = 0; i < siblings.size(); ++i)
    for (unsigned j = i + 1; j < siblings.size();) {
      unsigned one = siblings[i], other = siblings[j];
      if (!canMerge(one, other) || reaches(one, other, false) ||
          reaches(other, one, false)) {
        ++j;
        continue;
      }
      merge(one, other);
      siblings.erase(siblings.begin() + j);
    }
}

/// Merges a kernel of one result, without a reduction, into the reader that has
/// the most results already.
void SiblingFuser::fuseIntoReader(unsigned maker) {
  if (kernels[maker].results.size() != 1 || hero(maker).isReduction ||
      hero(maker).isTransposing || !canJoin(maker))
    return;
  Readers readers;
  unsigned result = kernels[maker].results.front();
  addReaders(consumers[result], maker, readers);
  std::optional<unsigned> best;
  for (unsigned reader : readers) {
    // A single reader has been tried before.
    if (readers.size() == 1 && kernels[reader].results.size() == 1 &&
        !graph.vertices[result].escapes)
      return;
    if (best && kernels[reader].results.size() <= kernels[*best].results.size())
      continue;
    if (canMerge(maker, reader) && !reaches(maker, reader, /*skipsEdge=*/true))
      best = reader;
  }
  if (best)
    merge(*best, maker);
}

void SiblingFuser::run() {
  unsigned count = kernels.size();
  for (unsigned kernel = count; kernel-- > 0;) {
    if (kernels[kernel].members.empty())
      continue;
    for (unsigned result : SmallVector<unsigned, 2>(kernels[kernel].results)) {
      Readers readers;
      addReaders(consumers[result], kernel, readers);
      fuseReaders(readers);
    }
    fuseIntoReader(kernel);
  }
  // The readers of tensors from outside.
  std::vector<SmallVector<unsigned, 4>> readersOf;
  for (auto [number, vertex] : llvm::enumerate(graph.vertices))
    for (auto [tensor, bytes] : vertex.reads) {
      if (tensor >= readersOf.size())
        readersOf.resize(tensor + 1);
      readersOf[tensor].push_back(number);
    }
  for (ArrayRef<unsigned> vertices : llvm::reverse(readersOf)) {
    Readers readers;
    addReaders(vertices, count, readers);
    fuseReaders(readers);
  }
  plan.patterns.clear();
  for (Kernel &kernel : kernels)
    if (!kernel.members.empty())
      plan.patterns.push_back(std::move(kernel.members));
  orderPatterns(graph, plan.patterns);
}

void fusion::fuseSiblings(const OperatorGraph &graph,
                          const PatternOracle &oracle, StitchPlan &plan) {
  SiblingFuser(graph, oracle, plan).run();
}
