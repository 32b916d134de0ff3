//===- HandlersWmma.h - The fragments of wmma -------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of wmma's fragments is unspecified (PTX ISA, "Matrix fragments for
// WMMA"). Here lane l holds the elements l * n .. l * n + n - 1 of the matrix
// in row-major order, n elements per lane; registers beyond repeat the first
// ones. Accumulators of f16 and f32 thus have element i of a lane in common.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERSWMMA_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERSWMMA_H

#include "Emulator/Execute/Operations.h"

namespace fusion::emulator {

struct WmmaShape {
  unsigned m = 0, n = 0, k = 0;
};

/// Inst fields of wmma.load and wmma.store; op: [registers…, address, stride].
/// a: bytes of an element, b: elements per lane, c: address width, d: Space,
/// e: registers; imm2: columns << 8 | column-major.
Handler wmmaLoadHandler();
Handler wmmaStoreHandler();

/// Registers that hold `elements` elements of a fragment.
unsigned wmmaRegisters(Type type, unsigned elements, bool accumulator);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERSWMMA_H
