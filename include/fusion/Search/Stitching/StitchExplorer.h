//===- StitchExplorer.h - Which operators become one kernel -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching's explorer (section 5). Approximate dynamic programming finds
// candidate patterns of each vertex from those of its consumers
// (PatternReduction), and beam search finds plans of patterns that do not
// overlap. Remote fusion follows, and the latency evaluator chooses a plan. The
// baseline is a greedy fusion by XLA's rules.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_STITCHING_STITCHEXPLORER_H
#define FUSION_SEARCH_STITCHING_STITCHEXPLORER_H

#include "fusion/Search/Stitching/OperatorGraph.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <limits>
#include <optional>

namespace fusion {

/// How patterns are made of consumers' patterns, and by remote fusion.
enum class PatternForm : uint8_t {
  /// No pattern spans two groups of consumers, nor more than two vertices'
  /// patterns in remote fusion. No pattern of the chosen plan is divided.
  Printed,
  /// Fusion's: combinations of the groups' winners are scored too. Whole
  /// kernels of a plan are merged while that saves time: producers with no
  /// common producer, readers of one tensor, independent kernels.
  Spanning
};

struct ExplorerOptions {
  unsigned reported = 3;  ///< k: candidate patterns of a vertex
  unsigned beam = 3;      ///< plans that beam search keeps
  unsigned groupSize = 2; ///< consumers that are combined exhaustively
  PatternForm form = PatternForm::Spanning;
  bool packs = true;         ///< remote fusion through the virtual vertex
  unsigned maxVertices = 64; ///< of a pattern
  /// The largest distance of vertices of a pattern, or of kernels that are
  /// merged, in the order in which they run. It bounds searches for paths
  /// between them, which makes exploration linear in the graph.
  unsigned maxDistance = 512;
  /// All legal fusions are made, whatever they cost.
  bool ignoresPenalty = false;
  /// Whose delta evaluator scores patterns.
  EvaluatorForm delta = EvaluatorForm::Default;
  /// Scores by the latency evaluator instead of the delta evaluator; with the
  /// printed one, only T_penalty is the latency evaluator's.
  bool scoresByLatency = false;
  /// The most kernels of a plan for `refine`, whose slower and better oracle
  /// decides the last merges. It evaluates up to the square of the number of
  /// kernels in pairs, mostly without a merge, which for larger plans would
  /// dominate compile time.
  unsigned maxRefinedKernels = 8;
  /// For the last merges alone: kernels become one if that takes at most this
  /// many times longer, as the latency evaluator does not tell such kernels
  /// apart.
  double tieFactor = 1;
  /// If plans are made in several ways: the next one is made if the previous
  /// ones have evaluated fewer different patterns. The latency evaluator
  /// predicts the time of each pattern that it scores, some three times as
  /// many.
  unsigned maxEvaluations = 4096;
};

/// What the caller provides about patterns.
struct PatternOracle {
  /// Returns whether vertices can be one kernel for the caller (a tile program
  /// exists). The explorer checks for cycles.
  llvm::function_ref<bool(llvm::ArrayRef<unsigned>)> canStitch;
  /// The latency evaluator: returns the seconds of a pattern's kernel, nullopt
  /// if it has none. If given, it chooses the best plan of the beam, and a
  /// pattern that costs more than its vertices apart is divided.
  llvm::function_ref<std::optional<double>(llvm::ArrayRef<unsigned>)> latency =
      nullptr;
  /// A lower bound of the seconds of every kernel of several vertices. Patterns
  /// that are no better with it are not evaluated.
  double minLatency = 0;
  /// Returns an upper bound of the seconds of a pattern's kernel, in less time
  /// than `latency`. If the bound suffices, `latency` is not called. Optional.
  llvm::function_ref<std::optional<double>(llvm::ArrayRef<unsigned>)>
      maxLatency = nullptr;
};

struct StitchPlan {
  /// In an order in which they can run. Every vertex is in one pattern; in a
  /// greedy plan with copies it is in one or several.
  std::vector<StitchPattern> patterns;
  double score = 0;    ///< seconds saved, by the delta evaluator
  uint64_t scored = 0; ///< patterns that were scored
};

/// Returns whether a path leads out of the pattern and back into it.
bool isCyclic(const DeltaEvaluator &evaluator,
              llvm::ArrayRef<unsigned> pattern);

/// Explores the graph.
StitchPlan explore(const OperatorGraph &graph, const ChipInfo &chip,
                   const ExplorerOptions &options, const PatternOracle &oracle);

/// Explores the graph of a plan's patterns, each a vertex. `prefused` has every
/// vertex once and patterns with one result each.
StitchPlan explorePrefused(const OperatorGraph &graph, const ChipInfo &chip,
                           const ExplorerOptions &options,
                           const PatternOracle &oracle,
                           const StitchPlan &prefused);

/// Merges kernels of a small plan that are faster as one by `oracle`, which is
/// more exact than the one that made the plan. Returns whether it was called.
bool refine(const OperatorGraph &graph, const ChipInfo &chip,
            const ExplorerOptions &options, const PatternOracle &oracle,
            StitchPlan &plan);

/// Fuses by XLA's rules, from its sources. Instruction fusion merges a producer
/// into its consumers, from the last consumer on:
///
/// * only element-wise and layout operators are merged;
/// * a reduction ends its kernel, except for a conversion that is its only
///   reader;
/// * an expensive operator is not merged if a consumer reads its elements
///   several times;
/// * a producer disappears only if all its consumers take it.
///
/// With `copies` each kernel that reads a producer of several readers
/// recomputes it. Multi-output fusion follows, of kernels that read a common
/// value, and of a producer and one of its readers. They become one if their
/// loops have equally many points and their reductions are over equal axes.
/// Without `copies`, a producer is merged only if its readers are in one
/// kernel. No rule predicts a gain. No kernel has more than `maxVertices`, as
/// the oracle is called once for each vertex that is added.
StitchPlan
fuseGreedily(const OperatorGraph &graph, bool copies,
             const PatternOracle &oracle,
             unsigned maxVertices = std::numeric_limits<unsigned>::max());

/// Sorts patterns into an order in which they can run; among several the one
/// with the first vertex first. Vertices may be in several patterns, each of
/// which then computes them itself.
void orderPatterns(const OperatorGraph &graph,
                   std::vector<StitchPattern> &patterns);

} // namespace fusion

#endif // FUSION_SEARCH_STITCHING_STITCHEXPLORER_H
