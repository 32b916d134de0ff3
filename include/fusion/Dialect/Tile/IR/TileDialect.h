//===- TileDialect.h - The tile dialect -----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_IR_TILEDIALECT_H
#define FUSION_DIALECT_TILE_IR_TILEDIALECT_H

#include "fusion/Support/LinearLayout.h"
#include "fusion/Target/Chips/Hardware.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "fusion/Dialect/Tile/IR/TileDialect.h.inc"
#include "fusion/Dialect/Tile/IR/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fusion/Dialect/Tile/IR/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "fusion/Dialect/Tile/IR/TileTypes.h.inc"

#define GET_OP_CLASSES
#include "fusion/Dialect/Tile/IR/TileOps.h.inc"

namespace fusion::tile {

/// Argument attribute (AccessAttr) of a kernel's pointers.
constexpr llvm::StringLiteral kAccessAttrName = "tile.access";

/// Argument attribute (a unit) of a kernel's pointers: previous launches that
/// may still run access this memory.
constexpr llvm::StringLiteral kPendingAttrName = "tile.pending";

/// Name of the module attribute (an integer of at least 1) for the number of
/// tries after which a wait for an mbarrier traps; without it, none does.
constexpr llvm::StringLiteral kWaitLimitAttrName = "tile.wait_limit";
/// The greatest such limit: a thread counts tries in 32 bits.
constexpr int64_t kMaxWaitTries = INT32_MAX;

/// Attribute of a lowered kernel: the TensorMapAttr of each of its last
/// parameters, as an array.
constexpr llvm::StringLiteral kTensorMapsAttrName = "fuse.tensor_maps";

/// Returns the layout of a tensor, or null if none has been assigned.
LayoutAttr getLayout(mlir::Type type);

/// Returns, by register of a thread, the first one that holds the same element.
llvm::SmallVector<int64_t> firstRegisters(const LinearLayout &layout);
/// Returns the number of different elements that a thread holds.
int64_t countDistinct(const LinearLayout &layout);

/// Returns the tensor type with another layout (null removes it).
mlir::RankedTensorType withLayout(mlir::RankedTensorType type,
                                  LayoutAttr layout);

} // namespace fusion::tile

#endif // FUSION_DIALECT_TILE_IR_TILEDIALECT_H
