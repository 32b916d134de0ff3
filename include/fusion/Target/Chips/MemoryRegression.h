//===- MemoryRegression.h - What values save that stay in an SM -*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching's regression model of reduced memory access (section 5.4):
// the seconds that a kernel saves if it holds an intermediate value in
// registers or in shared memory, where separate kernels pass it through global
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_CHIPS_MEMORYREGRESSION_H
#define FUSION_TARGET_CHIPS_MEMORYREGRESSION_H

#include "llvm/ADT/StringRef.h"

namespace fusion {

struct ChipInfo;

/// A line that was fitted to timed kernels.
struct ReducedMemory {
  double seconds = 0;        ///< saved whatever the bytes are
  double secondsPerByte = 0; ///< of global memory's traffic

  /// Returns the seconds saved where `bytes` bytes are neither loaded from nor
  /// stored to global memory; 0 for no bytes.
  double operator()(double bytes) const {
    double saved = bytes > 0 ? seconds + secondsPerByte * bytes : 0;
    return saved > 0 ? saved : 0;
  }
};

/// The lines of one chip, by the memory that holds the value instead.
struct MemoryRegression {
  llvm::StringLiteral chip;
  ReducedMemory toRegisters, toShared;
};

/// Returns the lines of a chip. Every GPU of the chip table has its own. On a
/// CPU a value that stays in registers saves its bytes at the rate of DRAM, and
/// one that stays in a cache the difference to L3's rate.
MemoryRegression memoryRegressionOf(const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_TARGET_CHIPS_MEMORYREGRESSION_H
