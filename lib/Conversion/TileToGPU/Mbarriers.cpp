//===- Mbarriers.cpp - Mbarriers of stages of buffers ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mbarriers.h"
#include "Clusters.h"
#include "InlineAssembly.h"
#include "Stages.h"
#include "fusion/Conversion/TileToThreads/SharedAccess.h"
#include "fusion/Dialect/Tile/IR/TMACopies.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Returns the offset of the mbarriers that release the buffer from which an
/// operation's lanes load; nullopt for other operations and buffers.
static std::optional<int64_t> releasedWhereLoaded(Operation *op) {
  if (!isa<LocalLoadOp, PrivateLoadOp>(op))
    return std::nullopt;
  auto loaded = op->getOperand(0).getDefiningOp<AllocOp>();
  return loaded ? loaded.getReleased() : std::nullopt;
}

void Mbarriers::findReleases(ArrayRef<AllocOp> filled) {
  for (AllocOp alloc : filled) {
    if (alloc.getReleased() && isFilledByCluster(alloc))
      releasedByCluster.insert(*alloc.getReleased());
    if (alloc.getReleased() && kernel.getWarps() % kWarpgroupWarps == 0)
      releasedByWarpgroup.insert(*alloc.getReleased());
  }
  // Each warp releases data that its own lanes load.
  kernel.walk([&](Operation *op) {
    if (std::optional<int64_t> released = releasedWhereLoaded(op))
      releasedByWarpgroup.erase(*released);
  });
}

std::map<int64_t, int64_t> Mbarriers::countArrivals(ArrayRef<AllocOp> filled) {
  std::map<int64_t, int64_t> arrivals;
  for (AllocOp alloc : filled)
    for (int64_t stage = 0; stage < alloc.getType().getStages(); ++stage) {
      ++arrivals[*alloc.getBarriers() + stage * kBarrierBytes];
      if (!alloc.getReleased())
        continue;
      int64_t released = *alloc.getReleased(),
              ofBlock = releasedByWarpgroup.contains(released)
                            ? kernel.getWarps() / kWarpgroupWarps
                            : kernel.getWarps();
      arrivals[released + stage * kBarrierBytes] =
          ofBlock * (releasedByCluster.contains(released)
                         ? kernel.getCluster().value_or(1)
                         : 1);
    }
  return arrivals;
}

void Mbarriers::begin(KernelEmitter &e) {
  SmallVector<AllocOp> filled;
  kernel.walk([&](AllocOp alloc) {
    if (alloc.getBarriers())
      filled.push_back(alloc);
  });
  if (filled.empty())
    return;
  ThreadBuilder &b = e.builder();
  findReleases(filled);
  std::map<int64_t, int64_t> arrivals = countArrivals(filled);
  // The mbarriers of copies come before the mbarriers of releases.
  firstBarrier = arrivals.begin()->first;
  phases = b.i32(0);
  int64_t copyingWarp = producers.exist() ? kernel.getWarps() : 0;
  inCopyingWarp = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, b.warp(),
                                        b.i32(copyingWarp));
  copying = arith::AndIOp::create(b, election.isElected(b), inCopyingWarp);
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [offset, count] : arrivals)
    os << "@$1 mbarrier.init.shared::cta.b64 [$0 + " << offset - firstBarrier
       << "], " << count << ";\n";
  os << "@$1 fence.mbarrier_init.release.cluster;";
  emitAssembly(b, {sharedAddress(e, b.i32(firstBarrier)), copying}, text,
               "r,b");
  areSharedByCluster = llvm::any_of(filled, isFilledByCluster);
  if (areSharedByCluster)
    emitClusterBarrier(b);
  else if (kernel.getBlockThreads() == kWarpSize)
    emitWarpBarrier(b);
  else
    gpu::BarrierOp::create(b);
}

void Mbarriers::end(KernelEmitter &e) {
  if (areSharedByCluster)
    emitClusterBarrier(e.builder());
}

Values Mbarriers::loopState(scf::ForOp loop) {
  bool turns =
      loop.walk([&](Operation *inner) {
            bool turnsHere = producers.emitProducer() ? isa<AcquireOp>(inner)
                                                      : isa<AwaitOp>(inner);
            return turnsHere ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  return turns ? Values{phases} : Values();
}

void Mbarriers::restartPhases(ThreadBuilder &b) {
  if (phases)
    phases = b.i32(0);
}

Value Mbarriers::filledBarrier(KernelEmitter &e, AllocOp alloc, Value stage) {
  return sharedAddress(e,
                       ofStage(e, stage, *alloc.getBarriers(), kBarrierBytes));
}

Value Mbarriers::releasedBarrier(KernelEmitter &e, AllocOp alloc, Value stage) {
  return sharedAddress(e,
                       ofStage(e, stage, *alloc.getReleased(), kBarrierBytes));
}

std::pair<Value, Value> Mbarriers::phaseOf(KernelEmitter &e, AllocOp alloc,
                                           Value stage) {
  ThreadBuilder &b = e.builder();
  int64_t first = (*alloc.getBarriers() - firstBarrier) / kBarrierBytes;
  Value number = ofStage(e, stage, first, 1);
  Value parity = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, phases, number), b.i32(1));
  return {parity, number};
}

