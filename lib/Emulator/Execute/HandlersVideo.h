//===- HandlersVideo.h - Scalar and SIMD video instructions -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How DecodeVideo.cpp tells HandlersVideo.cpp what to do (PTX ISA, "Scalar
// Video Instructions", "SIMD Video Instructions").
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERSVIDEO_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERSVIDEO_H

#include "Emulator/Machine/Code.h"

namespace fusion::emulator {

/// Inst::a. Inst::b is the number of elements: 1, 2 or 4.
enum class VideoOp : uint8_t {
  Add,
  Sub,
  AbsDiff,
  Min,
  Max,
  Avrg,
  Set,
  Shl,
  Shr,
  Mad
};

/// Inst::c, what becomes of the result and operand c.
enum class VideoSecond : uint8_t { None, Merge, Add, Min, Max };

/// Inst::d.
enum VideoFlags : uint8_t {
  VideoSaturate = 1,
  VideoSignedD = 2,
  VideoSignedA = 4,
  VideoSignedB = 8,
  VideoWrap = 16,    ///< of a shift
  VideoPlusOne = 32, ///< vmad.po
  VideoNegateProduct = 64,
  VideoNegateC = 128
};

// Inst::e: of a comparison, its Compare; of vmad the bits that it shifts by.
// Inst::imm: selectors of a, from bit 16 of b, from bit 32 of d.

/// The selector of a scalar instruction.
enum class VideoPart : uint8_t { Whole, B0, B1, B2, B3, H0, H1 };

Handler videoHandler();

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERSVIDEO_H
