//===- StitchGroup.h - Axes of a stitched group -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory-intensive operators of one kernel (FusionStitching, section 4): their
// loops unified to axes through the values between them and the inputs they
// share, and which of the axes are reduced.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHGROUP_H
#define FUSION_ANALYSIS_STITCHGROUP_H

#include "fusion/Analysis/StitchOperator.h"

namespace fusion {

struct StitchAxis {
  std::string name;
  int64_t extent;
  /// Some operator combines values along it: a block has all of it.
  bool isReduced = false;
  /// What the tiles can be aligned to where most of what lies along the axis
  /// has rows that begin anywhere (StitchAlignment.h), elements; else 1.
  int64_t align = 1;
  /// Where such a row begins in memory: by axes, and at their coordinates 0.
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> rowStrides = {};
  int64_t rowOffset = 0;
};

/// Elements of a tensor in global memory as a tile over axes sees them.
struct StitchTensor {
  mlir::Value value; ///< an input or what an operator makes
  llvm::SmallVector<unsigned, 4> axes;   ///< that tell its elements apart
  llvm::SmallVector<int64_t, 4> strides; ///< by axis, elements
  int64_t offset = 0;                    ///< of coordinate 0, elements
  /// By axis: the first coordinate that has an element and the first beyond.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> inside;
  std::optional<unsigned> unit; ///< the axis whose stride is one
  unsigned elementBytes = 0;
  /// Bytes, at most 16, that every coordinate 0 of the unit axis, and every
  /// multiple of as many of its elements, starts at a multiple of.
  unsigned alignment = 1;
  /// The places are computed, from other tensors' elements among others.
  bool isGathered = false;
  /// Of such places, the axis along which they follow one another.
  std::optional<unsigned> gatheredRun = std::nullopt;
  unsigned result = 0; ///< where it is written: to which result of the group
  unsigned component = 0; ///< of the group's, that reads or makes it
  /// Not all axes of the component index it, as gains of columns.
  bool isRepeated = false;
  /// Its rows begin where those do that say how the unit axis is aligned.
  bool isInPhase = false;

  /// Whether an access of the alignment's width can cross the borders of the
  /// unit axis.
  bool isRagged() const;
};

struct StitchGroup {
  llvm::SmallVector<StitchAxis> axes;
  /// By operator: the axis of each of its loops.
  llvm::SmallVector<llvm::SmallVector<unsigned>> loops;
  /// By operator: the loops that index its result, by dimension.
  llvm::SmallVector<llvm::SmallVector<unsigned, 4>> resultLoops;
  /// By operator: an axis of its component, its own where it has loops.
  llvm::SmallVector<unsigned> homes;
  /// By operator: what it combines, none where it is element-wise.
  llvm::SmallVector<std::optional<ReductionBody>> reductions;
  llvm::SmallVector<StitchTensor> inputs;
  /// What reads an input, an operand of an operator or a `tensor.extract` in a
  /// body: its number in `inputs`.
  llvm::DenseMap<void *, unsigned> reads;
  /// What is written; of a result that is put together from parts, each of them.
  llvm::SmallVector<StitchTensor> results;
  /// What an operator reads: numbers of operators, and of inputs.
  struct Sources {
    llvm::SmallVector<unsigned, 4> operators, inputs;
  };
  llvm::SmallVector<Sources> sources; ///< by operator
  /// By axis: its component. Operators of different components share no axis.
  llvm::SmallVector<unsigned> components;
  /// Of an axis that blocks may have parts of, by operator.
  struct Shared {
    llvm::SmallVector<bool> isPartial; ///< it reduces the axis
    llvm::SmallVector<bool> isLate;    ///< it needs such results
    bool isPossible; ///< nothing needs them along the axis
  };
  llvm::SmallVector<std::optional<Shared>> shared; ///< by axis, of reduced ones

  /// Analyses a group of element-wise operators and reductions with static
  /// sizes; operands made by none of them are inputs. Says through `explain`
  /// why there is no tile program for others. `known`: operators of other
  /// groups.
  static mlir::FailureOr<StitchGroup>
  compute(llvm::ArrayRef<mlir::linalg::LinalgOp> operators,
          mlir::ValueRange results,
          llvm::function_ref<void(const llvm::Twine &)> explain,
          StitchOperators *known = nullptr);

  /// In program order, without fills and without operators that only put
  /// others' values side by side: those are stores to parts of a result.
  llvm::ArrayRef<mlir::linalg::LinalgOp> operators() const { return members; }
  /// Fills `shared` by all else.
  void findShared();
  /// Appends to them.
  void add(mlir::linalg::LinalgOp op, StitchOperatorRef about) {
    numbers[op] = members.size();
    members.push_back(op);
    facts.push_back(std::move(about));
  }
  /// What one of them is by itself.
  const StitchOperator &about(unsigned op) const { return *facts[op]; }
  StitchOperatorRef share(unsigned op) const { return facts[op]; }

  unsigned componentOf(unsigned op) const { return components[homes[op]]; }
  std::optional<unsigned> findAxis(llvm::StringRef name) const;
  /// The operator that makes `value`, if it is one of the group's.
  std::optional<unsigned> definer(mlir::Value value) const;
  /// The axes that index an operand of an operator, by dimension.
  llvm::SmallVector<unsigned, 4> axesOf(unsigned op,
                                        mlir::OpOperand *operand) const;
  llvm::SmallVector<unsigned, 4> resultAxes(unsigned op) const;
  /// Whether an operator combines its points along an axis.
  bool reduces(unsigned op, unsigned axis) const;

private:
  llvm::SmallVector<mlir::linalg::LinalgOp> members;
  llvm::SmallVector<StitchOperatorRef> facts; ///< by member
  llvm::DenseMap<mlir::Operation *, unsigned> numbers; ///< of members
};

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHGROUP_H
