//===- StitchThreads.h - What a thread of a stitched group does -*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions, accesses, registers and exchanges of the steps of one spread,
// which schedules share that differ in what they keep of a walk.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_STITCHTHREADS_H
#define FUSION_LIB_ANALYSIS_STITCHTHREADS_H

#include "fusion/Analysis/StitchAlignment.h"
#include "fusion/Analysis/StitchCost.h"
#include "llvm/Support/MathExtras.h"

namespace fusion {

/// Elements of a tensor that lie side by side where `countOf` elements of each
/// of its axes are taken.
int64_t countRun(const StitchGroup &group, const StitchTensor &tensor,
                 llvm::function_ref<int64_t(unsigned)> countOf);

/// Lines of 128 bytes that one access of a warp touches, a cycle each.
double linesOfAccess(const StitchGroup &group, const StitchSchedule &schedule,
                     const StitchTensor &tensor, int64_t width);

/// What the operators of some steps do in a thread.
struct ThreadWork {
  int64_t instructions = 0, special = 0, loads = 0, exchanges = 0;
  double lines = 0; ///< of a warp's loads and stores
  int64_t live = 0; ///< registers, at most
  int64_t held = 0; ///< those that ptxas takes where it overlaps guarded loads
  int64_t behind = 0; ///< of what is loaded to be handed on to other lanes
};

/// Registers of a thread beside values where it has as many as it likes:
/// addresses, coordinates, loads ahead.
constexpr int64_t kOwnRegisters = 40;
/// Those that it cannot do without: the address of its part of each tensor, its
/// coordinate along each axis, and of exchanges and loops the place in shared
/// memory, the warp's number, a count and its end.
inline int64_t minOwnRegisters(const StitchGroup &group) {
  constexpr int64_t address = 2, coordinate = 1, exchange = 4;
  return address * int64_t(group.inputs.size() + group.results.size()) +
         coordinate * int64_t(group.axes.size()) + exchange;
}

/// Seconds that a warp waits for loads, in so many passes.
double secondsOfWaits(const StitchSchedule &schedule, unsigned passes,
                      const ChipInfo &chip);
/// Seconds of one warp's steps, with what it waits for loads.
double secondsOfWarp(const StitchSchedule &schedule, unsigned passes,
                     const ThreadWork &work, int64_t clusterExchanges,
                     int64_t chained, const ChipInfo &chip);
/// Reductions that wait for one another, those of all steps of a persistent
/// block.
int64_t countChained(const StitchGroup &group, const StitchWork &work,
                     const StitchSchedule &schedule);
/// Seconds that the busiest SM, which has `blocksOnBusiest` blocks of `warps`
/// warps one after the other, takes to issue their work.
double secondsOfIssue(const ThreadWork &work, int64_t blocksOnBusiest,
                      int64_t warps, const ChipInfo &chip);
/// Those of a kernel with its launch. Blocks of an SM hide one another's
/// dependent steps; a block that is alone there leaves the memory, and the port
/// to it, idle while it computes.
double secondsOfKernel(double memory, double port, double issue, double latency,
                       int64_t blocksPerSM, const ChipInfo &chip);
/// Those of the last blocks that combine parts of reductions, in so many steps,
/// after a fence and a count.
inline double secondsOfParts(double steps, const ChipInfo &chip) {
  return (2 + steps) * chip.l2Latency;
}

/// The loads or stores of a tile of a tensor.
struct TileAccess {
  int64_t count = 0;
  double lines = 0;
  int64_t moves = 0; ///< instructions that put what is loaded to its place
  /// Registers that guarded accesses have until they are done: an address of
  /// each, and the vector behind.
  int64_t held = 0, behind = 0;
  int64_t moving = 0; ///< registers while what is loaded moves to its place
  int64_t places = 0; ///< registers for where rows are off, of all accesses

  /// With so many elements in a thread.
  static TileAccess of(const StitchGroup &group, const StitchSchedule &schedule,
                       const StitchTensor &tensor, int64_t elements);
  /// Those of a result that is stored as it lies.
  static TileAccess ofStores(const StitchGroup &group,
                             const StitchSchedule &schedule,
                             const StitchTensor &tensor, int64_t elements);
};

class ThreadCounter {
public:
  ThreadCounter(const StitchGroup &group, const StitchWork &work,
                const StitchSchedule &schedule)
      : group(group), work(work), spread(schedule.threadMapping) {
    llvm::SmallVector<int64_t, 8> ofAxis;
    for (unsigned axis = 0; axis < schedule.threadMapping.size(); ++axis)
      ofAxis.push_back(elementsOf(schedule, axis));
    for (llvm::ArrayRef<unsigned> axes : work.spaces) {
      int64_t count = 1;
      for (unsigned axis : axes)
        count *= ofAxis[axis];
      elements.push_back(count);
    }
    llvm::SmallVector<std::optional<TileAccess>, 8> known(work.shapes.size());
    for (auto [tensor, space, shape] :
         llvm::zip_equal(group.inputs, work.inputSpaces, work.inputShapes)) {
      if (!known[shape])
        known[shape] = TileAccess::of(group, schedule, tensor, elements[space]);
      accesses.push_back(*known[shape]);
    }
  }

