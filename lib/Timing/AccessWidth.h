//===- AccessWidth.h - Bytes that a lane accesses ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas makes one wide load of several narrow ones with neighbouring addresses:
// of several lines of the PTX, of which it names one, and of several iterations
// of a loop that it unrolls. The widths tell how many.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TIMING_ACCESSWIDTH_H
#define FUSION_LIB_TIMING_ACCESSWIDTH_H

#include "fusion/Emulator/PtxListing.h"
#include "fusion/Timing/MachineCode.h"

namespace fusion::timing {

/// Returns the bytes of memory that each lane loads from global or shared
/// memory: 16 for `ld.global.v4.b32` and for `LDG.E.128`. Returns 0 for
/// instructions that are no loads.
unsigned loadedBytes(const emulator::PtxInst &inst);
unsigned loadedBytes(const MachineInst &inst);

/// Returns, by instruction of the machine code, how many executions of its line
/// it may stand for: 2 for `LDS.128` if its line is `ld.shared.f32`, and the
/// machine code lacks another line of this width and with its address register.
/// Returns 1 for all but wide loads.
std::vector<unsigned> mergedExecutions(const MachineKernel &kernel,
                                       llvm::ArrayRef<emulator::PtxInst> ptx);

} // namespace fusion::timing

#endif // FUSION_LIB_TIMING_ACCESSWIDTH_H
