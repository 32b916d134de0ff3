//===- Intrinsics.h - Instructions that products are mapped to ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description for legality, costs, layouts and emission. What it says about
// lanes is what the layouts in ProductLayouts.h do.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_INTRINSICS_H
#define FUSION_TARGET_INTRINSICS_H

#include "fusion/Target/ChipTable.h"

namespace fusion {

/// What executes an intrinsic.
enum class ProductUnit : uint8_t {
  TensorCore, ///< mma.sync
  Fma,        ///< a multiply-add per lane
};

/// A product D[i1, i2] += A[i1, r1] · B[r1, i2] of one warp, which adds up in 32
/// bits. 8 lanes lie along the rows of D and 4 along its columns.
struct Intrinsic {
  llvm::StringLiteral name;
  ProductUnit unit;
  int64_t i1, i2, r1;       ///< its extents
  unsigned operandBits;     ///< of an element of A or B in registers
  llvm::ArrayRef<ProductType> types; ///< of A and B
  unsigned minCapability;   ///< first compute capability that has it

  bool multiplies(ProductType type) const;
  /// Whether `chip` offers it.
  bool availableOn(const ChipInfo &chip) const {
    return chip.computeCapability >= minCapability;
  }
  /// Lanes of a warp along an operand's parallel and reduced axis, `isFirst` for A.
  /// The others hold replicas.
  int64_t parallelLanes(bool isFirst) const;
  int64_t reducedLanes() const;
  /// 32-bit registers that a step holds of `extent` rows of A or columns of B.
  int64_t operandRegisters(bool isFirst, int64_t extent) const {
    return extent * r1 * operandBits / 32 /
           (parallelLanes(isFirst) * reducedLanes());
  }
  /// Bytes that the lanes of a warp load for `extent` rows of A or columns of B
  /// and `depth` of the reduced axis, replicas included.
  int64_t operandBytes(bool isFirst, int64_t extent, int64_t depth) const {
    return extent * depth * operandBits / 8 * 32 /
           (parallelLanes(isFirst) * reducedLanes());
  }
  /// Neighbouring columns of D that a thread holds.
  int64_t sumColumns() const {
    return unit == ProductUnit::Fma ? 4 : 32 / operandBits;
  }
  /// Whether D of this intrinsic lies as A of `next` is wanted.
  bool handsOverTo(const Intrinsic &next) const;
  /// Seconds from the start of one to a dependent one.
  double latency(const ChipInfo &chip) const;
};

/// Floating-point operations per second of a whole chip when it multiplies
/// elements of `type` by the intrinsics here.
double productRate(const ChipInfo &chip, ProductType type);

/// The intrinsic of that name, or null.
const Intrinsic *lookupIntrinsic(llvm::StringRef name);

/// All intrinsics, of each type the best first.
llvm::ArrayRef<Intrinsic> allIntrinsics();

} // namespace fusion

#endif // FUSION_TARGET_INTRINSICS_H
