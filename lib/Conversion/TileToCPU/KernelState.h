//===- KernelState.h - What is known while a kernel is emitted --*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOCPU_KERNELSTATE_H
#define FUSION_LIB_CONVERSION_TILETOCPU_KERNELSTATE_H

#include "TileLimits.h"
#include "TileMemory.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Target/Chips/CpuInfo.h"
#include "mlir/IR/IRMapping.h"

namespace fusion {

/// An array of tiles: a tile, and the distance to the next one in elements.
struct ArrayMemory {
  TileMemory first;
  int64_t distance;
};

/// The state that the emitters of one kernel share.
struct KernelState {
  KernelState(mlir::OpBuilder &b, const ChipInfo &chip, mlir::Value scratch)
      : b(b), chip(chip), loc(b.getUnknownLoc()), access(b, loc),
        scratch(scratch) {}

  mlir::OpBuilder &b;
  const ChipInfo &chip;
  mlir::Location loc;
  TileAccess access;
  LimitAnalysis limits;
  /// Scalars, and addresses of operands.
  mlir::IRMapping scalars;
  /// Tiles that lie in memory.
  llvm::DenseMap<mlir::Value, TileMemory> memory;
  llvm::DenseMap<mlir::Value, ArrayMemory> arrays;
  /// Operands of contractions that were packed, beside their place in memory.
  llvm::DenseMap<mlir::Value, TileMemory> packed;

  /// Whether the kernel has non-temporal stores.
  bool hasStreams = false;

  mlir::Value scalar(mlir::Value value) {
    return scalars.lookupOrDefault(value);
  }

  /// Returns the lanes of a vector of element-wise operators. Twice those of
  /// a register: two independent operations are in flight.
  int64_t lanes() const { return 2 * registerLanes(b.getF32Type()); }
  /// Returns the elements of a vector register.
  int64_t registerLanes(mlir::Type element) const {
    return chip.cpu->vectorBytes * 8 / element.getIntOrFloatBitWidth();
  }

  /// Reserves scratch for a tile. Rows are padded to whole vectors.
  TileMemory allocate(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// Reserves scratch for a tile in panels of as many columns as a vector has
  /// lanes (Goto and van de Geijn). So a micro-kernel reads its columns one row
  /// after another, and no two rows compete for a line of the cache.
  TileMemory allocatePanels(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// Reserves scratch for a tile in panels of words of `rowsInWord` elements
  /// each, that are neighbours along the rows.
  TileMemory allocateWordPanels(llvm::ArrayRef<int64_t> shape,
                                int64_t rowsInWord);
  ArrayMemory allocateArray(int64_t count, llvm::ArrayRef<int64_t> shape,
                            mlir::Type element);
  int64_t scratchBytes() const { return used; }

  /// Returns the least of the limits along a dimension of `extent` elements, in
  /// values of the emitted program.
  mlir::OpFoldResult clip(llvm::ArrayRef<TileLimit> limits, int64_t extent);

  /// Returns the memory of the part of a strided operand that begins at
  /// `coordinates`, in values of the block program. Without coordinates it is
  /// the whole operand.
  TileMemory viewAt(tile::ViewOp view, mlir::ValueRange coordinates);

  /// Returns where a tile's elements are: in scratch, or in an operand that can
  /// be read in place. Returns nullopt if they have to be computed.
  std::optional<TileMemory> inPlace(mlir::Value tile);

private:
  mlir::Value scratch; ///< !llvm.ptr
  int64_t used = 0;    ///< bytes
};

/// Returns whether an operation computes each element of its result from
/// elements of its operands, wherever these are.
bool isVirtual(mlir::Operation *op);

/// Calls `visit` with `tile` and the values that it is computed from. Does not
/// go beyond values in memory, nor beyond a value for which `visit` returns
/// false.
void visitTree(mlir::Value tile, const KernelState &state,
               llvm::function_ref<bool(mlir::Value)> visit);

/// Returns whether evaluating an element-wise operation twice costs more than
/// storing and loading its result.
bool isExpensive(mlir::Operation *op);

/// Returns whether a tile is computed by expensive operations from what lies in
/// memory.
bool isExpensiveTree(mlir::Value tile, const KernelState &state);

/// Returns whether the memory of `tile` may be overwritten by what is computed
/// for `target`: nothing else reads the tile there or later. Virtual values
/// read it where their users are.
bool canOverwrite(mlir::Value tile, mlir::OpOperand &target);

/// Returns whether an operation behind `op` in its block, or one that is nested
/// in one of these, reads the elements of `tile`.
bool isReadAfter(mlir::Value tile, mlir::Operation *op);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOCPU_KERNELSTATE_H
