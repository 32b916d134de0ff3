//===- TosaInput.h - TOSA as input ---------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_TOSAINPUT_H
#define FUSION_TRANSFORMS_TOSAINPUT_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace fusion {

/// Adds upstream's passes from TOSA to linalg, arith and tensor to a pipeline on
/// modules. What is not TOSA stays as it is.
void addTosaToLinalg(mlir::OpPassManager &manager);

} // namespace fusion

#endif // FUSION_TRANSFORMS_TOSAINPUT_H
