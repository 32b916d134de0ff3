//===- ReleaseStages.cpp - tile-release-stages ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineFill.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include <map>

namespace fusion {
#define GEN_PASS_DEF_TILERELEASESTAGES
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

/// A buffer that TMA copies fill, and the operations on it.
struct Stages {
  explicit Stages(Value buffer);

  /// Where to release stages. Each copy to a stage must be awaited once, and
  /// the awaited data must have one last use, after which the stage is
  /// released. Empty if that does not hold, or if no stage is filled a second
  /// time.
  struct Release {
    Operation *behind;
    Value stage;
  };
  SmallVector<Release> findReleases() const;

  Value buffer;
  SmallVector<CopyAsyncOp> copies;
  SmallVector<AwaitOp> awaits;
  SmallVector<Operation *> uses;
  bool isPlain = true; ///< no other operation uses it

private:
  SmallVector<Release> findInLoops(ArrayRef<scf::ForOp> loops) const;
  SmallVector<Release> findInBlock(Block *block) const;
};

} // namespace

Stages::Stages(Value buffer) : buffer(buffer) {
  for (Operation *user : buffer.getUsers()) {
    if (auto copy = dyn_cast<CopyAsyncOp>(user)) {
      copies.push_back(copy);
      isPlain &= isTMA(copy);
    } else if (auto await = dyn_cast<AwaitOp>(user)) {
      awaits.push_back(await);
    } else if (readsStage(user) || isa<SharedDotOp>(user)) {
      uses.push_back(user);
    } else if (!isa<FreeOp>(user)) {
      isPlain = false;
    }
  }
  isPlain &= !copies.empty() && !awaits.empty() && !uses.empty();
}

/// The stage of `buffer` that a use reads.
static Value stageOf(Operation *use, Value buffer) {
  if (auto load = dyn_cast<LocalLoadOp>(use))
    return load.getStage();
  if (auto own = dyn_cast<PrivateLoadOp>(use))
    return own.getStage();
  auto dot = cast<SharedDotOp>(use);
  return dot.getRhsBuffer() == buffer ? dot.getRhsStage() : dot.getLhsStage();
}

static std::optional<int64_t> slotOf(Operation *use, Value buffer) {
  if (auto load = dyn_cast<LocalLoadOp>(use))
    return load.getSlot();
  if (auto own = dyn_cast<PrivateLoadOp>(use))
    return own.getSlot();
  auto dot = cast<SharedDotOp>(use);
  return dot.getRhsBuffer() == buffer ? dot.getRhsSlot() : dot.getLhsSlot();
}

/// Whether `op` is before the loop in the loop's block, or nested in an
/// operation that is.
static bool isInFrontOf(Operation *op, scf::ForOp loop) {
  Operation *beside = loop->getBlock()->findAncestorOpInBlock(*op);
  return beside && beside->isBeforeInBlock(loop);
}

/// Finds releases for stages that loops fill ahead: an iteration releases the
/// stage that it reads, after its last use of the buffer.
SmallVector<Stages::Release>
Stages::findInLoops(ArrayRef<scf::ForOp> loops) const {
  SmallVector<Release> releases;
  for (scf::ForOp loop : loops) {
    Operation *last = nullptr;
    Value stage;
    for (Operation *use : uses) {
      Operation *inBody = loop.getBody()->findAncestorOpInBlock(*use);
      if (!inBody)
        continue;
      if (!last || last->isBeforeInBlock(inBody))
        last = inBody;
      Value own = stageOf(use, buffer);
      bool isAtHand =
          own.getParentBlock() == loop.getBody() ||
          own.getParentRegion()->isProperAncestor(&loop.getRegion());
      if (slotOf(use, buffer) == 0 && isAtHand)
        stage = own;
    }
    if (!stage)
      return {};
    releases.push_back({last, stage});
  }
  // One of the loops contains all waits, fills and reads for its iterations.
  auto belongs = [&](Operation *op, bool directly) {
    return llvm::any_of(loops, [&](scf::ForOp loop) {
      return (directly ? op->getBlock() == loop.getBody()
                       : loop->isProperAncestor(op)) ||
             isInFrontOf(op, loop);
    });
  };
  bool belongAll =
      llvm::all_of(copies, [&](auto op) { return belongs(op, true); }) &&
      llvm::all_of(awaits, [&](auto op) { return belongs(op, true); }) &&
      llvm::all_of(uses, [&](auto op) { return belongs(op, false); });
  return belongAll ? releases : SmallVector<Release>();
}

