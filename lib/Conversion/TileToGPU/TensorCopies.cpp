//===- TensorCopies.cpp - TMA copies --------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorCopies.h"
#include "Clusters.h"
#include "InlineAssembly.h"
#include "Stages.h"
#include "fusion/Conversion/TileToThreads/SharedAccess.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

struct TensorCopies::BoxOperands {
  Values operands;
  std::string constraints;
  struct Box {
    int64_t offset;               ///< in the buffer, bytes
    SmallVector<size_t, 5> place; ///< numbers of operands, innermost first
  };
  SmallVector<Box> boxes;
  /// Parts of the tile, each copied by another block of the cluster to all of
  /// them, and the bytes of one.
  int64_t parts = 1, partialBytes = 0;

  explicit BoxOperands(Value map) : operands{map}, constraints("l") {}

  size_t rank() const { return boxes.front().place.size(); }

  /// The number of a place as an operand.
  size_t add(Value place) {
    operands.push_back(place);
    constraints += ",r";
    return operands.size() - 1;
  }

  /// Calls `emit` with each box's offset and its place in the text, where the
  /// first of `operands` has the number `first`.
  void forEach(size_t first,
               llvm::function_ref<void(int64_t, StringRef)> emit) const {
    for (const Box &box : boxes) {
      std::string place;
      llvm::raw_string_ostream os(place);
      os << "[$" << first << ", {";
      for (auto [d, number] : llvm::enumerate(box.place))
        os << (d ? ", $" : "$") << first + number;
      os << "}]";
      emit(box.offset, place);
    }
  }
};

Value TensorCopies::mapArgument(TensorMapAttr map, KernelEmitter &e) {
  return function.getArgument(e.kernel().getNumArguments() +
                              (llvm::find(maps, map) - maps.begin()));
}

Value TensorCopies::isStoring(ThreadBuilder &b) {
  return b.atEntry([&]() -> Value {
    return arith::AndIOp::create(
        b, election.isElected(b),
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, b.warp(), b.i32(0)));
  });
}

void TensorCopies::begin(KernelEmitter &e) {
  if (maps.empty())
    return;
  ThreadBuilder &b = e.builder();
  Value condition =
      mbarriers.isCopying() ? mbarriers.isCopying() : isStoring(b);
  for (TensorMapAttr map : maps)
    emitAssembly(b, {mapArgument(map, e), condition},
                 "@$1 prefetch.tensormap [$0];", "l,b");
}

TensorCopies::BoxOperands TensorCopies::boxOperands(const TMACopy &copy,
                                                    Value view,
                                                    ValueRange coordinates,
                                                    KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  auto window = view.getDefiningOp<WindowOp>();
  const BoxShape &boxes = copy.boxes;
  // The tile's place along every dimension of the map.
  Values places;
  for (AffineExpr index : copy.indices) {
    Value value;
    if (auto dim = dyn_cast<AffineDimExpr>(index))
      value = coordinates[dim.getPosition()];
    else
      value = window.getSymbols()[cast<AffineSymbolExpr>(index).getPosition()];
    places.push_back(
        arith::IndexCastOp::create(b, b.getI32Type(), e.scalar(value)));
  }
  if (copy.parts > 1) {
    Value &row = places[copy.rowDimension];
    row = arith::AddIOp::create(
        b, row,
        arith::MulIOp::create(b, clusterRank(b),
                              b.i32(boxes.rowBoxes * boxes.rows)));
  }
  BoxOperands result(mapArgument(copy.map, e));
  result.parts = copy.parts;
  result.partialBytes = boxes.rowBoxes * boxes.boxBytes;
  auto add = [&](Value place, int64_t distance) {
    if (distance != 0)
      place = arith::AddIOp::create(b, place, b.i32(distance));
    return result.add(place);
  };
  SmallVector<size_t> columns, rows;
  SmallVector<size_t, 5> place(places.size());
  for (int64_t panel = 0; panel < boxes.panels; ++panel)
    columns.push_back(add(places.front(), panel * boxes.columns));
  for (int64_t box = 0; box < boxes.rowBoxes; ++box)
    rows.push_back(add(places[copy.rowDimension], box * boxes.rows));
  for (unsigned d = 1; d < places.size(); ++d)
    if (d != copy.rowDimension)
      place[d] = add(places[d], 0);
  for (int64_t panel = 0; panel < boxes.panels; ++panel)
    for (int64_t box = 0; box < boxes.rowBoxes; ++box) {
      place.front() = columns[panel];
      place[copy.rowDimension] = rows[box];
      result.boxes.push_back(
          {(panel * boxes.rowBoxes * copy.parts + box) * boxes.boxBytes,
           place});
    }
  return result;
}

