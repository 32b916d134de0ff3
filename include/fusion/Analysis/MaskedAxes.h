//===- MaskedAxes.h - Where masks exclude points, proven --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_MASKEDAXES_H
#define FUSION_ANALYSIS_MASKEDAXES_H

#include "fusion/Analysis/GroupAxes.h"

namespace fusion {

/// The axes along which indices alone tell of some points that they add
/// nothing: every reduction along the axis combines its identity there (-∞ a
/// maximum, 0 a sum), every product that sums over it multiplies 0, and no
/// result of the group has the axis. See fusion/Analysis/MaskedTiles.h for what
/// that is taken to mean of values that are not finite.
llvm::SmallVector<MaskedAxis, 1> deriveMaskedAxes(const GroupAxes &group);

/// The other axes that products sum over whose index some operator reads where
/// it compares: a mask from which nothing follows.
llvm::SmallVector<unsigned, 1> listUnprovenMasks(const GroupAxes &group);

} // namespace fusion

#endif // FUSION_ANALYSIS_MASKEDAXES_H
