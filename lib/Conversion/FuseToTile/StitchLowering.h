//===- StitchLowering.h - Block programs of stitched groups -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has a tile of the group's axes, mapped to registers, lanes and warps
// by the schedule's thread mapping. Every value of the group is a tile over the
// axes that index it, in the same mapping, so that element-wise operators need
// no exchange. Reductions exchange as the thread mapping of their axis
// requires. Along the serial axis a block holds a step of its tile at a time.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_FUSETOTILE_STITCHLOWERING_H
#define FUSION_LIB_CONVERSION_FUSETOTILE_STITCHLOWERING_H

#include "KernelBuilder.h"
#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "fusion/Analysis/Stitching/StitchCluster.h"
#include "fusion/Analysis/Stitching/StitchCompositions.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fusion {

/// Sorts axes into the order of a tile's dimensions.
inline llvm::SmallVector<unsigned, 4> sorted(llvm::ArrayRef<unsigned> axes) {
  llvm::SmallVector<unsigned, 4> result(axes);
  llvm::sort(result);
  return result;
}

class StitchLowering {
public:
  StitchLowering(fuse::FusedGroupOpInterface op, StitchGroup group,
                 StitchSchedule schedule, llvm::StringRef name);

  void run(mlir::RewriterBase &rewriter);

private:
  class ColumnSums;
  using Value = mlir::Value;
  using AxisList = llvm::ArrayRef<unsigned>;

  /// A running reduction, or a value computed from one, before and after a
  /// step: tiles, each with its axes.
  struct Running {
    std::pair<Value, llvm::SmallVector<unsigned, 4>> before, after;
  };
  /// The values that are known in one step of the serial loop, or outside of
  /// steps.
  struct Scope {
    Value origin;         ///< first element of the step; null outside
    Value step;           ///< number of the step in the block
    bool isInside = true; ///< the whole step is within the extent
    /// Where the step adds to column sums over rows: the number of accumulators
    /// in registers, or the slot of accumulators in shared memory.
    unsigned number = 0;
    Value slot;
    llvm::DenseMap<unsigned, Value> operators, inputs; ///< tiles by number
    /// Tiles in the layouts of operators with compositions.
    llvm::DenseMap<unsigned, Value> sharedOperators, sharedInputs;
    llvm::DenseMap<unsigned, Running> running; ///< running, by operator
    /// A sum whose running mean others need: the number of elements before the
    /// step, and by how much the step has moved the mean.
    struct Moved {
      Value count, by;
    };
    llvm::DenseMap<unsigned, Moved> moved;
  };
  /// Accumulators of reductions along the serial axis, by operator. Running
  /// means that others need have the numbers after the operators (`meanOf`).
  using Accumulators = llvm::MapVector<unsigned, Value>;

  struct Window {
    Value view;
    llvm::SmallVector<Value> coordinates;
    mlir::DenseBoolArrayAttr inside;
    bool isRagged;
    bool isPartial = false; ///< the view has a part of its axes' elements
    mlir::IntegerAttr within; ///< elements that whole accesses may read
    mlir::IntegerAttr
        misaligned; ///< elements of aligned accesses beside the rows
  };

  // Blocks (StitchBlocks.cpp).
  void emitComponents();
  void emitCoordinates(Value block);
  void alignOrigin(unsigned number, const StitchAxis &axis);
  /// The partial results `first` to `beyond` - 1 of one round, in order.
  struct Parts {
    unsigned round = 0;
    Value first, beyond;
  };
  Window emitPartials(unsigned op, AxisList axes, const Parts &parts,
                      const Scope &scope);
  void storePartial(unsigned op, unsigned round, Value part,
                    const Scope &scope);
  void reducePartials(unsigned op, const Parts &parts, Scope &scope);
  void discardParts(unsigned op, const Parts &parts);
  void emitLastBlock();
  void emitRound(unsigned round, Value tile, Value part);
  void emitLate(const Parts &parts, Value group, bool ofSteps, Scope &scope);
  void reserveClusterParts();
  Value combineCluster(unsigned op, Value part);
  /// Whether the last block stores `result`.
  bool isLate(const StitchTensor &result) const {
    unsigned maker = *group.definer(result.value);
    return split.isPartial[maker] || split.isLate[maker];
  }

  // Passes and steps (StitchLowering.cpp).
  void emitComponent(unsigned number, Value block);
  void loadRows(bool ofAllSteps);
  void emitSerialLoop();
  void emitRowSteps();
  Value reserve(AxisList axes, mlir::Type element, int64_t slots,
                mlir::IntegerAttr ahead = {});
  void reserveStages();
  void prefetchCopy(const StitchPasses::Step &step, Value slot, Scope &scope);
  Value endOf(int64_t steps);
  void emitRows(unsigned pass);
  void emitRow(unsigned op, Scope &scope);
  Value originOfStep(Value number);
  void emitPass(unsigned pass);
  void emitRegisterSteps(unsigned pass, Accumulators &accumulators);
  void emitLoop(unsigned pass, int64_t first, int64_t beyond, bool isShared,
                Accumulators &accumulators);
  void takeBack(unsigned pass, Scope &scope, Value slot);
  void putAside(unsigned pass, const Scope &scope, Value slot);
  void loadInputs(const StitchPasses::Step &step, Scope &scope);
  void compute(unsigned pass, const StitchPasses::Step &step, Scope &scope,
               Accumulators &accumulators);
  void finish(unsigned op, const Accumulators &accumulators);
  llvm::SmallVector<unsigned> keptOf(unsigned pass, bool ofInputs) const;
  bool isOf(unsigned number, unsigned op) const {
    return group.componentOf(op) == number;
  }

