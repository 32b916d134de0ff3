//===- OperatorGraph.h - Operators as the explorer sees them ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function's operators as plain data, so that partitions can be explored and
// tested without IR, and FusionStitching's delta evaluator on them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_STITCHING_OPERATORGRAPH_H
#define FUSION_SEARCH_STITCHING_OPERATORGRAPH_H

#include "fusion/Analysis/Stitching/PrintedEvaluators.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cmath>
#include <vector>

namespace fusion {

/// Operators in an order in which they can run. Sizes are in bytes.
struct OperatorGraph {
  struct Input {
    unsigned vertex; ///< that computes it, before the reader
    double bytes;    ///< that are read of its result
  };
  struct Vertex {
    llvm::SmallVector<Input, 4> inputs; ///< computed by vertices
    /// Tensors from outside of the graph: number and bytes.
    llvm::SmallVector<std::pair<unsigned, double>, 4> reads;
    double resultBytes = 0;
    double instructions = 0; ///< of all points, with special functions
    double special = 0;      ///< special functions of all points
    double points = 0;       ///< of the operator's loops
    double rows = 0;         ///< points of the result
    /// Extents of the loops; those of reduced loops are negative numbers.
    llvm::SmallVector<int64_t, 4> loops;
    bool isReduction = false;
    bool isTransposing = false; ///< reads a tensor along other axes than it has
    /// Expensive by XLA's rules, which never recompute such an operator.
    bool isExpensive = false;
    bool isConversion = false; ///< changes the type and nothing else
    bool escapes = false;      ///< the result is used outside of the graph
    bool isAlone = false;      ///< has no tile program with other operators
    /// Not a memory-intensive operator: a chain, a view. It is a vertex since
    /// others depend on it.
    bool isForeign = false;
    bool canJoin() const { return !isAlone && !isForeign; }
  };
  std::vector<Vertex> vertices;

  /// Returns the vertices that read each vertex's result, each once, ascending.
  std::vector<llvm::SmallVector<unsigned, 4>> consumers() const;
};

/// Vertices of one kernel, ascending.
using StitchPattern = llvm::SmallVector<unsigned, 8>;

/// Returns whether a pattern has the vertex.
inline bool isIn(llvm::ArrayRef<unsigned> pattern, unsigned vertex) {
  return std::binary_search(pattern.begin(), pattern.end(), vertex);
}

/// What a pattern saves compared with one kernel for each vertex
/// (FusionStitching, equation 3), in seconds.
struct DeltaScore {
  double memory = 0;  ///< T_reduced_mem
  double calls = 0;   ///< T_reduced_calls
  double penalty = 0; ///< T_penalty
  double bytes = 0;   ///< that are no longer moved
  double total(bool penalises = true) const {
    return memory + calls - (penalises ? penalty : 0);
  }
};

/// The delta evaluator of section 5.4. A result is saved if all its readers are
/// in the pattern; an input from outside is read once. The penalty is that of
/// the simplified latency evaluator: 16 registers, the largest row between two
/// operators in shared memory, no live ranges.
///
/// As printed, only traffic between the operators of a pattern counts, and a
/// regression over its bytes and its destination predicts the time that it
/// takes (MemoryRegression.h). The penalty is N_wave · L_warp with a table of
/// cycles per instruction (PrintedEvaluators.h). Ours counts all bytes that are
/// no longer moved, at the rate of DRAM or L2, and adds to the penalty what few
/// blocks lose of the bandwidth.
class DeltaEvaluator {
public:
  DeltaEvaluator(const OperatorGraph &graph, const ChipInfo &chip,
                 EvaluatorForm form = EvaluatorForm::Default);

  DeltaScore operator()(llvm::ArrayRef<unsigned> pattern) const;
  /// Returns the bytes that a kernel of these vertices has to move at least.
  double compulsoryBytes(llvm::ArrayRef<unsigned> pattern) const;
  llvm::ArrayRef<unsigned> consumers(unsigned vertex) const {
    return readers[vertex];
  }
  /// Returns the vertices of a pattern, numbered by their index in it, with
  /// what they read, as another graph.
  OperatorGraph inducedGraph(llvm::ArrayRef<unsigned> pattern) const;

private:
  /// The launch of a pattern's kernel without a schedule: a thread for each
  /// point, in blocks of one warp, or a block for each row where the pattern
  /// has reductions.
  struct Launch {
    double points = 1; ///< of the operator with the most
    double reductions = 0;
    double blocks = 1;
    double warps = 1;    ///< of a block
    double resident = 1; ///< blocks that the chip holds at a time
    double waves() const { return std::ceil(blocks / resident); }
  };
  Launch launchOf(llvm::ArrayRef<unsigned> pattern) const;
  double latency(llvm::ArrayRef<unsigned> pattern, double bytes) const;
  double printedLatency(llvm::ArrayRef<unsigned> pattern) const;
  double reducedMemory(llvm::ArrayRef<unsigned> pattern) const;
  bool isShared(unsigned vertex, llvm::ArrayRef<unsigned> pattern) const;
  bool isSaved(unsigned vertex, llvm::ArrayRef<unsigned> pattern) const;

  const OperatorGraph &graph;
  const ChipInfo &chip;
  EvaluatorForm form;
  ByInstruction cycles; ///< of an instruction, as printed
  std::vector<llvm::SmallVector<unsigned, 4>> readers;
  /// For single vertices.
  std::vector<double> ownBytes, ownLatency;
};

} // namespace fusion

#endif // FUSION_SEARCH_STITCHING_OPERATORGRAPH_H
