//===- ControlFlow.h - Basic blocks of a function and their order -*- C++
//-*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_CONTROLFLOW_H
#define FUSION_LIB_EMULATOR_CONTROLFLOW_H

#include "Module.h"

namespace fusion::emulator {

struct Block {
  uint32_t begin, end;              ///< instructions of the function's body
  std::vector<uint32_t> successors; ///< fall-through last, where there is one
  bool fallsThrough = false;        ///< into the block that follows in the text
};

struct ControlFlow {
  std::vector<Block> blocks; ///< in the order of the text
  std::vector<uint32_t>
      order; ///< indices; the order in which they are laid out
};

/// Splits the body and orders the blocks so that, back edges aside, a block
/// comes before its successors and all of a loop before what follows it. Lanes
/// that wait at the later of two places then meet again at the earliest point
/// that all of them must pass.
ControlFlow analyzeControlFlow(const Function &function);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_CONTROLFLOW_H
