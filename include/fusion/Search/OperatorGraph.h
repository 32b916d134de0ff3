//===- OperatorGraph.h - Operators as the explorer sees them ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function's operators as plain data, so that partitions can be explored, and
// tested, without IR, and FusionStitching's delta evaluator on them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_OPERATORGRAPH_H
#define FUSION_SEARCH_OPERATORGRAPH_H

#include "fusion/Target/ChipTable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace fusion {

/// Operators in an order in which they can run. Sizes are in bytes.
struct OperatorGraph {
  struct Input {
    unsigned vertex; ///< that makes it, before the reader
    double bytes;    ///< that are read of it
  };
  struct Vertex {
    llvm::SmallVector<Input, 4> inputs; ///< made by vertices
    /// Tensors from outside of the graph: number and bytes.
    llvm::SmallVector<std::pair<unsigned, double>, 4> reads;
    double resultBytes = 0;
    double instructions = 0; ///< of all points
    double points = 0;       ///< of the operator's loops
    double rows = 0;         ///< points of the result
    /// Extents of the loops, those that are reduced as negative numbers.
    llvm::SmallVector<int64_t, 4> loops;
    bool isReduction = false;
    bool isTransposing = false; ///< reads a tensor along other axes than it has
    /// By XLA's rules, which never compute such a one several times.
    bool isExpensive = false;
    bool isConversion = false; ///< changes the type and nothing else
    bool escapes = false;      ///< the result is used outside of the graph
    bool isAlone = false;      ///< no tile program takes it with others
    /// No memory-intensive operator: a chain, a view. It is there since others
    /// wait for it.
    bool isForeign = false;
    bool canJoin() const { return !isAlone && !isForeign; }
  };
  std::vector<Vertex> vertices;

  /// Whoever reads a vertex's result, each once, ascending.
  std::vector<llvm::SmallVector<unsigned, 4>> consumers() const;
};

/// Vertices of one kernel, ascending.
using StitchPattern = llvm::SmallVector<unsigned, 8>;

/// What a pattern saves against a kernel for every vertex (FusionStitching,
/// equation 3), in seconds.
struct DeltaScore {
  double memory = 0;  ///< T_reduced_mem
  double calls = 0;   ///< T_reduced_calls
  double penalty = 0; ///< T_penalty
  double bytes = 0;   ///< that are not moved any more
  double total(bool penalises = true) const {
    return memory + calls - (penalises ? penalty : 0);
  }
};

/// The delta evaluator of section 5.4. A result is saved where all of its
/// readers are inside, an input from outside is read once. The penalty is the
/// simplified latency evaluator's: 16 registers, the largest row that is
/// between two operators in shared memory, no lifetimes.
class DeltaEvaluator {
public:
  DeltaEvaluator(const OperatorGraph &graph, const ChipInfo &chip);

  DeltaScore operator()(llvm::ArrayRef<unsigned> pattern) const;
  /// Bytes that a kernel of these has to move at least.
  double compulsoryBytes(llvm::ArrayRef<unsigned> pattern) const;
  llvm::ArrayRef<unsigned> consumers(unsigned vertex) const {
    return readers[vertex];
  }
  /// The vertices of a pattern, by their places in it, with what they read as a
  /// graph of its own.
  OperatorGraph inducedGraph(llvm::ArrayRef<unsigned> pattern) const;

private:
  double latency(llvm::ArrayRef<unsigned> pattern, double bytes) const;
  bool isSaved(unsigned vertex, llvm::ArrayRef<unsigned> pattern) const;

  const OperatorGraph &graph;
  const ChipInfo &chip;
  std::vector<llvm::SmallVector<unsigned, 4>> readers;
  /// Of single vertices.
  std::vector<double> ownBytes, ownLatency;
};

} // namespace fusion

#endif // FUSION_SEARCH_OPERATORGRAPH_H
