//===- Intrinsics.h - Matrix instructions that products are mapped to ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_INTRINSICS_H
#define FUSION_TARGET_INTRINSICS_H

#include "fusion/Target/ChipTable.h"

namespace fusion {

/// A matrix instruction D[i1, i2] += A[i1, r1] · B[r1, i2] of one warp.
struct Intrinsic {
  llvm::StringLiteral name;
  int64_t i1, i2, r1;       ///< its extents
  llvm::ArrayRef<TensorCoreType> types; ///< of A and B; D is f32
  unsigned minCapability;   ///< first compute capability that has it

  bool multiplies(TensorCoreType type) const;
  /// Whether `chip` offers it.
  bool availableOn(const ChipInfo &chip) const {
    return chip.computeCapability >= minCapability;
  }
};

/// The intrinsic of that name, or null.
const Intrinsic *lookupIntrinsic(llvm::StringRef name);

/// All intrinsics, best first.
llvm::ArrayRef<Intrinsic> allIntrinsics();

} // namespace fusion

#endif // FUSION_TARGET_INTRINSICS_H
