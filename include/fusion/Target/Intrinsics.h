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
#include "llvm/Support/ErrorHandling.h"

namespace fusion {

/// What executes an intrinsic.
enum class ProductUnit : uint8_t {
  TensorCore, ///< mma.sync
  WarpGroup,  ///< wgmma
  Fma,        ///< a multiply-add per lane
};
constexpr unsigned kNumProductUnits = 3;

/// A product D[i1, i2] += A[i1, r1] · B[r1, i2] of one warp, which adds up in
/// 32 bits. 8 lanes lie along the rows of D and 4 along its columns.
///
/// Of wgmma it is a warp's part: four warps, one below the other, make one
/// instruction, with as many columns as they have. The second operand is read
/// from shared memory as it lies there, the first one too or from registers.
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
    return chip.computeCapability >= minCapability &&
           (unit != ProductUnit::WarpGroup || chip.hasWgmma);
  }
  /// Warps along the rows that execute it together.
  int64_t groupWarps() const { return unit == ProductUnit::WarpGroup ? 4 : 1; }
  /// Whether it multiplies operands that lie with their reduced axis along the
  /// columns of a buffer in shared memory only.
  bool needsReducedContiguous() const {
    return unit == ProductUnit::WarpGroup && operandBits != 16;
  }
  /// Lanes of a warp along an operand's parallel and reduced axis, `isFirst` for A.
  /// The others hold replicas.
  int64_t parallelLanes(bool isFirst) const;
  int64_t reducedLanes() const;
  /// 32-bit registers that a step holds of `extent` rows of A or columns of B
  /// where they are loaded into registers.
  int64_t operandRegisters(bool isFirst, int64_t extent) const {
    return extent * r1 * operandBits / 32 /
           (parallelLanes(isFirst) * reducedLanes());
  }
  /// 32-bit registers that a thread has to have when the kernel is launched, for
  /// one instruction of `columns` columns of D; 0 of all but wgmma. ptxas refuses
  /// fewer (C7602), also where registers are dealt out anew (`setmaxnreg`) before.
  int64_t launchRegisters(int64_t columns, bool isFirstInRegisters) const;
  /// Bytes that the lanes of a warp load for `extent` rows of A or columns of B
  /// and `depth` of the reduced axis, replicas included; of what several warps
  /// read together, a warp's share.
  int64_t operandBytes(bool isFirst, int64_t extent, int64_t depth) const {
    return extent * depth * operandBits / 8 * 32 /
           (parallelLanes(isFirst) * reducedLanes() *
            (isFirst ? 1 : groupWarps()));
  }
  /// Neighbouring columns of D that a thread holds.
  int64_t sumColumns() const {
    switch (unit) {
    case ProductUnit::Fma:
      return 4;
    case ProductUnit::WarpGroup:
      return 2;
    case ProductUnit::TensorCore:
      return 32 / operandBits;
    }
    llvm_unreachable("covered switch");
  }
  /// Whether D of this intrinsic lies as A of `next` is wanted in registers.
  bool handsOverTo(const Intrinsic &next) const;
  /// Seconds from the start of one to a dependent one.
  double latency(const ChipInfo &chip) const;
};

/// Floating-point operations per second of a whole chip when it multiplies
/// elements of `type` by such an intrinsic.
double productRate(const ChipInfo &chip, ProductType type,
                   const Intrinsic &intrinsic);

/// The intrinsic of that name, or null.
const Intrinsic *lookupIntrinsic(llvm::StringRef name);

/// All intrinsics, of each type the best first.
llvm::ArrayRef<Intrinsic> allIntrinsics();

} // namespace fusion

#endif // FUSION_TARGET_INTRINSICS_H
