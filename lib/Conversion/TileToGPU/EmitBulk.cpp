//===- EmitBulk.cpp - Copies of boxes, and waits for them -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread tells the mbarrier of the stage how many bytes will come, and
// starts the copies of all boxes, which complete there (PTX ISA,
// "cp.async.bulk.tensor", "mbarrier"). The phase that a stage's mbarrier is
// in, its parity, is a bit of a word that all threads carry along: each wait
// turns its bit, whatever loops it stands in.
//
// Where stages are released each has a second mbarrier, at which each warp
// arrives when it has read. A stage that is filled for the n-th time, n from 0,
// waits for the phase n - 1 of that, whose parity is the opposite of the n-th
// one's: that of the phase "before" the first counts as over. The thread that
// copies has awaited n copies to it by then, or, of a producer, copied n times:
// the bit in its word is that of n.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

static void emitAssembly(OpBuilder &b, Location loc, ValueRange operands,
                         StringRef text, StringRef inputs) {
  LLVM::InlineAsmOp::create(
      b, loc, /*res=*/TypeRange(), operands, text,
      (inputs + ",~{memory}").str(), /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr());
}

/// An address of shared memory as an i32: `bytes` behind the block's own.
Value KernelEmitter::sharedAddress(Value bytes) {
  Value base = atEntry([&]() -> Value {
    Value memory =
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, dynamicShared);
    return arith::IndexCastUIOp::create(b, loc, b.getI32Type(), memory);
  });
  return arith::AddIOp::create(b, loc, base, bytes);
}

/// `first` + `number` * `step`, as an i32, of the number of a stage.
Value KernelEmitter::ofStage(Value stage, int64_t first, int64_t step) {
  APInt known;
  if (matchPattern(stage, m_ConstantInt(&known)))
    return i32(first + known.getSExtValue() * step);
  Value number =
      arith::IndexCastUIOp::create(b, loc, b.getI32Type(), scalar(stage));
  return arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, number, i32(step)), i32(first));
}

/// The offset of the mbarriers at which what an operation's lanes load from
/// shared memory is released; nullopt for other operations and buffers.
static std::optional<int64_t> releasedWhereLoaded(Operation *op) {
  if (!isa<LocalLoadOp, UnstashOp>(op))
    return std::nullopt;
  auto loaded = op->getOperand(0).getDefiningOp<AllocOp>();
  return loaded ? loaded.getReleased() : std::nullopt;
}

/// An instruction that starts a copy takes its operands from uniform registers:
/// where ptxas does not know that a branch has one thread, it makes a loop over
/// the threads there may be. Of elect.sync it knows. Executed once, since which
/// thread is elected is not said (PTX ISA, "elect.sync"), and groups of bulk
/// stores are a thread's own.
Value KernelEmitter::isElected() {
  return atEntry([&]() -> Value {
    if (!elected)
      elected = NVVM::ElectSyncOp::create(b, loc, b.getI1Type(), Value());
    return elected;
  });
}

void KernelEmitter::prefetchMaps() {
  Value condition = isCopying ? isCopying
                    : maps.empty() ? Value() : isStoring();
  for (TensorMapAttr map : maps)
    emitAssembly(b, loc, {mapArgument(map), condition},
                 "@$1 prefetch.tensormap [$0];", "l,b");
}

