//===- StitchBound.h - Lower bounds of stitched groups ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lower bounds of the latency evaluator (StitchCost.h) from the thread mapping
// alone. They count the operators' instructions, the exchanges of reductions
// and compulsory bytes, with as many resident blocks as warps and loaded
// registers leave room for. The closer bound also has loads and stores, and the
// bytes of the replicas that threads and blocks load. Operators over equal axes
// count as one, and so do tensors of one shape, so that the bounds take no
// longer for groups of many operators. The bounds ignore liveness and shared
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHING_STITCHBOUND_H
#define FUSION_ANALYSIS_STITCHING_STITCHBOUND_H

#include "fusion/Analysis/Stitching/StitchCost.h"

namespace fusion {

class StitchBound {
public:
  /// `mayBeSerial`: schedules have a serial loop if the work has an axis for
  /// it. `split`: the axis along which reductions may be split over blocks.
  StitchBound(const StitchGroup &group, const StitchWork &work,
              const ChipInfo &chip, bool mayBeSerial = true,
              std::optional<unsigned> split = std::nullopt);

  /// Returns a lower bound of the predicted seconds, with reductions online or
  /// not, and with evict-first accesses or not. Returns nullopt if a thread
  /// does not have enough registers.
  std::optional<double> operator()(const StitchSchedule &schedule) const {
    return boundOf(schedule, countBlocks(group, schedule), Closeness::Work);
  }
  /// Returns a closer lower bound, which takes longer to compute.
  std::optional<double> closer(const StitchSchedule &schedule) const {
    return boundOf(schedule, countBlocks(group, schedule), Closeness::Traffic);
  }
  /// Returns a lower bound for schedules with a split loop, in which a block
  /// processes several tiles of the split axis.
  std::optional<double> ofSplitLoop(const StitchSchedule &schedule) const {
    return boundOf(schedule, countBlocks(group, schedule), Closeness::Accesses);
  }
  /// Returns a lower bound for schedules with at least as many steps, for any
  /// number of blocks.
  std::optional<double> ofMoreSteps(const StitchSchedule &schedule,
                                    bool isCloser) const {
    return boundOf(schedule, /*blocks=*/1,
                   isCloser ? Closeness::Accesses : Closeness::Work);
  }
  /// Returns a lower bound for schedules whose clusters share the serial loop's
  /// axis.
  double ofClusters() const;

private:
  /// What is counted: the work; loads and stores as well; and also the
  /// replicated loads of all tiles of a split axis, of which schedules may have
  /// fewer.
  enum class Closeness : uint8_t { Work, Accesses, Traffic };
  /// What operators and inputs over one set of axes need for each element.
  struct Weight {
    int64_t plain = 0, special = 0, loadedBytes = 0, accumulators = 0;
    /// The work of operators that threads may share, for each element of
    /// theirs.
    int64_t sharedPlain = 0, sharedSpecial = 0;
    bool isComputed = false;
  };
  using Weights = llvm::SmallVector<Weight>; ///< by set of axes
  /// One way to run the passes.
  struct Form {
    unsigned passes = 1;
    Weights outside; ///< of the serial loop
    Weights inSteps; ///< of all passes, in a step that costs least
    llvm::SmallVector<Weights, 2> ofPass; ///< in a step that is retained
    /// By shape: loads outside of the serial loop, and in a step of all passes.
    llvm::SmallVector<int64_t> loads, loadsInSteps;
    /// By shape: bytes of the inputs, each counted once for every pass that
    /// loads it, and bytes of the inputs that only the last block of a split
    /// reduction loads.
    llvm::SmallVector<int64_t> bytes, bytesOfLast;
  };
  /// A shape of tensors: the axes of its elements, and the number of results
  /// that have it.
  struct Shape {
    unsigned space = 0;
    int64_t stores = 0;
    bool isRepeated = false;
  };
  /// A lower bound of the number of accesses, by shape.
  struct Accesses;
  /// Reductions over the same axes whose results have the same axes.
  struct Exchange {
    unsigned resultSpace;
    llvm::SmallVector<unsigned, 4> axes; ///< that are reduced
    int64_t times;
  };
  Weights weigh(llvm::ArrayRef<unsigned> operators,
                llvm::ArrayRef<unsigned> inputs) const;
  Form describe(const StitchPasses &passes) const;
  std::optional<double> boundOf(const StitchSchedule &schedule, int64_t blocks,
                                Closeness closeness) const;
  std::optional<double> boundOf(const Form &form,
                                const StitchSchedule &schedule,
                                llvm::ArrayRef<int64_t> elements,
                                llvm::ArrayRef<int64_t> shares,
                                const Accesses &accesses, int64_t blocks) const;
  Accesses accessesOf(const StitchSchedule &schedule,
                      llvm::ArrayRef<int64_t> elements,
                      Closeness closeness) const;
  /// Returns the number of threads that load the same element of a tensor,
  /// within one tile of a split axis; 0 if they are not counted.
  int64_t replicasOf(const StitchSchedule &schedule,
                     const StitchTensor &tensor) const;
  /// Returns the bytes between the L2 and the SMs, with evict-first accesses or
  /// not.
  double trafficOf(const Form &form, const Accesses &accesses,
                   const StitchSchedule &schedule, int64_t blocks) const;

  const StitchGroup &group;
  const StitchWork &work;
  ChipInfo chip;
  llvm::SmallVector<Form, 2> forms;
  llvm::SmallVector<Exchange, 2> exchanges;
  llvm::SmallVector<Shape> shapes;
  std::optional<unsigned> split;
  llvm::SmallVector<bool> isLateInput; ///< that the last blocks alone load
  /// Operators that may have a composition, and inputs that only these read.
  llvm::SmallVector<bool> mayBeShared, isSharedInput;
  int64_t storedBytes = 0, repeatedBytes = 0;
};

/// Returns a lower bound of the predicted seconds of every kernel.
double minOfKernel(const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHING_STITCHBOUND_H
