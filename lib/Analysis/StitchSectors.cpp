//===- StitchSectors.cpp - What tiles touch of memory's sectors ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchSectors.h"
#include "StitchThreads.h"
#include "fusion/Analysis/StitchAlignment.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

static constexpr int64_t widestAccess = 16;

double fusion::wholeSectors(const StitchGroup &group,
                            const StitchSchedule &schedule,
                            const StitchTensor &tensor) {
  if (tensor.isGathered)
    return 1;
  int64_t bytes =
      tensor.elementBytes * countRun(group, tensor, [&](unsigned axis) {
        return schedule.spread[axis].tile;
      });
  return double(llvm::alignTo(bytes, kSectorBytes)) / bytes;
}

double fusion::sectorsOfAccess(const StitchGroup &group,
                               const StitchSchedule &schedule,
                               const StitchTensor &tensor, bool isStored) {
  // Gathered elements are loaded one by one, with gaps where threads have
  // several side by side.
  if (tensor.isGathered) {
    double most = kSectorBytes / tensor.elementBytes;
    if (!tensor.gatheredRun)
      return most;
    const AxisSpread &spread = schedule.spread[*tensor.gatheredRun];
    return std::min<double>(most, spread.vector + most / spread.lanes);
  }
  if (!tensor.unit)
    return 1;
  int64_t vector = schedule.spread[*tensor.unit].vector,
          realigned = realignedWidth(group, schedule, tensor),
          width = std::max(std::min(accessWidth(schedule, tensor), vector),
                           realigned),
          span = tensor.elementBytes *
                 countRun(group, tensor,
                          [&](unsigned axis) {
                            const AxisSpread &spread = schedule.spread[axis];
                            return spread.vector * spread.lanes;
                          }),
          alignment = alignmentOf(schedule, tensor);
  bool isAnywhere = schedule.spread[*tensor.unit].align == 1
                        ? tensor.alignment < widestAccess
                        : !tensor.isInPhase;
  if (!isAnywhere && width == vector)
    return 1;
  double sectors = llvm::divideCeil(span, kSectorBytes);
  if (realigned > 1) {
    // Accesses begin in the middle of a sector as often as at its start, and a
    // warp's run goes on behind it: the last lane loads one piece more. What it
    // stores is a piece less, and at both ends halves of it, and halves of
    // those, as many as there are of one piece on the average.
    double ofRun = isStored ? llvm::Log2_64(realigned) - 0.5 : 1;
    sectors += 0.5 + ofRun * (vector * schedule.spread[*tensor.unit].lanes) /
                         realignedRun(schedule, tensor);
  } else if (isAnywhere && alignment < kSectorBytes)
    sectors = 1 + double(span - alignment) / kSectorBytes;
  double useful = double(span) * width / vector;
  return std::max(1.0, sectors * kSectorBytes / useful);
}
