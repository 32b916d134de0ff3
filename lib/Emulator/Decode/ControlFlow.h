//===- ControlFlow.h - Basic blocks of a function in order ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_DECODE_CONTROLFLOW_H
#define FUSION_LIB_EMULATOR_DECODE_CONTROLFLOW_H

#include "Emulator/Parse/Module.h"

namespace fusion::emulator {

struct Block {
  uint32_t begin, end;              ///< instructions of the function's body
  std::vector<uint32_t> successors; ///< a fall-through is the last
  bool fallsThrough = false;        ///< into the block that follows in the text
};

/// A jump to the header, placed after a loop's body, for a loop that is entered
/// again from several places. The lanes meet there before they enter it.
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

/// Splits the body into blocks and orders them. Back edges aside, a block comes
/// before its successors, and all of a loop before the code after it. Lanes
/// that wait at the later of two places then meet at the earliest point that
/// all of them must pass.
ControlFlow analyzeControlFlow(const Function &function);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_DECODE_CONTROLFLOW_H
