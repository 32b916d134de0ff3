//===- StitchThreads.h - What a thread of a stitched group does -*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts instructions, accesses, registers and exchanges of the steps of one
// thread mapping. Schedules that differ only in the steps that a serial loop
// retains share these counts.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_STITCHING_STITCHTHREADS_H
#define FUSION_LIB_ANALYSIS_STITCHING_STITCHTHREADS_H

#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "fusion/Analysis/Stitching/StitchCompositions.h"
#include "fusion/Analysis/Stitching/StitchCost.h"
#include "llvm/Support/MathExtras.h"
#include <vector>

namespace fusion {

/// Returns how many elements of a tensor are contiguous where `countOf`
/// elements of each of its axes are taken.
int64_t countRun(const StitchGroup &group, const StitchTensor &tensor,
                 llvm::function_ref<int64_t(unsigned)> countOf);

/// Returns the lines of 128 bytes that one access of a warp touches. Each takes
/// a cycle.
double linesOfAccess(const StitchGroup &group, const StitchSchedule &schedule,
                     const StitchTensor &tensor, int64_t width);

/// What a thread does for the operators of some steps.
struct ThreadWork {
  int64_t instructions = 0, special = 0, loads = 0, exchanges = 0;
  /// The parts of `instructions` that are shuffles, and accesses to shared
  /// memory. Stores are no part of it.
  int64_t shuffles = 0, shared = 0;
  int64_t stores = 0; ///< to global memory
  double lines = 0;   ///< of a warp's loads and stores
  int64_t live = 0;   ///< registers, at most
  int64_t held = 0;   ///< registers where ptxas overlaps guarded loads
  int64_t behind = 0; ///< registers of vectors that are loaded for other lanes
};

/// Returns the registers of a thread, next to its values, where their number is
/// not limited: addresses, coordinates, loads that are issued early. Blocks
/// that split a reduction have counts and partial results as well.
constexpr int64_t ownRegisters(bool isSplit) { return isSplit ? 40 : 16; }
/// Instructions of a thread, next to its operators, accesses and exchanges: it
/// reads the arguments, finds its place, and computes addresses.
constexpr int64_t kOwnInstructions = 25;
/// Returns the instructions with which a warp combines the partial results of a
/// row from `parts` warps: it stores its own one, and loads all, up to four at
/// a time.
constexpr int64_t instructionsOfParts(int64_t parts) {
  return parts + llvm::divideCeil(parts, 4) + 4;
}
/// The part of `instructionsOfParts` that are accesses to shared memory.
constexpr int64_t sharedOfParts(int64_t parts) {
  return 1 + llvm::divideCeil(parts, 4);
}
/// Returns the fewest registers of a thread next to its values: an address for
/// each tensor and a coordinate along each axis. Exchanges and loops need the
/// address in shared memory, the warp's number, a count and its end.
inline int64_t minOwnRegisters(const StitchGroup &group) {
  constexpr int64_t address = 2, coordinate = 1, exchange = 4;
  return address * int64_t(group.inputs.size() + group.results.size()) +
         coordinate * int64_t(group.axes.size()) + exchange;
}

/// Returns the seconds that a warp waits for loads in `passes` passes.
/// `loadingPasses` of them, which are not the first, load inputs that no pass
/// before has retained.
double secondsOfWaits(const StitchSchedule &schedule, unsigned passes,
                      unsigned loadingPasses, const ChipInfo &chip);
/// The seconds of one warp's steps, with its waits for loads.
struct WarpSeconds {
  double alone = 0; ///< in which no loads of later steps are in flight
  /// In which it computes while loads of later steps are in flight, and the
  /// latencies of these loads.
  double hiding = 0, hidden = 0;
  double busy = 0; ///< in which it computes
  /// The part of `hiding` of one step. The first step's loads and the last
  /// step's computations are beside nothing.
  double ofStep = 0;

