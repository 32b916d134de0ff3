//===- CostBound.h - Times that no schedule of given loops can beat -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For branch and bound. Of our model's terms those are taken that depend on
// loops and tiles alone: bytes and work, which stages and places can only add
// to, at the rates of the chip, and the latencies that no stages hide. Of warps
// those are taken that read the fewest fragments from shared memory and keep
// the tensor cores busiest, of all that hold the sums. They fall as tiles grow,
// so an axis whose tile is not chosen yet counts as one whole tile without
// padding, and the bound of a part of the choices holds for all that complete
// it. Of a product whose intrinsic is not chosen yet each term is the least of
// any of its intrinsics.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_COSTBOUND_H
#define FUSION_SEARCH_COSTBOUND_H

#include "fusion/Analysis/Schedule.h"
#include "fusion/Search/ScheduleBuilder.h"
#include <array>

namespace fusion {

class CostBound {
public:
  /// The most axes of a group that has a bound.
  static constexpr unsigned kMaxAxes = 16;

  /// `outline` has the loops of the live axes, how axes are mapped and which
  /// reduction is split, but need not have the tiles; `blocks` are the axes
  /// bound to the grid, live or not. `intrinsics` are those that each product
  /// may be mapped to.
  /// `overlaps`: products may run beside those of the next iteration.
  CostBound(const GroupModel &group, const Schedule &outline,
            llvm::ArrayRef<unsigned> blocks,
            llvm::ArrayRef<llvm::SmallVector<const Intrinsic *, 2>> intrinsics,
            const ChipInfo &chip, bool overlaps = false);

  /// Returns the seconds that a launch takes at least. `tiles` are those of the
  /// first axes, one or more; further ones are not chosen, and must not be live
  /// axes of the tree. `intrinsics` are those of the first products; further
  /// ones are not chosen.
  double seconds(llvm::ArrayRef<int64_t> tiles,
                 llvm::ArrayRef<uint8_t> intrinsics = {}) const {
    return Along(*this, tiles, 0, intrinsics).seconds(tiles.front());
  }

private:
  /// Sets of axes are bit masks.
  struct Move {
    double bytes;   ///< of the whole tensor
    uint32_t again; ///< loops that repeat it
    bool isShared;  ///< passes through shared memory
  };
  struct Work {
    uint32_t axes;   ///< of the product
    uint32_t values; ///< of them, those that it does not reduce
    uint32_t again;  ///< other loops around it
    unsigned contraction;
    double plainSeconds, specialSeconds; ///< for each point of its value
    double forwardingSeconds; ///< of a value that passes through shared memory
    bool mayOverlap; ///< runs under what is computed of the value before it
    unsigned i1, i2;
    /// By an intrinsic of the product.
    struct Unit {
      double secondsPerPoint;
      const Intrinsic *intrinsic;
      double underWay;                    ///< of it, to keep a tensor core busy
      double firstSeconds, secondSeconds; ///< of a fragment's element
    };
    llvm::SmallVector<Unit, 2> units;
  };
  /// By the warps of a block, in the order of `ScheduleBuilder::kWarpCounts`.
  static constexpr unsigned kWarpCounts = ScheduleBuilder::kWarpCounts.size();
  struct PerWarpCount {
    /// Seconds that products take one after another, and that shared memory is
    /// busy.
    std::array<double, kWarpCounts> steps{}, shared{};

    static PerWarpCount never();
    void lower(const PerWarpCount &other);
  };
  PerWarpCount boundContraction(const Work &work, const Work::Unit &unit,
                                llvm::ArrayRef<int64_t> tiles, uint32_t chosen,
                                double points, double values,
                                double resident) const;

public:
  /// The same for many tiles of one axis: what does not depend on it is
  /// computed once. Refers to the bound and to `intrinsics`.
  class Along {
  public:
    /// `tiles` and `intrinsics` as of `CostBound::seconds`; the tile of `axis`
    /// may be anything, or one that is not chosen.
    Along(const CostBound &bound, llvm::ArrayRef<int64_t> tiles, unsigned axis,
          llvm::ArrayRef<uint8_t> intrinsics = {});
    double seconds(int64_t tile);

  private:
    struct Costed {
      double multiply, plain, special; ///< seconds of the units
      double hidden; ///< of those that multiply, while others work, at most
      PerWarpCount byWarps;
    };
    void choose(unsigned index, std::optional<int64_t> tile);
    void countResident();
    Costed rate(const Work &work) const;
    bool changes(uint32_t axes) const { return axes >> axis & 1; }

    const CostBound &bound;
    unsigned axis;
    llvm::ArrayRef<uint8_t> intrinsics;
    uint32_t chosen = 0;                 ///< axes whose tiles are chosen
    std::array<int64_t, kMaxAxes> tiles; ///< of those
    std::array<double, kMaxAxes> trips, padded;
    double busiest, resident;
    llvm::SmallVector<double, 8> moved;  ///< bytes, by move
    llvm::SmallVector<Costed, 8> costed; ///< by work
  };

private:
  llvm::SmallVector<int64_t, 8> extents;
  llvm::SmallVector<Move, 8> moves;
  llvm::SmallVector<Work, 4> works;
  uint32_t blocks = 0;
  double compulsory = 0; ///< seconds of every tensor once, from DRAM
  double fixed = 0, l2BytesPerSecond, sharedBytesPerSecond, numSMs, splits = 1;
  double latency; ///< of the first load and the last store
  double maxSums; ///< elements of an accumulator that a warp holds
};

} // namespace fusion

#endif // FUSION_SEARCH_COSTBOUND_H
