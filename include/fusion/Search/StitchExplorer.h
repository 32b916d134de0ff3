//===- StitchExplorer.h - Which operators become one kernel -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching's explorer (section 5): candidate patterns of every vertex by
// approximate dynamic programming over its consumers' (PatternReduction), plans
// of patterns that do not overlap by beam search, remote fusion, and the choice
// by the latency evaluator. The baseline is a greedy fusion by XLA's rules.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_STITCHEXPLORER_H
#define FUSION_SEARCH_STITCHEXPLORER_H

#include "fusion/Search/OperatorGraph.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <limits>
#include <optional>

namespace fusion {

/// How patterns are made of consumers' patterns, and of remote ones.
enum class PatternForm : uint8_t {
  /// No pattern spans two groups of consumers, nor more than two vertices'
  /// patterns in remote fusion.
  Printed,
  /// Ours: combinations of the groups' winners are scored too, and whole
  /// kernels of a plan are merged while that saves time: producers with no
  /// common producer, readers of one tensor, independent ones.
  Spanning
};

struct ExplorerOptions {
  unsigned reported = 3;  ///< k: candidate patterns of a vertex
  unsigned beam = 3;      ///< plans that are carried along
  unsigned groupSize = 2; ///< consumers that are combined exhaustively
  PatternForm form = PatternForm::Spanning;
  bool packs = true;         ///< remote fusion through the virtual vertex
  unsigned maxVertices = 64; ///< of a pattern
  /// The farthest that the vertices of a pattern, or the kernels that are
  /// merged, are apart in the order in which they run: searches for ways
  /// between them take no longer, which keeps the whole linear in the graph.
  unsigned maxDistance = 512;
  /// What is legal is fused, whatever it costs.
  bool ignoresPenalty = false;
  /// Scores by the latency evaluator instead of the delta evaluator.
  bool scoresByLatency = false;
  /// Kernels of a plan whose last merges a slower and better oracle judges
  /// (refine), where all of them could be one. It is asked about as many pairs
  /// as kernels squared, most of which are tried for nothing: of a plan of more
  /// kernels that would be most of a compilation.
  unsigned maxRefinedKernels = 8;
  /// Kernels that together take as many times longer at most become one: the
  /// latency evaluator does not tell them apart. Of the last merges alone.
  double tieFactor = 1;
  /// Where plans are made in several ways: different patterns that those so far
  /// have asked about up to which the next one is made. The latency evaluator
  /// prices each pattern that it scores, some three times as many.
  unsigned maxEvaluations = 4096;
};

/// What the explorer has to be told about patterns.
struct PatternOracle {
  /// Whether vertices can be one kernel as far as the caller is concerned (a
  /// tile program exists); cycles are the explorer's.
  llvm::function_ref<bool(llvm::ArrayRef<unsigned>)> canStitch;
  /// The latency evaluator: seconds of a pattern's kernel, nullopt where it has
  /// none. Where it is given, the best plan of the beam by it is taken, and a
  /// pattern that is dearer than its vertices apart is divided.
  llvm::function_ref<std::optional<double>(llvm::ArrayRef<unsigned>)> latency =
      nullptr;
  /// Seconds that no kernel of several vertices takes less than: what is no
  /// better even so is not asked about.
  double minLatency = 0;
  /// Seconds that a pattern's kernel takes at most, which are known sooner:
  /// where these are few enough, nobody asks for the latency. Optional.
  llvm::function_ref<std::optional<double>(llvm::ArrayRef<unsigned>)>
      maxLatency = nullptr;
};

struct StitchPlan {
  /// In an order in which they can run. Every vertex is in one pattern, of a
  /// greedy plan with copies in one or several.
  std::vector<StitchPattern> patterns;
  double score = 0;    ///< seconds saved, by the delta evaluator
  uint64_t scored = 0; ///< patterns that were looked at
};

/// Whether a way leads out of the pattern and back into it.
bool isCyclic(const DeltaEvaluator &evaluator,
              llvm::ArrayRef<unsigned> pattern);

/// Explores the graph.
StitchPlan explore(const OperatorGraph &graph, const ChipInfo &chip,
                   const ExplorerOptions &options, const PatternOracle &oracle);

/// Explores the graph of a plan's patterns, each a vertex; `prefused` has every
/// vertex once and patterns with one result each.
StitchPlan explorePrefused(const OperatorGraph &graph, const ChipInfo &chip,
                           const ExplorerOptions &options,
                           const PatternOracle &oracle,
                           const StitchPlan &prefused);

/// Merges kernels of a plan of few that `oracle` says are faster as one, which
/// is a better one than the plan was made with. Returns whether it was asked.
bool refine(const OperatorGraph &graph, const ChipInfo &chip,
            const ExplorerOptions &options, const PatternOracle &oracle,
            StitchPlan &plan);

/// XLA's rules, from its sources. Instruction fusion: a producer goes into its
/// consumers, from the last consumer on; element-wise and layout operators
/// only; a reduction ends its kernel, but for a conversion that is its only
/// reader; an expensive one stays where a consumer reads its elements several
/// times; a producer disappears only where all of its consumers take it. With
/// `copies` a producer of several readers is computed in each of their kernels,
/// and multi-output fusion follows: kernels that read the same value, and a
/// producer with one of its readers, become one where their loops have as many
/// points and their reductions are over the same axes. Without, a producer
/// stays unless its readers are in one kernel. Nobody asks whether it pays. No
/// kernel has more than `maxVertices`: the oracle is asked about it with each
/// one more.
StitchPlan
fuseGreedily(const OperatorGraph &graph, bool copies,
             const PatternOracle &oracle,
             unsigned maxVertices = std::numeric_limits<unsigned>::max());

/// Puts patterns into an order in which they can run; of the possible ones the
/// one with the first vertex first. Vertices may be in several patterns, each
/// of which then computes them itself.
void orderPatterns(const OperatorGraph &graph,
                   std::vector<StitchPattern> &patterns);

} // namespace fusion

#endif // FUSION_SEARCH_STITCHEXPLORER_H