/// Finds releases for stages with constant numbers that one block fills, awaits
/// and reads in turn. Each is released after the last use before the next copy
/// to it.
SmallVector<Stages::Release> Stages::findInBlock(Block *block) const {
  struct Round {
    Operation *copy = nullptr, *await = nullptr, *last = nullptr;
  };
  std::map<int64_t, SmallVector<Round>> rounds; ///< by stage
  bool isKnown = true;
  auto number = [&](Value stage) -> int64_t {
    APInt value;
    isKnown &= matchPattern(stage, m_ConstantInt(&value));
    return isKnown ? value.getSExtValue() : 0;
  };
  llvm::DenseMap<Operation *, SmallVector<Operation *>> usesIn;
  for (Operation *use : uses) {
    Operation *inBlock = block->findAncestorOpInBlock(*use);
    if (!inBlock)
      return {};
    usesIn[inBlock].push_back(use);
  }
  size_t seen = 0;
  for (Operation &op : *block) {
    auto copy = dyn_cast<CopyAsyncOp>(op);
    if (copy && copy.getBuffer() == buffer) {
      SmallVector<Round> &ofStage = rounds[number(copy.getStage())];
      if (!ofStage.empty() && !ofStage.back().last)
        return {};
      ofStage.push_back({copy});
      ++seen;
    }
    auto await = dyn_cast<AwaitOp>(op);
    if (await && await.getBuffer() == buffer) {
      SmallVector<Round> &ofStage = rounds[number(await.getStage())];
      if (ofStage.empty() || ofStage.back().await || await.getPredicate() ||
          cast<CopyAsyncOp>(ofStage.back().copy).getPredicate())
        return {};
      ofStage.back().await = await;
      ++seen;
    }
    for (Operation *use : usesIn.lookup(&op)) {
      SmallVector<Round> &ofStage = rounds[number(stageOf(use, buffer))];
      if (ofStage.empty() || !ofStage.back().await)
        return {};
      ofStage.back().last = &op;
    }
  }
  if (!isKnown || seen != copies.size() + awaits.size())
    return {};
  bool isRepeated = isa<scf::ForOp>(block->getParentOp());
  SmallVector<Release> releases;
  for (auto &[stage, ofStage] : rounds) {
    isRepeated |= ofStage.size() > 1;
    for (const Round &round : ofStage) {
      if (!round.last)
        return {};
      releases.push_back(
          {round.last, cast<CopyAsyncOp>(round.copy).getStage()});
    }
  }
  return isRepeated ? releases : SmallVector<Release>();
}

SmallVector<Stages::Release> Stages::findReleases() const {
  if (!isPlain)
    return {};
  if (SmallVector<scf::ForOp> loops = loopsThatFill(buffer); !loops.empty())
    return findInLoops(loops);
  return findInBlock(copies.front()->getBlock());
}

namespace {

struct ReleaseStagesPass
    : fusion::impl::TileReleaseStagesBase<ReleaseStagesPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    // A cluster has no barrier as cheap as the barrier of a block.
    bool areOthersAhead = kernel.getProducers().value_or(0) > 0 ||
                          kernel.getCluster().value_or(1) > 1;
    if (kernel.getWarps() == 1 && !areOthersAhead)
      return;
    SmallVector<std::pair<AllocOp, SmallVector<Stages::Release>>> found;
    kernel.walk([&](AllocOp alloc) {
      if (!isFilledByTMA(alloc))
        return;
      SmallVector<Stages::Release> releases = Stages(alloc).findReleases();
      if (!releases.empty())
        found.push_back({alloc, std::move(releases)});
    });
    auto isReleased = [&](Value buffer) {
      return llvm::any_of(
          found, [&](auto &each) { return each.first.getResult() == buffer; });
    };
    // Other pipelined fills need the barriers in their loops. Exceptions are
    // the private copies of threads and places that are filled once.
    bool hasBulk = false;
    WalkResult others = kernel.walk([&](Operation *op) {
      std::optional<Fill> fill = Fill::get(op);
      if (!fill || !fill->slot())
        return WalkResult::advance();
      hasBulk |= fill->isTMA();
      bool isOrdered =
          isReleased(fill->buffer()) || (fill->isOwn() && fill->isGrouped()) ||
          llvm::all_of(loopsThatFill(fill->buffer()), [&](scf::ForOp loop) {
            return fillsPlacesOnce(loop, fill->alloc());
          });
      return isOrdered ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (others.wasInterrupted() && !areOthersAhead)
      return;
    numReleased += found.size();
    for (auto &[alloc, releases] : found)
      insert(alloc, releases);
    if (hasBulk && !others.wasInterrupted())
      kernel.walk([](Operation *op) {
        if (isa<ProducerAcquireOp, ConsumerReleaseOp>(op))
          op->erase();
      });
  }

  static void insert(AllocOp alloc, ArrayRef<Stages::Release> releases) {
    for (const Stages::Release &release : releases) {
      OpBuilder b(alloc.getContext());
      b.setInsertionPointAfter(release.behind);
      ReleaseOp::create(b, release.behind->getLoc(), alloc, release.stage);
    }
    bool hasProducers =
        alloc->getParentOfType<KernelOp>().getProducers().value_or(0) > 0;
    SmallVector<CopyAsyncOp> copies;
    for (Operation *user : alloc->getUsers())
      if (auto copy = dyn_cast<CopyAsyncOp>(user))
        copies.push_back(copy);
    for (CopyAsyncOp copy : copies) {
      // The acquires of producers count their copies, so that each copy has
      // one.
      if (!hasProducers && isOperandA(copy, copies))
        continue;
      OpBuilder b(copy);
      AcquireOp::create(b, copy.getLoc(), alloc, copy.getStage(),
                        copy.getPredicate());
    }
  }

  /// Whether no earlier copy can have filled the stage.
  static bool isOperandA(CopyAsyncOp copy, ArrayRef<CopyAsyncOp> copies) {
    APInt stage, other;
    return isa<KernelOp>(copy->getParentOp()) &&
           matchPattern(copy.getStage(), m_ConstantInt(&stage)) &&
           llvm::all_of(copies, [&](CopyAsyncOp each) {
             Operation *beside =
                 copy->getBlock()->findAncestorOpInBlock(*each.getOperation());
             return copy == each || copy->isBeforeInBlock(beside) ||
                    (matchPattern(each.getStage(), m_ConstantInt(&other)) &&
                     stage != other);
           });
  }
};

} // namespace
