//===- PaperSpace.h - MCFuser's and Chimera's search spaces ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MCFuser sections III-A and III-C: tiling expressions times tile sizes, pruned
// by four rules, each of which can be switched off. Without flat expressions it
// is Chimera's space of block execution orders.
//
// Rule 1 loses nothing. Rule 3 as printed loses up to 30 % of the best
// predicted time where a dimension is 16 times a prime (M = 208), and some
// percent where a tile between two powers of two would fill the shared memory;
// with PaddingRule::LeastOfTrips the rules together lose less than 2 % on all
// workloads. PaperSpaceLossTest and the benchmark paper-space-benchmark compute
// it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_PAPERSPACE_H
#define FUSION_SEARCH_PAPERSPACE_H

#include "fusion/Analysis/McFuserModel.h"
#include "fusion/Search/Random.h"
#include "fusion/Search/TilingExpressions.h"
#include <array>
#include <memory>
#include <tuple>

namespace fusion {

/// Rule 3: which tile sizes of a dimension are tried.
enum class PaddingRule : uint8_t {
  None,    ///< all multiples of 16
  Printed, ///< none that pad a power of two, else less than 5 % of padding
  /// Ours: of the tiles with the same trip count the least one, which is better
  /// than the others in everything that the models see. Loses nothing.
  LeastOfTrips,
  /// As printed where that is known to lose no more than 2 % of the best time by
  /// MCFuser's model (`lossByPadding`), else the least of trips.
  Auto,
};

struct PaperSpaceOptions {
  bool flat = true;                  ///< off: space `chimera`, deep only
  bool deduplicate = true;           ///< rule 1
  bool completeIntermediates = true; ///< rule 2
  PaddingRule padding = PaddingRule::Printed; ///< rule 3
  bool limitSharedMemory = true;              ///< rule 4
  /// What rule 4 counts, and what of a block's shared memory it allows.
  FootprintUnit unit = FootprintUnit::Bytes;
  double slack = 1.2;
  bool removeDeadLoops = true; ///< section III-B
  size_t expressionLimit = 1u << 16;
};

/// A point of the space.
struct PaperCandidate {
  unsigned expression = 0;
  std::array<int64_t, McFuserModel::kMaxAxes> tiles{}; ///< by axis

  bool operator==(const PaperCandidate &other) const {
    return expression == other.expression && tiles == other.tiles;
  }
  bool operator!=(const PaperCandidate &other) const {
    return !(*this == other);
  }
  bool operator<(const PaperCandidate &other) const {
    return std::tie(expression, tiles) <
           std::tie(other.expression, other.tiles);
  }
};

/// Candidates of six products exceed 64 bits.
using WideCount = unsigned __int128;

/// How many are left after each rule; a rule that is off takes nothing away.
struct PaperSpaceCounts {
  /// Of expressions: all, after rule 1, after rule 2.
  std::array<uint64_t, 3> expressions{};
  /// Of candidates: all, after rules 1, 2, 3 and 4.
  std::array<WideCount, 5> candidates{};
  /// Off where a number would exceed its bits, and is the largest one.
  bool isExact = true;
};

/// In decimal digits.
std::string toText(WideCount number);

class PaperSpace {
public:
  using Candidate = PaperCandidate;

  /// The space of a group, which it refers to. Returns nullopt with `reason`
  /// where the group has too many axes or expressions, or the chip no rate for
  /// its products.
  static std::optional<PaperSpace> create(const GroupModel &group,
                                          const ChipInfo &chip,
                                          const PaperSpaceOptions &options,
                                          std::string &reason);

  llvm::ArrayRef<BoundExpression> expressions() const { return bound; }
  /// Tile sizes of an axis after rule 3, ascending. Those that no
  /// intrinsic takes have tile 1.
  llvm::ArrayRef<int64_t> tileChoices(unsigned axis) const {
    return choices[axis];
  }

  /// Counts by sums and products, without visiting candidates one by one.
  PaperSpaceCounts count() const;

  /// Rule 4.
  bool admits(llvm::ArrayRef<int64_t> tiles) const;
  /// Visits the tile sizes that rules 3 and 4 leave, in ascending order.
  void forEachTiles(
      llvm::function_ref<void(llvm::ArrayRef<int64_t> tiles)> visit) const;

  TilingTree tree(const PaperCandidate &candidate) const;
  /// MCFuser's model of the candidate's tree. Any number of threads may ask.
  const McFuserModel &model(const PaperCandidate &candidate) const {
    return model(candidate.expression, tilesOf(candidate));
  }
  const McFuserModel &model(unsigned expression,
                            llvm::ArrayRef<int64_t> tiles) const;
  /// Predicted seconds by equations 2 to 5.
  double estimate(const PaperCandidate &candidate) const {
    return model(candidate).predict(tilesOf(candidate)).total;
  }

  PaperCandidate random(Random &numbers) const;
  /// The candidate with one tile size changed (algorithm 1), or itself where
  /// there is no other.
  PaperCandidate mutate(const PaperCandidate &candidate, Random &numbers) const;
  /// Mutates the expression too (ours).
  PaperCandidate mutateAll(const PaperCandidate &candidate,
                           Random &numbers) const;

  /// The candidate of least predicted time, the first of equals, and how many
  /// there were: of those that `isTaken`, where that is given.
  struct Best {
    PaperCandidate candidate;
    double seconds;
    uint64_t visited;
  };
  using Filter =
      llvm::function_ref<bool(const McFuserModel &, llvm::ArrayRef<int64_t>)>;
  std::optional<Best> searchExhaustively(Filter isTaken = nullptr) const;

  llvm::ArrayRef<int64_t> tilesOf(const PaperCandidate &candidate) const {
    return llvm::ArrayRef(candidate.tiles).take_front(group->axes.size());
  }

private:
  struct ModelCache;

  void listTiles();
  WideCount countAdmitted() const;
  int64_t sharedMemoryLimit() const;
  template <typename Visit>
  void descend(llvm::SmallVectorImpl<int64_t> &tiles, unsigned axis,
               bool countsLast, Visit visit) const;

  const GroupModel *group;
  const ChipInfo *chip;
  PaperSpaceOptions options;
  std::vector<BoundExpression> bound;
  PaperSpaceCounts expressionCounts;
  llvm::SmallVector<llvm::SmallVector<int64_t>, 8> allTiles, choices;
  std::shared_ptr<ModelCache> cache;
};

/// A paper space in which mutation changes the expression too (ours).
struct MutableExpressions {
  using Candidate = PaperCandidate;
  const PaperSpace &space;

  PaperCandidate random(Random &numbers) const { return space.random(numbers); }
  PaperCandidate mutate(const PaperCandidate &candidate,
                        Random &numbers) const {
    return space.mutateAll(candidate, numbers);
  }
  double estimate(const PaperCandidate &candidate) const {
    return space.estimate(candidate);
  }
};

/// Multiples of 16 up to the dimension, rounded up.
llvm::SmallVector<int64_t> listTileSizes(int64_t extent);

/// What rule 3 leaves of the ascending tile sizes of a dimension. As printed it
/// can leave none; the least padded ones then stay.
llvm::SmallVector<int64_t> applyPaddingRule(llvm::ArrayRef<int64_t> tiles,
                                            int64_t extent, PaddingRule rule);

} // namespace fusion

#endif // FUSION_SEARCH_PAPERSPACE_H
