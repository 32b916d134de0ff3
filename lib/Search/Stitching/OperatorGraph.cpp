//===- OperatorGraph.cpp - The delta evaluator ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Stitching/OperatorGraph.h"
#include "fusion/Target/Chips/Hardware.h"
#include "fusion/Target/Chips/RegisterFile.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

std::vector<SmallVector<unsigned, 4>> OperatorGraph::consumers() const {
  std::vector<SmallVector<unsigned, 4>> result(vertices.size());
  for (auto [number, vertex] : llvm::enumerate(vertices))
    for (const Input &input : vertex.inputs)
      if (result[input.vertex].empty() || result[input.vertex].back() != number)
        result[input.vertex].push_back(number);
  return result;
}

static bool contains(ArrayRef<unsigned> pattern, unsigned vertex) {
  return std::binary_search(pattern.begin(), pattern.end(), vertex);
}

DeltaEvaluator::DeltaEvaluator(const OperatorGraph &graph, const ChipInfo &chip)
    : graph(graph), chip(chip), readers(graph.consumers()) {
  for (unsigned vertex = 0; vertex < graph.vertices.size(); ++vertex) {
    ownBytes.push_back(compulsoryBytes(vertex));
    ownLatency.push_back(latency(vertex, ownBytes.back()));
  }
}

bool DeltaEvaluator::isSaved(unsigned vertex,
                             ArrayRef<unsigned> pattern) const {
  return !graph.vertices[vertex].escapes && !readers[vertex].empty() &&
         llvm::all_of(readers[vertex], [&](unsigned reader) {
           return contains(pattern, reader);
         });
}

double DeltaEvaluator::compulsoryBytes(ArrayRef<unsigned> pattern) const {
  double bytes = 0;
  llvm::SmallDenseSet<unsigned, 16> read, made;
  for (unsigned number : pattern) {
    const OperatorGraph::Vertex &vertex = graph.vertices[number];
    for (const OperatorGraph::Input &input : vertex.inputs)
      if (!contains(pattern, input.vertex) && made.insert(input.vertex).second)
        bytes += input.bytes;
    for (auto [tensor, size] : vertex.reads)
      if (read.insert(tensor).second)
        bytes += size;
    if (!isSaved(number, pattern))
      bytes += vertex.resultBytes;
  }
  return bytes;
}

OperatorGraph DeltaEvaluator::inducedGraph(ArrayRef<unsigned> pattern) const {
  OperatorGraph part;
  auto place = [&](unsigned vertex) -> std::optional<unsigned> {
    const unsigned *it = llvm::lower_bound(pattern, vertex);
    if (it == pattern.end() || *it != vertex)
      return std::nullopt;
    return it - pattern.begin();
  };
  unsigned tensors = 0;
  for (unsigned vertex : pattern)
    for (auto [tensor, bytes] : graph.vertices[vertex].reads)
      tensors = std::max(tensors, tensor + 1);
  for (unsigned number : pattern) {
    OperatorGraph::Vertex vertex = graph.vertices[number];
    vertex.inputs.clear();
    for (const OperatorGraph::Input &input : graph.vertices[number].inputs) {
      if (std::optional<unsigned> inside = place(input.vertex))
        vertex.inputs.push_back({*inside, input.bytes});
      else
        vertex.reads.push_back({tensors + input.vertex, input.bytes});
    }
    vertex.escapes |= llvm::any_of(
        readers[number], [&](unsigned reader) { return !place(reader); });
    part.vertices.push_back(std::move(vertex));
  }
  return part;
}

/// N_wave · L_warp without registers and lifetimes.
double DeltaEvaluator::latency(ArrayRef<unsigned> pattern, double bytes) const {
  constexpr int64_t registers = 16;
  constexpr double shuffles = 5; // of a warp's reduction
  double points = 1, instructions = 0, reductions = 0, retained = 0;
  double rows = std::numeric_limits<double>::infinity();
  for (unsigned number : pattern) {
    const OperatorGraph::Vertex &vertex = graph.vertices[number];
    points = std::max(points, vertex.points);
    instructions += vertex.instructions;
    if (!vertex.isReduction)
      continue;
    ++reductions;
    rows = std::min(rows, std::max(1.0, vertex.rows));
    // Between two operators.
    for (const OperatorGraph::Input &input : vertex.inputs)
      if (contains(pattern, input.vertex))
        retained = std::max(retained, input.bytes / std::max(1.0, vertex.rows));
  }
  double cycle = 1 / chip.clockHz;
  double resident =
      std::min<double>(chip.maxWarpsPerSM, warpsByRegisters(registers, chip));
  if (reductions == 0) {
    double waves = std::ceil(points / kWarpSize / (resident * chip.numSMs));
    return waves *
           (chip.dramLatency + instructions / points * chip.fmaCycles * cycle);
  }
  double length = std::max(1.0, points / rows);
  double warps = std::min<double>(kMaxWarps, std::ceil(length / kWarpSize));
  double blocks = std::max(1.0, std::floor(resident / warps));
  blocks = std::min<double>(blocks, chip.maxBlocksPerSM);
  blocks = std::min(
      blocks,
      std::max(1.0, std::floor(chip.sharedMemoryPerSM /
                               (retained + chip.sharedMemoryReserved))));
  double waves = std::ceil(rows / (blocks * chip.numSMs));
  double steps = std::ceil(length / (warps * kWarpSize));
  double warp = chip.dramLatency +
                steps * (instructions / points) * chip.fmaCycles * cycle +
                reductions * shuffles * chip.fmaCycles * cycle;
  // Fewer blocks than SMs draw on a share of the bandwidth; what the bytes take
  // of all of it is no penalty.
  double share = std::min(1.0, rows / chip.numSMs);
  return waves * warp + bytes / chip.dramBytesPerSecond * (1 / share - 1);
}

DeltaScore DeltaEvaluator::operator()(ArrayRef<unsigned> pattern) const {
  DeltaScore score;
  if (pattern.size() < 2)
    return score;
  double apart = 0, waits = 0;
  for (unsigned vertex : pattern) {
    apart += ownBytes[vertex];
    waits += ownLatency[vertex];
  }
  double together = compulsoryBytes(pattern);
  score.bytes = apart - together;
  // What fits in L2 stays there between two kernels.
  score.memory =
      score.bytes /
      (apart <= chip.l2Bytes ? chip.l2BytesPerSecond : chip.dramBytesPerSecond);
  score.calls = (pattern.size() - 1) * chip.launchOverhead;
  score.penalty = std::max(0.0, latency(pattern, together) - waits);
  return score;
}
