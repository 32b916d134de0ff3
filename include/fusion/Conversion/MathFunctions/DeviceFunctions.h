//===- DeviceFunctions.h - Calls of functions that are linked ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_MATHFUNCTIONS_DEVICEFUNCTIONS_H
#define FUSION_CONVERSION_MATHFUNCTIONS_DEVICEFUNCTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// Lowers functions of f64, and some of f32, to calls of the functions that
/// `linkDeviceMath` links (fusion/Target/DeviceMath/DeviceMath.h). Their
/// declarations go to the nearest symbol table.
void populateDeviceFunctions(mlir::RewritePatternSet &patterns);

} // namespace fusion

#endif // FUSION_CONVERSION_MATHFUNCTIONS_DEVICEFUNCTIONS_H
