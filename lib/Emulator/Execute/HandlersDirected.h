//===- HandlersDirected.h - Arithmetic with a given rounding ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERSDIRECTED_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERSDIRECTED_H

#include "Emulator/Execute/Operations.h"

namespace fusion::emulator {

/// f32 and f64 under rz, rm, rp. a: flags, b: Rounding.
Handler directedHandler(FloatOp op, Type type);
/// Computes c += a b, row-major, m by k and k by n. Each multiply-add is one
/// fma in `rounding`.
void directedProduct(const double *a, const double *b, double *c, unsigned m,
                     unsigned n, unsigned k, Rounding rounding);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERSDIRECTED_H
