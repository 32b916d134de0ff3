//===- StitchAlignment.h - Tiles that begin aligned -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of odd length begin anywhere in memory, so that no wide access of a tile
// that begins with the row is aligned, and every access of a warp reaches into
// a sector more. With `align` in its spread an axis has tiles that begin before
// the row: at the last element whose number in memory is a multiple of `align`,
// in the tensors that agree about where that is (`StitchTensor::isInPhase`).
// Elements before and behind the row are masked.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHALIGNMENT_H
#define FUSION_ANALYSIS_STITCHALIGNMENT_H

#include "fusion/Analysis/StitchSchedule.h"

namespace fusion {

/// Bytes of a thread's widest access, and the fewest that DRAM and the L2 move
/// (CUDA C++ Programming Guide, "Device Memory Accesses").
constexpr int64_t kWidestAccess = 16, kSectorBytes = 32;

/// For every axis: which tensors' rows begin at the same places, modulo the
/// elements of a sector, and which of those classes has the most bytes.
void findAlignments(StitchGroup &group);

/// Elements from the beginning of the first tile to the end of the axis, at
/// most.
int64_t spanOf(const StitchAxis &axis, const AxisThreadMapping &spread);

/// Tiles of an axis.
int64_t countTiles(const StitchGroup &group, const StitchSchedule &schedule,
                   unsigned axis);

/// Why the schedule's tiles cannot begin where it says, or nullopt.
std::optional<std::string> checkAlignment(const StitchGroup &group,
                                          const StitchSchedule &schedule);

/// Whether tiles begin at other elements of the tensor than the rows do.
bool isShifted(const StitchSchedule &schedule, const StitchTensor &tensor);

/// Whether an axis tells where the rows of an aligned one begin.
bool beginsRows(const StitchGroup &group, const StitchSchedule &schedule,
                unsigned axis);

/// Bytes that the first element of a thread's neighbours along the unit axis is
/// a multiple of.
int64_t alignmentOf(const StitchSchedule &schedule, const StitchTensor &tensor);

/// Elements that one access moves.
int64_t accessWidth(const StitchSchedule &schedule, const StitchTensor &tensor);

/// Whether loads that cross the borders of a row are done whole: what they read
/// beyond is of the tensor as well.
bool loadsAcross(const StitchGroup &group, const StitchSchedule &schedule,
                 const StitchTensor &tensor);

/// Elements of the widest piece, of a `vector` that a thread has of the unit
/// axis, that lanes can hand on of it; 1 where they cannot.
int64_t widestMisalignedAccess(const StitchTensor &tensor, int64_t vector);
/// Elements that one access moves where accesses are aligned, rows are not, and
/// lanes hand on what others need (`realigned` of `tile.load`). 1 elsewhere.
int64_t misalignedAccessWidth(const StitchGroup &group,
                              const StitchSchedule &schedule,
                              const StitchTensor &tensor);
/// Elements side by side that the lanes and the registers of one warp have of a
/// step.
int64_t misalignedRun(const StitchSchedule &schedule,
                      const StitchTensor &tensor);

/// Accesses that store, on the average over where rows begin, the two pieces of
/// `width` elements at the ends of such a run: one for each where so many lanes
/// along the row store one element each, halves and halves of those elsewhere.
double accessesOfEnds(int64_t lanes, int64_t width);

/// Whether the schedule has the tensor go past the caches: no element of it is
/// loaded by several threads, nor by several accesses, nor a sector of it.
bool isEvictFirst(const StitchSchedule &schedule, const StitchTensor &tensor);

/// Elements of the first `bound` of an axis, in tiles that begin where they
/// are aligned, and of the others, that are loaded in all rows.
struct ShiftedCount {
  int64_t before = 0, behind = 0;
};
/// Over all blocks' tiles of the axes that tell where rows begin; of the rows
/// alone, or with what accesses have of their neighbours.
ShiftedCount countShifted(const StitchGroup &group,
                          const StitchSchedule &schedule,
                          const StitchTensor &tensor, int64_t bound,
                          bool ofRowsAlone = false);
/// Of a tensor whose loads are realigned, over all its rows: elements that
/// loads move of the first `kept` of the walked axis, if that is one of the
/// tensor's, and of the others.
ShiftedCount countMisaligned(const StitchGroup &group,
                             const StitchSchedule &schedule,
                             const StitchTensor &tensor, int64_t retained);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHALIGNMENT_H
