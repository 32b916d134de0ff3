//===- StitchSectors.cpp - What tiles touch of memory's sectors -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchSectors.h"
#include "StitchThreads.h"
#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace fusion;

double fusion::wholeSectors(const StitchGroup &group,
                            const StitchSchedule &schedule,
                            const StitchTensor &tensor) {
  if (tensor.isGathered)
    return 1;
  int64_t bytes =
      tensor.elementBytes * countRun(group, tensor, [&](unsigned axis) {
        return schedule.threadMapping[axis].tile;
      });
  return double(llvm::alignTo(bytes, kSectorBytes)) / bytes;
}

/// Returns the sectors that `bytes` contiguous bytes touch, on the average over
/// the multiples of `alignment` bytes where they may begin.
static double sectorsOf(double bytes, int64_t alignment) {
  return std::max(std::ceil(bytes / kSectorBytes),
                  1 + (bytes - alignment) / kSectorBytes);
}

namespace {

/// A contiguous part of a row that a warp accesses.
struct Run {
  int64_t bytes;    ///< of one access
  int64_t all;      ///< bytes of several accesses, one after the other
  int64_t piece;    ///< elements of an aligned access to a misaligned row, or 1
  int64_t lanes;    ///< along the row
  double share = 1; ///< of the bytes in an access, others in the next ones
};

} // namespace

/// Returns the run of a result that is transposed through shared memory, which
/// makes neighbours contiguous.
static Run runOfTurned(const StitchGroup &group, const StitchSchedule &schedule,
                       const StitchTensor &result) {
  int64_t width = transposedWidth(schedule, result),
          bytes = result.elementBytes,
          tile = std::min(schedule.stepOf(*result.unit).tile,
                          group.axes[*result.unit].extent),
          one = std::min(tile, width * kWarpSize);
  return {one * bytes, tile * bytes,
          isTransposedMisaligned(schedule, result) ? width : 1,
          (one + width - 1) / width};
}

static Run runOfAccess(const StitchGroup &group, const StitchSchedule &schedule,
                       const StitchTensor &tensor, bool isAnywhere) {
  const AxisThreadMapping &unit = schedule.threadMapping[*tensor.unit];
  int64_t misaligned =
              isAnywhere ? misalignedAccessWidth(group, schedule, tensor) : 1,
          width = std::max(std::min(accessWidth(schedule, tensor), unit.vector),
                           misaligned),
          bytes =
              tensor.elementBytes * countRun(group, tensor, [&](unsigned axis) {
                const AxisThreadMapping &mapping = schedule.threadMapping[axis];
                return mapping.vector * mapping.lanes;
              });
  int64_t accesses = misalignedRun(schedule, tensor) / unit.vector / unit.lanes;
  return {bytes, bytes * accesses, misaligned, unit.lanes,
          double(width) / unit.vector};
}

double fusion::sectorsOfAccess(const StitchGroup &group,
                               const StitchSchedule &schedule,
                               const StitchTensor &tensor, bool isStored) {
  // Gathered elements are loaded one by one, with gaps where threads hold
  // several contiguous ones.
  if (tensor.isGathered) {
    double most = kSectorBytes / tensor.elementBytes;
    if (!tensor.gatheredRun)
      return most;
    const AxisThreadMapping &mapping =
        schedule.threadMapping[*tensor.gatheredRun];
    return std::min<double>(most, mapping.vector + most / mapping.lanes);
  }
  if (!tensor.unit)
    return 1;
  bool isAnywhere = schedule.threadMapping[*tensor.unit].align == 1
                        ? tensor.alignment < kWidestAccess
                        : !tensor.isInPhase;
  bool isTransposed = isStored && countTransposed(group, schedule, tensor) > 0;
  Run run = isTransposed ? runOfTurned(group, schedule, tensor)
                         : runOfAccess(group, schedule, tensor, isAnywhere);
  int64_t alignment = kSectorBytes;
  if (isAnywhere)
    alignment = std::min<int64_t>(alignment, alignmentOf(schedule, tensor));
  double sectors;
  if (run.piece == 1) {
    sectors = sectorsOf(run.bytes, std::min(alignment, run.bytes));
  } else {
    // Where a piece is split, the last lane loads one more. A warp then stores
    // a piece less, and the ends.
    int64_t piece = run.piece * tensor.elementBytes;
    double isCut = double(run.piece - 1) / run.piece, ofRun = isCut;
    if (isStored) {
      double less = run.bytes > piece ? double(piece) / kSectorBytes : 1;
      ofRun = accessesOfEnds(run.lanes, run.piece) - isCut * less;
    }
    sectors = sectorsOf(run.bytes, piece) + ofRun * run.bytes / run.all;
  }
  return std::max(1.0, sectors * kSectorBytes / (run.bytes * run.share));
}