void Mbarriers::pingPongPhase(ThreadBuilder &b, Value number, Value predicate) {
  Value turned = arith::ShLIOp::create(b, b.i32(1), number);
  if (predicate)
    turned = arith::SelectOp::create(b, predicate, turned, b.i32(0));
  phases = arith::XOrIOp::create(b, phases, turned);
}

void Mbarriers::waitForPhase(ThreadBuilder &b, Value barrier, Value parity,
                             Value predicate) {
  Values operands = {barrier, parity};
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
  emitAssembly(b, operands, text, constraints);
}

LogicalResult Mbarriers::emitAwait(AwaitOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  auto alloc = op.getBuffer().getDefiningOp<AllocOp>();
  if (!alloc.getBarriers())
    return op.emitOpError("waits for a buffer that no TMA copy fills");
  if (op->getParentOfType<scf::IfOp>())
    return op.emitOpError("cannot stand in a branch");
  auto [parity, number] = phaseOf(e, alloc, op.getStage());
  Value predicate = op.getPredicate() ? e.scalar(op.getPredicate()) : Value();
  waitForPhase(b, filledBarrier(e, alloc, op.getStage()), parity, predicate);
  pingPongPhase(b, number, predicate);
  return success();
}

/// Waits until a stage is released. The whole warp of the copying thread waits,
/// so that its lanes stay together: a lane ahead could reach a second release,
/// which needs the others. In a producer, only the copying thread waits: no
/// thread depends on its other lanes and warps.
LogicalResult Mbarriers::emitAcquire(AcquireOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  auto alloc = op.getBuffer().getDefiningOp<AllocOp>();
  if (!alloc.getReleased() || !alloc.getBarriers())
    return op.emitOpError("waits for a buffer that nobody releases");
  if (op->getParentOfType<scf::IfOp>())
    return op.emitOpError("cannot stand in a branch");
  Value predicate = op.getPredicate() ? e.scalar(op.getPredicate()) : Value();
  Value condition = producers.emitProducer() ? copying : inCopyingWarp;
  if (predicate)
    condition = arith::AndIOp::create(b, condition, predicate);
  {
    OpBuilder::InsertionGuard guard(b);
    b.enterIf(condition);
    auto [parity, number] = phaseOf(e, alloc, op.getStage());
    Value before = arith::XOrIOp::create(b, parity, b.i32(1));
    Value barrier = releasedBarrier(e, alloc, op.getStage());
    waitForPhase(b, barrier, before, /*predicate=*/Value());
  }
  // For other warps the wait for the copy flips the phase.
  if (producers.emitProducer())
    pingPongPhase(b, phaseOf(e, alloc, op.getStage()).second, predicate);
  return success();
}

/// Releases a stage. One lane arrives for its warp, or one lane for each block
/// if the blocks of a cluster copy for one another. If lanes load the data, the
/// warp synchronises first, so that all of them have read it.
///
/// For MMAs that read shared memory, the first warp of a warpgroup arrives for
/// all four. A wgmma-group belongs to the warpgroup (PTX ISA,
/// "wgmma.commit_group"), so that no warp still reads when one has waited for
/// it. CUTLASS's pipelines release a stage alike.
///
/// Stages are only read between the wait for them and their release. So the
/// arrival needs no scope that publishes writes to other blocks, of which ptxas
/// makes a fence of the whole GPU. Accesses after a wait are not performed
/// before reads that precede an arrival with release semantics (PTX ISA,
/// "mbarrier.test_wait, mbarrier.try_wait", fourth item).
LogicalResult Mbarriers::emitRelease(ReleaseOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  auto alloc = op.getBuffer().getDefiningOp<AllocOp>();
  if (!alloc.getReleased())
    return op.emitOpError("has no mbarriers; run tile-allocate-shared");
  bool isLoaded = false;
  kernel.walk([&](Operation *load) {
    std::optional<int64_t> released = releasedWhereLoaded(load);
    isLoaded |= released && released == alloc.getReleased();
  });
  if (isLoaded)
    emitWarpBarrier(b);
  bool isByWarpgroup = releasedByWarpgroup.contains(*alloc.getReleased());
  // Whether a lane is among the first `count` of the arriving warp.
  auto isAmong = [&](int64_t count) -> Value {
    return b.atEntry([&]() -> Value {
      Value arrives = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                            b.lane(), b.i32(count));
      if (!isByWarpgroup)
        return arrives;
      Value number =
          arith::RemUIOp::create(b, b.warp(), b.i32(kWarpgroupWarps));
      return arith::AndIOp::create(
          b, arrives,
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, b.i32(0)));
    });
  };
  Value barrier = releasedBarrier(e, alloc, op.getStage());
  if (releasedByCluster.contains(*alloc.getReleased())) {
    emitAssembly(b,
                 {barrier, isAmong(kernel.getCluster().value_or(1)), b.lane()},
                 "{\n.reg .b32 there;\n"
                 "@$1 mapa.shared::cluster.u32 there, $0, $2;\n"
                 "@$1 mbarrier.arrive.shared::cluster.b64 _, [there];\n}",
                 "r,b,r");
    return success();
  }
  emitAssembly(b, {barrier, isAmong(1)},
               "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];", "r,b");
  return success();
}
