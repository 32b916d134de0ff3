//===- ChainLowering.h - Block programs of scheduled chains ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_FUSETOTILE_CHAINLOWERING_H
#define FUSION_LIB_CONVERSION_FUSETOTILE_CHAINLOWERING_H

#include "ChainTiles.h"
#include "ElementwiseEmitter.h"
#include "fusion/Analysis/Online/OnlineReduction.h"
#include "fusion/Analysis/Resources/Footprint.h"

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

  mlir::linalg::LinalgOp productOperator(unsigned number) const {
    return axes
        .operators[llvm::find(axes.contractionOf, std::optional(number)) -
                   axes.contractionOf.begin()];
  }

  // Statements.
  mlir::LogicalResult checkKeptValues();
  /// Allocates all buffers of the block.
  mlir::LogicalResult allocateBuffers();
  mlir::LogicalResult emitProgram(int64_t blocks);
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

  // Reductions (ReductionLowering.cpp, ChainRescaling.cpp).
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
  Value emitRescaling(const RowExpressionRef &factor, unsigned contraction);
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

  RetainedTiles retained;
  ChainCoordinates block;
  ChainTiles tiles;
  ElementwiseEmitter elementwise;
  /// Incomplete accumulators by contraction: a tile, or an array of tiles.
  llvm::SmallVector<Value> accumulators;
  llvm::SmallVector<Value> sums; ///< complete accumulators, by contraction
  /// The contraction whose completed value this is, directly or through
  /// element-wise operators.
  llvm::DenseMap<Value, unsigned> productOfValue;
  /// Tiles that the current contraction has transposed.
  llvm::DenseMap<Value, Value> transposed;

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
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_FUSETOTILE_CHAINLOWERING_H
