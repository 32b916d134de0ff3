//===- BlockResources.h - What a block holds ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_BLOCKRESOURCES_H
#define FUSION_LIB_ANALYSIS_BLOCKRESOURCES_H

#include "fusion/Analysis/Footprint.h"
#include <array>

namespace fusion {

/// What a block holds, `sharedMemory` and `registers` of a footprint, as far as
/// loops, tiles and warps decide it; stages say how often.
struct BlockResources {
  struct Buffer {
    unsigned tensor;
    int64_t bytes; ///< of one stage, of all slots
    int64_t slots;
    int64_t registersPerStage =
        0; ///< of a thread, of every stage but the first
  };
  llvm::SmallVector<Buffer, 8> buffers; ///< live for the whole loop nest
  /// Bytes that pass through shared memory beside them, of which one lives at a
  /// time: values on their way to a product, a result inside of a loop.
  int64_t passing = 0;
  int64_t atEnd = 0; ///< of a result that takes the place of all of these
  /// Of running values that the blocks of a cluster write to one another,
  /// beside all of these.
  int64_t given = 0;

  struct PerContraction {
    int64_t live; ///< registers of a thread where it is computed
    /// Of an operand's fragments of one step, and the tensors whose stages say
    /// how many steps there are at a time.
    struct Fragments {
      int64_t registers = 0;
      llvm::SmallVector<unsigned, 2> tensors;
    };
    std::array<Fragments, 2> operands;
    int64_t ahead; ///< steps that unrolled loops load ahead
  };
  llvm::SmallVector<PerContraction, 4> contractions;
  /// Operands of one stage that threads load themselves, one behind the other:
  /// their data is in registers until all of it has come.
  struct Loads {
    int64_t live; ///< registers of a thread beside them
    llvm::SmallVector<std::pair<unsigned, int64_t>, 2>
        operands; ///< tensors, and registers of each one's data
  };
  llvm::SmallVector<Loads, 2> loads;
  int64_t always = 0; ///< registers that live through the whole nest
  /// Barriers and phases of what producers hand over, where there are any and
  /// the block copies other operands itself.
  int64_t handed = 0;
  int64_t passes = 0;   ///< where passes over rows need most
  int64_t atLaunch = 0; ///< of a footprint
};

BlockResources listResources(const GroupModel &group, const Schedule &schedule,
                             const RetainedTiles &retained);

/// The same one after the other: buffers in shared memory, which are known
/// soon and do not fit often, and then registers.
void listBuffers(const GroupModel &group, const Schedule &schedule,
                 const RetainedTiles &retained, BlockResources &held);
void listRegisters(const GroupModel &group, const Schedule &schedule,
                   const RetainedTiles &retained, BlockResources &held);

/// Shared memory and registers with the schedule's stages.
void countResources(const BlockResources &held, const Schedule &schedule,
                    Footprint &footprint);
/// Shared memory alone.
int64_t countBuffers(const BlockResources &held, const Schedule &schedule);

/// Bytes of the operands' buffers with one stage, less than which no warps and
/// stages need; of the schedule only loops, tiles and places are looked at.
int64_t minSharedMemory(const GroupModel &group, const Schedule &schedule,
                        const RetainedTiles &retained);

/// Registers that each thread of `warps` warps needs at least, however they are
/// arranged: those of the largest accumulator.
int64_t minRegisters(const GroupModel &group, const Schedule &schedule,
                     const RetainedTiles &retained, unsigned warps);

/// Bytes that the warps of a block pass to each other to reduce rows of a
/// product's tile of which each holds a part; 0 where each holds whole rows.
int64_t exchangedBytes(const GroupModel &group, const Schedule &schedule,
                       const Reduction &reduction);

/// How many threads of a block hold each element of a tensor that is loaded
/// straight into registers.
int64_t countHolders(const Schedule &schedule, const GroupTensor &tensor);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_BLOCKRESOURCES_H
