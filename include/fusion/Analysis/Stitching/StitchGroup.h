//===- StitchGroup.h - Axes of a stitched group -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory-intensive operators of one kernel (FusionStitching, section 4). Their
// loops are unified to axes, through the intermediates and the inputs that they
// share; some of the axes are reduced.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHING_STITCHGROUP_H
#define FUSION_ANALYSIS_STITCHING_STITCHGROUP_H

#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Stitching/StitchOperator.h"

namespace fusion {

struct StitchAxis {
  std::string name;
  int64_t extent;
  /// Whether some operator combines values along it: a block has the whole
  /// axis.
  bool isReduced = false;
  /// The elements to which tiles can be aligned, if most tensors along the axis
  /// have misaligned rows (StitchAlignment.h); else 1.
  int64_t align = 1;
  /// The element at which a row begins in memory: strides by axis, and the
  /// offset at coordinates 0.
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> rowStrides = {};
  int64_t rowOffset = 0;
};

/// Elements of a tensor in global memory as a tile over axes sees them.
struct StitchTensor {
  mlir::Value value;                     ///< an input or what an operator makes
  llvm::SmallVector<unsigned, 4> axes;   ///< that tell its elements apart
  llvm::SmallVector<int64_t, 4> strides; ///< by axis, elements
  int64_t offset = 0;                    ///< of coordinate 0, elements
  /// By axis: the first coordinate that has an element, and the first beyond.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> inside;
  std::optional<unsigned> unit; ///< the axis whose stride is one
  unsigned elementBytes = 0;
  /// Bytes, at most 16, that divide the address of coordinate 0 of the unit
  /// axis and of every multiple of as many of its elements.
  unsigned alignment = 1;
  /// Whether indices are computed, from other tensors' elements among others.
  bool isGathered = false;
  /// For computed indices: the axis along which elements are neighbours in
  /// memory.
  std::optional<unsigned> gatheredRun = std::nullopt;
  unsigned result = 0;    ///< the group's result that it is written to
  unsigned component = 0; ///< of the group's, that reads or makes it
  /// Whether some axes of the component do not index it, as for gains of
  /// columns.
  bool isRepeated = false;
  /// Whether its rows begin where the rows begin that the unit axis is aligned
  /// to.
  bool isInPhase = false;

  /// Returns whether an access of the alignment's width can cross the borders
  /// of the unit axis.
  bool isRagged() const;
};

struct StitchGroup {
  llvm::SmallVector<StitchAxis> axes;
  /// By operator: the axis of each of its loops.
  llvm::SmallVector<llvm::SmallVector<unsigned>> loops;
  /// By operator: the loops that index its result, by dimension.
  llvm::SmallVector<llvm::SmallVector<unsigned, 4>> resultLoops;
  /// By operator: an axis of its component, one of its own if it has loops.
  llvm::SmallVector<unsigned> homes;
  /// By operator: what it combines; nullopt if it is element-wise.
  llvm::SmallVector<std::optional<ReductionBody>> reductions;
  llvm::SmallVector<StitchTensor> inputs;
  /// The number in `inputs` for what reads the input: an operand of an operator
  /// or a `tensor.extract` in a body.
  llvm::DenseMap<void *, unsigned> reads;
  /// The tensors that are written; for a result that is assembled from several
  /// values, one for each.
  llvm::SmallVector<StitchTensor> results;
  /// What an operator reads: numbers of operators, and of inputs.
  struct Sources {
    llvm::SmallVector<unsigned, 4> operators, inputs;
  };
  llvm::SmallVector<Sources> sources; ///< by operator
  /// By axis: its component. Operators of different components share no axis.
  llvm::SmallVector<unsigned> components;
  /// Properties of operators if reductions along an axis are split over blocks.
  struct Shared {
    llvm::SmallVector<bool> isPartial; ///< it reduces the axis
    llvm::SmallVector<bool> isLate;    ///< it needs such results
    bool isPossible; ///< no operator needs them along the axis
  };
  llvm::SmallVector<std::optional<Shared>> shared; ///< by axis, of reduced ones

  /// Analyses a group of element-wise operators and reductions with static
  /// sizes; operands that none of them computes are inputs. Calls `explain` and
  /// fails for groups that have no tile program. `known` has operators of other
  /// groups.
  static mlir::FailureOr<StitchGroup>
  compute(llvm::ArrayRef<mlir::linalg::LinalgOp> operators,
          mlir::ValueRange results,
          llvm::function_ref<void(const llvm::Twine &)> explain,
          StitchOperators *known = nullptr);

  /// Returns the operators in program order, without fills and without
  /// operators that only assemble a result from other values, as these are
  /// stores to parts of the result.
  llvm::ArrayRef<mlir::linalg::LinalgOp> operators() const { return members; }
  /// Computes `shared` from all other members.
  void findShared();
  /// Appends an operator.
  void add(mlir::linalg::LinalgOp op, StitchOperatorRef about) {
    numbers[op] = members.size();
    members.push_back(op);
    facts.push_back(std::move(about));
  }
  /// Returns the facts about one operator that do not depend on the group.
  const StitchOperator &about(unsigned op) const { return *facts[op]; }
  StitchOperatorRef share(unsigned op) const { return facts[op]; }

  unsigned componentOf(unsigned op) const { return components[homes[op]]; }
  std::optional<unsigned> findAxis(llvm::StringRef name) const;
  /// Returns the operator that computes `value`, or nullopt if the group has
  /// none.
  std::optional<unsigned> definer(mlir::Value value) const;
  /// Returns the axes that index an operand of an operator, by dimension.
  llvm::SmallVector<unsigned, 4> axesOf(unsigned op,
                                        mlir::OpOperand *operand) const;
  llvm::SmallVector<unsigned, 4> resultAxes(unsigned op) const;
  /// Returns whether an operator combines its points along an axis.
  bool reduces(unsigned op, unsigned axis) const;
  /// Returns whether reductions of a component have results along axes, but no
  /// axis in common: of sums of rows and sums of columns, the ones need values
  /// of all blocks that have the others. FusionStitching forms no such group
  /// (section 5.2).
  bool crossesBlocks() const;

private:
  llvm::SmallVector<mlir::linalg::LinalgOp> members;
  llvm::SmallVector<StitchOperatorRef> facts;          ///< by member
  llvm::DenseMap<mlir::Operation *, unsigned> numbers; ///< of members
};

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHING_STITCHGROUP_H
