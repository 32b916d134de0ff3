//===- PipelinePrune.cpp - tile-pipeline-prune ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineFill.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"

namespace fusion {
#define GEN_PASS_DEF_TILEPIPELINEPRUNE
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

static bool isCommit(Operation *op) {
  return isa<CommitOp, ProducerCommitOp>(op);
}
static bool isWait(Operation *op) { return isa<WaitOp, ConsumerWaitOp>(op); }

static bool isGroupedCopy(Operation *op) {
  return isa<CopyAsyncOp>(op) && !isTMA(op);
}

/// Whether an operation of any depth in `op` satisfies the predicate.
static bool anyInside(Operation &op,
                      llvm::function_ref<bool(Operation *)> predicate) {
  WalkResult result = op.walk([&](Operation *inner) {
    return predicate(inner) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether what follows `copy` in its block closes its group.
static bool isCommitted(Operation *copy) {
  for (Operation *op = copy->getNextNode(); op; op = op->getNextNode())
    if (isCommit(op))
      return true;
  return false;
}

namespace {

/// Groups in flight at most; nothing where that is not known.
using InFlight = std::optional<int64_t>;

/// Commits and waits of a block, with none between them that another block
/// holds.
class Segment {
public:
  /// Where the segment begins: whether the open group has copies, and how many
  /// closed ones are in flight.
  Segment(bool hasCopies, InFlight atStart)
      : hasCopies(hasCopies), atStart(atStart) {}

  void add(Operation *op) {
    if (isGroupedCopy(op)) {
      hasCopies = true;
    } else if (isCommit(op)) {
      commits.push_back({op, hasCopies});
      hasCopies = false;
    } else if (auto wait = dyn_cast<WaitOp>(op)) {
      waits.push_back(
          {op, commits.size(), static_cast<int64_t>(wait.getPending())});
    } else if (auto wait = dyn_cast<ConsumerWaitOp>(op)) {
      waits.push_back(
          {op, commits.size(), static_cast<int64_t>(wait.getPending())});
    }
  }
  bool hasOpenCopies() const { return hasCopies; }
  /// Erases the groups without copies, and the waits that wait for nothing
  /// then. Returns what is in flight behind.
  InFlight prune();

private:
  struct Commit {
    Operation *op;
    bool hasCopies, isGone = false;
  };
  struct Wait {
    Operation *op;
    size_t position; ///< commits of the segment in front of it
    int64_t pending;
  };

  /// Commits from the one at `begin` up to the one at `end`.
  int64_t count(size_t begin, size_t end,
                llvm::function_ref<bool(const Commit &)> predicate) const {
    return llvm::count_if(ArrayRef<Commit>(commits).slice(begin, end - begin),
                          predicate);
  }
  /// Those of the segment that a wait leaves in flight.
  int64_t countLeft(const Wait &wait,
                    llvm::function_ref<bool(const Commit &)> predicate) const {
    size_t left = std::min<size_t>(wait.position, wait.pending);
    return count(wait.position - left, wait.position, predicate);
  }
  void markCommits();
  InFlight eraseWaits();

  SmallVector<Commit> commits;
  SmallVector<Wait> waits;
  bool hasCopies;
  InFlight atStart;
};

} // namespace

/// A wait counts groups from the latest backwards. One behind the segment that
/// counts an empty group counts an older one in its place when that is gone,
/// which must have arrived.
void Segment::markCommits() {
  auto isReal = [](const Commit &commit) { return commit.hasCopies; };
  InFlight inFlight; ///< of those with copies, where the segment ends
  if (atStart)
    inFlight = *atStart + count(0, commits.size(), isReal);
  for (const Wait &wait : waits) {
    int64_t empty =
        countLeft(wait, [](const Commit &commit) { return !commit.hasCopies; });
    int64_t left =
        wait.pending - empty + count(wait.position, commits.size(), isReal);
    inFlight = std::min(inFlight.value_or(left), left);
  }
  if (!inFlight)
    return;
  for (auto [index, commit] : llvm::enumerate(commits))
    commit.isGone =
        !commit.hasCopies && count(index, commits.size(), isReal) >= *inFlight;
}

InFlight Segment::eraseWaits() {
  InFlight inFlight = atStart;
  size_t position = 0;
  auto advance = [&](size_t end) {
    if (inFlight)
      *inFlight += count(position, end,
                         [](const Commit &commit) { return !commit.isGone; });
    position = end;
  };
  for (const Wait &wait : waits) {
    advance(wait.position);
    if (inFlight && *inFlight <= wait.pending)
      wait.op->erase();
    else
      inFlight = wait.pending;
  }
  advance(commits.size());
  return inFlight;
}

InFlight Segment::prune() {
  markCommits();
  for (Wait &wait : waits) {
    wait.pending -=
        countLeft(wait, [](const Commit &commit) { return commit.isGone; });
    if (auto op = dyn_cast<WaitOp>(wait.op))
      op.setPending(wait.pending);
    else
      cast<ConsumerWaitOp>(wait.op).setPending(wait.pending);
  }
  InFlight behind = eraseWaits();
  for (const Commit &commit : commits)
    if (commit.isGone)
      commit.op->erase();
  return behind;
}

/// Prunes a block that begins as `segment` says. Returns what is in flight
/// behind it.
static InFlight pruneGroups(Block &block, Segment segment) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumRegions() == 0) {
      segment.add(&op);
      continue;
    }
    if (!anyInside(op, [](Operation *inner) {
          return isCommit(inner) || isWait(inner) || isGroupedCopy(inner);
        }))
      continue;
    auto loop = dyn_cast<scf::ForOp>(op);
    bool surelyCommits = loop && runsAtLeastOnce(loop) &&
                         llvm::any_of(*loop.getBody(), [](Operation &inner) {
                           return isCommit(&inner);
                         });
    bool leavesOpen = (segment.hasOpenCopies() && !surelyCommits) ||
                      anyInside(op, [](Operation *inner) {
                        return isGroupedCopy(inner) && !isCommitted(inner);
                      });
    // One of the regions is entered, or none; what an iteration of a loop
    // leaves is not carried into the next.
    InFlight most = segment.prune();
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        InFlight behind =
            pruneGroups(inner, Segment(/*hasCopies=*/true, std::nullopt));
        if (most && behind)
          most = std::max(*most, *behind);
        else
          most = std::nullopt;
      }
    segment = Segment(leavesOpen, most);
  }
  return segment.prune();
}

