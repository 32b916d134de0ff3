//===- EmitCopies.cpp - Asynchronous copies by threads --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "Staging.h"
#include "Windows.h"
#include "fusion/Conversion/TileToThreads/Coordinates.h"
#include "fusion/Conversion/TileToThreads/CopiesByThreads.h"
#include "fusion/Conversion/TileToThreads/SharedAccess.h"
#include "fusion/Dialect/Tile/IR/TMACopies.h"
#include "fusion/Dialect/Tile/Transforms/SharedMemory.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

/// Emits one tile.copy_async by threads. Each copies chunks of 16 bytes, which
/// are units of the buffer's rows, by one or several copies.
class ThreadCopyEmitter {
public:
  ThreadCopyEmitter(CopyAsyncOp op, const CopyAssignment &assignment,
                    KernelEmitter &e)
      : op(op), assignment(assignment), e(e), b(e.builder()),
        view(e.view(op.getView())), buffer(op.getBuffer().getType()),
        columnDim(view.type.getUnit()), rowDim(1 - columnDim) {}

  LogicalResult emit();

private:
  /// Where a chunk of the thread begins along a dimension: what depends on the
  /// thread, an index, and a constant.
  struct Place {
    Value thread;
    int64_t fixed;
  };
  Place placeOf(const AddressPlan &plan, int64_t chunk);
  /// Whether the thread has the chunk at (row, unit), an i1.
  Value hasChunk(const Place &row, const Place &unit);
  LogicalResult emitChunk(int64_t chunk);
  /// Emits the copy of the elements of a chunk from number `part` on. Without a
  /// window their source is at the tile's first element + `thread` + `fixed` +
  /// the place in the row.
  LogicalResult emitPart(int64_t chunk, const Place &rowPlace,
                         const Place &unitPlace, int64_t part, Value thread,
                         Value fixed);
  bool isKnownInside(int64_t dimension) {
    return op.getInBounds() && (*op.getInBounds())[dimension];
  }

  CopyAsyncOp op;
  const CopyAssignment &assignment;
  KernelEmitter &e;
  ThreadBuilder &b;
  const TensorView &view;
  BufferType buffer;
  int64_t columnDim, rowDim; ///< dimensions of the view
  int64_t elementBytes = buffer.getElementType().getIntOrFloatBitWidth() / 8;
  int64_t perUnit = 16 / elementBytes; ///< elements of a chunk
  int64_t bytes = static_cast<int64_t>(op.getTransport()); ///< of a copy
  AddressPlan destination = assignment.destination(elementBytes);
  Value stage;       ///< its first element in the buffer
  Value row, column; ///< where the tile begins in the view
  Value tile;        ///< its first element in memory; null of a window
};

} // namespace

ThreadCopyEmitter::Place ThreadCopyEmitter::placeOf(const AddressPlan &plan,
                                                    int64_t chunk) {
  const AddressPlan::Constant &constant =
      plan.registers[plan.registers.size() == 1 ? 0 : chunk];
  return {b.threadOffset(plan, constant.ofThread()), constant.added()};
}

Value ThreadCopyEmitter::hasChunk(const Place &row, const Place &unit) {
  auto below = [&](const Place &place, int64_t bound) -> Value {
    return b.atEntry([&]() -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                   b.addConstant(place.thread, place.fixed),
                                   b.index(bound));
    });
  };
  return arith::AndIOp::create(b, below(row, assignment.rows),
                               below(unit, assignment.units));
}

