//===- MachinePath.h - A warp's way through its machine code ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator executes PTX and gives the steps of each warp in order. The path
// through the machine code that fits them best has the fewest differences,
// steps in their order, and few instructions.
//
// ptxas moves anchors past one another, so that an instruction may execute any
// of the next steps of its kind, the first of its own line if there is one. It
// may lose an anchor (a load whose value is never used), or copy one to a place
// that no lane reaches. Both are differences, and their number says how well
// the path fits. The lines of wgmma are not compared: its machine code has the
// line of another one of its group.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_MACHINEPATH_H
#define FUSION_TIMING_MACHINEPATH_H

#include "fusion/Timing/Anchor.h"
#include "fusion/Timing/FlowGraph.h"
#include <map>

namespace fusion::timing {

struct MachinePath {
  /// Instructions of the kernel, in the order of their issue.
  std::vector<unsigned> insts;
  /// By step of the execution: its place in `insts`, or nullopt if the machine
  /// code has no instruction for it. Further steps of one instruction have one
  /// place.
  std::vector<std::optional<unsigned>> places;
  unsigned missing = 0; ///< steps of the execution without an instruction
  unsigned passed = 0;  ///< anchors of the machine code without an execution
};

/// Finds paths through one kernel; it remembers the paths that it found.
class PathFinder {
public:
  explicit PathFinder(const FlowGraph &graph);

  /// Returns the path of a warp from the first instruction to an end. Returns
  /// nullopt if the code does not end.
  std::optional<MachinePath> find(llvm::ArrayRef<Step> steps);

private:
  class Search;

  const FlowGraph &graph;
  std::vector<StepKind> kinds; ///< by instruction
  /// By the kinds and lines of the steps.
  std::map<std::vector<std::pair<StepKind, unsigned>>,
           std::optional<MachinePath>>
      known;
};

} // namespace fusion::timing

#endif // FUSION_TIMING_MACHINEPATH_H
