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
// of the next steps of its kind and line. Where the machine code has lines that
// no step has, as for parts of inline assembly, these instructions execute
// steps of their kind whose lines it lacks. So do all of wgmma, whose machine
// code has the line of another one of its group. ptxas may remove an anchor (a
// load whose value is never used), merge two, or copy one to a place that no
// lane reaches. The remaining anchors are differences; their number says how
// well the path fits. If there are any, and an access of the machine code is
// wider than that of its line, the anchor is also tried for several steps:
// those of iterations that ptxas has unrolled. The better path counts.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_MACHINEPATH_H
#define FUSION_TIMING_MACHINEPATH_H

#include "fusion/Emulator/PtxListing.h"
#include "fusion/Timing/Anchor.h"
#include "fusion/Timing/FlowGraph.h"
#include <map>
#include <set>

namespace fusion::timing {

struct MachinePath {
  /// Instructions of the kernel, in the order of their issue.
  std::vector<unsigned> insts;
  /// By step of the execution: its place in `insts`, or nullopt if the machine
  /// code has no instruction for it. Further steps of one instruction have one
  /// place, and so have steps that ptxas has merged.
  std::vector<std::optional<unsigned>> places;
  /// By place in `insts`: the first step of the instruction, or kNoStep.
  static constexpr uint32_t kNoStep = ~0u;
  std::vector<uint32_t> steps;
  /// Steps that the whole machine code has no instruction for: ptxas has
  /// removed or merged them.
  unsigned removed = 0;
  unsigned missing = 0; ///< further steps of the execution without one
  unsigned passed = 0;  ///< anchors of the machine code without an execution
};

/// Finds paths through one kernel; it remembers the paths that it found.
class PathFinder {
public:
  /// `ptx`: the instructions of the PTX, by whose widths merged accesses are
  /// known.
  explicit PathFinder(const FlowGraph &graph,
                      llvm::ArrayRef<emulator::PtxInst> ptx = {});

  /// Returns the path of a warp from the first instruction to an end, which
  /// lives as long as this. Returns null if the code does not end.
  const MachinePath *find(llvm::ArrayRef<Step> steps);

private:
  class Search;
  struct Classes;
  using Key = std::vector<std::pair<StepKind, unsigned>>;

  /// Two tries of a wait for an mbarrier, by instruction.
  struct Retry {
    unsigned first, next;
  };

  Classes classify(const Key &steps) const;
  std::optional<MachinePath> search(const Key &steps) const;
  std::optional<Retry> retryOf(unsigned jump, unsigned target) const;

  const FlowGraph &graph;
  std::vector<StepKind> kinds;  ///< by instruction
  std::vector<unsigned> lines;  ///< by instruction; marked if it is a wait
  std::vector<bool> triesAgain; ///< by instruction: its jump is not taken
  /// By instruction: steps that it may execute (AccessWidth.h).
  std::vector<unsigned> mostSteps;
  /// Kinds and lines of all anchors.
  std::set<std::pair<StepKind, unsigned>> anchors;
  /// By the kinds and lines of the steps.
  std::map<Key, std::optional<MachinePath>> known;
  /// The same, by steps that have further ones.
  std::map<Key, std::optional<MachinePath>> knownWithFurther;
};

} // namespace fusion::timing

#endif // FUSION_TIMING_MACHINEPATH_H
