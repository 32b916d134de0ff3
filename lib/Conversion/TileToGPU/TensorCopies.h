//===- TensorCopies.h - TMA copies ------------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For TMA loads, one thread tells the mbarrier of a stage how many bytes will
// arrive and starts the copies of all boxes, which complete there. For TMA
// stores, one thread starts the stores of all boxes of a tile as one group.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_TENSORCOPIES_H
#define FUSION_LIB_CONVERSION_TILETOGPU_TENSORCOPIES_H

#include "Mbarriers.h"
#include "fusion/Dialect/Tile/IR/TMACopies.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fusion {

/// Emits the TMA copies of one kernel, between global and shared memory.
class TensorCopies {
public:
  using Value = mlir::Value;

  /// After the kernel's own arguments, `function` has pointers to the tensor
  /// maps `maps`.
  TensorCopies(mlir::gpu::GPUFuncOp function,
               llvm::ArrayRef<tile::TensorMapAttr> maps, Election &election,
               Mbarriers &mbarriers)
      : function(function), maps(maps), election(election),
        mbarriers(mbarriers) {}

  /// Emits prefetches of the tensor maps at the start of the kernel.
  void begin(KernelEmitter &e);

  /// Emits a tile.copy_async with the transport `tma`.
  mlir::LogicalResult emitLoad(tile::CopyAsyncOp op, KernelEmitter &e);
  mlir::LogicalResult emitStore(tile::StoreAsyncOp op, KernelEmitter &e);
  mlir::LogicalResult emitStoreWait(tile::StoreWaitOp op, KernelEmitter &e);

private:
  struct BoxOperands;
  /// Returns the boxes of a tile at `coordinates` of a view. If the blocks of a
  /// cluster share the copy, these are the boxes of the block's part.
  BoxOperands boxOperands(const tile::TMACopy &copy, Value view,
                          mlir::ValueRange coordinates, KernelEmitter &e);
  /// Returns the one box that holds the elements of all threads of a tile. It
  /// begins at a multiple of the box's size.
  BoxOperands ownBoxOperands(const tile::PrivateTMACopy &copy,
                             mlir::ValueRange coordinates, KernelEmitter &e);
  mlir::FailureOr<BoxOperands> boxOperands(tile::CopyAsyncOp op,
                                           KernelEmitter &e);
  /// Returns the function's argument for a tensor map.
  Value mapArgument(tile::TensorMapAttr map, KernelEmitter &e);
  /// Returns whether the thread is the one that starts stores, an i1.
  Value isStoring(ThreadBuilder &b);

  mlir::gpu::GPUFuncOp function;
  llvm::ArrayRef<tile::TensorMapAttr> maps;
  Election &election;
  Mbarriers &mbarriers;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_TENSORCOPIES_H
