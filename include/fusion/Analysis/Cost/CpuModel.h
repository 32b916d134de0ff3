//===- CpuModel.h - Predicted time on the cores of a CPU --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of the grid is a task of one core. Its time has four parts, which
// overlap for the most part:
//
// * instructions: micro-kernels, packing, element-wise operators;
// * bytes that its L1 gets from L2, its L2 from L3, and L3 from DRAM, each at
//   the rate of the level that supplies them.
//
// The bytes follow from the loops (CpuTraffic.h). A core executes ⌈blocks /
// cores⌉ blocks one after the other, and the launch takes as long as the core
// with the most of them. Cores share the rate of DRAM.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_COST_CPUMODEL_H
#define FUSION_ANALYSIS_COST_CPUMODEL_H

#include "fusion/Analysis/Cost/CostModel.h"
#include "fusion/Target/Chips/CpuInfo.h"

namespace fusion {

/// The instructions that a vector of exponentials, divisions or other special
/// functions takes: a polynomial, range reduction and special values. Softmax
/// of 4096 x 768 takes 2.5 cycles for each exponential on Zen 3.
constexpr double kSpecialInstructions = 40;

/// Cycles to load a vector of a tensor that is dense along another axis, as
/// part of a block that is transposed in registers, and to store it.
/// Transposing 256 x 256 f32 takes 5.8 cycles for a vector on Zen 3, with L2.
constexpr double kTransposeCycles = 5;

/// What one step of a micro-kernel along r1 loads beside f32.
struct KernelOperands {
  unsigned accumulatorBytes = 4;
  /// Cycles that widen a vector of the RHS, and that widen and broadcast an
  /// element of the LHS, on other units than those of FMAs. 0: the operand has
  /// the accumulator's type.
  double widensVector = 0, widensElement = 0;
  /// Instructions that multiply and add a vector.
  unsigned multiplyAdds = 1;
  /// Elements along r1 that an instruction multiplies.
  int64_t depthOfStep = 1;
  /// Such instructions started in a cycle, and cycles to a dependent one; 0:
  /// those of FMAs.
  unsigned units = 0, latency = 0;
};

/// Returns the cycles of one micro-kernel: `rows` rows by `vectors` vectors of
/// the accumulator and `depth` elements along r1. A step takes as long as its
/// FMAs, its loads, or the latency of a dependent FMA. The accumulators are
/// loaded before and stored after the steps.
double cyclesOfKernel(int64_t rows, int64_t vectors, int64_t depth,
                      const KernelOperands &operands, const CpuInfo &cpu);

/// Returns the cycles of a tile of `rows` by `columns` and `depth` steps, by
/// the micro-kernels of `intrinsic` and by smaller ones at the borders.
double cyclesOfTile(int64_t rows, int64_t columns, int64_t depth,
                    const Intrinsic &intrinsic, const KernelOperands &operands,
                    const CpuInfo &cpu);

/// Returns the cycles of a tile whose operands are multiplied row by row
/// (RowBlocks.h).
double cyclesOfRows(int64_t rows, int64_t columns, int64_t depth,
                    const KernelOperands &operands, const CpuInfo &cpu);

/// Returns the cycles in which a core computes `work` at each of `points`
/// points of f32 and stores them.
double cyclesOfPoints(double points, ScalarWork work, const CpuInfo &cpu);

/// Returns the seconds of a core that computes for `cycles` and moves `bytes`
/// into its L1, its L2 and L3, while `active` cores do the same. The longest of
/// the four takes the time, and a part of the others adds to it.
double secondsOfCore(double cycles, llvm::ArrayRef<double> bytes,
                     int64_t active, const CpuInfo &cpu);

/// Predicts the time of a group on a CPU. `compute` is the time of the
/// instructions, `shared` that of bytes from L2, `l2` that of bytes from L3,
/// and `dram` that of bytes from memory. `waves` are the blocks of the busiest
/// core. The schedule is legal for `chip`, which is a CPU.
Cost predictCpu(const GroupModel &group, const Schedule &schedule,
                const Footprint &footprint, const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_ANALYSIS_COST_CPUMODEL_H
