//===- PaperOrder.h - Candidates of the papers' spaces, best first --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branch and bound over expressions, which axes are one tile, and tiles, axis
// by axis: always where the bound is least, so that candidates come out in the
// order of their time and only those are looked at that may be next.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_PAPERS_PAPERORDER_H
#define FUSION_SEARCH_PAPERS_PAPERORDER_H

#include "fusion/Search/Papers/PaperSpace.h"
#include <functional>
#include <queue>

namespace fusion {

class PaperOrder {
public:
  /// Seconds that a model of tiles alone says at least of candidates with an
  /// expression and tiles between two bounds, exact where these are the same.
  /// Which axes are whole in one tile is the same in both.
  using Bound =
      std::function<double(unsigned expression, llvm::ArrayRef<int64_t> least,
                           llvm::ArrayRef<int64_t> most)>;

  /// Refers to `group` and `space`. Gives up once there are `maxBranches`.
  PaperOrder(const GroupModel &group, const PaperSpace &space, Bound bound,
             size_t maxBranches);

  struct Costed {
    PaperCandidate candidate;
    double seconds;
  };
  /// The best that was not asked for yet: of equals the one of the first tiles,
  /// then of the first expression. nullopt at the end, or where it gave up.
  std::optional<Costed> next();

  bool hasGivenUp() const { return gaveUp; }
  /// Candidates whose seconds were asked for.
  int64_t candidates() const { return costed; }

  static constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

private:
  /// Axes from `chosen` on are open: within the tiles that make the axis one
  /// tile, or more.
  struct Branch {
    double seconds;
    unsigned expression;
    uint16_t whole; ///< axes in one tile, as a mask
    uint16_t chosen;
    std::array<uint16_t, McFuserModel::kMaxAxes> tiles; ///< among the choices
  };
  struct Later {
    unsigned axes;
    bool operator()(const Branch &a, const Branch &b) const;
  };

  llvm::ArrayRef<int64_t> choices(unsigned axis, bool whole) const;
  void push(Branch branch);

  const GroupModel &group;
  const PaperSpace &space;
  Bound bound;
  size_t maxBranches;
  std::priority_queue<Branch, std::vector<Branch>, Later> queue;
  int64_t costed = 0;
  bool gaveUp = false;
};

/// The candidate of least time by MCFuser's model of those whose tiles, with
/// all that loops carry, fit into a block (rule 4 lets others pass too), the
/// first of equals. nullopt where none does, or it takes more branches than
/// allowed.
std::optional<PaperOrder::Costed>
searchFitting(const GroupModel &group, const PaperSpace &space,
              const ChipInfo &chip, size_t maxBranches = PaperOrder::kNoLimit);

/// What the rules may lose of the best time.
constexpr double kAllowedLoss = 0.02;

/// What rule 3 as printed loses of the best time by MCFuser's model, of
/// candidates that fit, against the space with `PaddingRule::LeastOfTrips`:
/// 0.02 is 2 %. nullopt where that takes too many branches. The rule that
/// `options` name does not matter.
std::optional<double> lossByPadding(const GroupModel &group,
                                    const ChipInfo &chip,
                                    const PaperSpaceOptions &options);

} // namespace fusion

#endif // FUSION_SEARCH_PAPERS_PAPERORDER_H
