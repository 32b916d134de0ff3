//===- FollowPaths.h - What may have happened on any path -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For walks over a kernel that carry along what may have happened before. A
// `State` has `bool join(const State &)`, which adds what another path brings
// and says whether that was anything new; `process` walks a block.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_DIALECT_TILE_TRANSFORMS_FOLLOWPATHS_H
#define FUSION_LIB_DIALECT_TILE_TRANSFORMS_FOLLOWPATHS_H

#include "PipelineFill.h"

namespace fusion::tile {

/// Through a loop: its body follows what is before the loop and itself, until
/// nothing changes. `nextIteration` says what a state becomes from one iteration
/// to the next. Behind it is what an iteration leaves, and what was before
/// where there may be none.
template <typename State, typename Process, typename NextIteration>
void followLoop(mlir::scf::ForOp loop, State &state, Process process,
                NextIteration nextIteration) {
  State entry = state;
  do {
    state = entry;
    process(*loop.getBody(), state);
    nextIteration(state);
  } while (entry.join(state));
  if (!runsAtLeastOnce(loop))
    state.join(entry);
}

/// Through the regions of an operation, of which any may be entered, or none.
template <typename State, typename Process>
void followBranches(mlir::Operation &op, State &state, Process process) {
  State entry = state;
  for (mlir::Region &region : op.getRegions()) {
    State branch = entry;
    for (mlir::Block &inner : region)
      process(inner, branch);
    state.join(branch);
  }
}

} // namespace fusion::tile

#endif // FUSION_LIB_DIALECT_TILE_TRANSFORMS_FOLLOWPATHS_H
