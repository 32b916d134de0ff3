//===- BeforeSelection.h - Rewrites right before selection ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_PTX_BEFORESELECTION_H
#define FUSION_TARGET_PTX_BEFORESELECTION_H

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace fusion {

/// As long as it lives, changes the code generation of what this thread
/// compiles with `machine`: runs `sinkOffsets` and `predicateCopies` right
/// before instruction selection, and leaves out machine sinking.
class BeforeSelectionScope {
public:
  explicit BeforeSelectionScope(const llvm::TargetMachine &machine);
  ~BeforeSelectionScope();
  BeforeSelectionScope(const BeforeSelectionScope &) = delete;
  BeforeSelectionScope &operator=(const BeforeSelectionScope &) = delete;

private:
  const llvm::TargetMachine *outer;
};

} // namespace fusion

#endif // FUSION_TARGET_PTX_BEFORESELECTION_H
