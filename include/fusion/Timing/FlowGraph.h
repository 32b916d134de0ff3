//===- FlowGraph.h - Where a warp may go next -------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_FLOWGRAPH_H
#define FUSION_TIMING_FLOWGRAPH_H

#include "fusion/Timing/MachineCode.h"
#include "llvm/ADT/SmallVector.h"

namespace fusion::timing {

/// The control flow of a kernel, by instruction. A call goes on after itself:
/// the functions that ptxas adds are slow paths, such as those of divisions.
class FlowGraph {
public:
  /// Builds the graph; it refers to the kernel. Returns nullopt with `reason`
  /// if the kernel jumps to computed addresses.
  static std::optional<FlowGraph> build(const MachineKernel &kernel,
                                        std::string &reason);

  const MachineKernel &kernel() const { return *code; }
  /// Returns the instructions that may follow instruction `index` in the order
  /// of the code; none after the end of the warp.
  llvm::ArrayRef<unsigned> next(unsigned index) const { return nexts[index]; }
  /// Returns whether the warp may end with this instruction.
  bool mayEnd(unsigned index) const { return ends[index]; }

private:
  explicit FlowGraph(const MachineKernel &kernel) : code(&kernel) {}

  const MachineKernel *code;
  std::vector<llvm::SmallVector<unsigned, 2>> nexts;
  std::vector<bool> ends;
};

} // namespace fusion::timing

#endif // FUSION_TIMING_FLOWGRAPH_H
