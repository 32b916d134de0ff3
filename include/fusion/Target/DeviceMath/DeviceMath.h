//===- DeviceMath.h - Functions of f64 for the GPU --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX has no transcendental instructions for f64. LLVM's libclc has the
// functions; the ones that the compiler may call are part of it as bitcode.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_DEVICEMATH_DEVICEMATH_H
#define FUSION_TARGET_DEVICEMATH_DEVICEMATH_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace fusion {

/// Returns whether `symbol` (as libclc names it: _Z3expd) is a function that
/// linkDeviceMath defines.
bool isDeviceFunction(llvm::StringRef symbol);

/// Defines the device functions that `module` declares, as internal functions.
/// Without such declarations nothing happens. A function stays out of line if
/// inlining it at all its calls would add more than a few thousand
/// instructions. `module` must have its target triple and data layout.
llvm::Error linkDeviceMath(llvm::Module &module);

} // namespace fusion

#endif // FUSION_TARGET_DEVICEMATH_DEVICEMATH_H
