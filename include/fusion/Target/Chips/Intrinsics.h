//===- Intrinsics.h - Instructions for contractions -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description of intrinsics for legality, cost models, layouts and
// emission. It describes lanes as the layouts in FragmentLayouts.h do.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_CHIPS_INTRINSICS_H
#define FUSION_TARGET_CHIPS_INTRINSICS_H

#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Target/Chips/Hardware.h"

namespace fusion {

/// The execution unit of an intrinsic, which has a rate (`mmaRate`). The traits
/// of an intrinsic, not its unit, tell what it can do.
enum class IntrinsicUnit : uint8_t {
  TensorCore, ///< mma.sync
  WarpGroup,  ///< wgmma
  Fma,        ///< a multiply-add per lane
  Vector,     ///< FMAs of a CPU's vectors: a micro-kernel
};
constexpr unsigned kNumIntrinsicUnits = 4;

/// Where a tile may be that an intrinsic reads or writes.
struct TilePlaces {
  bool registers = false, shared = false;
};

/// The part of one warp in an MMA D[i1, i2] += A[i1, r1] · B[r1, i2], which
/// accumulates in 32 bits. A is the LHS, B the RHS, D the accumulator. The rows
/// of D have 8 lanes and its columns 4.
struct Intrinsic {
  llvm::StringLiteral name = "";
  IntrinsicUnit unit = IntrinsicUnit::Fma;

  // Extents. Several warps that execute one instruction have i1 rows each, one
  // below another, and share its columns.
  int64_t i1 = 1, i2 = 1, r1 = 1;
  int64_t warps = 1;        ///< that execute one instruction together
  unsigned operandBits = 0; ///< of an element of A or B in registers
  llvm::ArrayRef<MultiplicandType> types; ///< of A and B

  // What a chip needs: the first compute capability that has it, and the
  // feature, or null.
  unsigned minCapability = 0;
  bool ChipInfo::*feature = nullptr;
  /// Bytes of the vector registers that a micro-kernel is for; 0 for GPUs.
  unsigned vectorBytes = 0;
  /// What a CPU must have for a micro-kernel, or null.
  bool CpuInfo::*cpuFeature = nullptr;

  /// An operand in shared memory is read there by a descriptor.
  TilePlaces lhs, rhs, accumulator;
  /// Whether the warp continues during the MMA and waits for it later.
  bool isAsync = false;

  // Lanes of a warp along the rows of A, the columns of B and the reduced axis
  // of both in registers; the other lanes hold replicas.
  int64_t lhsLanes = 1, rhsLanes = 1, reducedLanes = 1;
  /// Neighbouring columns of D that a thread holds.
  int64_t accumulatorColumns = 1;
  /// 32-bit registers that ptxas requires at launch in addition to operands and
  /// accumulator; 0: none at all.
  int64_t registersAtLaunch = 0;

  bool multiplies(MultiplicandType type) const;
  /// Returns whether `chip` offers the intrinsic.
  bool availableOn(const ChipInfo &chip) const {
    if (chip.isCpu() || isMicroKernel())
      return chip.isCpu() && chip.cpu->vectorBytes == vectorBytes &&
             (!cpuFeature || chip.cpu->*cpuFeature);
    return chip.computeCapability >= minCapability &&
           (!feature || chip.*feature);
  }
  /// Returns whether the intrinsic is a multiply-add of each lane, and no MMA
  /// of a tensor core.
  bool isScalar() const { return unit == IntrinsicUnit::Fma; }
  /// Returns whether the intrinsic is a micro-kernel: i1 rows and i2 columns of
  /// the result in the vector registers of a core. Loops around it go over the
  /// tile, and smaller ones compute the rows and columns that are left. So
  /// tiles of any size are divided by it.
  bool isMicroKernel() const { return unit == IntrinsicUnit::Vector; }
  /// Returns whether a micro-kernel adds products of r1 neighbours along the
  /// reduced axis by one instruction. An element of the RHS is then packed
  /// beside its neighbours.
  bool multipliesDots() const { return isMicroKernel() && r1 > 1; }
  /// Returns whether one operation multiplies whole tiles of its operands, and
  /// not steps of r1.
  bool multipliesWholeTiles() const { return readsShared() || isMicroKernel(); }
  /// Returns whether a warpgroup executes the intrinsic, and no single warp.
  bool isOfWarpgroup() const { return warps == kWarpgroupWarps; }
  /// Returns whether the intrinsic reads operands in shared memory. These are
  /// never loaded into fragments.
  bool readsShared() const { return lhs.shared || rhs.shared; }
  /// Returns where the LHS or the RHS may be.
  const TilePlaces &operandPlaces(bool isLhs) const {
    return isLhs ? lhs : rhs;
  }
  /// Returns whether several lanes hold the same elements of an operand in
  /// registers.
  bool replicatesOperands() const {
    return lhsLanes * reducedLanes < kWarpSize;
  }
  /// Returns whether the intrinsic reads operands in shared memory only with
  /// their reduced axis along the columns of the buffer.
  bool needsReducedContiguous() const {
    return readsShared() && operandBits != 16;
  }

