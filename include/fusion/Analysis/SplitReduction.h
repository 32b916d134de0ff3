//===- SplitReduction.h - Reductions shared by blocks ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where `Schedule::splits` gives an axis p parts, a chain runs as two launches.
// The *partial* group evaluates the products for p consecutive ranges of the
// axis, of ⌈trips/p⌉ tiles each, the last ones shorter or empty; the part is a
// further digit of the block index, the slowest. It ends with the last product,
// whose sums it stores in f32, one result for each part. The *combine* group
// adds the parts in order, then does what followed the product, so that the
// value is rounded once and where it was.
//
// Where `Schedule::splitInCluster` says so there is one launch. The part is the
// fastest digit: the blocks of a tile are a cluster. When all of them have
// their sums, each gets from the others those of its share of the tile's rows,
// in their shared memory (PTX ISA, "mapa", ".shared::cluster"), adds them in
// order, and does with them what follows the product. Where reductions run
// along the axis, all get all rows' running values first (`clusterReductions`).
//
// Only an axis that the last product reduces can be split: a sum over ranges of
// it is a sum of the ranges' sums. What an earlier product reduces becomes a
// rounded value, or passes through functions, before it is used.
//
// Where reductions run along the axis (OnlineReduction.h), each part runs over
// its own range and stores its running values beside its sums; a launch for
// each result of the chain merges them (SplitForm.h).
//
// Everything here takes the schedule of the whole chain, or that of its partial
// group, which has the same tensors but the operands of what followed; its
// further results are the running values.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_SPLITREDUCTION_H
#define FUSION_ANALYSIS_SPLITREDUCTION_H

#include "fusion/Analysis/Schedule.h"

namespace fusion {

/// Iterations of an axis's loop: of a split axis, those of one part's range, of
/// which the last parts may have fewer. Where that is 1 the loop is dead.
int64_t sequentialTrips(const GroupModel &group, const Schedule &schedule,
                        unsigned axis);

/// Whether some parts of a split axis have no range: there are more parts than
/// tiles. Their blocks compute on zeros.
bool hasEmptySplits(const GroupModel &group, const Schedule &schedule,
                    unsigned axis);

/// Whether the loop of some part of a split axis has no iteration: the parts
/// before it take all tiles. So it is, too, where `hasEmptySplits` is.
bool hasIdleSplits(const GroupModel &group, const Schedule &schedule,
                   unsigned axis);

/// The tile sizes to place statements with (`placeStatements`), in which dead
/// loops have one tile: the schedule's, but the whole of a split axis whose
/// parts are a single tile.
llvm::SmallVector<int64_t, 8> placementTiles(const GroupModel &group,
                                             const Schedule &schedule);

/// Whether parts are stored for another launch that combines them.
bool storesPartials(const Schedule &schedule);

/// Bytes that a block's parts take in shared memory where its cluster combines
/// them: its rows of the tile from every block; 0 where it does not.
int64_t clusterPartialBytes(const GroupModel &group, const Schedule &schedule);
/// Rows of a tile, of each of which a reduction has a value.
int64_t reductionRows(const Schedule &schedule, const Reduction &reduction);
/// The reductions whose running values the blocks of a cluster combine before
/// their sums, and the bytes of what a block is given of one.
llvm::SmallVector<unsigned, 2> clusterReductions(const GroupModel &group,
                                                 const Schedule &schedule);
int64_t clusterStatisticsBytes(const GroupModel &group,
                               const Schedule &schedule, unsigned reduction);

/// Whether it is read after a sum that is combined in a cluster.
bool isReadAfterClusterReduction(const GroupModel &group,
                                 const Schedule &schedule, unsigned tensor);

/// Whether, of what parts are combined in a cluster, each block handles its
/// share of the rows alone: the result, and what is read after the sum by its
/// rows.
bool isReduceScattered(const GroupModel &group, const Schedule &schedule,
                       unsigned tensor);

/// Bytes that the warps of a block pass to each other to reduce the rows of its
/// share of the last product's tile, once its cluster has combined it; 0 where
/// each warp holds whole ones.
int64_t exchangedPerBlock(const GroupModel &group, const Schedule &schedule,
                          const Reduction &reduction);

/// How often a block's threads load an element of what is read after a sum that
/// its cluster has combined: as they store the result, side by side in memory.
int64_t countScatteredLoads(const GroupModel &group, const Schedule &schedule,
                            unsigned tensor);

/// Why the parts of a schedule that has them combined in a cluster cannot be,
/// or nullopt where they can, or where they are not to be.
std::optional<std::string> whyNotInCluster(const GroupModel &group,
                                           const Schedule &schedule,
                                           const ChipInfo &chip);

/// Why the warps of such a schedule cannot give a product's sums, as they hold
/// them, to blocks by rows, or nullopt where they can: a thread's rows step
/// from one share into the next. Its tiles are multiples of the intrinsic's
/// over the warps.
std::optional<std::string> whyNotReduceScatter(const GroupModel &group,
                                               const Schedule &schedule);

/// The split axis's reductions, where there are any; else null.
const OnlineAxis *splitOnline(const GroupModel &group,
                              const Schedule &schedule);

/// Whether the launch that computes the products has nothing to do with the
/// tensor: an operand of what follows the last product, or the loop of a split
/// axis along which reductions run, is a combining launch's, and so are further
/// results.
bool isReducedAcrossBlocks(const GroupModel &group, const Schedule &schedule,
                           unsigned tensor);

/// Elements of the tensor as the launch that computes the products moves it,
/// and bytes of one: of a result in parts, all parts, in f32; of what is read
/// through a window, those of all its tiles.
int64_t movedElements(const GroupModel &group, const Schedule &schedule,
                      unsigned tensor);
int64_t movedElementBytes(const GroupModel &group, const Schedule &schedule,
                          unsigned tensor);
/// Bytes of the tensor each of which has to pass between memory and the launch
/// once: of what is read through a window, what is read at all.
int64_t compulsoryBytes(const GroupModel &group, const Schedule &schedule,
                        unsigned tensor);

/// Bytes of the running values that the parts store beside their sums: 0 where
/// no reduction runs along the split axis.
int64_t partialRowBytes(const GroupModel &group, const Schedule &schedule);

/// What the combining launches move, in bytes of active lanes: each thread
/// loads the parts of one element and its operands. All zero where nothing is
/// split.
struct SplitReductionFootprint {
  int64_t loadBytes = 0, storeBytes = 0;
  unsigned launches = 0; ///< one for each result of the group
};
SplitReductionFootprint splitReductionFootprint(const GroupModel &group,
                                                const Schedule &schedule);

/// Why a group with the attribute `partial`, which may be null, is not what its
/// schedule splits, or nullopt where it is: the same axis in the same ranges.
std::optional<std::string> whyNotPartial(fuse::PartialAttr partial,
                                         const GroupModel &group,
                                         const Schedule &schedule);

/// Why the schedule's splits are none that can be combined, or nullopt where
/// they are, or where there are none.
std::optional<std::string> whyNotSplit(const GroupModel &group,
                                       const Schedule &schedule);

} // namespace fusion

#endif // FUSION_ANALYSIS_SPLITREDUCTION_H