  /// Returns the seconds where loads take `transfer` seconds beside their
  /// latencies.
  double with(double transfer) const {
    if (hiding == 0)
      return alone + transfer;
    return alone + ofStep * (hiding + transfer) +
           (1 - ofStep) * std::max({hiding, hidden, transfer});
  }
};
/// Cycles from one instruction of a warp to its next one, on average, where the
/// warp has a sub-partition for itself. A thread adds up a row and converts its
/// elements: more of its instructions depend on one another than those of a
/// contraction's operators (kCyclesBetweenInstructions). From the timing.
constexpr double kCyclesOfRows = 3;
/// Returns them for a warp beside `warps` − 1 other warps of its SM.
WarpSeconds secondsOfWarp(const StitchSchedule &schedule, unsigned passes,
                          unsigned loadingPasses, const ThreadWork &work,
                          int64_t clusterExchanges, int64_t chained,
                          int64_t warps, const ChipInfo &chip);
/// Returns how many reductions depend on one another, in all steps of a
/// persistent block.
int64_t countChained(const StitchGroup &group, const StitchWork &work,
                     const StitchSchedule &schedule);
/// Returns the seconds that the busiest SM takes to issue its work, which is
/// that of `blocksOnBusiest` blocks of `warps` warps, one after the other.
double secondsOfIssue(const ThreadWork &work, int64_t blocksOnBusiest,
                      int64_t warps, const ChipInfo &chip);
/// What bounds a kernel, in seconds.
struct KernelLimits {
  double memory = 0;
  double port = 0;    ///< of the busiest SM to the L2
  double issue = 0;   ///< work of the busiest SM
  double latency = 0; ///< waves of blocks
  double loads = 0;   ///< the part of `memory` or `port` of loads
  /// In which an SM's blocks compute while none of their loads are in flight,
  /// divided by the number of resident blocks, which do so at different times.
  double apart = 0;
  WarpSeconds warp;
};
/// Returns the seconds of a kernel with its launch: what is busy most, or all
/// loads and beside them one warp. Blocks of a wave wait for memory at the same
/// time and then compute at the same time; the first wave begins with its
/// loads, and the last one ends with what it computes. What a warp does while
/// its next loads are in flight takes no time of its own. No warp waits for
/// stores. Over several waves memory is idle while none of an SM's blocks
/// loads.
double secondsOfKernel(const KernelLimits &limits, const ChipInfo &chip);
/// Returns the seconds of the cross-block reduction in the last blocks: `steps`
/// steps after a fence and a count of the blocks.
inline double secondsOfParts(double steps, const ChipInfo &chip) {
  return (2 + steps) * chip.l2Latency;
}

/// The loads or stores of a tile of a tensor.
struct TileAccess {
  int64_t count = 0;
  double lines = 0;
  int64_t moves = 0; ///< instructions that shift loaded data into place
  /// Registers until guarded accesses are done: an address for each, and for
  /// misaligned rows the vectors behind a warp's run (`behind`).
  int64_t held = 0, behind = 0;
  int64_t moving = 0; ///< registers while loaded data is shifted into place
  int64_t places = 0; ///< registers for the misalignment, of all accesses

  /// Counts the accesses to a tile with `elements` elements per thread.
  static TileAccess of(const StitchGroup &group, const StitchSchedule &schedule,
                       const StitchTensor &tensor, int64_t elements);
  /// Counts the stores of a result that is not transposed.
  static TileAccess ofStores(const StitchGroup &group,
                             const StitchSchedule &schedule,
                             const StitchTensor &tensor, int64_t elements);
};

class ThreadCounter {
public:
  ThreadCounter(const StitchGroup &group, const StitchWork &work,
                const StitchSchedule &schedule)
      : group(group), work(work), mappings(schedule.threadMapping) {
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
    if (!schedule.compositions.empty())
      shareOut(schedule);
  }

  /// Returns the elements per thread of a tile over a set of axes.
  int64_t elementsIn(unsigned space) const { return elements[space]; }
  int64_t registersOf(unsigned space, unsigned bytes) const {
    constexpr int64_t registerBytes = 4;
    return llvm::divideCeil(uint64_t(elements[space]) * bytes, registerBytes);
  }

