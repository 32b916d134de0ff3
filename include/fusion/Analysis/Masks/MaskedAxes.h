//===- MaskedAxes.h - Where masks exclude points, proven --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_MASKS_MASKEDAXES_H
#define FUSION_ANALYSIS_MASKS_MASKEDAXES_H

#include "fusion/Analysis/Groups/GroupAxes.h"

namespace fusion {

/// Returns the axes along which indices alone show that some points contribute
/// nothing. At these points every reduction along the axis combines its
/// identity (-∞ for a maximum, 0 for a sum) and every contraction that reduces
/// it multiplies by 0. No result of the group has the axis.
/// fusion/Analysis/Schedules/MaskedTiles.h says what is assumed of values that
/// are not finite.
llvm::SmallVector<MaskedAxis, 1> deriveMaskedAxes(const GroupAxes &group);

/// Returns the masked axes of contractions that `deriveMaskedAxes` does not
/// return, as no tile can be skipped. Either the masked points are no beginning
/// or end of a row; or there is no predicate: an operator compares the axis's
/// index with a value, but nothing proves that a point is masked.
llvm::SmallVector<MaskedAxis, 1> listUnusedMasks(const GroupAxes &group);

} // namespace fusion

#endif // FUSION_ANALYSIS_MASKS_MASKEDAXES_H
