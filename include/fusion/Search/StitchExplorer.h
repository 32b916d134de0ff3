//===- StitchExplorer.h - Which operators become one kernel -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching's explorer (section V): candidate patterns of every vertex by
// approximate dynamic programming over its consumers' (PatternReduction), plans
// of patterns that do not overlap by beam search. The graph is plain data, so
// that it can be explored, and tested, without IR.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_STITCHEXPLORER_H
#define FUSION_SEARCH_STITCHEXPLORER_H

#include "fusion/Target/ChipTable.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace fusion {

/// Operators as the explorer sees them, in program order.
struct OperatorGraph {
  struct Input {
    unsigned vertex; ///< that makes it
    double bytes;    ///< that are read of it
  };
  struct Vertex {
    llvm::SmallVector<Input, 4> inputs; ///< made by vertices
    /// Tensors from outside of the graph: number and bytes.
    llvm::SmallVector<std::pair<unsigned, double>, 4> reads;
    double resultBytes = 0;
    double instructions = 0; ///< of all points
    double points = 0;       ///< of the operator's loops
    double rows = 0;         ///< points that are not reduced
    bool isReduction = false;
    bool isExpensive = false; ///< exp, tan, pow, … (section IV-A)
    bool escapes = false;     ///< the result is used outside of the graph
    /// What no tile program can take: it stays alone.
    bool isAlone = false;
  };
  std::vector<Vertex> vertices;

  /// Whoever reads a vertex's result, each once, ascending.
  std::vector<llvm::SmallVector<unsigned, 4>> consumers() const;
};

/// Vertices of one kernel, ascending.
using StitchPattern = llvm::SmallVector<unsigned, 8>;

/// How consumers' patterns are combined.
enum class PatternForm : uint8_t {
  Printed, ///< no pattern spans two groups of consumers
  Spanning ///< ours: combinations of the groups' winners are scored too
};

struct ExplorerOptions {
  unsigned kept = 3;      ///< k: candidate patterns of a vertex
  unsigned beam = 3;      ///< plans that are carried along
  unsigned groupSize = 2; ///< consumers that are combined exhaustively
  PatternForm form = PatternForm::Spanning;
  bool packs = true;          ///< remote fusion through the virtual vertex
  unsigned mostVertices = 64; ///< of a pattern
};

/// What a pattern saves against a kernel for every vertex: equation 3,
/// T_reduced_mem + T_reduced_calls - T_penalty, in seconds.
struct DeltaScore {
  double memory = 0, calls = 0, penalty = 0;
  double total() const { return memory + calls - penalty; }
};

DeltaScore scorePattern(const OperatorGraph &graph,
                        llvm::ArrayRef<unsigned> pattern, const ChipInfo &chip);

struct StitchPlan {
  /// Every vertex is in one pattern; in an order in which they can run.
  std::vector<StitchPattern> patterns;
  double score = 0;    ///< seconds saved, by the delta evaluator
  uint64_t scored = 0; ///< patterns that were looked at
};

/// Explores the graph. `canStitch` says whether vertices can be one kernel as
/// far as the caller is concerned (a tile program exists); cycles are the
/// explorer's. `evaluate`, where given, is the latency of a plan: the best of
/// the beam by it is taken, else the one of the highest score.
StitchPlan
explore(const OperatorGraph &graph, const ChipInfo &chip,
        const ExplorerOptions &options,
        llvm::function_ref<bool(llvm::ArrayRef<unsigned>)> canStitch,
        llvm::function_ref<double(const StitchPlan &)> evaluate = nullptr);

/// XLA's rules: an operator is fused into all of its consumers where each is
/// element-wise after it; nothing is fused past a reduction (FusionStitching,
/// section II). The baseline, and a cheap pre-fusion.
StitchPlan
fuseGreedily(const OperatorGraph &graph,
             llvm::function_ref<bool(llvm::ArrayRef<unsigned>)> canStitch);

} // namespace fusion

#endif // FUSION_SEARCH_STITCHEXPLORER_H