  /// Counts the work of operators that run one after the other. All inputs are
  /// loaded first.
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
      addWork(number, total);
      // Along the serial loop's axis, warps exchange results after the last
      // step.
      if (group.reductions[number] &&
          (!serialAxis || llvm::is_contained(op.resultAxes, *serialAxis) ||
           !llvm::is_contained(op.axes, *serialAxis)))
        addExchange(op, total);
    }
    total.live += places;
    return total;
  }

  /// Adds what an operator computes for each of its points, and exchanges if it
  /// has a composition.
  void addWork(unsigned number, ThreadWork &total) const {
    const StitchWork::Operator &op = work.operators[number];
    int64_t points = elements[op.space];
    if (auto own = shared.find(number); own != shared.end()) {
      const StitchExchange &exchange = own->second.exchange;
      points = own->second.points;
      total.instructions +=
          exchange.shuffles + exchange.accesses + exchange.selects;
      total.shuffles += exchange.shuffles;
      total.shared += exchange.accesses;
      total.exchanges += exchange.barriers;
    }
    total.instructions += points * std::max<int64_t>(1, op.work.plain);
    total.special += points * op.work.special;
  }

  /// Adds the work of a reduction after each thread has reduced its own
  /// elements: exchanges between lanes and between warps.
  void addExchange(const StitchWork::Operator &op, ThreadWork &total) const {
    int64_t rows = elements[op.resultSpace], parts = 1;
    for (unsigned axis : op.axes) {
      if (llvm::is_contained(op.resultAxes, axis))
        continue;
      int64_t shuffles = rows * llvm::Log2_64_Ceil(mappings[axis].lanes);
      total.instructions += 2 * shuffles;
      total.shuffles += shuffles;
      total.exchanges += mappings[axis].warps > 1;
      parts *= mappings[axis].warps;
    }
    if (parts == 1)
      return;
    total.instructions += rows * instructionsOfParts(parts);
    total.shared += rows * sharedOfParts(parts);
  }

private:
  /// Counts what the compositions change: the points of operators, and the
  /// loads of inputs.
  void shareOut(const StitchSchedule &schedule);

  const StitchGroup &group;
  const StitchWork &work;
  llvm::SmallVector<AxisThreadMapping> mappings;
  llvm::SmallVector<int64_t, 16> elements;    ///< by set of axes
  llvm::SmallVector<TileAccess, 16> accesses; ///< by input
  /// An operator with a composition: the points of a thread, and its exchanges.
  struct Shared {
    int64_t points;
    StitchExchange exchange;
  };
  llvm::SmallDenseMap<unsigned, Shared> shared; ///< by operator
};

/// What the passes do in a step, with its values retained or not, for all
/// schedules of one thread mapping.
struct StitchSteps {
  StitchSteps(const StitchGroup &group, const StitchWork &work,
              const StitchSchedule &schedule)
      : key(keyOf(schedule)), compositions(schedule.compositions),
        counter(group, work, schedule) {}

  /// Returns whether a schedule has these steps.
  bool areOf(const StitchSchedule &schedule) const {
    return key == keyOf(schedule) && compositions == schedule.compositions;
  }

  /// Returns the thread mapping of one step. The tile's own mapping says, in
  /// addition, how many steps there are.
  static llvm::SmallVector<AxisThreadMapping>
  keyOf(const StitchSchedule &schedule) {
    llvm::SmallVector<AxisThreadMapping> key;
    for (unsigned axis = 0; axis < schedule.threadMapping.size(); ++axis)
      key.push_back(schedule.stepOf(axis));
    return key;
  }

  struct Pass {
    ThreadWork step, again;
    /// The part of `step` that an earlier pass has done. Steps in registers are
    /// straight-line code, in which equal operators are computed once.
    ThreadWork repeated;
    /// Work of a step to rescale running results.
    ThreadWork corrections;
    int64_t corrected = 0; ///< registers while results are rescaled
    int64_t ahead = 0;     ///< registers of the next step's loads
  };
  struct Passes {
    const StitchPasses *of;
    std::vector<Pass> passes;
    ThreadWork
        once; ///< outside of the serial loop, with the ends of its reductions
    int64_t accumulators = 0;
    int64_t outside = 0;     ///< registers of values that all steps read
    int64_t parts = 0;       ///< registers of a step's partial results
    int64_t words = 0;       ///< 4-byte words of a step's retained values
    int64_t inRegisters = 0; ///< registers that the retained values take
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

  /// Returns the bytes through which a result is transposed. They are the same
  /// for all schedules of this thread mapping.
  int64_t turned(const StitchGroup &group, const StitchSchedule &schedule,
                 const StitchTensor &result) {
    transposedBytes->resize(group.results.size());
    std::optional<int64_t> &bytes =
        (*transposedBytes)[&result - group.results.data()];
    if (!bytes)
      bytes = transposeBytes(group, schedule, result);
    return *bytes;
  }

  llvm::SmallVector<AxisThreadMapping> key;
  llvm::SmallVector<StitchComposition, 0> compositions;
  ThreadCounter counter;
  std::vector<Passes> known;
  /// By result. Schedules that differ in their compositions alone share them.
  std::shared_ptr<llvm::SmallVector<std::optional<int64_t>>> transposedBytes =
      std::make_shared<llvm::SmallVector<std::optional<int64_t>>>();
};

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_STITCHING_STITCHTHREADS_H
