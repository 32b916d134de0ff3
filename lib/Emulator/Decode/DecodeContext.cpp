//===- DecodeContext.cpp - The instruction that is being decoded ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeContext.h"

using namespace fusion::emulator;

bool DecodeContext::fail(const std::string &message) {
  error.message = message;
  error.line = instruction ? instruction->line : 0;
  return false;
}

bool DecodeContext::unsupported() {
  return fail("unknown or unsupported instruction '" +
              std::string(instruction->opcode.substr(0, 120)) + "'");
}
