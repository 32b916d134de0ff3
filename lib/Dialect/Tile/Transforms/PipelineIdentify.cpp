//===- PipelineIdentify.cpp - tile-pipeline-identify --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

namespace fusion {
#define GEN_PASS_DEF_TILEPIPELINEIDENTIFY
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

struct Candidate {
  AllocOp alloc;
  scf::ForOp loop; ///< that loads and uses the buffer
};

struct IdentifyPass
    : fusion::impl::TilePipelineIdentifyBase<IdentifyPass> {
  void runOnOperation() override {
    SmallVector<Candidate> candidates;
    getOperation().walk([&](AllocOp alloc) {
      if (alloc.getPipelineStages().value_or(1) < 2)
        return;
      std::string reason;
      if (scf::ForOp loop = findLoop(alloc, reason))
        candidates.push_back({alloc, loop});
      else
        refuse(alloc, reason);
    });
    // Rule 3: synchronisation points of one scope must match.
    for (const Candidate &candidate : candidates) {
      bool holdsAnother = llvm::any_of(candidates, [&](const Candidate &other) {
        return other.loop != candidate.loop &&
               candidate.loop->isProperAncestor(other.loop);
      });
      if (holdsAnother)
        refuse(candidate.alloc,
               "its loop holds another pipelined loop, and groups of copies are "
               "waited for in order: the waits of the two do not match");
      else
        AllocOp(candidate.alloc).setPipelined(true);
    }
  }

  static void refuse(AllocOp alloc, const Twine &reason) {
    remark::missed(alloc.getLoc(),
                   remark::RemarkOpts::name("not-pipelined").category("pipeline"))
        << ("buffer is not pipelined: " + reason).str();
  }

  /// The load-use loop of a buffer by rules 1 and 2, or null with the reason.
  static scf::ForOp findLoop(AllocOp alloc, std::string &reason) {
    CopyAsyncOp copy;
    SmallVector<Operation *> reads;
    for (Operation *user : alloc->getUsers()) {
      if (auto other = dyn_cast<CopyAsyncOp>(user)) {
        if (copy) {
          reason = "it is filled by more than one copy";
          return {};
        }
        copy = other;
      } else if (isa<LocalStoreOp>(user)) {
        reason = "it is filled by a synchronous store (rule 1)";
        return {};
      } else if (isa<LocalLoadOp>(user)) {
        reads.push_back(user);
      }
    }
    if (!copy) {
      reason = "no asynchronous copy fills it (rule 1)";
      return {};
    }
    auto loop = dyn_cast<scf::ForOp>(copy->getParentOp());
    if (!loop) {
      reason = "its copy is not in a sequential loop (rule 2)";
      return {};
    }
    for (Operation *read : reads)
      if (!loop->isProperAncestor(read)) {
        reason = "it is also read outside of the loop that fills it (rule 2)";
        return {};
      }
    if (alloc->getParentRegion() == &loop.getRegion()) {
      reason = "it lives in one iteration only";
      return {};
    }
    return loop;
  }
};

} // namespace