/// A round that fills nothing acquires no stage. What a pipelined loop acquires
/// where its body ends is for the next iteration.
static void pruneAcquires(Block &block) {
  auto loop = dyn_cast<scf::ForOp>(block.getParentOp());
  bool wrapsAround = loop && !pipelinedBuffers(loop).empty();
  ProducerAcquireOp acquire;
  ConsumerReleaseOp release;
  SmallVector<Operation *> dead;
  auto drop = [&] {
    if (acquire)
      dead.push_back(acquire);
    if (acquire && release)
      dead.push_back(release);
  };
  for (Operation &op : block) {
    if (auto next = dyn_cast<ProducerAcquireOp>(op)) {
      drop();
      acquire = next;
      release = {};
    } else if (auto next = dyn_cast<ConsumerReleaseOp>(op)) {
      release = next;
    } else if (anyInside(op, [](Operation *inner) {
                 return Fill::get(inner).has_value();
               })) {
      acquire = {};
    }
  }
  if (!wrapsAround)
    drop();
  for (Operation *op : dead)
    op->erase();
}

namespace {

struct PrunePass : fusion::impl::TilePipelinePruneBase<PrunePass> {
  void runOnOperation() override {
    getOperation().walk([](Block *block) { pruneAcquires(*block); });
    pruneGroups(getOperation().getBody().front(),
                Segment(/*hasCopies=*/false, /*atStart=*/0));
  }
};

} // namespace
