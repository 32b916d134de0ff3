//===- MaskedTiles.h - Tiles that masks exclude -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask that operators compute from indices (causal, a sliding window)
// excludes points (m, n) of a contraction. What is combined along n gets the
// identity from them: -∞ for a maximum, 0 for a sum or a later contraction. If
// a whole tile is excluded, the loop over n skips it: nothing of the tile is
// loaded or multiplied.
//
// 1. `deriveMaskedAxes` follows the operators from the comparisons of indices
//    to all that combines values along an axis. It proves where all of it gets
//    its identity: a predicate of linear inequalities.
// 2. Along the axis each inequality holds before or after some index. For the
//    rows of a tile the predicate thus gives the range of n between these. One
//    formula serves numbers (footprints) and values of the program (lowering).
//
// Nothing here knows causality. A mask that is a tensor of the program, and one
// by a finite number such as -1e9, proves nothing.
//
// Excluded values are assumed to be finite. Where the IR would make NaN of 0 ·
// ∞ or of -∞ + ∞ at an excluded point, a skipped tile does not.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_SCHEDULES_MASKEDTILES_H
#define FUSION_ANALYSIS_SCHEDULES_MASKEDTILES_H

#include "fusion/Analysis/Masks/UnmaskedTiles.h"
#include "fusion/Analysis/Schedules/RetainedTiles.h"
#include <map>
#include <shared_mutex>

namespace fusion {

/// Returns the reason why the loop over `axis` has to visit all tiles, or
/// nullopt if the schedule may skip some. It may if all of these hold:
///
/// * some points along the axis are masked;
/// * its loop is live in each block;
/// * every loop over it is inside of the loops over the axes that the mask
///   compares it with;
/// * no retained tile is numbered by it.
std::optional<std::string> whyNotSkipped(const GroupModel &group,
                                         const Schedule &schedule,
                                         const RetainedTiles &retained,
                                         unsigned axis);

/// Returns the first axis along which the schedule may skip tiles.
std::optional<unsigned> skippableAxis(const GroupModel &group,
                                      const Schedule &schedule);

/// The loop over a masked axis, which visits only the tiles between the first
/// and the last that are not excluded.
struct ShortenedLoop {
  const MaskedAxis *masked;
  /// Axes of which several tiles exist, each with its own range.
  llvm::SmallVector<unsigned, 2> others;
};

/// Returns the loop over `schedule.maskedAxis` if `whyNotSkipped` allows it.
std::optional<ShortenedLoop> shortenedLoop(const GroupModel &group,
                                           const Schedule &schedule);

/// Returns the elements of an axis that the loops of a block serve. For the
/// fastest grid axis these are the tiles of all blocks of its cluster: with
/// multicast copies they visit the same tiles of the masked axis. The first
/// element is a multiple of this number.
int64_t rangeOfCluster(const Schedule &schedule, unsigned axis);

/// Returns the work by combination of tiles of `others`, the last axis fastest.
std::vector<UnmaskedTiles> listUnmaskedTiles(const GroupModel &group,
                                             const Schedule &schedule,
                                             const ShortenedLoop &loop);

/// Sums of UnmaskedTiles over all tiles of `others`, as footprints need them.
struct UnmaskedSums {
  int64_t tiles = 0;      ///< of the others
  int64_t iterations = 0; ///< for all of them
  int64_t most = 0;       ///< iterations for one of them
  /// Points of loops around a statement, for each set of axes whose elements
  /// count instead of their tiles: bit 0 is the masked axis, bit i + 1
  /// others[i].
  llvm::SmallVector<int64_t, 8> points;
};

UnmaskedSums sumUnmaskedTiles(const GroupModel &group, const Schedule &schedule,
                              const ShortenedLoop &loop);

/// UnmaskedSums by the tile sizes that they depend on. Searches evaluate many
/// schedules with equal tile sizes, and long rows have many tiles. Threads may
/// call it concurrently.
class UnmaskedTilesMemo {
public:
  /// Returns the sums of a schedule; all schedules must be of one group.
  const UnmaskedSums &get(const GroupModel &group, const Schedule &schedule,
                          const ShortenedLoop &loop);
  /// Returns the number of remembered combinations of tile sizes.
  size_t size() const;

private:
  using Key = llvm::SmallVector<int64_t, 6>;
  mutable std::shared_mutex mutex;
  std::map<Key, UnmaskedSums> known;
};

} // namespace fusion

#endif // FUSION_ANALYSIS_SCHEDULES_MASKEDTILES_H