LogicalResult ThreadCopyEmitter::emitPart(int64_t chunk, const Place &rowPlace,
                                          const Place &unitPlace, int64_t part,
                                          Value thread, Value fixed) {
  int64_t elements = bytes / elementBytes,
          columnFixed = unitPlace.fixed * perUnit + part;
  Value source, inside;
  if (view.window) {
    WindowCoordinate at[2];
    at[rowDim] = {row, rowPlace.thread, rowPlace.fixed, buffer.getRows()};
    at[columnDim] = {column, b.mul(unitPlace.thread, b.index(perUnit)),
                     columnFixed, buffer.getColumns()};
    Chunk place = locateInWindow(e, view, at);
    source = place.position;
    inside = place.isInside;
  } else {
    source = b.add(b.add(tile, thread), b.addConstant(fixed, columnFixed));
  }
  auto require = [&](Value at, Value size) {
    Value below = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at, size);
    inside = b.both(inside, below);
  };
  if (!isKnownInside(rowDim))
    require(b.addConstant(b.add(row, rowPlace.thread), rowPlace.fixed),
            view.sizes[rowDim]);
  if (!isKnownInside(columnDim))
    require(
        b.addConstant(b.add(column, b.mul(unitPlace.thread, b.index(perUnit))),
                      columnFixed),
        view.sizes[columnDim]);
  // Nothing is read where the chunk is outside, whatever its address; it
  // arrives as zeros.
  Value sourceElements;
  if (inside)
    sourceElements =
        arith::SelectOp::create(b, inside, b.index(elements), b.index(0));
  Value target =
      b.add(stage, b.addConstant(b.address(destination, chunk), part));
  return e.target().copyAsync(b, {e.scalar(op.getBuffer()), target, view.memory,
                                  source, elements, bytes, sourceElements});
}

LogicalResult ThreadCopyEmitter::emitChunk(int64_t chunk) {
  Place rowPlace = placeOf(*planCoordinate(assignment.chunks, 0), chunk),
        unitPlace = placeOf(*planCoordinate(assignment.chunks, 1), chunk);
  OpBuilder::InsertionGuard guard(b);
  if (!assignment.full[chunk])
    b.enterIf(hasChunk(rowPlace, unitPlace));
  Value thread, fixed;
  if (!view.window) {
    thread = b.add(b.mul(rowPlace.thread, view.strides[rowDim]),
                   b.mul(unitPlace.thread, b.index(perUnit)));
    fixed = b.mul(b.index(rowPlace.fixed), view.strides[rowDim]);
  }
  for (int64_t part = 0; part < perUnit; part += bytes / elementBytes)
    if (failed(emitPart(chunk, rowPlace, unitPlace, part, thread, fixed)))
      return failure();
  return success();
}

LogicalResult ThreadCopyEmitter::emit() {
  stage = stageOffset(e, op.getBuffer(), op.getStage());
  row = e.scalar(op.getCoordinates()[rowDim]);
  column = e.scalar(op.getCoordinates()[columnDim]);
  OpBuilder::InsertionGuard guard(b);
  // All threads have the same predicate: a branch around everything costs less
  // than a predicate on each copy.
  if (Value predicate = op.getPredicate())
    b.enterIf(e.scalar(predicate));
  if (!view.window)
    tile = b.add(view.offset, b.add(b.mul(row, view.strides[rowDim]), column));
  for (int64_t chunk = 0; chunk < assignment.iterations; ++chunk)
    if (failed(emitChunk(chunk)))
      return failure();
  return success();
}

LogicalResult fusion::emitCopyByThreads(CopyAsyncOp op, KernelEmitter &e) {
  if (op.getThreadPrivate())
    return emitPrivateCopy(op, e);
  std::optional<CopyAssignment> assignment =
      getCopies(op.getBuffer().getType(), e.kernel().getNumThreads());
  if (!assignment)
    return op.emitOpError("has a tile that cannot be cut into 16-byte units");
  return ThreadCopyEmitter(op, *assignment, e).emit();
}

void fusion::addCopyEmitters(EmitterRegistry &registry) {
  registry.add<CopyAsyncOp>(
      [](CopyAsyncOp op, KernelEmitter &e) -> LogicalResult {
        if (isTMA(op))
          return e.target().cannot(e.builder(), "copy tiles by tensor maps");
        return emitCopyByThreads(op, e);
      });
  registry.add<CommitOp, ProducerCommitOp>([](auto, KernelEmitter &e) {
    return e.target().commitCopies(e.builder());
  });
  registry.add<WaitOp, ConsumerWaitOp>([](auto op, KernelEmitter &e) {
    return e.target().awaitCopies(e.builder(), op.getPending());
  });
  // Where copies are synchronized by groups, barriers of the block keep stages
  // from being filled while they are read.
  registry.add<ProducerAcquireOp, ConsumerReleaseOp>(
      [](auto, KernelEmitter &) { return success(); });
}
