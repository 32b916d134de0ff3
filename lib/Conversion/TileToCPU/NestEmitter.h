//===- NestEmitter.h - The loops of one nest --------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest evaluates its roots at all points of a tile's shape. Its vectors go
// along the last dimension.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOCPU_NESTEMITTER_H
#define FUSION_LIB_CONVERSION_TILETOCPU_NESTEMITTER_H

#include "BlockAccess.h"

namespace fusion {

/// What a nest computes: a value that it stores, or reduces along a dimension.
struct NestRoot {
  enum class Kind { Reduce, Store } kind;
  mlir::Value value; ///< evaluated at each point
  TileMemory target;
  bool isMasked = false; ///< lanes beyond the limits are not stored
  /// A store of which some elements lie outside of the view. `target` is the
  /// view then.
  tile::StoreOp partial;
  tile::ReduceOp reduce;   ///< of Kind::Reduce
  mlir::Value accumulator; ///< of lanes, while a row is reduced

  bool reducesLanes() const {
    auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
    return kind == Kind::Reduce && tile::ReduceOp(reduce).getDimension() + 1 ==
                                       static_cast<uint64_t>(type.getRank());
  }
};

/// Emits the loops of a nest over `shape`, which end at `ends`.
class NestEmitter {
public:
  NestEmitter(KernelState &state, llvm::MutableArrayRef<NestRoot> roots,
              llvm::ArrayRef<int64_t> shape,
              llvm::ArrayRef<mlir::OpFoldResult> ends,
              llvm::ArrayRef<TileLimit> covered);

  mlir::LogicalResult emit();

private:
  using Indices = llvm::SmallVector<mlir::Value>;

  bool hasPanels() const;
  void findBlocks();
  mlir::LogicalResult emitDimension(unsigned d, Indices &indices);
  mlir::LogicalResult emitRowBlocks(Indices &indices);
  mlir::LogicalResult emitRowLoop(Indices &indices, mlir::OpFoldResult first,
                                  mlir::OpFoldResult end, int64_t step);
  mlir::LogicalResult emitLastWords(Indices &indices, mlir::OpFoldResult first);
  mlir::LogicalResult emitRow(Indices &indices);
  mlir::LogicalResult emitVectors(Indices &indices, mlir::OpFoldResult end);
  mlir::LogicalResult emitWhole(Indices &indices, mlir::Value first,
                                mlir::Value end, mlir::Value step);
  mlir::LogicalResult emitUnrolled(Indices &indices, mlir::Value end,
                                   int64_t times);
  mlir::LogicalResult emitPoint(llvm::ArrayRef<mlir::Value> indices,
                                const Lanes &lanes, mlir::OpFoldResult left);
  mlir::LogicalResult emitBlock(llvm::ArrayRef<mlir::Value> indices,
                                const Lanes &lanes, mlir::OpFoldResult left);
  mlir::LogicalResult emitBlockRow(llvm::ArrayRef<mlir::Value> indices,
                                   int64_t row, const Lanes &lanes);
  void storeInView(NestRoot &root, mlir::Value value,
                   llvm::ArrayRef<mlir::Value> indices, const Lanes &lanes);
  mlir::LogicalResult emitRoot(NestRoot &root,
                               llvm::ArrayRef<mlir::Value> indices,
                               const Lanes &lanes);

  mlir::Value identityOf(const NestRoot &root, const Lanes &lanes);
  llvm::SmallVector<mlir::Value> accumulators() const;
  void setAccumulators(mlir::ValueRange values);

  KernelState &state;
  mlir::OpBuilder &b;
  const mlir::Location &loc;
  PointEvaluator evaluator;
  BlockAccess block;
  llvm::MutableArrayRef<NestRoot> roots;
  llvm::ArrayRef<int64_t> shape;
  llvm::ArrayRef<mlir::OpFoldResult> ends;
  int64_t lanes;    ///< of a vector
  bool isExpensive; ///< whether operators take longer than accesses
  // The block that is emitted: its rows, or 0, and how many of them exist.
  int64_t blockRows = 0, existingRows = 0;
  bool isTransposed = false;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOCPU_NESTEMITTER_H
