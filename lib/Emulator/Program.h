//===- Program.h - A parsed program and its decoded kernels -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_PROGRAM_H
#define FUSION_LIB_EMULATOR_PROGRAM_H

#include "Emulator/Machine/Code.h"

#include "fusion/Emulator/Emulator.h"

#include <mutex>

namespace fusion::emulator {

struct Program::Impl {
  struct Decoded {
    bool done = false;
    std::unique_ptr<Code> code;
    Error error;
  };

  std::unique_ptr<Module> module;
  mutable std::mutex mutex;
  mutable std::unordered_map<uint32_t, Decoded> decoded[2]; ///< by `watched`

  /// The code of a kernel, decoded at its first launch. Null, with `error` set,
  /// where it contains what the emulator does not know. `watched`: with what
  /// sanitizers want to see of registers.
  const Code *codeFor(uint32_t kernel, bool watched, Error &error) const;
};

/// Returns the index of the entry with a body of that name; kNone without one.
uint32_t findKernel(const Module &module, std::string_view name);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_PROGRAM_H
