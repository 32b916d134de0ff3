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

/// The other axes that products sum over and that are masked, from which
/// nothing follows for tiles: what is left out is no row's beginning or end,
/// or, where there is no predicate, an operator compares the axis's index with
/// something, and nothing proves that anything is left out.
llvm::SmallVector<MaskedAxis, 1> listUnusedMasks(const GroupAxes &group);

} // namespace fusion

#endif // FUSION_ANALYSIS_MASKEDAXES_H
