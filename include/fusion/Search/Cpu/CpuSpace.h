//===- CpuSpace.h - Schedules of chains on CPUs -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a search for a CPU chooses: loops, tile sizes, the operands that are
// packed, which operand a micro-kernel takes for its LHS, and retained tiles.
// There are no warps, stages, transports and clusters.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_CPU_CPUSPACE_H
#define FUSION_SEARCH_CPU_CPUSPACE_H

#include "fusion/Search/Space/Random.h"
#include "fusion/Search/Space/ScheduleBuilder.h"

namespace fusion {

/// One point of the space.
struct CpuCandidate {
  unsigned expression = 0;
  llvm::SmallVector<int64_t, 8> tiles; ///< by axis
  /// Contractions whose operands change places, against `ScheduleBuilder`.
  uint32_t exchanged = 0;
  TensorSet packed = 0; ///< operands
  /// By tensor: the loops that the load of an operand, or the computation of an
  /// intermediate, is moved out of. May be empty.
  llvm::SmallVector<uint8_t, 8> moved;
  StatisticsPlacement statistics = StatisticsPlacement::Together;

  bool operator==(const CpuCandidate &other) const {
    return expression == other.expression && tiles == other.tiles &&
           exchanged == other.exchanged && packed == other.packed &&
           moved == other.moved && statistics == other.statistics;
  }
};

class CpuSpace {
public:
  /// Lists the choices of a group that passes `checkGroup`. `group` and `chip`,
  /// which is a CPU, must outlive the space.
  CpuSpace(const GroupModel &group, const ChipInfo &chip);

  llvm::ArrayRef<BoundExpression> expressions() const { return loops; }
  /// Returns the tile sizes of an axis, in ascending order. They divide the
  /// axis into equal parts, and are rounded up to whole rows or columns of
  /// micro-kernels.
  llvm::ArrayRef<int64_t> tiles(unsigned axis) const { return sizes[axis]; }
  /// Returns the tile size of the axis that is nearest to `wanted`.
  int64_t nearestTile(unsigned axis, int64_t wanted) const;
  /// Returns the operands that may be packed.
  llvm::ArrayRef<unsigned> operands() const { return packable; }
  /// Returns the intermediates.
  llvm::ArrayRef<unsigned> intermediates() const { return retainable; }
  /// Returns the contractions whose operands change places so that results are
  /// written, and intermediates read, in the order of memory.
  uint32_t inOrder() const { return orderly; }
  /// Returns the contractions whose operands change places only with those of
  /// contraction `number`, and that one: they join their values, or share an
  /// operand.
  uint32_t exchangedWith(unsigned number) const {
    return number < 32 ? partners[number] : 0;
  }

  /// Returns the candidate with these loops and tiles, and no other choice.
  CpuCandidate start(unsigned expression, llvm::ArrayRef<int64_t> tiles,
                     uint32_t exchanged) const;
  /// Returns a candidate that is drawn.
  CpuCandidate draw(Random &random) const;

  /// Returns the schedule of a candidate, which may be illegal, or nullopt if
  /// its moves do not exist. RHS without unit stride are packed in any case.
  std::optional<Schedule> build(const CpuCandidate &candidate) const;

  /// Most loops that a statement is moved out of.
  static constexpr unsigned kMostMoved = 2;

private:
  void listTiles();
  void listExpressions();
  void findPartners();
  uint32_t findOrder() const;

  const GroupModel &group;
  const ChipInfo &chip;
  ScheduleBuilder builder;
  std::vector<BoundExpression> loops;
  llvm::SmallVector<llvm::SmallVector<int64_t, 24>, 8> sizes; ///< by axis
  llvm::SmallVector<unsigned, 8> packable, retainable;        ///< tensors
  llvm::SmallVector<uint32_t, 8> partners; ///< by contraction
  uint32_t orderly = 0;
};

} // namespace fusion

#endif // FUSION_SEARCH_CPU_CPUSPACE_H
