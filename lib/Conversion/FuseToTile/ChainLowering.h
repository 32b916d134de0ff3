//===- ChainLowering.h - Block programs of scheduled chains ---------------===//
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
#include "fusion/Analysis/MaskedTiles.h"
#include "fusion/Analysis/OnlineReduction.h"
#include "fusion/Analysis/RetainedTiles.h"
#include "fusion/Support/TileLayouts.h"

namespace fusion {

/// A tile of equal elements that are known.
mlir::Value splatConstant(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::RankedTensorType type, mlir::TypedAttr value);

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
    return axes
        .operators[llvm::find(axes.contractionOf, std::optional(number)) -
                   axes.contractionOf.begin()];
  }

  // Coordinates, views, buffers.
  void emitBlockCoordinates(llvm::function_ref<Value()> number);
  std::optional<std::pair<unsigned, bool>> lengthAxis() const;
  mlir::LogicalResult emitProgram(int64_t tiles);
  std::pair<Value, Value> emitBlockSwizzle(Value number, int64_t rows,
                                           int64_t columns);
  Value emitPointer(unsigned tensor);
  Value emitView(unsigned tensor, AxisList tileAxes);
  Value emitWindow(unsigned tensor, Value pointer, AxisList tileAxes);
  Value emitBoxView(unsigned tensor, AxisList tileAxes);
  llvm::SmallVector<Value> coordinates(AxisList tileAxes);
  /// Whether every tile of the axis lies inside of it.
  bool tilesLieInside(unsigned axis) const;
  mlir::DenseBoolArrayAttr inBounds(AxisList tileAxes);
  mlir::RankedTensorType tileType(AxisList tileAxes,
                                  mlir::Type elementType) const;
  MemoryTile memoryTile(unsigned tensor) const;
  llvm::SmallVector<unsigned> registerTileAxes(unsigned tensor) const;
  mlir::LogicalResult checkKeptValues();
  PanelOrder panelsOf(unsigned tensor, const MemoryTile &tile) const;
  mlir::LogicalResult allocateBuffers();
  void freeBuffers();

  // Statements.
  void emitLoad(unsigned tensor);
  void waitForCopies();
  void awaitTMA();
  void awaitTMA(unsigned tensor, AxisList loops);
  Value emitOperandSlice(Value value, unsigned contraction, AxisList tileAxes,
                         unsigned sliceAxis, int64_t start, int64_t length);
  void emitCompute(unsigned number);
  void emitStore(unsigned tensor);
  void emitTMAStore(unsigned tensor, Value value);
  Value zeroAccumulator(unsigned number);
  void complete(unsigned number);
  void exchangeParts(unsigned number);
  void emitIntermediateEpilogue(unsigned number);
  void emitEpilogue(unsigned number);
  /// Whether the operators before a product may make other values of the zeros
  /// that stand for what lies outside of its operand.
  bool changesPadding(Value operand) const;
  /// Zeros outside of the extents of the axes that some product reduces.
  /// `value` is the part of the tile that begins at `start` along `sliceAxis`.
  Value maskPadding(Value value, AxisList tileAxes,
                    std::optional<unsigned> sliceAxis = std::nullopt,
                    int64_t start = 0);

  /// One element-wise operator on tiles: `evaluate` gives the tile of an
  /// operand, over those of `tileAxes` that index it, or a scalar.
  Value emitElementwise(mlir::linalg::LinalgOp op, AxisList tileAxes,
                        llvm::ArrayRef<int64_t> shape,
                        llvm::function_ref<Value(Value)> evaluate);
  /// The same for one scalar of the operator's body.
  Value emitScalar(mlir::linalg::LinalgOp op, Value scalar, AxisList tileAxes,
                   llvm::ArrayRef<int64_t> shape,
                   llvm::function_ref<Value(Value)> evaluate);
  Value emitArgument(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                     AxisList tileAxes, llvm::ArrayRef<int64_t> shape,
                     llvm::function_ref<Value(Value)> evaluate);
  /// The indices of a loop over `axis`.
  Value emitIndex(unsigned axis, AxisList tileAxes,
                  llvm::ArrayRef<int64_t> shape);
  Value splatOuter(Value scalar, llvm::ArrayRef<int64_t> shape);

  // Reductions (ReductionLowering.cpp, ChainCorrections.cpp).
  /// The running form that is in use along an axis, or null.
  const OnlineForm *onlineForm(unsigned axis) const;
  /// The running form along an axis, in use or not, or null.
  const OnlineForm *derivedForm(unsigned axis) const;
  /// Of a factor that leaves a sum: the operand that stands for the operation
  /// inside of the loop.
  std::optional<unsigned> skippedFor(mlir::Operation *inner) const;
  /// The axes of a tile after a product that an operator's result has.
  llvm::SmallVector<unsigned, 2> resultTileAxes(unsigned op,
                                                unsigned contraction) const;
  Value evaluateEpilogueOp(Value operand, unsigned contraction);
  void emitFollower(unsigned op, unsigned contraction);
  void emitReduction(unsigned op, unsigned contraction);
  Value emitRows(const RowExpressionRef &expression, unsigned contraction);
  Value emitCorrection(const RowExpressionRef &factor, unsigned contraction);
  Value guard(unsigned reduction, Value rows);
  Value maskReduced(Value value, AxisList tileAxes, unsigned axis,
                    mlir::TypedAttr fill);
  Value repeatRows(Value tile, Value rows, AxisList tileAxes, unsigned rowAxis);
  Value scaleRows(Value tile, Value rows, AxisList tileAxes, unsigned rowAxis);
  void correctSums(unsigned contraction);
  void correctSums(const OnlineForm &form, unsigned contraction,
                   unsigned rowAxis);
  /// Whether the reference of a reduction may stay behind its running value.
  bool hasReference(unsigned reduction) const;
  void moveReference(const OnlineForm &form, unsigned reduction,
                     unsigned contraction);
  void combineInCluster(const OnlineForm &form, unsigned contraction,
                        unsigned rowAxis);
  void settleReferences(const OnlineForm &form, unsigned contraction,
                        unsigned rowAxis);
  void combineRunning(unsigned op, unsigned contraction, unsigned axis,
                      Value part);
  bool startsOnce(unsigned reduction) const;
  llvm::SmallVector<Value *> startRunning(const TilingNode &loop);
  void finishOnline(const OnlineForm &form, unsigned contraction,
                    unsigned rowAxis,
                    llvm::function_ref<void()> emitStatistics);
  void finishRunning(const TilingNode &loop);
  void emitStatistic(unsigned tensor);

  // Passes over rows of operands (ChainStatistics.cpp).
  /// Whether a value is an input as the product reads it: also one with its
  /// padding.
  bool isInput(Value value) const;
  /// The tensor that stands for an input where it is read: the one that a pass
  /// loads by itself, if it does.
  unsigned operandTensor(Value value) const;
  /// Rows that a pass makes, or null for any other value.
  Value rowsOf(Value value) const;
  unsigned rowAxisOf(const RowStatistics &pass) const;
  void emitPass(unsigned rows);
  Value emitPart(unsigned op, const RowStatistics &pass);
  void emitStatistics(unsigned pass);
  void finishPasses(const TilingNode &loop);

  // Tiles that are kept.
  /// The number of the slot that the present iteration makes or uses.
  Value slotNumber(const TileSlots &slots);
  bool isInRegisters(unsigned tensor) const;
  Value getFromArray(Value array, Value slot);
  void setInArray(Value &array, Value slot, Value tile);
  /// An array for the kept tiles of a tensor, before any is made.
  void startArray(unsigned tensor);
  /// The tile of a value that is held in registers, kept or not.
  Value tileOf(Value value, unsigned tensor);

  // The tree.
  std::pair<Value, Value> emitLoopRange(unsigned axis);
  bool mayBeIdle(unsigned axis) const;
  /// A loop over an axis, `emitBody` inside. What `carried` points to are
  /// values that the body replaces.
  void emitLoop(unsigned axis, llvm::ArrayRef<Value *> carried,
                llvm::function_ref<void()> emitBody);
  void emitLoop(const TilingNode &node);
  void emitItems(const TilingTree &items, bool isOutermost);

  fuse::FusedGroupOpInterface group;
  GroupAxes axes;
  const GroupModel &model;
  Schedule schedule;
  KernelBuilder kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;

  RetainedTiles retained;
  std::optional<ShortenedLoop> shortened;
  llvm::SmallVector<Value> origins;    ///< by axis: first element of the tile
  llvm::SmallVector<Value> inductions; ///< the same, within the block's range
  Value part; ///< of a split reduction: which one the block computes
  /// The axis and the whole tile of whose rows the block has a share by now.
  std::optional<std::pair<unsigned, int64_t>> sharedTile;
  /// By product, while it is summed: a tile, or an array of kept ones.
  llvm::SmallVector<Value> accumulators;
  llvm::SmallVector<Value> sums;      ///< by product, complete
  llvm::SmallVector<Value> buffers;   ///< by tensor
  llvm::SmallVector<Value> arrays;    ///< by tensor: kept tiles in registers
  llvm::DenseMap<Value, Value> tiles; ///< of values of which one tile lives
  /// The product that a completed value is of, directly or through element-wise
  /// operators.
  llvm::DenseMap<Value, unsigned> productOfValue;
  /// Tiles that the product at hand has fetched or transposed.
  llvm::DenseMap<Value, Value> fetched, transposed;
  bool copiesInFlight = false; ///< those in groups
  /// An operand that bulk copies fill, in loops that do nothing else.
  struct BulkLoad {
    unsigned tensor;
    llvm::SmallVector<unsigned, 2> loops; ///< their axes, outermost first
  };
  llvm::SmallVector<BulkLoad, 4> bulkInFlight;

  /// A running reduction: what the loop carries, and what it was before and is
  /// after the present iteration.
  struct Running {
    Value carried, before, after;
    /// What the terms and the sums are computed with, where that may stay
    /// behind the guarded value; carried, too.
    Value reference;
    /// What the blocks of a cluster write to one another.
    Value given;
    /// Factors of the present iteration that are known already.
    llvm::SmallVector<std::pair<RowExpressionRef, Value>, 2> factors;
  };
  llvm::SmallVector<Running> running; ///< by reduction
  /// By product: the factors that have left its sum, by row; null where none
  /// has.
  llvm::SmallVector<Value> rowScales;
  llvm::SmallVector<unsigned> rowScaleAxes;
  /// The pass over rows that is evaluated, and the axis of the rows that
  /// factors are evaluated for; none for those of a product's value.
  std::optional<unsigned> presentPass, presentRowAxis;
  /// By tensor: what a pass has loaded into registers by itself.
  llvm::SmallVector<Value> passTiles;
  /// The axis of which a slice is evaluated, and where the slice starts.
  std::optional<std::pair<unsigned, int64_t>> slicedAxis;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_FUSETOTILE_CHAINLOWERING_H
