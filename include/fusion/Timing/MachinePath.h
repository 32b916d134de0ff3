//===- MachinePath.h - A warp's way through its machine code ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator executes PTX and gives the anchors of each warp in order. The
// path through the machine code that fits them is the one that visits anchors
// of these kinds and lines in this order and executes the fewest instructions:
// a shortest path over pairs of an anchor and an instruction.
//
// ptxas may lose an anchor (a load whose value is never used) or move one under
// a guard that no lane passes. The path may thus leave out an anchor of the
// execution, or pass one of the machine code, at a price that is far above any
// detour. The number of both says how well the path fits.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_MACHINEPATH_H
#define FUSION_TIMING_MACHINEPATH_H

#include "fusion/Timing/Anchor.h"
#include "fusion/Timing/FlowGraph.h"

namespace fusion::timing {

struct MachinePath {
  /// Instructions of the kernel, in the order of their issue.
  std::vector<unsigned> insts;
  /// By anchor of the execution: its place in `insts`, or nullopt if the
  /// machine code has no instruction for it.
  std::vector<std::optional<unsigned>> places;
  unsigned missing = 0; ///< anchors of the execution without an instruction
  unsigned passed = 0;  ///< anchors of the machine code without an execution
};

/// Finds paths through one kernel; it remembers distances between anchors.
class PathFinder {
public:
  explicit PathFinder(const FlowGraph &graph);

  /// Returns the path of a warp from the first instruction to an end. Returns
  /// nullopt if the code cannot end after the last anchor.
  std::optional<MachinePath> find(llvm::ArrayRef<Anchor> anchors);

private:
  /// Shortest ways from one instruction to all others, by instruction.
  struct Ways {
    std::vector<uint64_t> costs;    ///< with the instruction at the end
    std::vector<unsigned> previous; ///< the instruction before
    std::optional<unsigned> end;    ///< the nearest end of the warp
  };
  /// Returns the ways from what follows instruction `start`, or from the
  /// kernel's first instruction.
  const Ways &waysFrom(std::optional<unsigned> start);

  const FlowGraph &graph;
  std::vector<std::optional<AnchorKind>> kinds; ///< by instruction
  /// By instruction; last, those from the kernel's beginning.
  std::vector<std::optional<Ways>> known;
};

} // namespace fusion::timing

#endif // FUSION_TIMING_MACHINEPATH_H
