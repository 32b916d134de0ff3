//===- StitchLowering.h - Block programs of stitched groups -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has a tile of the group's axes, spread over its registers, lanes and
// warps as the schedule says. Every value of the group is a tile over those of
// the axes that index it, in the same places, so that element-wise operators
// need no exchange; reductions exchange what the spread of their axis asks for.
// Along a walked axis the block has a step of its tile at a time.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_FUSETOTILE_STITCHLOWERING_H
#define FUSION_LIB_CONVERSION_FUSETOTILE_STITCHLOWERING_H

#include "KernelBuilder.h"
#include "fusion/Analysis/StitchAlignment.h"
#include "fusion/Analysis/StitchCluster.h"
#include "fusion/Analysis/StitchSplit.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fusion {

/// Axes in the order of a tile's dimensions.
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
  using Value = mlir::Value;
  using AxisList = llvm::ArrayRef<unsigned>;

  /// What others in its pass see of a reduction, or of rows that follow from
  /// one: tiles over `before.second` and `after.second`.
  struct Running {
    std::pair<Value, llvm::SmallVector<unsigned, 4>> before, after;
  };
  /// What is known in one step along the walked axis, or of all of them.
  struct Scope {
    Value origin;         ///< of the walked axis; null outside of steps
    Value step;           ///< its number in the block
    bool isInside = true; ///< all of the step is
    /// Of the sums over rows that the step adds to: the number of those in
    /// registers, or the slot of those in shared memory.
    unsigned number = 0;
    Value slot;
    llvm::DenseMap<unsigned, Value> operators, inputs; ///< tiles by number
    llvm::DenseMap<unsigned, Running> running; ///< values so far, by operator
    /// Of a sum whose mean so far others need: the elements before, and by how
    /// much the step has moved it.
    struct Moved {
      Value count, by;
    };
    llvm::DenseMap<unsigned, Moved> moved;
  };
  /// By operator: the accumulator of a reduction along the walked axis; and
  /// behind all operators, where others need it, the mean so far (`meanOf`).
  using Accumulators = llvm::MapVector<unsigned, Value>;

  struct Window {
    Value view;
    llvm::SmallVector<Value> coordinates;
    mlir::DenseBoolArrayAttr inside;
    bool isRagged;
    mlir::IntegerAttr within; ///< elements that whole accesses may read
    mlir::IntegerAttr
        realigned; ///< elements of aligned accesses beside the rows
  };

  // Blocks (StitchBlocks.cpp).
  void emitComponents();
  void emitCoordinates(Value block);
  void alignOrigin(unsigned number, const StitchAxis &axis);
  /// Parts of one round, `first` to `beyond` - 1 in order.
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
  /// Whether the last block stores it.
  bool isLate(const StitchTensor &result) const {
    unsigned maker = *group.definer(result.value);
    return split.isPartial[maker] || split.isLate[maker];
  }

  // Passes and steps (StitchLowering.cpp).
  void emitComponent(unsigned number, Value block);
  void loadRows(bool ofAllSteps);
  void emitSerialLoop();
  void emitRowSteps();
  void addPart(unsigned op, Value tile, const Scope &scope);
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

  // Reductions in the pass of those that they need (StitchOnline.cpp).
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
  /// The tile where the schedule has those of its axes: the last block's has
  /// other replicas.
  Value fit(Value tile, AxisList axes);
  Value repeat(Value tile, AxisList from, AxisList to);
  Value emitScalar(unsigned op, Value scalar, Scope &scope);
  /// The same over axes that may be more than those of the operator's loops.
  Value emitScalar(unsigned op, Value scalar, AxisList axes, Scope &scope);
  Value gather(unsigned op, mlir::tensor::ExtractOp extract,
               llvm::function_ref<Value(Value)> emit, const Scope &scope);
  Value mask(unsigned op, Value tile, AxisList axes, const Scope &scope);
  /// Combines a tile over `axes` along those that the result lacks.
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
  bool isLast = false; ///< what is emitted is for the last block of all only
  llvm::SmallVector<Value> origins; ///< by axis: the block's first element
  llvm::DenseMap<unsigned, Value> digits; ///< by axis: the block's number
  /// By operator and round: of all parts.
  llvm::DenseMap<std::pair<unsigned, unsigned>, Value> workspaces;
  Value rowStep;            ///< in the loop through the rows, its number
  Scope rows;               ///< what is the same in all steps
  std::vector<Scope> steps; ///< those kept in registers
  llvm::DenseMap<unsigned, Value> stashes, inputStashes;
  /// By input: where one loop's steps have it copied ahead, and, in that loop,
  /// the same.
  llvm::DenseMap<unsigned, Value> reservedStages, stages;
  /// What is added up over rows: by operator for each step that is kept in
  /// registers, and of all those in shared memory.
  std::vector<Accumulators> partSums;
  llvm::DenseMap<unsigned, Value> partStashes;
  /// By operator: what the blocks of a cluster give one another.
  llvm::DenseMap<unsigned, Value> clusterParts;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_FUSETOTILE_STITCHLOWERING_H
