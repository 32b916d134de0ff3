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

DeltaEvaluator::DeltaEvaluator(const OperatorGraph &graph, const ChipInfo &chip,
                               EvaluatorForm form)
    : graph(graph), chip(chip), form(form), cycles(cyclesPerInstruction(chip)),
      readers(graph.consumers()) {
  for (unsigned vertex = 0; vertex < graph.vertices.size(); ++vertex) {
    ownBytes.push_back(compulsoryBytes(vertex));
    ownLatency.push_back(form == EvaluatorForm::Printed
                             ? printedLatency(vertex)
                             : latency(vertex, ownBytes.back()));
  }
}

bool DeltaEvaluator::isSaved(unsigned vertex,
                             ArrayRef<unsigned> pattern) const {
  return !graph.vertices[vertex].escapes && !readers[vertex].empty() &&
         llvm::all_of(readers[vertex],
                      [&](unsigned reader) { return isIn(pattern, reader); });
}

double DeltaEvaluator::compulsoryBytes(ArrayRef<unsigned> pattern) const {
  double bytes = 0;
  llvm::SmallDenseSet<unsigned, 16> read, made;
  for (unsigned number : pattern) {
    const OperatorGraph::Vertex &vertex = graph.vertices[number];
    for (const OperatorGraph::Input &input : vertex.inputs)
      if (!isIn(pattern, input.vertex) && made.insert(input.vertex).second)
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

DeltaEvaluator::Launch
DeltaEvaluator::launchOf(ArrayRef<unsigned> pattern) const {
  constexpr int64_t registers = 16;
  Launch launch;
  double retained = 0, rows = std::numeric_limits<double>::infinity();
  for (unsigned number : pattern) {
    const OperatorGraph::Vertex &vertex = graph.vertices[number];
    launch.points = std::max(launch.points, vertex.points);
    if (!vertex.isReduction)
      continue;
    ++launch.reductions;
    rows = std::min(rows, std::max(1.0, vertex.rows));
    // Between two operators.
    for (const OperatorGraph::Input &input : vertex.inputs)
      if (isIn(pattern, input.vertex))
        retained = std::max(retained, input.bytes / std::max(1.0, vertex.rows));
  }
  double resident =
      std::min<double>(chip.maxWarpsPerSM, warpsByRegisters(registers, chip));
  if (launch.reductions == 0) {
    launch.blocks = launch.points / kWarpSize;
    launch.resident = resident * chip.numSMs;
    return launch;
  }
  launch.blocks = rows;
  double length = std::max(1.0, launch.points / rows);
  launch.warps = std::min<double>(kMaxWarps, std::ceil(length / kWarpSize));
  double blocks = std::max(1.0, std::floor(resident / launch.warps));
  blocks = std::min<double>(blocks, chip.maxBlocksPerSM);
  blocks = std::min(
      blocks,
      std::max(1.0, std::floor(chip.sharedMemoryPerSM /
                               (retained + chip.sharedMemoryReserved))));
  launch.resident = blocks * chip.numSMs;
  return launch;
}

/// N_wave · L_warp without registers and lifetimes.
double DeltaEvaluator::latency(ArrayRef<unsigned> pattern, double bytes) const {
  constexpr double shuffles = 5; // of a warp's reduction
  Launch launch = launchOf(pattern);
  double instructions = 0;
  for (unsigned number : pattern)
    instructions += graph.vertices[number].instructions;
  double cycle = 1 / chip.clockHz;
  if (launch.reductions == 0)
    return launch.waves() * (chip.dramLatency + instructions / launch.points *
                                                    chip.fmaCycles * cycle);
  double length = std::max(1.0, launch.points / launch.blocks);
  double steps = std::ceil(length / (launch.warps * kWarpSize));
  double warp =
      chip.dramLatency +
      steps * (instructions / launch.points) * chip.fmaCycles * cycle +
      launch.reductions * shuffles * chip.fmaCycles * cycle;
  // Fewer blocks than SMs draw on a share of the bandwidth; what the bytes take
  // of all of it is no penalty.
  double share = std::min(1.0, launch.blocks / chip.numSMs);
  return launch.waves() * warp +
         bytes / chip.dramBytesPerSecond * (1 / share - 1);
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
  score.calls = (pattern.size() - 1) * chip.launchOverhead;
  if (form == EvaluatorForm::Printed) {
    score.memory = reducedMemory(pattern);
    score.penalty = std::max(0.0, printedLatency(pattern) - waits);
    return score;
  }
  // What fits in L2 stays there between two kernels.
  score.memory =
      score.bytes /
      (apart <= chip.l2Bytes ? chip.l2BytesPerSecond : chip.dramBytesPerSecond);
  score.penalty = std::max(0.0, latency(pattern, together) - waits);
  return score;
}
