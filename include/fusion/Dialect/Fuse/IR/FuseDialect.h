//===- FuseDialect.h - The fuse dialect -----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_FUSE_IR_FUSEDIALECT_H
#define FUSION_DIALECT_FUSE_IR_FUSEDIALECT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "fusion/Dialect/Fuse/IR/FuseDialect.h.inc"
#include "fusion/Dialect/Fuse/IR/FuseEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fusion/Dialect/Fuse/IR/FuseAttrs.h.inc"

#include "fusion/Dialect/Fuse/IR/FuseInterfaces.h.inc"

#define GET_OP_CLASSES
#include "fusion/Dialect/Fuse/IR/FuseOps.h.inc"

namespace fusion::fuse {

/// The version of `#fuse.schedule` that is written and read.
constexpr int64_t kScheduleVersion = 2;

/// The most `register_stages`: iterations of a reduction that a thread of the
/// generic form loads together. Fragments have fewer.
constexpr int64_t kMaxRegisterStages = 16;

/// Name of the module attribute (a ChipAttr) that says what to compile for.
constexpr llvm::StringLiteral kChipAttrName = "fuse.chip";

/// Name of the module attribute (a string) that says how the factors of f32
/// products are multiplied: "f32", which is the default, "tf32", rounded for
/// tensor cores, or "tf32-cut", which units may cut off instead.
constexpr llvm::StringLiteral kF32ProductsAttrName = "fuse.f32_products";

/// Name of the module attribute (a string) that says how products of 8-bit
/// floats are added up: in "f32", which is the default, or "coarse", in as few
/// bits as the fastest unit has.
constexpr llvm::StringLiteral kF8ProductsAttrName = "fuse.f8_products";

/// What such an attribute, or kExponentialsAttrName, may say, the default
/// first; empty for others.
llvm::SmallVector<llvm::StringRef>
listNumericChoices(llvm::StringRef attribute);

/// `a, b or c`, each in quotes, for messages.
std::string orList(llvm::ArrayRef<llvm::StringRef> choices,
                   llvm::StringRef quote = "");

} // namespace fusion::fuse

#endif // FUSION_DIALECT_FUSE_IR_FUSEDIALECT_H
