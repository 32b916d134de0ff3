//===- ChainTiles.h - The tiles that a block holds --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_FUSETOTILE_CHAINTILES_H
#define FUSION_LIB_CONVERSION_FUSETOTILE_CHAINTILES_H

#include "ChainCoordinates.h"
#include "fusion/Analysis/Schedules/MemoryTile.h"
#include "fusion/Support/TileLayouts.h"

namespace fusion {

/// The tiles that a block of a chain holds: buffers in shared memory, arrays of
/// retained tiles, and single tiles in registers. Loads them, and waits for
/// copies.
class ChainTiles {
public:
  using Value = mlir::Value;
  using AxisList = llvm::ArrayRef<unsigned>;

  /// `retained` is filled in before the first call. `loc` is the location of
  /// what is emitted, and may change between calls.
  ChainTiles(fuse::FusedGroupOpInterface group, const GroupAxes &axes,
             const Schedule &schedule, const RetainedTiles &retained,
             KernelBuilder &kernel, ChainCoordinates &block,
             const mlir::Location &loc);

  /// Allocates buffers for operands of contractions, and for intermediates with
  /// several retained tiles. An intermediate with a single tile is passed
  /// through the scratch of a layout conversion.
  mlir::LogicalResult allocate();
  void free();
  Value buffer(unsigned tensor) const { return buffers[tensor]; }
  MemoryTile memoryTile(unsigned tensor) const;

  /// Emits the statement that loads a tensor's tile.
  void load(unsigned tensor);
  /// Waits for all copies issued before. Copies by cp.async form one group.
  void waitForCopies();
  /// Waits for every TMA copy once, outside of later loops. For a tensor with
  /// retained tiles, it waits in loops over these tiles.
  void awaitTMA();
  /// Returns whether cp.async copies are in flight.
  bool areCopiesInFlight() const { return copiesInFlight; }
  /// Waits for a group of copies even if a loop that may have no iteration has
  /// waited for it.
  void waitAgain() {
    copiesInFlight = true;
    waitForCopies();
  }
  size_t countTMAInFlight() const { return bulkInFlight.size(); }
  /// Notes that TMA copies but the first `before` ones were issued in a loop
  /// over `axis`.
  void leaveLoop(unsigned axis, size_t before);

  /// Returns the only live tile of a value, or null.
  Value lookup(Value value) const { return tiles.lookup(value); }
  /// Sets or returns the only live tile of a value.
  Value &operator[](Value value) { return tiles[value]; }
  /// Returns the tile of a value in registers, retained or not.
  Value tileOf(Value value, unsigned tensor);
  /// Forgets the tiles that `tileOf` has taken from arrays.
  void clearFetched() { fetched.clear(); }

  /// Returns whether a tensor's tiles are in registers.
  bool isInRegisters(unsigned tensor) const;
  /// Starts the array of a tensor's retained tiles in registers, without tiles.
  void startArray(unsigned tensor);
  /// Returns the array of a tensor's retained tiles, or null.
  Value &array(unsigned tensor) { return arrays[tensor]; }
  Value getFromArray(Value array, Value slot);
  void setInArray(Value &array, Value slot, Value tile);

private:
  void awaitTMA(unsigned tensor, AxisList loops);
  /// Returns the order of a buffer's elements that the intrinsic that reads it
  /// requires.
  PanelOrder panelsOf(unsigned tensor, const MemoryTile &tile) const;
  /// Returns the axes of a tensor's tile in registers: the axes of the tile
  /// with which it is used that index it.
  llvm::SmallVector<unsigned> registerTileAxes(unsigned tensor) const;

  fuse::FusedGroupOpInterface group;
  const GroupAxes &axes;
  const GroupModel &model;
  const Schedule &schedule;
  const RetainedTiles &retained;
  KernelBuilder &kernel;
  mlir::OpBuilder &b;
  ChainCoordinates &block;
  const mlir::Location &loc;

  llvm::SmallVector<Value> buffers;   ///< by tensor
  llvm::SmallVector<Value> arrays;    ///< retained tiles, by tensor
  llvm::DenseMap<Value, Value> tiles; ///< values with one live tile
  /// Tiles that a reduction prepass has loaded into registers, by tensor.
  llvm::SmallVector<Value> passTiles;
  /// Tiles that the current contraction has fetched from arrays.
  llvm::DenseMap<Value, Value> fetched;
  bool copiesInFlight = false; ///< cp.async, in groups
  /// A TMA load in flight, and the loops that contain it and do nothing else.
  struct BulkLoad {
    unsigned tensor;
    llvm::SmallVector<unsigned, 2> loops; ///< by axis, outermost first
  };
  llvm::SmallVector<BulkLoad, 4> bulkInFlight;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_FUSETOTILE_CHAINTILES_H
