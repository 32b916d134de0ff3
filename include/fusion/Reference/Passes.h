//===- Passes.h - Passes of the CPU reference -------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_REFERENCE_PASSES_H
#define FUSION_REFERENCE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace fusion {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fusion/Reference/Passes.h.inc"

} // namespace fusion

#endif // FUSION_REFERENCE_PASSES_H
