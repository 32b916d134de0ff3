//===- SharedMemoryPerBlock.h - A column of the chip table ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Apart from the table (ChipTable.h) for those who know a module's target and
// are built without LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_SHAREDMEMORYPERBLOCK_H
#define FUSION_TARGET_SHAREDMEMORYPERBLOCK_H

namespace fusion {

/// The most bytes of shared memory that a block can ask for on a chip of that
/// compute capability, 10 × major + minor (CUDA C++ Programming Guide 13.0,
/// "Technical Specifications per Compute Capability"); of those that are not in
/// the table, the most of any.
constexpr unsigned sharedMemoryPerBlock(unsigned computeCapability) {
  constexpr unsigned KiB = 1024;
  switch (computeCapability) {
  case 80:
    return 163 * KiB;
  case 86:
  case 89:
  case 120:
    return 99 * KiB;
  default: // 90 and 100
    return 227 * KiB;
  }
}

} // namespace fusion

#endif // FUSION_TARGET_SHAREDMEMORYPERBLOCK_H
