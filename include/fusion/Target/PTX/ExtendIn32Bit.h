//===- ExtendIn32Bit.h - bf16 extended from its word ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bf16 is the upper half of an f32. LLVM extracts it from the pair that it
// lies in and converts it (`cvt.f32.bf16`), of which ptxas makes two
// instructions for the upper one of a pair, where one clears the other's bits;
// and it extracts once what is extended several times, so that of a pair which
// waits for its second use both halves wait, in a register each.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_PTX_EXTENDIN32BIT_H
#define FUSION_TARGET_PTX_EXTENDIN32BIT_H

namespace llvm {
class Function;
} // namespace llvm

namespace fusion {

/// Extends elements of vectors of bf16 to f32 by a shift or a mask of the
/// 32-bit word that they lie in. Returns whether anything has changed.
bool extendInWords(llvm::Function &function);

} // namespace fusion

#endif // FUSION_TARGET_PTX_EXTENDIN32BIT_H
