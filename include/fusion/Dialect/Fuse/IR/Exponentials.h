//===- Exponentials.h - How exponentials are computed ------------*- C++
//-*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_FUSE_IR_EXPONENTIALS_H
#define FUSION_DIALECT_FUSE_IR_EXPONENTIALS_H

#include "llvm/ADT/StringRef.h"

namespace fusion::fuse {

/// Name of the module attribute (a string) that says how the exponential of a
/// difference is computed: "difference", as it is written, "fma", its scale and
/// log2(e) in one multiply-add, or "guarded", which is the default, in one
/// multiply-add where that is as exact (docs/numerics.md).
constexpr llvm::StringLiteral kExponentialsAttrName = "fuse.exponentials";

/// Attribute (a unit) of an exponential whose results may be zero where they
/// are below the normal numbers.
constexpr llvm::StringLiteral kFlushAttrName = "fuse.flush";

} // namespace fusion::fuse

#endif // FUSION_DIALECT_FUSE_IR_EXPONENTIALS_H