  /// Returns whether the rows of D, over `rowWarps` warps, are a multiple of
  /// the intrinsic's.
  bool dividesRows(int64_t rows, int64_t rowWarps) const {
    return rowWarps % warps == 0 && rows % (i1 * rowWarps) == 0;
  }
  /// Returns whether the columns of D, over `columnWarps` warps, are a multiple
  /// of the intrinsic's.
  bool dividesColumns(int64_t columns, int64_t columnWarps) const {
    return columns % (i2 * columnWarps) == 0;
  }
  /// Returns whether a reduced extent is a multiple of the intrinsic's.
  bool dividesReduced(int64_t extent) const { return extent % r1 == 0; }
  /// Returns whether the intrinsic divides a contraction of an m x k by a k x n
  /// tile over arrangement[0] x arrangement[1] warps.
  bool divides(int64_t m, int64_t n, int64_t k,
               llvm::ArrayRef<int64_t> arrangement) const {
    return dividesRows(m, arrangement[0]) &&
           dividesColumns(n, arrangement[1]) && dividesReduced(k);
  }

  /// Returns the lanes of a warp along an operand's axis that is not reduced.
  int64_t parallelLanes(bool isOperandA) const {
    return isOperandA ? lhsLanes : rhsLanes;
  }
  /// Returns the 32-bit registers of a step for `extent` rows of A or columns
  /// of B that are loaded into registers.
  int64_t operandRegisters(bool isOperandA, int64_t extent) const {
    return extent * r1 * operandBits / 32 /
           (parallelLanes(isOperandA) * reducedLanes);
  }
  /// Returns the 32-bit registers that a thread must have at launch, for one
  /// instruction of `columns` columns of D; 0 for intrinsics without this
  /// requirement. With fewer, ptxas fails (C7602), even if setmaxnreg
  /// reallocates registers.
  int64_t launchRegisters(int64_t columns, bool isAInRegisters) const;
  /// Returns the bytes that the lanes of a warp load for `extent` rows of A or
  /// columns of B and `depth` of the reduced axis, replicas included. If
  /// several warps load them together, it is a warp's share.
  int64_t operandBytes(bool isOperandA, int64_t extent, int64_t depth) const {
    return extent * depth * operandBits / 8 * kWarpSize /
           (parallelLanes(isOperandA) * reducedLanes *
            (isOperandA ? 1 : warps));
  }
  /// Returns whether D of this intrinsic has the layout that A of `next` needs
  /// in registers.
  bool forwardsTo(const Intrinsic &next) const;
  /// Returns the seconds from the start of one instruction to a dependent one.
  double latency(const ChipInfo &chip) const;
};

/// Returns the floating-point operations per second of a whole chip for such an
/// intrinsic with elements of `type`.
double mmaRate(const ChipInfo &chip, MultiplicandType type,
               const Intrinsic &intrinsic);

/// Returns the intrinsic of that name, or null.
const Intrinsic *lookupIntrinsic(llvm::StringRef name);

/// Returns all intrinsics, the best first for each type.
llvm::ArrayRef<Intrinsic> allIntrinsics();

} // namespace fusion

#endif // FUSION_TARGET_CHIPS_INTRINSICS_H