TensorCopies::BoxOperands
TensorCopies::ownBoxOperands(const PrivateTMACopy &copy, ValueRange coordinates,
                             KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  BoxOperands result(mapArgument(copy.map, e));
  BoxOperands::Box box{/*offset=*/0, {}};
  for (const PrivateBoxDimension &dimension : copy.box.dimensions) {
    Value place = b.i32(0);
    if (dimension.isLast) {
      place = arith::IndexCastOp::create(
          b, b.getI32Type(), e.scalar(coordinates[dimension.coordinate]));
      if (dimension.step > 1)
        place = arith::DivUIOp::create(b, place, b.i32(dimension.step));
    }
    box.place.push_back(result.add(place));
  }
  result.boxes.push_back(std::move(box));
  return result;
}

FailureOr<TensorCopies::BoxOperands>
TensorCopies::boxOperands(CopyAsyncOp op, KernelEmitter &e) {
  auto emitError = [&] { return op.emitOpError(); };
  if (op.getThreadPrivate()) {
    FailureOr<PrivateTMACopy> copy = describePrivateTMACopy(op, emitError);
    if (failed(copy))
      return failure();
    return ownBoxOperands(*copy, op.getCoordinates(), e);
  }
  FailureOr<TMACopy> copy = describeTMACopy(op, emitError);
  if (failed(copy))
    return failure();
  return boxOperands(*copy, op.getView(), op.getCoordinates(), e);
}

LogicalResult TensorCopies::emitLoad(CopyAsyncOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  auto alloc = op.getBuffer().getDefiningOp<AllocOp>();
  if (!alloc.getBarriers())
    return op.emitOpError("has no mbarriers; run tile-allocate-shared");
  BufferType buffer = alloc.getType();
  Value condition = mbarriers.isCopying();
  if (Value predicate = op.getPredicate())
    condition = arith::AndIOp::create(b, condition, e.scalar(predicate));
  // The other warps have nothing to compute for it.
  OpBuilder::InsertionGuard guard(b);
  b.enterIf(condition);

  FailureOr<BoxOperands> boxes = boxOperands(op, e);
  if (failed(boxes))
    return failure();
  int64_t bytes = buffer.getStageBytes();
  bool isMulticast = boxes->parts > 1;
  Value first = ofStage(e, op.getStage(), *alloc.getOffset(), bytes);
  if (isMulticast)
    first = arith::AddIOp::create(
        b, first,
        arith::MulIOp::create(b, clusterRank(b), b.i32(boxes->partialBytes)));
  Values operands = {mbarriers.filledBarrier(e, alloc, op.getStage()),
                     sharedAddress(e, first)};
  llvm::append_range(operands, boxes->operands);
  std::string text;
  llvm::raw_string_ostream os(text);
  // Registers of the one thread, for as long as it copies. Every block expects
  // the whole tile.
  std::optional<Eviction> eviction = op.getEviction();
  if (eviction || isMulticast)
    os << "{\n";
  if (isMulticast)
    os << ".reg .b16 all;\nmov.b16 all, " << (1 << boxes->parts) - 1 << ";\n";
  if (eviction)
    os << ".reg .b64 policy;\ncreatepolicy.fractional.L2::evict_"
       << stringifyEviction(*eviction) << ".b64 policy, 1.0;\n";
  os << "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], " << bytes << ";";
  boxes->forEach(/*first=*/2, [&](int64_t offset, StringRef place) {
    os << "\ncp.async.bulk.tensor." << boxes->rank()
       << "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
       << (isMulticast ? ".multicast::cluster" : "")
       << (eviction ? ".L2::cache_hint" : "") << " [$1 + " << offset << "], "
       << place << ", [$0]" << (isMulticast ? ", all" : "")
       << (eviction ? ", policy;" : ";");
  });
  if (eviction || isMulticast)
    os << "\n}";
  emitAssembly(b, operands, text, "r,r," + boxes->constraints);
  return success();
}

LogicalResult TensorCopies::emitStore(StoreAsyncOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  FailureOr<TMACopy> copy =
      describeTMACopy(op, [&] { return op.emitOpError(); });
  if (failed(copy))
    return failure();
  auto alloc = op.getBuffer().getDefiningOp<AllocOp>();
  OpBuilder::InsertionGuard guard(b);
  b.enterIf(isStoring(b));
  BoxOperands boxes = boxOperands(*copy, op.getView(), op.getCoordinates(), e);
  Values operands = {
      sharedAddress(e, ofStage(e, op.getStage(), *alloc.getOffset(),
                               alloc.getType().getStageBytes()))};
  llvm::append_range(operands, boxes.operands);
  std::string text;
  llvm::raw_string_ostream os(text);
  boxes.forEach(/*first=*/1, [&](int64_t offset, StringRef place) {
    os << "cp.async.bulk.tensor." << boxes.rank()
       << "d.global.shared::cta.tile.bulk_group " << place << ", [$0 + "
       << offset << "];\n";
  });
  os << "cp.async.bulk.commit_group;";
  emitAssembly(b, operands, text, "r," + boxes.constraints);
  return success();
}

LogicalResult TensorCopies::emitStoreWait(StoreWaitOp, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  emitAssembly(b, isStoring(b), "@$0 cp.async.bulk.wait_group.read 0;", "b");
  return success();
}
