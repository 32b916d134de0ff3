//===- JoinAwaits.cpp - Buffers that are awaited together -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinAwaits.h"
#include "PipelineFill.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <vector>

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Whether two values, of which either may be null, are computed alike.
static bool isSame(Value a, Value b) {
  if (a == b)
    return true;
  Operation *x = a ? a.getDefiningOp() : nullptr,
            *y = b ? b.getDefiningOp() : nullptr;
  if (!x || !y || !isMemoryEffectFree(x) || x->getNumRegions() != 0 ||
      cast<OpResult>(a).getResultNumber() !=
          cast<OpResult>(b).getResultNumber())
    return false;
  return x->getName() == y->getName() &&
         x->getAttrDictionary() == y->getAttrDictionary() &&
         x->getNumOperands() == y->getNumOperands() &&
         llvm::all_of(llvm::zip(x->getOperands(), y->getOperands()),
                      [](auto pair) {
                        return isSame(std::get<0>(pair), std::get<1>(pair));
                      });
}

namespace {

/// The uses of a buffer that TMA copies fill, in program order.
struct TMABuffer {
  AllocOp alloc;
  SmallVector<CopyAsyncOp> copies;
  SmallVector<AwaitOp> awaits;
  SmallVector<AcquireOp> acquires;
  SmallVector<ReleaseOp> releases;
};

} // namespace

/// Whether each operation of `seconds` follows its counterpart of `firsts` in
/// the same block, for the same stage and under the same condition. Between the
/// two there is no contraction, no region and no memory effect that `mayPass`
/// does not allow.
template <typename OpTy>
static bool standTogether(MutableArrayRef<OpTy> firsts,
                          MutableArrayRef<OpTy> seconds,
                          llvm::function_ref<bool(Operation *)> mayPass) {
  if (firsts.empty() || firsts.size() != seconds.size())
    return false;
  for (auto &&[first, second] : llvm::zip_equal(firsts, seconds)) {
    if (first->getBlock() != second->getBlock() ||
        !first->isBeforeInBlock(second) ||
        !isSame(first.getStage(), second.getStage()) ||
        !isSame(first.getPredicate(), second.getPredicate()))
      return false;
    for (Operation *op = first->getNextNode(); op != second;
         op = op->getNextNode())
      if (isa<DotOp>(op) || op->getNumRegions() != 0 ||
          (!isMemoryEffectFree(op) && !mayPass(op)))
        return false;
  }
  return true;
}

/// Whether both buffers have releases of their stages in the same blocks, or
/// neither has any.
static bool canJoinReleases(TMABuffer &first, TMABuffer &second) {
  return first.acquires.size() == second.acquires.size() &&
         first.releases.size() == second.releases.size() &&
         llvm::all_of(llvm::zip_equal(first.releases, second.releases),
                      [](auto pair) {
                        auto [a, b] = pair;
                        return a->getBlock() == b->getBlock() &&
                               isSame(a.getStage(), b.getStage());
                      });
}

/// Leaves the acquires before the first copies, and the releases after the last
/// uses of both buffers.
static void joinReleases(TMABuffer &first, TMABuffer &second) {
  for (AcquireOp acquire : second.acquires)
    acquire.erase();
  for (auto [kept, dropped] :
       llvm::zip_equal(first.releases, second.releases)) {
    if (kept->isBeforeInBlock(dropped))
      kept->moveBefore(dropped);
    dropped.erase();
  }
}

static bool canJoin(TMABuffer &first, TMABuffer &second) {
  return first.alloc.getType().getStages() ==
             second.alloc.getType().getStages() &&
         standTogether<CopyAsyncOp>(
             first.copies, second.copies,
             [](Operation *op) { return isa<CopyAsyncOp, AcquireOp>(op); }) &&
         standTogether<AwaitOp>(first.awaits, second.awaits,
                                [](Operation *op) {
                                  return isa<AwaitOp>(op) || readsStage(op);
                                }) &&
         canJoinReleases(first, second);
}

llvm::MapVector<AllocOp, AllocOp> fusion::tile::joinAwaits(KernelOp kernel) {
  std::vector<TMABuffer> buffers;
  kernel.walk([&](AllocOp alloc) {
    if (isFilledByTMA(alloc))
      buffers.push_back({alloc, {}, {}, {}, {}});
  });
  kernel.walk([&](Operation *op) {
    for (TMABuffer &buffer : buffers) {
      if (auto copy = dyn_cast<CopyAsyncOp>(op);
          copy && copy.getBuffer() == buffer.alloc)
        buffer.copies.push_back(copy);
      if (auto await = dyn_cast<AwaitOp>(op);
          await && await.getBuffer() == buffer.alloc)
        buffer.awaits.push_back(await);
      if (auto acquire = dyn_cast<AcquireOp>(op);
          acquire && acquire.getBuffer() == buffer.alloc)
        buffer.acquires.push_back(acquire);
      if (auto release = dyn_cast<ReleaseOp>(op);
          release && release.getBuffer() == buffer.alloc)
        buffer.releases.push_back(release);
    }
  });
  llvm::MapVector<AllocOp, AllocOp> joined;
  for (TMABuffer &second : buffers)
    for (TMABuffer &first : buffers) {
      if (first.alloc == second.alloc || joined.contains(first.alloc) ||
          !canJoin(first, second))
        continue;
      joined[second.alloc] = first.alloc;
      for (AwaitOp await : second.awaits)
        await.erase();
      joinReleases(first, second);
      break;
    }
  return joined;
}
