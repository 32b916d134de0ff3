//===- RegisterAllocation.h - Places of registers in a frame ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX has any number of virtual registers, most of them written once. A frame
// with a place for each would not stay in the host's caches, so registers that
// are never alive together share places (linear scan: Poletto and Sarkar,
// 1999). A register belongs to one lane as far as liveness goes: lanes that
// diverged have their own columns of a place.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_DECODE_REGISTERALLOCATION_H
#define FUSION_LIB_EMULATOR_DECODE_REGISTERALLOCATION_H

#include "Emulator/Decode/ControlFlow.h"

namespace fusion::emulator {

/// The registers that an instruction reads and writes. What a guarded one
/// writes is among what it reads.
struct Mentions {
  std::vector<uint32_t> uses, definitions;
};
Mentions mentionsOf(const Instruction &inst);

/// Byte offsets of the function's registers in a frame, from `bytes` on, which
/// becomes the frame's size. Registers of the same offset have the same width.
std::vector<uint32_t> allocateRegisters(const Function &function,
                                        const ControlFlow &flow,
                                        uint64_t &bytes);

/// Returns the most registers of 32 bits, without predicates, that are alive at
/// a time.
uint32_t mostLiveRegisters(const Function &function, const ControlFlow &flow);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_DECODE_REGISTERALLOCATION_H
