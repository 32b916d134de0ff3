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

/// The one lane of each warp that acts for all of it, such as by starting
/// copies.
///
/// An instruction that starts a copy takes its operands from uniform registers:
/// where ptxas does not know that a branch has one thread, it makes a loop over
/// the threads there may be. It knows that of elect.sync. That is executed
/// once, since which thread is elected is not said (PTX ISA, "elect.sync"), and
/// groups of bulk stores are a thread's own.
class Election {
public:
  /// Whether the thread is the elected one, an i1.
  mlir::Value isElected(ThreadBuilder &b);

private:
  mlir::Value elected;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_ELECTION_H
