//===- PrintedEvaluators.h - FusionStitching as printed ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching's latency evaluator as the paper prints it (section 4.3,
// equation 1): L = N_wave · L_warp, N_wave = N_warp / Occupancy,
// L_warp = N_instruction · CPI. StitchCost.h has ours.
//
// Example: 4096 warps, 432 of which are resident, are 10 waves. A warp with 2
// loads of 466 cycles and 10 arithmetic instructions of 4 takes 972 cycles, so
// the kernel takes 9720 cycles.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHING_PRINTEDEVALUATORS_H
#define FUSION_ANALYSIS_STITCHING_PRINTEDEVALUATORS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace fusion {

struct ChipInfo;

/// Whose evaluator is used.
enum class EvaluatorForm : uint8_t {
  Default, ///< ours
  Printed  ///< FusionStitching's, as the paper prints it
};

/// Returns the form of that name (default, printed), or nullopt.
std::optional<EvaluatorForm> lookupEvaluatorForm(llvm::StringRef name);

/// A number for each class of instructions: how many there are, or how many
/// cycles one takes.
struct ByInstruction {
  double arithmetic = 0;
  double special = 0; ///< ex2, rcp, rsqrt, …
  double shuffle = 0;
  double shared = 0;  ///< loads and stores of shared memory
  double barrier = 0; ///< of a block
  double load = 0;    ///< of global memory
  double store = 0;   ///< to global memory
};

/// Returns the cycles per instruction (CPI) of a chip: latencies as reported by
/// microbenchmarks, from the chip table and Microarchitecture.h. No instruction
/// depends on a store, whose cycles are those of the memory pipe.
ByInstruction cyclesPerInstruction(const ChipInfo &chip);

/// Returns L_warp in cycles: the sum of N_instruction · CPI over the classes.
double cyclesOfWarp(const ByInstruction &counts, const ByInstruction &cycles);

/// Returns N_wave for `warps` warps on a chip that holds `resident` warps at a
/// time. A wave that is not full is a whole wave.
int64_t countWaves(int64_t warps, int64_t resident);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHING_PRINTEDEVALUATORS_H
