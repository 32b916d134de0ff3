//===- ChainLowering.h - Block programs of scheduled chains -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_FUSETOTILE_CHAINLOWERING_H
#define FUSION_LIB_CONVERSION_FUSETOTILE_CHAINLOWERING_H

#include "KernelBuilder.h"
#include "fusion/Analysis/Footprint.h"
#include "fusion/Analysis/GroupAxes.h"

namespace fusion {

/// Emits the kernel of one chain, following its schedule.
class ChainLowering {
public:
  ChainLowering(fuse::FusedGroupOpInterface group, GroupAxes axes,
                Schedule schedule, llvm::StringRef name);

  mlir::LogicalResult run(mlir::RewriterBase &rewriter);

private:
  using Value = mlir::Value;
  using AxisList = llvm::ArrayRef<unsigned>;

  int64_t trips(unsigned axis) const;
  mlir::linalg::LinalgOp productOperator(unsigned number) const {
    return axes.operators[llvm::find(axes.productOf, std::optional(number)) -
                          axes.productOf.begin()];
  }

  // Coordinates, views, buffers.
  void emitBlockCoordinates();
  std::pair<Value, Value> emitRaster(Value number, int64_t rows,
                                     int64_t columns);
  Value emitView(unsigned tensor, AxisList tileAxes);
  llvm::SmallVector<Value> coordinates(AxisList tileAxes);
  mlir::DenseBoolArrayAttr inBounds(AxisList tileAxes);
  mlir::RankedTensorType tileType(AxisList tileAxes,
                                  mlir::Type elementType) const;
  MemoryTile memoryTile(unsigned tensor) const;
  mlir::LogicalResult allocateBuffers();
  void freeBuffers();

  // Statements.
  void emitLoad(unsigned tensor);
  Value emitOperandSlice(Value value, unsigned product, AxisList tileAxes,
                         unsigned sliceAxis, int64_t start, int64_t length);
  void emitCompute(unsigned number);
  void emitStore(unsigned tensor, bool isLast);
  Value zeroAccumulator(unsigned number);
  void complete(unsigned number);
  void emitFollowers();
  /// Whether the operators before a product may make other values of the zeros
  /// that stand for what lies outside of its operand.
  bool changesPadding(Value operand) const;
  /// Zeros outside of the extents of the axes that some product reduces.
  /// `value` is the part of the tile that begins at `start` along `sliceAxis`.
  Value maskPadding(Value value, AxisList tileAxes,
                    std::optional<unsigned> sliceAxis = std::nullopt,
                    int64_t start = 0);

  /// One element-wise operator on tiles: `evaluate` gives the tile of an operand,
  /// over those of `tileAxes` that index it, or a scalar.
  Value emitElementwise(mlir::linalg::LinalgOp op, AxisList tileAxes,
                        llvm::ArrayRef<int64_t> shape,
                        llvm::function_ref<Value(Value)> evaluate);
  Value splatOuter(Value scalar, llvm::ArrayRef<int64_t> shape);

  // The tree.
  void emitLoop(const TilingNode &node);
  void emitItems(const TilingTree &items, bool isOutermost);

  fuse::FusedGroupOpInterface group;
  GroupAxes axes;
  const GroupModel &model;
  Schedule schedule;
  KernelBuilder kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;

  llvm::SmallVector<Value> origins;      ///< by axis: first element of the tile
  llvm::SmallVector<Value> accumulators; ///< by product, while it is summed
  llvm::SmallVector<Value> buffers;      ///< by tensor
  llvm::DenseMap<Value, Value> tiles;    ///< of completed values and extra operands
  /// The axes of a completed value's tile.
  llvm::DenseMap<Value, std::pair<unsigned, unsigned>> tileAxesOf;
  llvm::DenseMap<Value, Value> transposed; ///< tiles, for the product at hand
  /// Completed products whose element-wise operators are still to come.
  llvm::SmallVector<unsigned> pending;
  bool copiesInFlight = false;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_FUSETOTILE_CHAINLOWERING_H
