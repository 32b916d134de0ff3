//===- ChainCoordinates.h - Which tiles a block works on --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_FUSETOTILE_CHAINCOORDINATES_H
#define FUSION_LIB_CONVERSION_FUSETOTILE_CHAINCOORDINATES_H

#include "KernelBuilder.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Schedules/MaskedTiles.h"
#include "fusion/Analysis/Schedules/RetainedTiles.h"

namespace fusion {

/// The tiles that a block of a chain works on, by its number and by how far its
/// loops are. Emits the loops, and views of tensors at these tiles.
class ChainCoordinates {
public:
  using Value = mlir::Value;
  using AxisList = llvm::ArrayRef<unsigned>;

  /// `loc` is the location of what is emitted. It may change between calls.
  ChainCoordinates(const GroupAxes &axes, Schedule &schedule,
                   KernelBuilder &kernel, const mlir::Location &loc);

  /// Sets the block's tile along every grid axis: the mixed-radix digits of
  /// `number`. A persistent block takes the tiles with the longest loops first:
  /// the axis of `lengthAxis` is then the slowest digit. Where the blocks of a
  /// cluster are neighbours along that axis, groups of its tiles are the
  /// slowest digit.
  ///
  /// The split of a split reduction is the slowest digit of all, or the fastest
  /// one if a cluster combines the partial results.
  void setBlock(llvm::function_ref<Value()> number);
  /// Returns the block's number in a split reduction, or null.
  Value part() const { return splitNumber; }
  /// Leaves the block `rows` of its tile along an axis, by its number in the
  /// split reduction.
  void shareTile(unsigned axis, int64_t rows);

  /// Returns the first element of the tile along an axis.
  Value origin(unsigned axis) const { return origins[axis]; }
  llvm::SmallVector<Value> originsOf(AxisList tileAxes) const;
  int64_t trips(unsigned axis) const;
  /// Returns whether no tile of the axis extends beyond its extent.
  bool tilesLieInside(unsigned axis) const;
  mlir::DenseBoolArrayAttr inBounds(AxisList tileAxes) const;
  mlir::RankedTensorType tileType(AxisList tileAxes,
                                  mlir::Type elementType) const;

  /// Returns the view of a tensor for a tile over `tileAxes`: coordinates along
  /// all other axes are those of the block.
  Value emitView(unsigned tensor, AxisList tileAxes);
  /// Returns the view of a tensor that TMA copies read or write. It has the
  /// dimensions of the tensor map: all dimensions but those of extent 1.
  Value emitBoxView(unsigned tensor, AxisList tileAxes);

  /// Emits a loop over an axis with `emitBody` as its body. `carried` points to
  /// values that the body replaces and the loop carries.
  void emitLoop(unsigned axis, llvm::ArrayRef<Value *> carried,
                llvm::function_ref<void()> emitBody);
  /// Returns whether some block's loop over an axis has no iteration.
  bool mayBeIdle(unsigned axis) const;
  /// Returns the slot of retained tiles that the current iteration fills or
  /// reads.
  Value slotNumber(const TileSlots &slots) const;

private:
  /// Returns the grid axis along which a mask gives loops different trip
  /// counts, and whether these grow along it; nullopt if there is none.
  std::optional<std::pair<unsigned, bool>> lengthAxis() const;
  /// Emits the threadblock swizzle in columns of several blocks. Returns the
  /// block's row and column in the plane of the two fastest grid axes, from its
  /// number in that plane. All columns but the last have full width, so that a
  /// division gives the column.
  std::pair<Value, Value> emitBlockSwizzle(Value number, int64_t rows,
                                           int64_t columns);
  /// Returns the pointer to the tensor's first element.
  Value emitPointer(unsigned tensor);
  /// Returns the window through which an operand is read, by the rows and
  /// columns of the contraction's tile. Axes without a tile are symbols.
  Value emitWindow(unsigned tensor, Value pointer, AxisList tileAxes);
  /// Returns the first element of the loop over an axis and its length in
  /// elements. For a split axis, that is the block's range. For a masked axis,
  /// it is the range from the first to the last tile that the mask does not
  /// exclude.
  std::pair<Value, Value> emitLoopRange(unsigned axis);

  const GroupAxes &axes;
  const GroupModel &model;
  Schedule &schedule;
  KernelBuilder &kernel;
  mlir::OpBuilder &b;
  const mlir::Location &loc;

  std::optional<ShortenedLoop> shortened;
  llvm::SmallVector<Value> origins;    ///< first element of the tile, by axis
  llvm::SmallVector<Value> inductions; ///< origins in the block's range
  Value splitNumber; ///< the block's number in a split reduction
  /// The axis and tile size whose rows the block shares after reduce-scatter.
  std::optional<std::pair<unsigned, int64_t>> sharedTile;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_FUSETOTILE_CHAINCOORDINATES_H