/// At the start of the kernel, by the thread that copies. The fence shows the
/// mbarriers to what completes there, the barrier to all threads.
void KernelEmitter::emitBarriers() {
  SmallVector<AllocOp> filled;
  kernel.walk([&](AllocOp alloc) {
    if (alloc.getBarriers())
      filled.push_back(alloc);
  });
  if (filled.empty())
    return;
  // By offset: of buffers that have it in common each copy arrives, and each
  // warp or warpgroup that reads them.
  std::map<int64_t, int64_t> arrivals;
  for (AllocOp alloc : filled) {
    if (alloc.getReleased() && isFilledByCluster(alloc))
      releasedByCluster.insert(*alloc.getReleased());
    if (alloc.getReleased() && kernel.getWarps() % kGroupWarps == 0)
      releasedByWarpgroup.insert(*alloc.getReleased());
  }
  // What threads load, each warp has read by itself.
  kernel.walk([&](Operation *op) {
    if (std::optional<int64_t> released = releasedWhereLoaded(op))
      releasedByWarpgroup.erase(*released);
  });
  for (AllocOp alloc : filled)
    for (int64_t stage = 0; stage < alloc.getType().getStages(); ++stage) {
      ++arrivals[*alloc.getBarriers() + stage * kBarrierBytes];
      if (alloc.getReleased())
        arrivals[*alloc.getReleased() + stage * kBarrierBytes] =
            (releasedByWarpgroup.contains(*alloc.getReleased())
                 ? kernel.getWarps() / kGroupWarps
                 : kernel.getWarps()) *
            (releasedByCluster.contains(*alloc.getReleased()) ? clusterSize()
                                                              : 1);
    }
  // Those of copies lie first.
  firstBarrier = arrivals.begin()->first;
  phases = i32(0);
  int64_t copyingWarp = hasProducers() ? kernel.getWarps() : 0;
  isInCopyingWarp = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          warp, i32(copyingWarp));
  isCopying = arith::AndIOp::create(b, loc, isElected(), isInCopyingWarp);
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [offset, count] : arrivals)
    os << "@$1 mbarrier.init.shared::cta.b64 [$0 + " << offset - firstBarrier
       << "], " << count << ";\n";
  os << "@$1 fence.mbarrier_init.release.cluster;";
  emitAssembly(b, loc, {sharedAddress(i32(firstBarrier)), isCopying}, text,
               "r,b");
  // Other blocks' copies complete at them.
  copiesForCluster = llvm::any_of(filled, isFilledByCluster);
  if (copiesForCluster)
    emitClusterBarrier();
  else if (kernel.getBlockThreads() == 32)
    emitBarrier(/*ofWarp=*/true);
  else
    gpu::BarrierOp::create(b, loc);
}

/// The bit of a stage in the word of phases, shifted to the lowest place, and
/// its place.
std::pair<Value, Value> KernelEmitter::phaseOf(AllocOp alloc, Value stage) {
  int64_t first = (*alloc.getBarriers() - firstBarrier) / kBarrierBytes;
  Value number = ofStage(stage, first, 1);
  Value parity = arith::AndIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, phases, number), i32(1));
  return {parity, number};
}

/// Turns the bit at `number`, unless `predicate` is given and false.
void KernelEmitter::turnPhase(Value number, Value predicate) {
  Value turned = arith::ShLIOp::create(b, loc, i32(1), number);
  if (predicate)
    turned = arith::SelectOp::create(b, loc, predicate, turned, i32(0));
  phases = arith::XOrIOp::create(b, loc, phases, turned);
}

/// Waits for the phase of an mbarrier with the given parity, unless `predicate`
/// is given and false. Where other blocks of the cluster are among those that
/// it waits for, the default scope, .cta, is enough (emitRelease).
void KernelEmitter::waitForPhase(Value barrier, Value parity, Value predicate) {
  SmallVector<Value> operands = {barrier, parity};
  std::string text = "{\n.reg .pred over;\n", constraints = "r,r";
  if (waitLimit)
    text += ".reg .pred late;\n.reg .b32 tries;\nmov.b32 tries, 0;\n";
  if (predicate) {
    operands.push_back(predicate);
    constraints += ",b";
    text += "@!$2 bra.uni DONE;\n";
  }
  text += "WAIT:\n"
          "mbarrier.try_wait.parity.shared::cta.b64 over, [$0], $1;\n"
          "@over bra.uni DONE;\n";
  if (waitLimit)
    text += "add.u32 tries, tries, 1;\n"
            "setp.ge.u32 late, tries, " +
            std::to_string(waitLimit) +
            ";\n"
            "@late trap;\n";
  text += "bra.uni WAIT;\n"
          "DONE:\n}";
  emitAssembly(b, loc, operands, text, constraints);
}

