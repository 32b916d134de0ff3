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
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Online/OnlineReduction.h"
#include "fusion/Analysis/Resources/Footprint.h"
#include "fusion/Analysis/Schedules/MaskedTiles.h"
#include "fusion/Analysis/Schedules/MemoryTile.h"
#include "fusion/Analysis/Schedules/RetainedTiles.h"
#include "fusion/Support/TileLayouts.h"

namespace fusion {

/// Returns a constant tile whose elements all have the value `value`.
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
  /// Whether no tile of the axis extends beyond its extent.
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
  /// Whether the element-wise operators before a contraction may turn the zero
  /// padding of its operand into other values.
  bool changesPadding(Value operand) const;
  /// Sets elements beyond the extents of reduced axes to zero. `value` is the
  /// slice of the tile that begins at `start` along `sliceAxis`, or the whole
  /// tile.
  Value maskPadding(Value value, AxisList tileAxes,
                    std::optional<unsigned> sliceAxis = std::nullopt,
                    int64_t start = 0);

  /// Emits one element-wise operator on tiles. `evaluate` returns the tile of
  /// an operand, over the axes in `tileAxes` that index it, or a scalar.
  Value emitElementwise(mlir::linalg::LinalgOp op, AxisList tileAxes,
                        llvm::ArrayRef<int64_t> shape,
                        llvm::function_ref<Value(Value)> evaluate);
  /// Emits one scalar of an operator's body on tiles. `evaluate` returns
  /// operands as for emitElementwise.
  Value emitScalar(mlir::linalg::LinalgOp op, Value scalar, AxisList tileAxes,
                   llvm::ArrayRef<int64_t> shape,
                   llvm::function_ref<Value(Value)> evaluate);
  Value emitArgument(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                     AxisList tileAxes, llvm::ArrayRef<int64_t> shape,
                     llvm::function_ref<Value(Value)> evaluate);
  /// Returns a tile with the indices of a loop over `axis`.
  Value emitIndex(unsigned axis, AxisList tileAxes,
                  llvm::ArrayRef<int64_t> shape);
  Value splatOuter(Value scalar, llvm::ArrayRef<int64_t> shape);

  // Reductions (ReductionLowering.cpp, ChainCorrections.cpp).
  /// The online form that the schedule uses along an axis, or null.
  const OnlineForm *onlineForm(unsigned axis) const;
  /// The online form that was derived for an axis, used or not, or null.
  const OnlineForm *derivedForm(unsigned axis) const;
  /// Returns the operand that replaces an operation inside of the loop whose
  /// factor is applied after the sum; nullopt for other operations.
  std::optional<unsigned> skippedFor(mlir::Operation *inner) const;
  /// Returns the axes of a contraction's tile that index an operator's result.
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
  /// Whether conditional rescaling lets the reference of a reduction differ
  /// from its running value.
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

  // Row statistics of operands (ChainStatistics.cpp).
  /// Whether a value is an input in the form that the contraction reads, with
  /// its padding if it has one.
  bool isInput(Value value) const;
  /// Returns the tensor that is read for an input: the one that a reduction
  /// prepass loads into registers, if any.
  unsigned operandTensor(Value value) const;
  /// Returns the row statistics that `value` is, or null for other values.
  Value rowsOf(Value value) const;
  unsigned rowAxisOf(const RowStatistics &pass) const;
  void emitPass(unsigned rows);
  Value emitPart(unsigned op, const RowStatistics &pass);
  void emitStatistics(unsigned pass);
  void finishPasses(const TilingNode &loop);

  // Retained tiles.
  /// Returns the slot that the current iteration fills or reads.
  Value slotNumber(const TileSlots &slots);
  bool isInRegisters(unsigned tensor) const;
  Value getFromArray(Value array, Value slot);
  void setInArray(Value &array, Value slot, Value tile);
  /// Starts the array of a tensor's retained tiles in registers, without tiles.
  void startArray(unsigned tensor);
  /// Returns the tile of a value in registers, retained or not.
  Value tileOf(Value value, unsigned tensor);

  // The tree.
  std::pair<Value, Value> emitLoopRange(unsigned axis);
  bool mayBeIdle(unsigned axis) const;
  /// Emits a loop over an axis with `emitBody` as its body. `carried` points to
  /// values that the body replaces and the loop carries.
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
  llvm::SmallVector<Value> origins;    ///< first element of the tile, by axis
  llvm::SmallVector<Value> inductions; ///< origins in the block's range
  Value part; ///< the block's number in a split reduction
  /// The axis and tile size whose rows the block shares after reduce-scatter.
  std::optional<std::pair<unsigned, int64_t>> sharedTile;
  /// Incomplete accumulators by contraction: a tile, or an array of tiles.
  llvm::SmallVector<Value> accumulators;
  llvm::SmallVector<Value> sums;      ///< complete accumulators, by contraction
  llvm::SmallVector<Value> buffers;   ///< by tensor
  llvm::SmallVector<Value> arrays;    ///< retained tiles, by tensor
  llvm::DenseMap<Value, Value> tiles; ///< values with one live tile
  /// The contraction whose completed value this is, directly or through
  /// element-wise operators.
  llvm::DenseMap<Value, unsigned> productOfValue;
  /// Tiles that the current contraction has fetched or transposed.
  llvm::DenseMap<Value, Value> fetched, transposed;
  bool copiesInFlight = false; ///< cp.async, in groups
  /// A TMA load in flight, and the loops that contain it and do nothing else.
  struct BulkLoad {
    unsigned tensor;
    llvm::SmallVector<unsigned, 2> loops; ///< by axis, outermost first
  };
  llvm::SmallVector<BulkLoad, 4> bulkInFlight;

  /// A running reduction: the value that the loop carries, and the values
  /// before and after the current iteration.
  struct Running {
    Value carried, before, after;
    /// With conditional rescaling: the value with which terms and accumulators
    /// are computed. It may differ from the guarded value, and is carried as
    /// well.
    Value reference;
    /// The buffer through which the blocks of a cluster exchange the value.
    Value given;
    /// Factors of the current iteration that have been computed already.
    llvm::SmallVector<std::pair<RowExpressionRef, Value>, 2> factors;
  };
  llvm::SmallVector<Running> running; ///< by reduction
  /// Factors to apply to a completed accumulator, a value for each row, by
  /// contraction; null if there are none.
  llvm::SmallVector<Value> rowScales;
  llvm::SmallVector<unsigned> rowScaleAxes;
  /// The row statistics that are being evaluated, and the axis of their rows;
  /// nullopt while a contraction's epilogue is evaluated.
  std::optional<unsigned> presentPass, presentRowAxis;
  /// Tiles that a reduction prepass has loaded into registers, by tensor.
  llvm::SmallVector<Value> passTiles;
  /// The axis of the slice that is being evaluated, and the slice's first
  /// element.
  std::optional<std::pair<unsigned, int64_t>> slicedAxis;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_FUSETOTILE_CHAINLOWERING_H
