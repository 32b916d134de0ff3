//===- StitchBound.h - What a stitched group takes at least -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lower bounds of the latency evaluator (StitchCost.h) from the spread alone:
// the operators' instructions, what reductions exchange, compulsory bytes, and
// as many blocks on an SM as warps and loaded registers leave room for; the
// closer one has loads and stores too, and the bytes of the replicas that
// threads and blocks load. Operators over the same axes count as one, and so do
// tensors of one shape, so that they take no longer for groups of many
// operators. What liveness and shared memory cost is left out.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHBOUND_H
#define FUSION_ANALYSIS_STITCHBOUND_H

#include "fusion/Analysis/StitchCost.h"

namespace fusion {

class StitchBound {
public:
  /// `mayBeSerial`: schedules walk where the work has an axis for that.
  /// `split`: the axis of which blocks may have a part each.
  StitchBound(const StitchGroup &group, const StitchWork &work,
              const ChipInfo &chip, bool mayBeSerial = true,
              std::optional<unsigned> split = std::nullopt);

  /// The schedule is not predicted to take fewer seconds, whether its
  /// reductions are online or not and whether it streams; nullopt where a
  /// thread has not the registers.
  std::optional<double> operator()(const StitchSchedule &schedule) const {
    return boundOf(schedule, countBlocks(group, schedule), Closeness::Work);
  }
  /// The same, closer, which takes longer.
  std::optional<double> closer(const StitchSchedule &schedule) const {
    return boundOf(schedule, countBlocks(group, schedule), Closeness::Traffic);
  }
  /// The same of schedules whose blocks go through several such parts of the
  /// axis that they share as well.
  std::optional<double> ofSplitLoop(const StitchSchedule &schedule) const {
    return boundOf(schedule, countBlocks(group, schedule), Closeness::Accesses);
  }
  /// The same of schedules that take at least as many steps, whatever the
  /// number of their blocks is.
  std::optional<double> ofMoreSteps(const StitchSchedule &schedule,
                                    bool isCloser) const {
    return boundOf(schedule, /*blocks=*/1,
                   isCloser ? Closeness::Accesses : Closeness::Work);
  }
  /// The least of schedules that share the walked axis in clusters.
  double ofClusters() const;

private:
  /// What is counted: with loads and stores, and then those of what all parts
  /// of a shared axis load, of which schedules may have fewer.
  enum class Closeness : uint8_t { Work, Accesses, Traffic };
  /// Of operators and inputs over one set of axes, for each element.
  struct Weight {
    int64_t plain = 0, special = 0, loadedBytes = 0, accumulators = 0;
    bool isComputed = false;
  };
  using Weights = llvm::SmallVector<Weight>; ///< by set of axes
  /// One way to go through the passes.
  struct Form {
    unsigned passes = 1;
    Weights outside; ///< of the walk
    Weights inSteps; ///< of all passes, in a step that costs least
    llvm::SmallVector<Weights, 2> ofPass; ///< in a step that is kept
    /// By shape: loads outside of the walk, and in a step of all passes.
    llvm::SmallVector<int64_t> loads, loadsInSteps;
    /// By shape: bytes of the inputs, of each as many times as passes load it,
    /// and of those that only the last of blocks that share an axis load.
    llvm::SmallVector<int64_t> bytes, bytesOfLast;
  };
  /// Of a shape of tensors: where its elements are, and how many results have
  /// it.
  struct Shape {
    unsigned space = 0;
    int64_t stores = 0;
    bool isRepeated = false;
  };
  /// What accesses there are at least, by shape.
  struct Accesses;
  /// Reductions over the same axes that have results over the same.
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
                                const Accesses &accesses, int64_t blocks) const;
  Accesses accessesOf(const StitchSchedule &schedule,
                      llvm::ArrayRef<int64_t> elements,
                      Closeness closeness) const;
  /// Threads that load the same of a tensor, of one part of a shared axis; 0
  /// where they are not counted.
  int64_t replicasOf(const StitchSchedule &schedule,
                     const StitchTensor &tensor) const;
  /// Bytes between the L2 and the SMs, whether the schedule streams or not.
  double trafficOf(const Form &form, const Accesses &accesses,
                   const StitchSchedule &schedule, int64_t blocks) const;

  const StitchGroup &group;
  const StitchWork &work;
  const ChipInfo &chip;
  llvm::SmallVector<Form, 2> forms;
  llvm::SmallVector<Exchange, 2> exchanges;
  llvm::SmallVector<Shape> shapes;
  std::optional<unsigned> split;
  llvm::SmallVector<bool> isLateInput; ///< what the last blocks alone load
  int64_t storedBytes = 0, repeatedBytes = 0;
};

/// Seconds that every kernel is predicted to take at least.
double minOfKernel(const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHBOUND_H
