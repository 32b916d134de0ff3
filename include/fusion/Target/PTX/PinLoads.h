//===- PinLoads.h - Loads stay in their loops -------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_PTX_PINLOADS_H
#define FUSION_TARGET_PTX_PINLOADS_H

namespace llvm {
class Module;
} // namespace llvm

namespace fusion {

/// Lets no optimisation load once, before a loop, what the loop loads in every
/// iteration: schedules say what stays in registers, and how many that are.
/// Each iteration begins with an empty piece of assembly that may write any
/// memory; ptxas sees nothing of it.
void pinLoads(llvm::Module &module);

} // namespace fusion

#endif // FUSION_TARGET_PTX_PINLOADS_H