  // Online reductions, in one pass with reductions that they need
  // (StitchOnline.cpp).
  Value guard(unsigned op, Value tile);
  Value emitExpression(const RowExpressionRef &expression, AxisList axes,
                       Scope &scope);
  Value correct(unsigned op, Value sum, AxisList axes, bool isLimited,
                Scope &scope);
  void emitRunningRow(unsigned op, Scope &scope);
  Value correctPlaces(unsigned op, Value sum, const Accumulators &accumulators);
  Value correctRows(unsigned op, Value sum);
  unsigned meanOf(unsigned op) const { return group.operators().size() + op; }
  Value beginsBefore(AxisList axes);
  Value countElements(AxisList axes, Value like);
  Value splatOf(Value like, double number);
  void moveCentre(unsigned op, Value terms, AxisList axes,
                  Accumulators &accumulators, Scope &scope);
  Value moveBy(Value squares, Value count, Value by);
  Value recentre(unsigned op, Value squares, const Scope &scope);
  Value recentrePlaces(unsigned op, Value squares,
                       const Accumulators &accumulators);

  // Operators with compositions (StitchCompositions.cpp).
  Value emitShared(unsigned op, Scope &scope);
  Value convert(Value tile, mlir::RankedTensorType type, Composition scheme);
  std::optional<unsigned> sharedReader(unsigned input) const {
    return sharedReaderOf(group, schedule, passes, input);
  }
  Value sharedInputOf(unsigned input, unsigned reader, Scope &scope);
  Value operatorOf(unsigned op, const Scope &scope) const;

  // Values (StitchValues.cpp).
  mlir::RankedTensorType tileType(AxisList axes, mlir::Type element) const;
  Value originOf(unsigned axis, const Scope &scope) const;
  bool isInside(unsigned axis, const Scope &scope) const;
  Window emitWindow(const StitchTensor &tensor, Value pointer, AxisList axes,
                    const Scope &scope);
  Value load(const StitchTensor &tensor, const Scope &scope);
  void copyPrivate(const StitchTensor &tensor, mlir::RankedTensorType tile,
                   Value buffer, Value stage, const Scope &scope);
  Value inputOf(unsigned input, Scope &scope);
  /// Converts a tile to the layout that the schedule has for its axes: the
  /// schedule of a last block has other replicas.
  Value fit(Value tile, AxisList axes);
  Value repeat(Value tile, AxisList from, AxisList to);
  Value emitScalar(unsigned op, Value scalar, Scope &scope);
  /// Emits a scalar over `axes`, which may be more than the operator's loops.
  Value emitScalar(unsigned op, Value scalar, AxisList axes, Scope &scope);
  Value gather(unsigned op, mlir::tensor::ExtractOp extract,
               llvm::function_ref<Value(Value)> emit, const Scope &scope);
  Value mask(unsigned op, Value tile, AxisList axes, const Scope &scope);
  /// Reduces a tile over `axes` along the axes that the result lacks.
  Value reduce(unsigned op, Value tile, llvm::SmallVector<unsigned, 4> axes);
  Value isStoring(const StitchTensor &tensor);
  void store(const StitchTensor &tensor, Scope &scope);

  fuse::FusedGroupOpInterface op;
  StitchGroup group;
  StitchSchedule schedule;
  StitchPasses passes;
  StitchSplit split;
  KernelBuilder kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
  unsigned component = 0;
  bool isLast = false; ///< emitting the work of the last block of all
  /// The operator with a composition in whose layout tiles over its axes are.
  std::optional<unsigned> sharing;
  llvm::SmallVector<Value> origins; ///< by axis: the block's first element
  llvm::DenseMap<unsigned, Value> digits; ///< block number by axis
  /// Workspaces of all partial results, by operator and round.
  llvm::DenseMap<std::pair<unsigned, unsigned>, Value> workspaces;
  Value rowStep;            ///< number of the step over rows
  Scope rows;               ///< values outside of steps
  std::vector<Scope> steps; ///< steps retained in registers
  llvm::DenseMap<unsigned, Value> privateBuffers, inputPrivateBuffers;
  /// Buffers of inputs that are copied ahead, by input: all of them, and the
  /// ones for the loop that is being emitted.
  llvm::DenseMap<unsigned, Value> reservedStages, stages;
  /// Column sums over rows, in the loop over rows; null outside.
  ColumnSums *columnSums = nullptr;
  /// Buffers through which the blocks of a cluster exchange, by operator.
  llvm::DenseMap<unsigned, Value> clusterParts;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_FUSETOTILE_STITCHLOWERING_H
