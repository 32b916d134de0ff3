//===- PipelineIdentify.cpp - tile-pipeline-identify ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineFill.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "fusion/Support/Remark.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fusion {
#define GEN_PASS_DEF_TILEPIPELINEIDENTIFY
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

struct Candidate {
  Fill fill;
  scf::ForOp loop; ///< fills and uses the buffer
};

struct IdentifyPass : fusion::impl::TilePipelineIdentifyBase<IdentifyPass> {
  void runOnOperation() override {
    SmallVector<Candidate> candidates;
    getOperation().walk([&](AllocOp alloc) {
      if (alloc.getPipelineStages().value_or(1) < 2)
        return;
      std::string reason;
      if (std::optional<Candidate> candidate = examine(alloc, reason))
        candidates.push_back(*candidate);
      else
        reject(alloc, reason);
    });
    for (const Candidate &candidate : candidates) {
      // Rule 3: synchronisation points of one scope must match. It holds for
      // groups of copies only. Fills through registers need no wait, and TMA
      // copies have an mbarrier for each stage of a buffer.
      bool holdsAnother = candidate.fill.isGrouped() &&
                          llvm::any_of(candidates, [&](const Candidate &other) {
                            return other.fill.isGrouped() &&
                                   other.loop != candidate.loop &&
                                   candidate.loop->isProperAncestor(other.loop);
                          });
      AllocOp alloc = candidate.fill.alloc();
      if (holdsAnother) {
        reject(
            alloc,
            "its loop holds another pipelined loop, and groups of copies are "
            "waited for in order: the waits of the two do not match (rule 3)");
        continue;
      }
      alloc.setPipelined(true);
      bool waitsForOther =
          candidate.fill.isGrouped() &&
          llvm::any_of(
              scf::ForOp(candidate.loop).getBody()->getOps<CopyAsyncOp>(),
              [](CopyAsyncOp copy) {
                if (isTMA(copy))
                  return false;
                auto other = copy.getBuffer().getDefiningOp<AllocOp>();
                return !other || other.getPipelineStages().value_or(1) < 2;
              });
      if (waitsForOther)
        remarkAnalysis(
            alloc, "pipeline", "drained",
            "another copy in the buffer's loop has one stage: waiting for "
            "it waits for what was issued before, so that more than two stages "
            "hide "
            "nothing more");
      if (!candidate.fill.isAsync())
        remarkPassed(
            alloc, "pipeline", "prefetched",
            "buffer is filled synchronously (rule 1): the next iteration's "
            "tile is loaded into registers under this one's work");
    }
  }

  static void reject(AllocOp alloc, const Twine &reason) {
    remarkMissed(alloc, "pipeline", "not-pipelined",
                 "buffer is not pipelined: " + reason);
  }

  /// Returns the fill and the load-use loop of a buffer by rules 1 and 2, or
  /// nullopt and the reason in `reason`.
  static std::optional<Candidate> examine(AllocOp alloc, std::string &reason) {
    auto no = [&](const char *why) {
      reason = why;
      return std::nullopt;
    };
    std::optional<Fill> fill;
    SmallVector<Operation *> reads;
    for (Operation *user : alloc->getUsers()) {
      if (isa<CopyAsyncOp, LocalStoreOp>(user)) {
        if (fill)
          return no("it is filled more than once");
        fill = Fill::get(user);
        if (!fill)
          return no("its tile is computed, not copied (rule 1)");
      } else if (readsStage(user)) {
        reads.push_back(user);
      }
    }
    if (!fill)
      return no("nothing fills it (rule 1)");
    Operation *op = fill->operation();
    auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
    if (!loop)
      return no("it is not filled in a sequential loop (rule 2)");
    for (Operation *read : reads) {
      Operation *inBody = loop.getBody()->findAncestorOpInBlock(*read);
      if (readsLater(read, *fill, loop))
        continue;
      if (!inBody)
        return no("it is also read outside of the loop that fills it (rule 2)");
      if (inBody->isBeforeInBlock(op))
        return no("it is read before it is filled, so the data is of the "
                  "iteration before (rule 2)");
    }
    if (alloc->getParentRegion() == &loop.getRegion())
      return no("it lives in one iteration only (rule 2)");
    if (std::optional<std::string> why = whyNotAhead(*fill, loop)) {
      reason = "what fills it " + *why;
      return std::nullopt;
    }
    if (fill->isRetained() && !fill->hasOwnPlaces(loop))
      return no("iterations of its loop share places, of which a copy ahead "
                "would overwrite one that is still to be read");
    if (!fill->isAsync() && *alloc.getPipelineStages() > 2)
      return no("it is filled synchronously (rule 1), and registers hold one "
                "tile ahead, which makes two stages");
    return Candidate{*fill, loop};
  }
};

} // namespace
