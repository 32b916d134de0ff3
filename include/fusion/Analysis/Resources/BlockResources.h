//===- BlockResources.h - What a block holds ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_RESOURCES_BLOCKRESOURCES_H
#define FUSION_ANALYSIS_RESOURCES_BLOCKRESOURCES_H

#include "fusion/Analysis/Resources/Footprint.h"
#include <array>

namespace fusion {

class AccumulatorMemo;

/// The shared memory and registers of a block, as far as loops, tiles and warps
/// decide them. The schedule's stages say how often each is needed
/// (`countResources`).
struct BlockResources {
  struct Buffer {
    unsigned tensor;
    int64_t bytes; ///< of one stage, of all slots
    int64_t slots;
    int64_t registersPerStage =
        0; ///< of a thread, of every stage but the first
  };
  llvm::SmallVector<Buffer, 8> buffers; ///< live for the whole loop nest
  /// Bytes of shared memory, next to the buffers, for tiles that pass through
  /// it one at a time. These are intermediates on their way to a contraction,
  /// and results that are stored inside of a loop.
  int64_t passing = 0;
  int64_t atEnd = 0; ///< of a result that takes the place of all of these
  /// Bytes, next to all of these, for running values of row statistics that the
  /// blocks of a cluster write to one another.
  int64_t given = 0;

  struct PerContraction {
    int64_t live; ///< registers of a thread where it is computed
    /// Registers of one step's fragments of an operand, and the tensors whose
    /// register stages say how many steps are held at a time.
    struct Fragments {
      int64_t registers = 0;
      llvm::SmallVector<unsigned, 2> tensors;
    };
    std::array<Fragments, 2> operands;
    int64_t ahead; ///< steps that unrolled loops load ahead
  };
  llvm::SmallVector<PerContraction, 4> contractions;
  /// Operands that threads load themselves, all of one stage. Their loads
  /// follow each other, and registers hold the data until the last of them has
  /// arrived.
  struct Loads {
    int64_t live; ///< registers of a thread, next to the operands
    llvm::SmallVector<std::pair<unsigned, int64_t>, 2>
        operands; ///< tensors, and registers of each one's data
  };
  llvm::SmallVector<Loads, 2> loads;
  int64_t always = 0; ///< registers that live through the whole nest
  /// Registers for the barriers and phases of stages that producer warps fill.
  /// Zero unless the block copies other operands itself.
  int64_t handed = 0;
  int64_t passes = 0;   ///< row statistics: the most that any of them needs
  int64_t atLaunch = 0; ///< of a footprint
};

BlockResources listResources(const GroupModel &group, const Schedule &schedule,
                             const RetainedTiles &retained);

/// `listBuffers` lists the buffers in shared memory, `listRegisters` the
/// registers. `listResources` calls both. The check of a schedule lists the
/// buffers first, as it takes little time and often finds that they do not fit.
void listBuffers(const GroupModel &group, const Schedule &schedule,
                 const RetainedTiles &retained, AccumulatorMemo &accumulators,
                 BlockResources &held);
void listRegisters(const GroupModel &group, const Schedule &schedule,
                   const RetainedTiles &retained, BlockResources &held);

/// Sets the shared memory and the registers of `footprint`, with the
/// schedule's stages.
void countResources(const BlockResources &held, const Schedule &schedule,
                    Footprint &footprint);
/// Returns the bytes of shared memory, with the schedule's stages.
int64_t countBuffers(const BlockResources &held, const Schedule &schedule);

/// Returns the bytes of the operands' buffers with one stage, a lower bound for
/// all warps and stages. Only the schedule's loops, tiles and places matter.
int64_t minSharedMemory(const GroupModel &group, const Schedule &schedule,
                        const RetainedTiles &retained);

/// Returns the registers that each thread of `warps` warps needs at least, in
/// any warp arrangement: those of the largest accumulator.
int64_t minRegisters(const GroupModel &group, const Schedule &schedule,
                     const RetainedTiles &retained, unsigned warps);

/// Returns the bytes that the warps of a block exchange to reduce rows of a
/// contraction's tile; 0 where each warp holds whole rows.
int64_t exchangedBytes(const GroupModel &group, const Schedule &schedule,
                       const Reduction &reduction);

/// Returns how many threads of a block hold each element of a tensor that is
/// loaded directly into registers.
int64_t countHolders(const Schedule &schedule, const GroupTensor &tensor);

} // namespace fusion

#endif // FUSION_ANALYSIS_RESOURCES_BLOCKRESOURCES_H
