//===- TensorCopies.h - TMA copies ------------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread tells the mbarrier of a stage how many bytes will come, and starts
// the copies of all boxes, which complete there. One thread starts the stores
// of all boxes of a tile as one group.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_TENSORCOPIES_H
#define FUSION_LIB_CONVERSION_TILETOGPU_TENSORCOPIES_H

#include "Mbarriers.h"
#include "fusion/Dialect/Tile/IR/TMACopies.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fusion {

/// The copies of one kernel by tensor maps, between global and shared memory.
class TensorCopies {
public:
  using Value = mlir::Value;

  /// `function` has pointers to the tensor maps `maps` behind the kernel's own
  /// arguments.
  TensorCopies(mlir::gpu::GPUFuncOp function,
               llvm::ArrayRef<tile::TensorMapAttr> maps, Election &election,
               Mbarriers &mbarriers)
      : function(function), maps(maps), election(election),
        mbarriers(mbarriers) {}

  /// Emits, at the start of the kernel, that the tensor maps are loaded before
  /// the first copy asks for them.
  void begin(KernelEmitter &e);

  /// Emits a tile.copy_async by `bulk`.
  mlir::LogicalResult emitLoad(tile::CopyAsyncOp op, KernelEmitter &e);
  mlir::LogicalResult emitStore(tile::StoreAsyncOp op, KernelEmitter &e);
  mlir::LogicalResult emitStoreWait(tile::StoreWaitOp op, KernelEmitter &e);

private:
  struct BoxOperands;
  /// The boxes of a tile at `coordinates` of a view; of a copy that the blocks
  /// of a cluster share those of the block's part.
  BoxOperands boxOperands(const tile::TMACopy &copy, Value view,
                          mlir::ValueRange coordinates, KernelEmitter &e);
  /// The one box of what threads have of a tile, which begins at whole ones.
  BoxOperands ownBoxOperands(const tile::PrivateTMACopy &copy,
                             mlir::ValueRange coordinates, KernelEmitter &e);
  mlir::FailureOr<BoxOperands> boxOperands(tile::CopyAsyncOp op,
                                           KernelEmitter &e);
  /// The function's argument for a tensor map.
  Value mapArgument(tile::TensorMapAttr map, KernelEmitter &e);
  /// Whether the thread is the one that starts stores, an i1.
  Value isStoring(ThreadBuilder &b);

  mlir::gpu::GPUFuncOp function;
  llvm::ArrayRef<tile::TensorMapAttr> maps;
  Election &election;
  Mbarriers &mbarriers;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_TENSORCOPIES_H
