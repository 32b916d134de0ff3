//===- SharedMemoryPerBlock.h - A column of the chip table ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Apart from the table (ChipTable.h) for the emulator, which knows a module's
// target and is built without LLVM. The chip table takes its column from here:
// it does not compile with a chip that is missing.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_CHIPS_SHAREDMEMORYPERBLOCK_H
#define FUSION_TARGET_CHIPS_SHAREDMEMORYPERBLOCK_H

#include <optional>

namespace fusion {

struct SharedMemoryLimit {
  unsigned computeCapability; ///< 10 × major + minor
  unsigned bytes;             ///< most that a block can ask for
};

/// CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute
/// Capability".
constexpr SharedMemoryLimit kSharedMemoryLimits[] = {
    {80, 163 * 1024}, {86, 99 * 1024},   {89, 99 * 1024},
    {90, 227 * 1024}, {100, 227 * 1024}, {120, 99 * 1024},
};

/// The most bytes of shared memory that a block can ask for on a chip of that
/// compute capability; nullopt where the table does not have it.
constexpr std::optional<unsigned>
sharedMemoryPerBlock(unsigned computeCapability) {
  for (const SharedMemoryLimit &limit : kSharedMemoryLimits)
    if (limit.computeCapability == computeCapability)
      return limit.bytes;
  return std::nullopt;
}

/// The most of any chip in the table, in bytes.
constexpr unsigned maxSharedMemoryPerBlock() {
  unsigned most = 0;
  for (const SharedMemoryLimit &limit : kSharedMemoryLimits)
    most = limit.bytes > most ? limit.bytes : most;
  return most;
}

} // namespace fusion

#endif // FUSION_TARGET_CHIPS_SHAREDMEMORYPERBLOCK_H
