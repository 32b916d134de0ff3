//===- ControlFlow.h - Basic blocks of a function in order ------*- C++ -*-===//
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

/// Where the lanes of a loop that is entered again from several places meet
/// before they do: a jump to the header behind the loop's body.
struct Latch {
  uint32_t header;               ///< block
  uint32_t after;                ///< position in the order that it follows
  std::vector<uint32_t> sources; ///< blocks, in ascending order
};

struct ControlFlow {
  std::vector<Block> blocks; ///< in the order of the text
  std::vector<uint32_t>
      order;                  ///< indices; the order in which they are laid out
  std::vector<Latch> latches; ///< by `after`, inner loops first
};

/// Splits the body and orders the blocks so that, back edges aside, a block
/// comes before its successors and all of a loop before what follows it. Lanes
/// that wait at the later of two places then meet again at the earliest point
/// that all of them must pass.
ControlFlow analyzeControlFlow(const Function &function);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_CONTROLFLOW_H
