//===- Election.h - The thread that acts for its warp -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_ELECTION_H
#define FUSION_LIB_CONVERSION_TILETOGPU_ELECTION_H

#include "fusion/Conversion/TileToThreads/ThreadBuilder.h"

namespace fusion {

/// Elects one lane of each warp that acts for the warp, for example by starting
/// copies.
///
/// An instruction that starts a copy takes its operands from uniform registers.
/// Where ptxas does not know that a branch has one thread, it makes a loop over
/// the possible threads. It does know that of elect.sync.
///
/// The instruction is executed once: which thread it elects is unspecified (PTX
/// ISA, "elect.sync"), and groups of asynchronous stores belong to a thread.
class Election {
public:
  /// Returns whether the thread is the elected one, an i1.
  mlir::Value isElected(ThreadBuilder &b);

private:
  mlir::Value elected;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_ELECTION_H
