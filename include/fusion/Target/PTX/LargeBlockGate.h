//===- LargeBlockGate.h - Passes that large blocks skip ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Straight-line strength reduction (LLVM's pass `slsr`) compares each
// multiplication and addition of a basic block with those before it. Its time
// grows with the square of the block's size: 2.5 of 2.7 seconds of code
// generation for 18,000 instructions. What it saves is the arithmetic of
// addresses, which is a small part of a block of that size.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_PTX_LARGEBLOCKGATE_H
#define FUSION_TARGET_PTX_LARGEBLOCKGATE_H

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/OptBisect.h"

namespace llvm {
class Module;
} // namespace llvm

namespace fusion {

/// Lets LLVM's code generation leave out straight-line strength reduction in
/// functions that have a large basic block. An `llvm::LLVMContext` asks the
/// gate before each optional pass (`LLVMContext::setOptPassGate`).
class LargeBlockGate : public llvm::OptPassGate {
public:
  /// A basic block with more instructions is large.
  static constexpr size_t kMaxInstructions = 8192;

  /// Looks for the large blocks of `module` as it is now.
  explicit LargeBlockGate(const llvm::Module &module);

  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef unit) const override;
  /// False where no function has a large block: then no pass is left out.
  bool isEnabled() const override { return !large.empty(); }

private:
  llvm::StringSet<> large; ///< functions, as LLVM describes them to a gate
};

} // namespace fusion

#endif // FUSION_TARGET_PTX_LARGEBLOCKGATE_H
