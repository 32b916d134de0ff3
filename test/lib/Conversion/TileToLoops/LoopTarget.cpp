//===- LoopTarget.cpp - Threads as iterations of loops --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopTarget.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::test;

StringRef LoopTarget::name() const { return "a loop over threads"; }
Value LoopTarget::threadIndex(ThreadBuilder &) { return thread; }
Value LoopTarget::blockIndex(ThreadBuilder &) { return block; }
Value LoopTarget::blockCount(ThreadBuilder &) { return blocks; }
