//===- SplitReduction.h - Split reductions of chains ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If `Schedule::splits` splits an axis p times, a chain runs as two launches.
// The *partial* group evaluates the contractions for p consecutive ranges of
// the axis, of ⌈trips/p⌉ tiles each, the last ones shorter or empty. The number
// of the range is another digit of the block index, the slowest. The group ends
// with the last contraction and stores its accumulators in f32, one partial
// result for each range. The *reducing* group adds the partial results in order
// and computes the epilogue, so that the value is rounded once and at the same
// operator.
//
// With `Schedule::splitInCluster` there is one launch. The number of the range
// is the fastest digit: the blocks of a tile are a cluster. When all of them
// have their accumulators, each reads the rows that it reduces from the shared
// memory of the others (PTX ISA, "mapa", ".shared::cluster"). It adds them in
// order and computes the epilogue of these rows. If reductions run along the
// axis, all blocks read the running values of all rows first
// (`clusterReductions`).
//
// Only an axis that the last contraction reduces can be split: a sum over
// ranges is the sum of the ranges' sums. What an earlier contraction reduces is
// rounded, or passes through functions, before it is used.
//
// If reductions run along the axis (OnlineReduction.h), each block runs over
// its own range and stores its running values with its accumulators. One launch
// for each result of the chain merges them (SplitForm.h).
//
// All functions take the schedule of the whole chain, or that of its partial
// group. The partial group has the same tensors without the operands of the
// epilogue; its further results are the running values.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_SCHEDULES_SPLITREDUCTION_H
#define FUSION_ANALYSIS_SCHEDULES_SPLITREDUCTION_H

#include "fusion/Analysis/Schedules/Schedule.h"

namespace fusion {

class AccumulatorMemo;

/// Returns the trip count of an axis's loop; for a split axis that of one
/// range, of which the last ranges may have fewer. At 1 the loop is dead.
int64_t sequentialTrips(const GroupModel &group, const Schedule &schedule,
                        unsigned axis);

/// Returns whether some blocks of a split axis have no range, as there are more
/// splits than tiles. These blocks compute on zeros.
bool hasEmptySplits(const GroupModel &group, const Schedule &schedule,
                    unsigned axis);

/// Returns whether the loop of some block of a split axis has no iteration, as
/// the blocks before it take all tiles. This includes `hasEmptySplits`.
bool hasIdleSplits(const GroupModel &group, const Schedule &schedule,
                   unsigned axis);

/// Returns the tile sizes for `placeStatements`, in which dead loops have one
/// tile. They are the schedule's, but the extent for a split axis whose ranges
/// are a single tile.
llvm::SmallVector<int64_t, 8> placementTiles(const GroupModel &group,
                                             const Schedule &schedule);

/// Returns whether partial results are stored for another launch that reduces
/// them.
bool storesPartials(const Schedule &schedule);

/// Returns the bytes of partial results in a block's shared memory if its
/// cluster reduces them: its rows of the tile from every block. Else returns 0.
int64_t clusterPartialBytes(const GroupModel &group, const Schedule &schedule);
/// Returns the rows of a tile for each of which a reduction has a value.
int64_t reductionRows(const Schedule &schedule, const Reduction &reduction);
/// Return the reductions whose running values the blocks of a cluster combine
/// before their accumulators, and the bytes of one that a block receives.
llvm::SmallVector<unsigned, 2> clusterReductions(const GroupModel &group,
                                                 const Schedule &schedule);
int64_t clusterStatisticsBytes(const GroupModel &group,
                               const Schedule &schedule, unsigned reduction);

/// Returns whether the tensor is read after a reduction in a cluster.
bool isReadAfterClusterReduction(const GroupModel &group,
                                 const Schedule &schedule, unsigned tensor);

/// Returns whether each block of a reduce-scatter handles only its rows of the
/// tensor: the result, and operands of the epilogue that have its rows.
bool isReduceScattered(const GroupModel &group, const Schedule &schedule,
                       unsigned tensor);

/// Returns the bytes that the warps of a block pass to each other to reduce its
/// rows of the last contraction's tile after the cross-block reduction. Returns
/// 0 if each warp holds whole rows.
int64_t exchangedPerBlock(const GroupModel &group, const Schedule &schedule,
                          const Reduction &reduction);

/// Returns how often a block's threads load an element of an operand of the
/// epilogue after a reduction in a cluster. They load it in the layout that
/// stores the result, side by side in memory.
int64_t countScatteredLoads(const GroupModel &group, const Schedule &schedule,
                            unsigned tensor);

/// Returns the reason why a schedule with `splitInCluster` cannot reduce its
/// partial results in a cluster, or nullopt; also nullopt without
/// `splitInCluster`.
std::optional<std::string> whyNotInCluster(const GroupModel &group,
                                           const Schedule &schedule,
                                           const ChipInfo &chip);

/// Returns the reason why the warps of a schedule with `splitInCluster` cannot
/// reduce-scatter accumulators in the layout in which they hold them, or
/// nullopt. The reason is that a thread's rows step from the rows of one block
/// into those of the next. The schedule's tile sizes are multiples of the
/// intrinsic's extents times warps.
std::optional<std::string> whyNotReduceScatter(const GroupModel &group,
                                               const Schedule &schedule,
                                               AccumulatorMemo &memo);

/// Returns the online form of the split axis's reductions, or null if there are
/// none.
const OnlineAxis *splitOnline(const GroupModel &group,
                              const Schedule &schedule);

/// Returns whether only a reducing launch moves the tensor, and not the launch
/// that computes the contractions. It is an operand of the last contraction's
/// epilogue or of operators after the loop of a split axis along which
/// reductions run, or a further result.
bool isReducedAcrossBlocks(const GroupModel &group, const Schedule &schedule,
                           unsigned tensor);

/// Return the elements of the tensor that the launch of the contractions moves,
/// and bytes of one. For a split result these are all partial results, in f32;
/// for an operand that is read through a window, the elements of all its tiles.
int64_t movedElements(const GroupModel &group, const Schedule &schedule,
                      unsigned tensor);
int64_t movedElementBytes(const GroupModel &group, const Schedule &schedule,
                          unsigned tensor);
/// Returns the bytes of the tensor that have to pass between memory and the
/// launch at least once; through a window, those of elements that are read at
/// all.
int64_t compulsoryBytes(const GroupModel &group, const Schedule &schedule,
                        unsigned tensor);

/// Returns the bytes of the running values that are stored with the partial
/// results: 0 if no reduction runs along the split axis.
int64_t partialRowBytes(const GroupModel &group, const Schedule &schedule);

/// What the reducing launches move, in bytes of active lanes: each thread loads
/// the partial results of one element and its operands. All zero without a
/// split.
struct SplitReductionFootprint {
  int64_t loadBytes = 0, storeBytes = 0;
  unsigned launches = 0; ///< one for each result of the group
};
SplitReductionFootprint splitReductionFootprint(const GroupModel &group,
                                                const Schedule &schedule);

/// Returns the reason why the attribute `partial` of a group, which may be
/// null, does not match the schedule's split (the same axis in the same
/// ranges), or nullopt.
std::optional<std::string> whyNotPartial(fuse::PartialAttr partial,
                                         const GroupModel &group,
                                         const Schedule &schedule);

/// Returns the reason why the schedule's split cannot be reduced, or nullopt;
/// also nullopt without a split.
std::optional<std::string> whyNotSplit(const GroupModel &group,
                                       const Schedule &schedule);

} // namespace fusion

#endif // FUSION_ANALYSIS_SCHEDULES_SPLITREDUCTION_H
