//===- SinkOffsets.h - Constant offsets beside their uses -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `cp.async`, `ldmatrix` and their like address `[register + constant]` as
// loads and stores do (PTX ISA, "Addresses as operands"), but LLVM's
// CodeGenPrepare moves such sums beside loads and stores only. What is
// invariant in a loop is summed before it, and each of an unrolled pipeline's
// copies holds two registers of a 64-bit address through the whole loop.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_PTX_SINKOFFSETS_H
#define FUSION_TARGET_PTX_SINKOFFSETS_H

namespace llvm {
class Function;
} // namespace llvm

namespace fusion {

/// Gives each call of an intrinsic its own copy of an address that is a pointer
/// plus a constant and is computed in another block. Returns whether anything
/// has changed.
bool sinkOffsets(llvm::Function &function);

} // namespace fusion

#endif // FUSION_TARGET_PTX_SINKOFFSETS_H
