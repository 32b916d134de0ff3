//===- PrintedDelta.cpp - The delta evaluator as printed ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Stitching/OperatorGraph.h"
#include "fusion/Target/Chips/Hardware.h"
#include "fusion/Target/Chips/MemoryRegression.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace fusion;
using llvm::ArrayRef;

/// Returns whether several threads of the pattern's kernel need the values of a
/// reduction or an expensive operator, which they get from shared memory (block
/// composition). Light operators are recomputed.
bool DeltaEvaluator::isShared(unsigned number,
                              ArrayRef<unsigned> pattern) const {
  const OperatorGraph::Vertex &vertex = graph.vertices[number];
  if (!vertex.isReduction && !vertex.isExpensive && vertex.special == 0)
    return false;
  return llvm::any_of(readers[number], [&](unsigned reader) {
    return isIn(pattern, reader) && graph.vertices[reader].points > vertex.rows;
  });
}

/// Returns T_reduced_mem in seconds: for each value that operators of the
/// pattern read, the loads of these, and the store if no other kernel needs it.
double DeltaEvaluator::reducedMemory(ArrayRef<unsigned> pattern) const {
  MemoryRegression regression = memoryRegressionOf(chip);
  double seconds = 0;
  for (unsigned number : pattern) {
    double bytes =
        isSaved(number, pattern) ? graph.vertices[number].resultBytes : 0;
    for (unsigned reader : readers[number]) {
      if (!isIn(pattern, reader))
        continue;
      for (const OperatorGraph::Input &input : graph.vertices[reader].inputs)
        if (input.vertex == number)
          bytes += input.bytes;
    }
    seconds += isShared(number, pattern) ? regression.toShared(bytes)
                                         : regression.toRegisters(bytes);
  }
  return seconds;
}

/// Returns the seconds of the simplified latency evaluator. Each thread
/// computes its share of an operator's points. It loads an element of each
/// tensor from outside for each of them, and stores what other kernels need.
double DeltaEvaluator::printedLatency(ArrayRef<unsigned> pattern) const {
  Launch launch = launchOf(pattern);
  double threads = std::max(1.0, launch.blocks * launch.warps * kWarpSize);
  auto ofThread = [&](double points) {
    return std::max(1.0, std::ceil(points / threads));
  };
  ByInstruction counts;
  llvm::SmallDenseSet<unsigned, 16> made, read;
  for (unsigned number : pattern) {
    const OperatorGraph::Vertex &vertex = graph.vertices[number];
    double points = std::max(1.0, vertex.points), own = ofThread(points);
    counts.arithmetic += own * (vertex.instructions - vertex.special) / points;
    counts.special += own * vertex.special / points;
    for (const OperatorGraph::Input &input : vertex.inputs)
      if (!isIn(pattern, input.vertex) && made.insert(input.vertex).second)
        counts.load += own;
    for (auto [tensor, bytes] : vertex.reads)
      if (read.insert(tensor).second)
        counts.load += own;
    if (!isSaved(number, pattern))
      counts.store += ofThread(vertex.rows);
    if (!vertex.isReduction)
      continue;
    // Lanes of a warp, then warps of a block: each stores its partial result
    // and loads the others'.
    counts.shuffle += llvm::Log2_64(kWarpSize);
    counts.arithmetic += llvm::Log2_64(kWarpSize);
    if (launch.warps > 1) {
      counts.shared += 2;
      counts.barrier += 2;
    }
  }
  return launch.waves() * cyclesOfWarp(counts, cycles) / chip.clockHz;
}
