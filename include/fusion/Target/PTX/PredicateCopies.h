//===- PredicateCopies.h - Copies that read or do not -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_PTX_PREDICATECOPIES_H
#define FUSION_TARGET_PTX_PREDICATECOPIES_H

namespace llvm {
class Function;
} // namespace llvm

namespace fusion {

/// Gives masked asynchronous copies a predicate for reading nothing (PTX ISA,
/// "cp.async", ignore-src) in place of a size that is selected. ptxas does not
/// recognize that a selected size is all or nothing. For sizes between, it
/// needs further instructions, registers and even local memory. Run it after
/// all optimisations, since these do not look into assembly. Returns whether
/// anything has changed.
bool predicateCopies(llvm::Function &function);

} // namespace fusion

#endif // FUSION_TARGET_PTX_PREDICATECOPIES_H
