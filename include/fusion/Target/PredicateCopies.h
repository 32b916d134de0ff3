//===- PredicateCopies.h - Copies that read or do not -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_PREDICATECOPIES_H
#define FUSION_TARGET_PREDICATECOPIES_H

namespace llvm {
class Function;
} // namespace llvm

namespace fusion {

/// Masked asynchronous copies say with a predicate that they read nothing (PTX
/// ISA, "cp.async", ignore-src) where a size that is chosen says it: a size of
/// which ptxas does not see that it is all or nothing may be anything between,
/// for which it needs further instructions, registers and even local memory.
/// After all optimisations, since nobody looks into assembly. Returns whether
/// anything has changed.
bool predicateCopies(llvm::Function &function);

} // namespace fusion

#endif // FUSION_TARGET_PREDICATECOPIES_H
