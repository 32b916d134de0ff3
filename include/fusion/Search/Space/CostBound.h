//===- CostBound.h - Lower bounds for branch and bound --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lower bounds for branch and bound, from the terms of Fusion's model that
// depend on loops and tile sizes alone. These are bytes and work at the rates
// of the chip, which stages and placements can only increase, the issue slots
// of instructions that every schedule of the loops has, and the latencies that
// no stages hide.
//
// Among all warps that can hold the accumulators, the bound takes the ones that
// load the fewest fragments from shared memory and keep the tensor cores
// busiest. The terms fall as tiles grow. An axis whose tile size is not chosen
// yet therefore counts as one whole tile without padding, and the bound of a
// partial choice holds for all its completions. For a contraction whose
// intrinsic is not chosen yet, each term is the least over its intrinsics.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_COSTBOUND_H
#define FUSION_SEARCH_SPACE_COSTBOUND_H

#include "fusion/Analysis/Schedules/Schedule.h"
#include "fusion/Search/Space/ScheduleBuilder.h"
#include <array>

namespace fusion {

class CostBound {
public:
  /// The most axes of a group that has a bound.
  static constexpr unsigned kMaxAxes = 16;

  /// `outline` has the loops of the live axes, the mapping of axes and the
  /// split, but need not have the tile sizes. `blocks` are the axes bound to
  /// the grid, live or not. `intrinsics` has the candidates of each
  /// contraction. `overlaps`: contractions may have cross-iteration overlap.
  CostBound(const GroupModel &group, const Schedule &outline,
            llvm::ArrayRef<unsigned> blocks,
            llvm::ArrayRef<llvm::SmallVector<const Intrinsic *, 2>> intrinsics,
            const ChipInfo &chip, bool overlaps = false);

  /// Returns a lower bound of the seconds of a launch. `tiles` has the tile
  /// sizes of the first axes, one or more; further tile sizes are not chosen,
  /// and their axes must not be live in the tree. `intrinsics` has the choices
  /// of the first contractions; further ones are not chosen.
  double seconds(llvm::ArrayRef<int64_t> tiles,
                 llvm::ArrayRef<uint8_t> intrinsics = {}) const {
    return Along(*this, tiles, 0, intrinsics).seconds(tiles.front());
  }

private:
  class Builder;
  /// Sets of axes are bit masks.
  struct Move {
    double bytes;   ///< of the whole tensor
    uint32_t again; ///< loops that repeat it
    bool isShared;  ///< passes through shared memory
  };
  /// Control of a loop.
  struct Control {
    uint32_t loops; ///< around it, and itself
    bool isOfPart;  ///< all parts of a split axis execute it
    double seconds; ///< issue slots of an iteration, of one warp
  };
  struct Work {
    uint32_t axes;   ///< of the contraction
    uint32_t values; ///< the part of `axes` that it does not reduce
    uint32_t again;  ///< other loops around it
    unsigned contraction;
    double plainSeconds, specialSeconds; ///< for each point of its value
    double issueSeconds; ///< issue slots of its operators, for each such point
    double forwardingSeconds; ///< of a value that passes through shared memory
    bool mayOverlap; ///< MMAs overlap with the computation of their operand
    unsigned i1, i2;
    /// By an intrinsic of the contraction.
    struct Unit {
      double secondsPerPoint;
      double issueSeconds; ///< issue slots of a point, but for columns at once
      const Intrinsic *intrinsic;
      double underWay;                    ///< in flight for a busy tensor core
      double firstSeconds, secondSeconds; ///< of a fragment's element
    };
    llvm::SmallVector<Unit, 2> units;
  };
  /// By the warps of a block, in the order of `ScheduleBuilder::kWarpCounts`.
  static constexpr unsigned kWarpCounts = ScheduleBuilder::kWarpCounts.size();
  struct PerWarpCount {
    /// Seconds that contractions take one after another, seconds for which
    /// shared memory is busy, and seconds of issue slots.
    std::array<double, kWarpCounts> steps{}, shared{}, issue{};

    static PerWarpCount never();
    void lower(const PerWarpCount &other);
  };
  double issueOfFragments(const Intrinsic &intrinsic) const;
  PerWarpCount boundContraction(const Work &work, const Work::Unit &unit,
                                llvm::ArrayRef<int64_t> tiles, uint32_t chosen,
                                double points, double values,
                                double resident) const;

public:
  /// `CostBound::seconds` for many tile sizes of one axis: what does not depend
  /// on it is computed once. Refers to the bound and to `intrinsics`.
  class Along {
  public:
    /// `tiles` and `intrinsics` are as for `CostBound::seconds`. The tile size
    /// of `axis` is ignored and may be missing.
    Along(const CostBound &bound, llvm::ArrayRef<int64_t> tiles, unsigned axis,
          llvm::ArrayRef<uint8_t> intrinsics = {});
    double seconds(int64_t tile);

  private:
    struct Costed {
      double multiply, plain, special; ///< seconds of the units
      double hidden; ///< the most of `multiply` that overlaps with other work
      PerWarpCount byWarps;
    };
    void choose(unsigned index, std::optional<int64_t> tile);
    void countResident();
    Costed rate(const Work &work) const;
    double controlOfWarp() const;
    bool changes(uint32_t axes) const { return axes >> axis & 1; }

    const CostBound &bound;
    unsigned axis;
    llvm::ArrayRef<uint8_t> intrinsics;
    uint32_t chosen = 0;                 ///< axes whose tiles are chosen
    std::array<int64_t, kMaxAxes> tiles; ///< of `chosen`
    std::array<double, kMaxAxes> trips, padded;
    double busiest, resident;
    llvm::SmallVector<double, 8> moved;  ///< bytes, by move
    llvm::SmallVector<Costed, 8> costed; ///< by work
  };

private:
  llvm::SmallVector<int64_t, 8> extents;
  llvm::SmallVector<Move, 8> moves;
  llvm::SmallVector<Work, 4> works;
  llvm::SmallVector<Control, 4> controls;
  uint32_t blocks = 0;
  double compulsory = 0; ///< seconds of every tensor once, from DRAM
  double fixed = 0, l2BytesPerSecond, sharedBytesPerSecond;
  double slotSeconds; ///< of one issue slot of every scheduler
  double numSMs, splits = 1;
  double latency; ///< of the first load and the last store
  double maxSums; ///< elements of an accumulator that a warp holds
};

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_COSTBOUND_H
