//===- StitchNeighbours.cpp - Stitched groups around a chain --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchNeighbours.h"
#include "fusion/Analysis/Stitching/StitchBound.h"

using namespace mlir;
using namespace fusion;

StitchNeighbours::StitchNeighbours(func::FuncOp function, const ChipInfo &chip,
                                   const ExplorerOptions &options)
    : chip(chip), options(options), graph(function), judge(graph, chip),
      delta(graph.graph, chip), claimed(graph.operations.size()) {
  for (auto [number, op] : llvm::enumerate(graph.operations))
    numberOf[op] = number;
}

StitchPattern StitchNeighbours::verticesOf(Operators operators) const {
  StitchPattern vertices;
  for (linalg::LinalgOp op : operators)
    if (auto it = numberOf.find(op.getOperation()); it != numberOf.end())
      vertices.push_back(it->second);
  llvm::sort(vertices);
  return vertices;
}

void StitchNeighbours::claim(Operators operators) {
  for (unsigned vertex : verticesOf(operators))
    claimed.set(vertex);
}

void StitchNeighbours::release(Operators operators) {
  for (unsigned vertex : verticesOf(operators))
    claimed.reset(vertex);
}

StitchPattern StitchNeighbours::next(ArrayRef<unsigned> vertices) const {
  StitchPattern found;
  auto add = [&](unsigned vertex) {
    if (graph.graph.vertices[vertex].canJoin() && !claimed.test(vertex) &&
        !llvm::is_contained(vertices, vertex) &&
        !llvm::is_contained(found, vertex))
      found.push_back(vertex);
  };
  for (unsigned vertex : vertices) {
    for (const OperatorGraph::Input &input :
         graph.graph.vertices[vertex].inputs)
      add(input.vertex);
    for (unsigned reader : delta.consumers(vertex))
      add(reader);
  }
  return found;
}

SmallVector<linalg::LinalgOp>
StitchNeighbours::next(Operators operators) const {
  StitchPattern found = next(verticesOf(operators));
  llvm::sort(found);
  return graph.operators(found);
}

/// Seconds of the best plan of some vertices.
double StitchNeighbours::plan(ArrayRef<unsigned> vertices) {
  OperatorGraph part = delta.inducedGraph(vertices);
  auto outer = [&](ArrayRef<unsigned> inner) {
    StitchPattern result;
    for (unsigned vertex : inner)
      result.push_back(vertices[vertex]);
    return result;
  };
  auto can = [&](ArrayRef<unsigned> inner) {
    return judge.canSchedule(outer(inner));
  };
  auto latency = [&](ArrayRef<unsigned> inner) {
    return judge.predict(outer(inner)).seconds;
  };
  double seconds = 0;
  for (const StitchPattern &pattern :
       explore(part, chip, options, {can, latency, minOfKernel(chip)}).patterns)
    seconds += latency(pattern).value_or(0);
  return seconds;
}

std::optional<StitchNeighbours::Seconds>
StitchNeighbours::predict(Operators operators) {
  StitchPattern own = verticesOf(operators);
  // From the nearest on, as many as a pattern can have.
  StitchPattern all = own;
  for (StitchPattern front = next(own); !front.empty(); front = next(all)) {
    size_t room =
        options.maxVertices - std::min<size_t>(all.size(), options.maxVertices);
    if (room == 0)
      break;
    llvm::sort(front);
    front.truncate(std::min(front.size(), room));
    llvm::append_range(all, front);
  }
  if (all.size() == own.size())
    return std::nullopt;
  llvm::sort(all);
  StitchPattern others;
  std::set_difference(all.begin(), all.end(), own.begin(), own.end(),
                      std::back_inserter(others));
  return Seconds{plan(others), plan(all)};
}

std::optional<double> StitchNeighbours::predict(linalg::LinalgOp op) {
  StitchPattern vertex = verticesOf(op);
  return vertex.empty() ? std::nullopt : judge.predict(vertex).seconds;
}
