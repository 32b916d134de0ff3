//===- Hardware.h - What all GPUs have in common ----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants of the execution model and of instructions, equal on every chip of
// the table. Numbers in which chips differ are in ChipTable.cpp. The C++
// library alone is needed here: every library includes this header, the
// emulator as well.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_CHIPS_HARDWARE_H
#define FUSION_TARGET_CHIPS_HARDWARE_H

#include <cstdint>

namespace fusion {

/// Threads of a warp (PTX ISA, "WARP_SZ").
constexpr int64_t kWarpSize = 32;

/// Warps of a warpgroup: four neighbours, the first a multiple of four (PTX
/// ISA, "Warpgroup").
constexpr int64_t kWarpgroupWarps = 4;

/// Most warps of a block: 1024 threads (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability").
constexpr int64_t kMaxWarps = 32;

/// Most threads of a block.
constexpr int64_t kMaxThreads = kMaxWarps * kWarpSize;

/// 32-bit registers of an SM, and most of a thread (CUDA C++ Programming Guide,
/// "Technical Specifications per Compute Capability").
constexpr int64_t kRegistersPerSM = 65536, kMaxRegistersPerThread = 255;

/// Registers that a warp gets more at a time (CUDA C++ Programming Guide,
/// "Hardware Multithreading").
constexpr int64_t kRegisterUnit = 256;

/// Sub-partitions of an SM. Each has a warp scheduler, a tensor core, and a
/// quarter of the registers and of the warps (NVIDIA H100 Tensor Core GPU
/// Architecture whitepaper, "H100 SM Architecture"; the same since sm_80).
constexpr int64_t kSubPartitions = 4;

/// Cycles from one instruction of a warp to its next one, on average, where no
/// other warp of the sub-partition is issued: dependent ones take more, as long
/// as the pipe, and independent ones less. From the timing (docs/timing.md) of
/// stitched kernels, without special functions, shuffles and waits for memory.
constexpr double kCyclesBetweenInstructions = 2;

/// The registers of a thread that setmaxnreg can ask for: a multiple of the
/// step from the least to the most (PTX ISA, "setmaxnreg").
constexpr int64_t kMinReallocated = 24, kMaxReallocated = 256,
                  kReallocationStep = 8;

/// Whether setmaxnreg can give a thread `registers` registers.
constexpr bool canReallocate(int64_t registers) {
  return registers >= kMinReallocated && registers <= kMaxReallocated &&
         registers % kReallocationStep == 0;
}

} // namespace fusion

#endif // FUSION_TARGET_CHIPS_HARDWARE_H
