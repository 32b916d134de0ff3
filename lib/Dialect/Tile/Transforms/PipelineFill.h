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

/// What fills a buffer in a loop: an asynchronous copy, or, where the transport
/// is synchronous, the store of a tile that a load from global memory made.
class Fill {
public:
  /// The fill that `op` completes, if it is one.
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

  /// The copy, or the store.
  mlir::Operation *operation() const { return op; }
  /// The load that passes through registers; null for copies.
  LoadOp load() const { return viaRegisters; }
  bool isAsync() const { return !viaRegisters; }
  /// Whether mbarriers tell when it has arrived, not groups of copies.
  bool isTMA() const { return tile::isTMA(op); }
  /// Whether groups of copies do.
  bool isGrouped() const { return isAsync() && !isTMA(); }
  /// What reads global memory.
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
  /// Whether it moves what each thread has of a tile.
  bool isOwn() const {
    auto copy = mlir::dyn_cast<CopyAsyncOp>(op);
    return copy && copy.getThreadPrivate();
  }
  /// Whether the buffer has a place for every iteration, not for those that are
  /// under way alone: then the fill tells which, and what is there stays.
  bool isRetained() const {
    return isOwn() && alloc().getType().getStages() > 1;
  }
  /// Whether of these places each iteration of the loop has its own, whose
  /// number is the induction variable or that less a constant.
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

/// Whether the operation reads one stage of a buffer that fills fill.
inline bool readsStage(mlir::Operation *op) {
  return mlir::isa<LocalLoadOp, PrivateLoadOp>(op);
}

/// Whether the operation reads what the fill's loop has left in a place that is
/// kept.
inline bool readsLater(mlir::Operation *op, const Fill &fill,
                       mlir::scf::ForOp loop) {
  mlir::Operation *top = loop->getBlock()->findAncestorOpInBlock(*op);
  return fill.isRetained() && top && loop->isBeforeInBlock(top);
}

/// Why what `fill` reads cannot be read in an earlier iteration of `loop`,
/// which holds it, or nothing where it can.
std::optional<std::string> whyNotAhead(const Fill &fill, mlir::scf::ForOp loop);

/// Fails with a diagnostic where a fill that has been given stages cannot be
/// pipelined in `loop`, which holds it, or where what the passes before have
/// noted of it and of its buffer does not agree.
llvm::LogicalResult verifyStagedFill(const Fill &fill, mlir::scf::ForOp loop);

/// Whether the bounds are constants and leave an iteration.
bool runsAtLeastOnce(mlir::scf::ForOp loop);

/// The pipelined buffers whose slots count the iterations of `loop`: those that
/// its body fills, but for what fills the first stages of a loop inside.
llvm::SmallPtrSet<mlir::Value, 4> pipelinedBuffers(mlir::scf::ForOp loop);

/// The loops that fill a buffer ahead, each for its own iterations.
llvm::SmallVector<mlir::scf::ForOp> loopsThatFill(mlir::Value buffer);

/// Whether a run of such a loop fills no place of the buffer twice: it has as
/// many iterations as there are places at most. Threads that store what they
/// have loaded go on ahead in the last iterations, in which no copy is issued.
bool fillsPlacesOnce(mlir::scf::ForOp loop, AllocOp alloc);

/// The fills of a block that have been given stages.
llvm::SmallVector<Fill> stagedFills(mlir::Block &block);

} // namespace fusion::tile

#endif // FUSION_LIB_DIALECT_TILE_TRANSFORMS_PIPELINEFILL_H
