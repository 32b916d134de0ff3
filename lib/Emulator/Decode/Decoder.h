//===- Decoder.h - From syntax to executable instructions -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One decoder makes the code of one kernel. It decodes all instructions of a
// kernel and of the functions that it calls when the kernel is launched,
// reachable or not. An unknown instruction is an error that names it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_DECODE_DECODER_H
#define FUSION_LIB_EMULATOR_DECODE_DECODER_H

#include "Emulator/Decode/DecodeContext.h"
#include "Emulator/Decode/RegisterWatches.h"

namespace fusion::emulator {

class Decoder {
public:
  /// `watched`: sanitizers check registers of wgmma.
  Decoder(const Module &module, Error &error, bool watched)
      : context(module, error), watched(watched) {}
  std::unique_ptr<Code> run(uint32_t kernel);

private:
  bool collectFunctions(uint32_t kernel);
  bool layoutShared();
  bool layoutFunction(uint32_t index);
  bool decodeFunction(uint32_t index);
  bool decode(const Instruction &instruction);

  DecodeContext context;
  bool watched;
  RegisterWatches watches;
  /// By index in the code: index in the module.
  std::vector<uint32_t> functions;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_DECODE_DECODER_H
