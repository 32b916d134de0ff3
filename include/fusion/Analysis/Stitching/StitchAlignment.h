//===- StitchAlignment.h - Ragged tiles of misaligned rows ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Misaligned rows: rows of odd length are not aligned to the access width.
// Vectorized accesses of a tile that begins with such a row are not aligned,
// and every access of a warp touches one sector more. With `align` in its
// thread mapping an axis has ragged tiles, which begin before the row. They
// begin at the last element whose number in memory is a multiple of `align`, in
// the tensors whose rows agree about where that is (`StitchTensor::isInPhase`).
// Elements before and after the row are masked.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHING_STITCHALIGNMENT_H
#define FUSION_ANALYSIS_STITCHING_STITCHALIGNMENT_H

#include "fusion/Analysis/Stitching/StitchSchedule.h"

namespace fusion {

/// Bytes of a thread's widest access, and the fewest that DRAM and the L2 move
/// (CUDA C++ Programming Guide, "Device Memory Accesses").
constexpr int64_t kWidestAccess = 16, kSectorBytes = 32;

/// Finds for every axis the tensors whose rows begin at the same places, modulo
/// the elements of a sector, and the class of them with the most bytes.
void findAlignments(StitchGroup &group);

/// Returns the elements from the beginning of the first tile to the end of the
/// axis, at most.
int64_t spanOf(const StitchAxis &axis, const AxisThreadMapping &mapping);

/// Returns the number of tiles of an axis.
int64_t countTiles(const StitchGroup &group, const StitchSchedule &schedule,
                   unsigned axis);

/// Returns the reason why the schedule's tiles cannot be aligned as it says, or
/// nullopt.
std::optional<std::string> checkAlignment(const StitchGroup &group,
                                          const StitchSchedule &schedule);

/// Returns whether tiles begin at other elements of the tensor than the rows
/// do.
bool isShifted(const StitchSchedule &schedule, const StitchTensor &tensor);

/// Returns whether the index along an axis determines where the rows of an
/// aligned axis begin.
bool beginsRows(const StitchGroup &group, const StitchSchedule &schedule,
                unsigned axis);

/// Returns the bytes that divide the address of the first of a thread's
/// neighbouring elements along the unit axis.
int64_t alignmentOf(const StitchSchedule &schedule, const StitchTensor &tensor);

/// Returns the elements that one access moves.
int64_t accessWidth(const StitchSchedule &schedule, const StitchTensor &tensor);

/// Returns whether loads that cross the borders of a row are not predicated:
/// the elements beyond the border belong to the tensor as well.
bool loadsAcross(const StitchGroup &group, const StitchSchedule &schedule,
                 const StitchTensor &tensor);

/// Returns the elements of the widest aligned access to misaligned rows for
/// which lanes can exchange elements, 1 if they cannot. A thread holds `vector`
/// elements of the unit axis.
int64_t widestMisalignedAccess(const StitchTensor &tensor, int64_t vector);
/// Returns the elements that one aligned access to misaligned rows moves, with
/// lanes exchanging elements (`misaligned` of `tile.load`); 1 elsewhere.
int64_t misalignedAccessWidth(const StitchGroup &group,
                              const StitchSchedule &schedule,
                              const StitchTensor &tensor);
/// Returns the number of neighbouring elements that the lanes and the registers
/// of one warp hold in a step.
int64_t misalignedRun(const StitchSchedule &schedule,
                      const StitchTensor &tensor);

/// Returns the stores of both ends of such a run, on average over where rows
/// begin. An end is less than `width` elements. Each is one access if at least
/// `width` lanes along the row store one element each; else it is stored as
/// halves, halves of these, and so on.
double accessesOfEnds(int64_t lanes, int64_t width);

/// Returns whether accesses to the tensor are evict-first: several threads load
/// no element of it, nor do several accesses, nor a sector of it.
bool isEvictFirst(const StitchSchedule &schedule, const StitchTensor &tensor);

/// Counts of elements loaded in all rows: of the first `bound` elements of an
/// axis, in tiles that begin where they are aligned, and of the others.
struct ShiftedCount {
  int64_t before = 0, behind = 0;
};
/// Counts over all blocks' tiles of the axes that determine where rows begin:
/// elements of the rows alone, or with the elements of neighbouring rows that
/// accesses move.
ShiftedCount countShifted(const StitchGroup &group,
                          const StitchSchedule &schedule,
                          const StitchTensor &tensor, int64_t bound,
                          bool ofRowsAlone = false);
/// Counts the elements that loads of misaligned rows move over all rows of a
/// tensor. `before` counts the first `retained` elements of the serial loop's
/// axis, if it is one of the tensor's axes, `behind` the others.
ShiftedCount countMisaligned(const StitchGroup &group,
                             const StitchSchedule &schedule,
                             const StitchTensor &tensor, int64_t retained);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHING_STITCHALIGNMENT_H