/// What the boxes of a tile ask of an instruction: the tensor map and the
/// places, and these in the text.
struct KernelEmitter::BoxOperands {
  SmallVector<Value> operands;
  std::string constraints;
  struct Box {
    int64_t offset;               ///< in the buffer, bytes
    SmallVector<size_t, 5> place; ///< numbers of operands, innermost first
  };
  SmallVector<Box> boxes;
  /// Of the tile, each copied by another block of the cluster to all of them;
  /// bytes of one.
  int64_t parts = 1, partBytes = 0;

  BoxOperands(Value map) : operands{map}, constraints("l") {}

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

Value KernelEmitter::mapArgument(TensorMapAttr map) {
  return function.getArgument(kernel.getNumArguments() +
                              (llvm::find(maps, map) - maps.begin()));
}

/// Of a copy that the blocks of a cluster share the boxes of the block's part.
KernelEmitter::BoxOperands KernelEmitter::boxOperands(const BulkCopy &copy,
                                                      Value view,
                                                      ValueRange coordinates) {
  auto window = view.getDefiningOp<WindowOp>();
  const BoxShape &boxes = copy.boxes;
  // The tile's place along every dimension of the map.
  SmallVector<Value> places;
  for (AffineExpr index : copy.indices) {
    Value value;
    if (auto dim = dyn_cast<AffineDimExpr>(index))
      value = coordinates[dim.getPosition()];
    else
      value = window.getSymbols()[cast<AffineSymbolExpr>(index).getPosition()];
    places.push_back(
        arith::IndexCastOp::create(b, loc, b.getI32Type(), scalar(value)));
  }
  if (copy.parts > 1) {
    Value &row = places[copy.rowDimension];
    row = arith::AddIOp::create(
        b, loc, row,
        arith::MulIOp::create(b, loc, clusterRank(),
                              i32(boxes.rowBoxes * boxes.rows)));
  }
  BoxOperands result(mapArgument(copy.map));
  result.parts = copy.parts;
  result.partBytes = boxes.rowBoxes * boxes.boxBytes;
  auto add = [&](Value place, int64_t distance) {
    if (distance != 0)
      place = arith::AddIOp::create(b, loc, place, i32(distance));
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

/// Of what threads have of a tile one box, which begins at whole ones.
KernelEmitter::BoxOperands
KernelEmitter::ownBoxOperands(const OwnBulkCopy &copy, ValueRange coordinates) {
  BoxOperands result(mapArgument(copy.map));
  BoxOperands::Box box{/*offset=*/0, {}};
  for (const OwnBoxDimension &dimension : copy.box.dimensions) {
    Value place = i32(0);
    if (dimension.isLast) {
      place = arith::IndexCastOp::create(
          b, loc, b.getI32Type(), scalar(coordinates[dimension.coordinate]));
      if (dimension.step > 1)
        place = arith::DivUIOp::create(b, loc, place, i32(dimension.step));
    }
    box.place.push_back(result.add(place));
  }
  result.boxes.push_back(std::move(box));
  return result;
}

FailureOr<KernelEmitter::BoxOperands>
KernelEmitter::boxOperands(CopyAsyncOp op) {
  auto emitError = [&] { return op.emitOpError(); };
  if (op.getOwn()) {
    FailureOr<OwnBulkCopy> copy = describeOwnBulkCopy(op, emitError);
    if (failed(copy))
      return failure();
    return ownBoxOperands(*copy, op.getCoordinates());
  }
  FailureOr<BulkCopy> copy = describeBulkCopy(op, emitError);
  if (failed(copy))
    return failure();
  return boxOperands(*copy, op.getView(), op.getCoordinates());
}

LogicalResult KernelEmitter::emitBulkCopy(CopyAsyncOp op) {
  auto alloc = op.getBuffer().getDefiningOp<AllocOp>();
  if (!alloc.getBarriers())
    return op.emitOpError("has no mbarriers; run tile-allocate-shared");
  BufferType buffer = alloc.getType();
  Value condition = isCopying;
  if (Value predicate = op.getPredicate())
    condition = arith::AndIOp::create(b, loc, condition, scalar(predicate));
  // The other warps have nothing to compute for it.
  OpBuilder::InsertionGuard guard(b);
  enterIf(condition);

  FailureOr<BoxOperands> boxes = boxOperands(op);
  if (failed(boxes))
    return failure();
  int64_t bytes = buffer.getStageBytes();
  bool isMulticast = boxes->parts > 1;
  Value first = ofStage(op.getStage(), *alloc.getOffset(), bytes);
  if (isMulticast)
    first = arith::AddIOp::create(
        b, loc, first,
        arith::MulIOp::create(b, loc, clusterRank(), i32(boxes->partBytes)));
  SmallVector<Value> operands = {
      sharedAddress(
          ofStage(op.getStage(), *alloc.getBarriers(), kBarrierBytes)),
      sharedAddress(first)};
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
  emitAssembly(b, loc, operands, text, "r,r," + boxes->constraints);
  return success();
}

Value KernelEmitter::isStoring() {
  return atEntry([&]() -> Value {
    return arith::AndIOp::create(
        b, loc,
        isElected(),
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, warp, i32(0)));
  });
}

/// The boxes of a tile are one group of the thread.
LogicalResult KernelEmitter::emitStoreAsync(StoreAsyncOp op) {
  FailureOr<BulkCopy> copy =
      describeBulkCopy(op, [&] { return op.emitOpError(); });
  if (failed(copy))
    return failure();
  auto alloc = op.getBuffer().getDefiningOp<AllocOp>();
  OpBuilder::InsertionGuard guard(b);
  enterIf(isStoring());
  BoxOperands boxes = boxOperands(*copy, op.getView(), op.getCoordinates());
  SmallVector<Value> operands = {sharedAddress(ofStage(
      op.getStage(), *alloc.getOffset(), alloc.getType().getStageBytes()))};
  llvm::append_range(operands, boxes.operands);
  std::string text;
  llvm::raw_string_ostream os(text);
  boxes.forEach(/*first=*/1, [&](int64_t offset, StringRef place) {
    os << "cp.async.bulk.tensor." << boxes.rank()
       << "d.global.shared::cta.tile.bulk_group " << place << ", [$0 + "
       << offset << "];\n";
  });
  os << "cp.async.bulk.commit_group;";
  emitAssembly(b, loc, operands, text, "r," + boxes.constraints);
  return success();
}

LogicalResult KernelEmitter::emitStoreWait() {
  emitAssembly(b, loc, {isStoring()}, "@$0 cp.async.bulk.wait_group.read 0;",
               "b");
  return success();
}

LogicalResult KernelEmitter::emitAwait(AwaitOp op) {
  auto alloc = op.getBuffer().getDefiningOp<AllocOp>();
  if (!alloc.getBarriers())
    return op.emitOpError("waits for a buffer that no bulk copy fills");
  if (op->getParentOfType<scf::IfOp>())
    return op.emitOpError("cannot stand in a branch");
  auto [parity, number] = phaseOf(alloc, op.getStage());
  Value predicate = op.getPredicate() ? scalar(op.getPredicate()) : Value();
  waitForPhase(sharedAddress(
                   ofStage(op.getStage(), *alloc.getBarriers(), kBarrierBytes)),
               parity, predicate);
  turnPhase(number, predicate);
  return success();
}

/// The whole warp of the thread that copies waits, so that its lanes stay
/// together: none is passed by a second release, which needs what it computes.
/// A producer's other lanes and warps compute nothing that anybody waits for,
/// and would be: only the thread that copies waits there.
LogicalResult KernelEmitter::emitAcquire(AcquireOp op) {
  auto alloc = op.getBuffer().getDefiningOp<AllocOp>();
  if (!alloc.getReleased() || !alloc.getBarriers())
    return op.emitOpError("waits for a buffer that nobody releases");
  if (op->getParentOfType<scf::IfOp>())
    return op.emitOpError("cannot stand in a branch");
  Value predicate = op.getPredicate() ? scalar(op.getPredicate()) : Value();
  Value condition = isProducer ? isCopying : isInCopyingWarp;
  if (predicate)
    condition = arith::AndIOp::create(b, loc, condition, predicate);
  {
    OpBuilder::InsertionGuard guard(b);
    enterIf(condition);
    auto [parity, number] = phaseOf(alloc, op.getStage());
    Value before = arith::XOrIOp::create(b, loc, parity, i32(1));
    Value barrier = sharedAddress(
        ofStage(op.getStage(), *alloc.getReleased(), kBarrierBytes));
    waitForPhase(barrier, before, /*predicate=*/Value());
  }
  // Of the other warps the wait for the copy turns it.
  if (isProducer)
    turnPhase(phaseOf(alloc, op.getStage()).second, predicate);
  return success();
}

/// One lane arrives for its warp, or for each block that copies to this one
/// another. What lanes have loaded by themselves is read when all of the warp
/// have come here. Of products in place the first warp of a warpgroup arrives
/// for all four: a wgmma-group is the warpgroup's, one for all of its warps (PTX
/// ISA, "wgmma.commit_group"), so that none of them reads any more when one has
/// waited for it. CUTLASS's pipelines release a stage alike.
///
/// Stages are only read between the wait for them and their release. So no scope
/// is needed that tells other blocks what was written, of which ptxas makes a
/// fence of the whole GPU: accesses after a wait are not performed before what
/// any thread read ahead of its arrival with release semantics (PTX ISA,
/// "mbarrier.test_wait, mbarrier.try_wait", fourth item).
LogicalResult KernelEmitter::emitRelease(ReleaseOp op) {
  auto alloc = op.getBuffer().getDefiningOp<AllocOp>();
  if (!alloc.getReleased())
    return op.emitOpError("has no mbarriers; run tile-allocate-shared");
  bool isLoaded = false;
  kernel.walk([&](Operation *load) {
    std::optional<int64_t> released = releasedWhereLoaded(load);
    isLoaded |= released && released == alloc.getReleased();
  });
  if (isLoaded)
    emitBarrier(/*ofWarp=*/true);
  bool isByWarpgroup = releasedByWarpgroup.contains(*alloc.getReleased());
  // Whether a lane is among the first `count` of the warp that arrives.
  auto isAmong = [&](int64_t count) -> Value {
    return atEntry([&]() -> Value {
      Value arrives = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::ult, lane, i32(count));
      if (!isByWarpgroup)
        return arrives;
      Value number = arith::RemUIOp::create(b, loc, warp, i32(kGroupWarps));
      return arith::AndIOp::create(
          b, loc, arrives,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number,
                                i32(0)));
    });
  };
  Value barrier = sharedAddress(
      ofStage(op.getStage(), *alloc.getReleased(), kBarrierBytes));
  if (releasedByCluster.contains(*alloc.getReleased())) {
    emitAssembly(b, loc, {barrier, isAmong(clusterSize()), lane},
                 "{\n.reg .b32 there;\n"
                 "@$1 mapa.shared::cluster.u32 there, $0, $2;\n"
                 "@$1 mbarrier.arrive.shared::cluster.b64 _, [there];\n}",
                 "r,b,r");
    return success();
  }
  emitAssembly(b, loc, {barrier, isAmong(1)},
               "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];", "r,b");
  return success();
}
