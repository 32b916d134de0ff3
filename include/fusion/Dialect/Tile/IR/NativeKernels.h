//===- NativeKernels.h - Attributes of kernels for CPUs ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a module says that its kernels are functions of a CPU
// (docs/native-kernels.md).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_IR_NATIVEKERNELS_H
#define FUSION_DIALECT_TILE_IR_NATIVEKERNELS_H

#include "mlir/IR/BuiltinOps.h"

namespace fusion::tile {

/// A unit attribute of a `tile.load` or `tile.store` whose view has fewer
/// elements than the axes of the tile. The zeros that are loaded from beyond the
/// view are values then, and no padding. The tile may begin before the view.
constexpr llvm::StringLiteral kPartialAttrName = "tile.partial";

/// A unit attribute of the nested module of kernels in the llvm dialect.
constexpr llvm::StringLiteral kNativeAttrName = "fuse.native";

/// A `#fuse.chip`, an attribute of the outer module: the CPU whose instructions
/// the machine code has, if not those of the chip that it is compiled for.
constexpr llvm::StringLiteral kInstructionsAttrName = "fuse.instructions";

/// Bytes of scratch memory that a worker needs to execute blocks of a kernel,
/// an i64 attribute of the kernel; absent: none.
constexpr llvm::StringLiteral kScratchAttrName = "fuse.scratch";

/// Whether `kernel` is a function in a module of native kernels.
inline bool isNativeKernel(mlir::Operation *kernel) {
  auto module = mlir::dyn_cast_or_null<mlir::ModuleOp>(kernel->getParentOp());
  return module && module->hasAttr(kNativeAttrName);
}

} // namespace fusion::tile

#endif // FUSION_DIALECT_TILE_IR_NATIVEKERNELS_H
