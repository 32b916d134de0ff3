//===- Intrinsics.h - Instructions that products are mapped to ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description for legality, costs, layouts and emission. What it says about
// lanes is what the layouts in FragmentLayouts.h do.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_INTRINSICS_H
#define FUSION_TARGET_INTRINSICS_H

#include "fusion/Target/ChipTable.h"
#include "fusion/Target/Hardware.h"

namespace fusion {

/// The execution unit of an intrinsic, which has a rate (`mmaRate`). What
/// an intrinsic can do is asked of its traits instead.
enum class IntrinsicUnit : uint8_t {
  TensorCore, ///< mma.sync
  WarpGroup,  ///< wgmma
  Fma,        ///< a multiply-add per lane
};
constexpr unsigned kNumIntrinsicUnits = 3;

/// Where a tile may lie that an intrinsic reads or writes.
struct TilePlaces {
  bool registers = false, shared = false;
};

/// An MMA D[i1, i2] += A[i1, r1] · B[r1, i2], as one warp has part in it, which
/// adds up in 32 bits. A is the LHS, B the RHS, D the accumulator. 8 lanes lie
/// along the rows of D and 4 along its columns.
struct Intrinsic {
  llvm::StringLiteral name = "";
  IntrinsicUnit unit = IntrinsicUnit::Fma;

  // Extents. Several warps that execute one instruction lie one below another,
  // with i1 rows each, and have its columns in common.
  int64_t i1 = 1, i2 = 1, r1 = 1;
  int64_t warps = 1;        ///< that execute one instruction together
  unsigned operandBits = 0; ///< of an element of A or B in registers
  llvm::ArrayRef<MultiplicandType> types; ///< of A and B

  // What a chip needs: the first compute capability that has it, and the
  // feature, or null.
  unsigned minCapability = 0;
  bool ChipInfo::*feature = nullptr;

  /// An operand in shared memory is read where it lies, by a descriptor.
  TilePlaces lhs, rhs, accumulator;
  /// Whether the warp goes on while it multiplies, and waits for it later.
  bool isAsync = false;

  // Lanes of a warp along the rows of A, the columns of B and the reduced axis
  // of both in registers; the other lanes hold replicas.
  int64_t lhsLanes = 1, rhsLanes = 1, reducedLanes = 1;
  /// Neighbouring columns of D that a thread holds.
  int64_t accumulatorColumns = 1;
  /// 32-bit registers that ptxas asks for beside operands and accumulator when
  /// the kernel is launched; 0: none at all.
  int64_t registersAtLaunch = 0;

  bool multiplies(MultiplicandType type) const;
  /// Whether `chip` offers it.
  bool availableOn(const ChipInfo &chip) const {
    return chip.computeCapability >= minCapability &&
           (!feature || chip.*feature);
  }
  /// Whether it is a multiply-add of each lane, and no MMA of a tensor core.
  bool isScalar() const { return unit == IntrinsicUnit::Fma; }
  /// Whether a warpgroup executes it, and no single warp.
  bool isOfWarpgroup() const { return warps == kWarpgroupWarps; }
  /// Whether it reads operands in shared memory. Those are never loaded into
  /// fragments.
  bool readsShared() const { return lhs.shared || rhs.shared; }
  /// Where the LHS or the RHS may lie.
  const TilePlaces &operandPlaces(bool isLhs) const {
    return isLhs ? lhs : rhs;
  }
  /// Whether several lanes hold the same elements of an operand in registers.
  bool replicatesOperands() const {
    return lhsLanes * reducedLanes < kWarpSize;
  }
  /// Whether it multiplies operands that lie with their reduced axis along the
  /// columns of a buffer in shared memory only.
  bool needsReducedContiguous() const {
    return readsShared() && operandBits != 16;
  }

  /// Whether rows of D, over so many warps, are a multiple of what it has.
  bool dividesRows(int64_t rows, int64_t rowWarps) const {
    return rowWarps % warps == 0 && rows % (i1 * rowWarps) == 0;
  }
  /// Whether columns of D, over so many warps, are a multiple of what it has.
  bool dividesColumns(int64_t columns, int64_t columnWarps) const {
    return columns % (i2 * columnWarps) == 0;
  }
  /// Whether a reduced extent is a multiple of what it has.
  bool dividesReduced(int64_t extent) const { return extent % r1 == 0; }
  /// Whether it divides a contraction of an m x k by a k x n tile over
  /// warps[0] x warps[1] warps.
  bool divides(int64_t m, int64_t n, int64_t k,
               llvm::ArrayRef<int64_t> arrangement) const {
    return dividesRows(m, arrangement[0]) &&
           dividesColumns(n, arrangement[1]) && dividesReduced(k);
  }

  /// Lanes of a warp along an operand's axis that is not reduced.
  int64_t parallelLanes(bool isOperandA) const {
    return isOperandA ? lhsLanes : rhsLanes;
  }
  /// 32-bit registers that a step holds of `extent` rows of A or columns of B
  /// where they are loaded into registers.
  int64_t operandRegisters(bool isOperandA, int64_t extent) const {
    return extent * r1 * operandBits / 32 /
           (parallelLanes(isOperandA) * reducedLanes);
  }
  /// 32-bit registers that a thread has to have when the kernel is launched,
  /// for one instruction of `columns` columns of D; 0 of those that ask for
  /// none. ptxas refuses fewer (C7602), also where setmaxnreg gives a thread
  /// others.
  int64_t launchRegisters(int64_t columns, bool isAInRegisters) const;
  /// Bytes that the lanes of a warp load for `extent` rows of A or columns of B
  /// and `depth` of the reduced axis, replicas included; of what several warps
  /// read together, a warp's share.
  int64_t operandBytes(bool isOperandA, int64_t extent, int64_t depth) const {
    return extent * depth * operandBits / 8 * kWarpSize /
           (parallelLanes(isOperandA) * reducedLanes *
            (isOperandA ? 1 : warps));
  }
  /// Whether D of this intrinsic lies as A of `next` is wanted in registers.
  bool forwardsTo(const Intrinsic &next) const;
  /// Seconds from the start of one to a dependent one.
  double latency(const ChipInfo &chip) const;
};

/// Floating-point operations per second of a whole chip when it multiplies
/// elements of `type` by such an intrinsic.
double mmaRate(const ChipInfo &chip, MultiplicandType type,
               const Intrinsic &intrinsic);

/// The intrinsic of that name, or null.
const Intrinsic *lookupIntrinsic(llvm::StringRef name);

/// All intrinsics, of each type the best first.
llvm::ArrayRef<Intrinsic> allIntrinsics();

} // namespace fusion

#endif // FUSION_TARGET_INTRINSICS_H
