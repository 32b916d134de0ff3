//===- PipelineFill.h - What fills a pipelined buffer -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_DIALECT_TILE_TRANSFORMS_PIPELINEFILL_H
#define FUSION_LIB_DIALECT_TILE_TRANSFORMS_PIPELINEFILL_H

#include "fusion/Dialect/Tile/IR/TMACopies.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fusion::tile {

/// A fill of a buffer in a loop: an asynchronous copy or, where the transport
/// is synchronous, the store of a tile that was loaded from global memory.
class Fill {
public:
  /// The fill whose last operation is `op`, or nullopt if `op` ends none.
  static std::optional<Fill> get(mlir::Operation *op) {
    if (mlir::isa<CopyAsyncOp>(op))
      return Fill(op, {});
    auto store = mlir::dyn_cast<LocalStoreOp>(op);
    if (!store)
      return std::nullopt;
    auto load = store.getValue().getDefiningOp<LoadOp>();
    if (!load || !load->hasOneUse() || load->getBlock() != store->getBlock())
      return std::nullopt;
    return Fill(op, load);
  }

  /// The copy, or the store to shared memory.
  mlir::Operation *operation() const { return op; }
  /// The load from global memory of a fill through registers; null for copies.
  LoadOp load() const { return viaRegisters; }
  bool isAsync() const { return !viaRegisters; }
  /// Whether an mbarrier tells when the data has arrived (TMA copies).
  bool isTMA() const { return tile::isTMA(op); }
  /// Whether groups of copies tell when the data has arrived (cp.async).
  bool isGrouped() const { return isAsync() && !isTMA(); }
  /// The operation that reads global memory.
  mlir::Operation *source() const {
    return isAsync() ? op : LoadOp(viaRegisters).getOperation();
  }

  mlir::Value buffer() const {
    return isAsync() ? mlir::cast<CopyAsyncOp>(op).getBuffer()
                     : mlir::cast<LocalStoreOp>(op).getBuffer();
  }
  AllocOp alloc() const { return buffer().getDefiningOp<AllocOp>(); }

  std::optional<int64_t> stages() const { return attribute("stages"); }
  std::optional<int64_t> slot() const { return attribute("slot"); }
  /// Whether each thread copies its own elements of a tile to a private place.
  bool isOwn() const {
    auto copy = mlir::dyn_cast<CopyAsyncOp>(op);
    return copy && copy.getThreadPrivate();
  }
  /// Whether the buffer has a place for every iteration, and not only for the
  /// iterations in flight. The fill then names the place, whose data is
  /// retained.
  bool isRetained() const {
    return isOwn() && alloc().getType().getStages() > 1;
  }
  /// Whether every iteration of `loop` has its own retained place, whose number
  /// is the induction variable or the induction variable less a constant.
  bool hasOwnPlaces(mlir::scf::ForOp loop) const;
  mlir::OpOperand &stage() const {
    return isAsync() ? mlir::cast<CopyAsyncOp>(op).getStageMutable()
                     : mlir::cast<LocalStoreOp>(op).getStageMutable();
  }

private:
  Fill(mlir::Operation *op, LoadOp load) : op(op), viaRegisters(load) {}
  std::optional<int64_t> attribute(llvm::StringRef name) const {
    if (auto number = op->getAttrOfType<mlir::IntegerAttr>(name))
      return number.getInt();
    return std::nullopt;
  }

  mlir::Operation *op;
  LoadOp viaRegisters;
};

/// Whether the operation reads one stage of a buffer that is filled in stages.
inline bool readsStage(mlir::Operation *op) {
  return mlir::isa<LocalLoadOp, PrivateLoadOp>(op);
}

/// Whether the operation reads a retained place after the fill's loop.
inline bool readsLater(mlir::Operation *op, const Fill &fill,
                       mlir::scf::ForOp loop) {
  mlir::Operation *top = loop->getBlock()->findAncestorOpInBlock(*op);
  return fill.isRetained() && top && loop->isBeforeInBlock(top);
}

/// Returns the reason why the data of `fill` cannot be read from global memory
/// in an earlier iteration of `loop`, or nullopt. `loop` contains the fill.
std::optional<std::string> whyNotAhead(const Fill &fill, mlir::scf::ForOp loop);

/// Fails with a diagnostic if a fill that has a number of stages cannot be
/// pipelined in `loop`, which contains it. Fails also if the notes of earlier
/// passes on the fill and on its buffer disagree.
llvm::LogicalResult verifyStagedFill(const Fill &fill, mlir::scf::ForOp loop);

/// Whether the bounds are constants with at least one iteration between them.
bool runsAtLeastOnce(mlir::scf::ForOp loop);

/// Returns the pipelined buffers whose slots count the iterations of `loop`:
/// the buffers that its body fills. Fills in the prologue of an inner loop do
/// not count.
llvm::SmallPtrSet<mlir::Value, 4> pipelinedBuffers(mlir::scf::ForOp loop);

/// Returns the loops that fill `buffer` in stages, each for its own iterations.
llvm::SmallVector<mlir::scf::ForOp> loopsThatFill(mlir::Value buffer);

/// Adds `shift` to the slots of an operation and of those in its regions: the
/// iteration relative to that of the loop in which the operation stands.
void shiftSlots(mlir::Operation *op, int64_t shift);

/// Whether one run of the loop fills no place of the buffer twice: its trip
/// count is at most the number of places. Threads that store what they have
/// loaded go on in the last iterations, in which no copy is issued.
bool fillsPlacesOnce(mlir::scf::ForOp loop, AllocOp alloc);

/// Returns the fills of a block that have a number of stages.
llvm::SmallVector<Fill> stagedFills(mlir::Block &block);

} // namespace fusion::tile

#endif // FUSION_LIB_DIALECT_TILE_TRANSFORMS_PIPELINEFILL_H