  /// Elements of a thread in a tile over a set of axes.
  int64_t elementsIn(unsigned space) const { return elements[space]; }
  int64_t registersOf(unsigned space, unsigned bytes) const {
    constexpr int64_t registerBytes = 4;
    return llvm::divideCeil(uint64_t(elements[space]) * bytes, registerBytes);
  }

  /// Operators one after the other; all inputs are loaded first.
  ThreadWork count(llvm::ArrayRef<unsigned> operators,
                   llvm::ArrayRef<unsigned> inputs,
                   std::optional<unsigned> serialAxis) const {
    ThreadWork total;
    llvm::SmallVector<int64_t, 64> ends(work.operators.size() + 1, 0);
    int64_t live = 0, held = 0, moving = 0, places = 0;
    for (unsigned input : inputs) {
      int64_t count = registersOf(work.inputSpaces[input],
                                  group.inputs[input].elementBytes);
      live += count;
      ends[work.lastRead[input]] += count;
      total.loads += accesses[input].count;
      total.lines += accesses[input].lines;
      total.instructions += accesses[input].moves;
      held += accesses[input].held;
      moving = std::max(moving, accesses[input].moving);
      places += accesses[input].places;
      total.behind += accesses[input].behind;
    }
    total.live = live + moving;
    total.held = held;
    for (unsigned number : operators) {
      const StitchWork::Operator &op = work.operators[number];
      int64_t count = registersOf(op.resultSpace, std::max(op.bytes, 4u));
      live += count;
      total.live = std::max(total.live, live);
      live -= ends[number];
      if (op.lastUse == number)
        live -= count;
      else
        ends[op.lastUse] += count;
      int64_t points = elements[op.space];
      total.instructions += points * std::max<int64_t>(1, op.work.plain);
      total.special += points * op.work.special;
      // Along the walked axis parts are exchanged after the last step.
      if (group.reductions[number] &&
          (!serialAxis || llvm::is_contained(op.resultAxes, *serialAxis) ||
           !llvm::is_contained(op.axes, *serialAxis)))
        addExchange(op, total);
    }
    total.live += places;
    return total;
  }

  /// What is left of a reduction after the threads' own elements.
  void addExchange(const StitchWork::Operator &op, ThreadWork &total) const {
    int64_t rows = elements[op.resultSpace], parts = 1;
    for (unsigned axis : op.axes) {
      if (llvm::is_contained(op.resultAxes, axis))
        continue;
      total.instructions += 2 * rows * llvm::Log2_64_Ceil(spread[axis].lanes);
      total.exchanges += spread[axis].warps > 1;
      parts *= spread[axis].warps;
    }
    if (parts > 1)
      total.instructions += rows * parts * 2;
  }

private:
  const StitchGroup &group;
  const StitchWork &work;
  llvm::SmallVector<AxisThreadMapping> spread;
  llvm::SmallVector<int64_t, 16> elements;    ///< by set of axes
  llvm::SmallVector<TileAccess, 16> accesses; ///< by input
};

/// Of one spread: what the passes do in a step, kept or not.
struct StitchSteps {
  StitchSteps(const StitchGroup &group, const StitchWork &work,
              const StitchSchedule &schedule)
      : key(keyOf(schedule)), counter(group, work, schedule) {}

  /// The spread of a step: that of the tile says how many there are.
  static llvm::SmallVector<AxisThreadMapping>
  keyOf(const StitchSchedule &schedule) {
    llvm::SmallVector<AxisThreadMapping> key;
    for (unsigned axis = 0; axis < schedule.threadMapping.size(); ++axis)
      key.push_back(schedule.stepOf(axis));
    return key;
  }

  struct Pass {
    ThreadWork step, again;
    /// Of results so far, for a step.
    ThreadWork corrections;
    int64_t corrected = 0; ///< registers of a correction
    int64_t ahead = 0;     ///< those of the loads of a step ahead
  };
  struct Passes {
    const StitchPasses *of;
    llvm::SmallVector<Pass> passes;
    ThreadWork
        once; ///< outside of the walk, and the ends of reductions along it
    int64_t accumulators = 0;
    int64_t outside = 0;     ///< registers of what is the same in all steps
    int64_t parts = 0;       ///< registers of what blocks share, of a step
    int64_t words = 0;       ///< of what is kept of a step
    int64_t inRegisters = 0; ///< those of it that registers take
  };
  const Passes &passesOf(const StitchGroup &group, const StitchWork &work,
                         const StitchPasses &passes) {
    for (const Passes &entry : known)
      if (entry.of == &passes)
        return entry;
    known.push_back(count(group, work, passes));
    return known.back();
  }
  Passes count(const StitchGroup &group, const StitchWork &work,
               const StitchPasses &passes) const;

  /// Bytes through which a result is turned, of any schedule of this spread.
  int64_t turned(const StitchGroup &group, const StitchSchedule &schedule,
                 const StitchTensor &result) {
    transposedBytes.resize(group.results.size());
    std::optional<int64_t> &bytes =
        transposedBytes[&result - group.results.data()];
    if (!bytes)
      bytes = transposeBytes(group, schedule, result);
    return *bytes;
  }

  llvm::SmallVector<AxisThreadMapping> key;
  ThreadCounter counter;
  std::vector<Passes> known;
  llvm::SmallVector<std::optional<int64_t>> transposedBytes; ///< by result
};

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_STITCHTHREADS_H
