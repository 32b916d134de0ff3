//===- HandlersRegisters.h - setmaxnreg -------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERSREGISTERS_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERSREGISTERS_H

#include "Emulator/Machine/Code.h"

#include <string>

namespace fusion::emulator {

Handler setRegistersHandler(); ///< imm: per thread; a: 1 if it takes some
/// Returns the registers of a thread at the start: as many as the kernel's
/// directives let ptxas use (it uses all of them with setmaxnreg). 0 if no
/// directive says it; setmaxnreg may have no effect then.
uint32_t registersAtStart(const Function &kernel);
/// Returns " wait for registers, line n".
std::string describeRegisters(const Warp &warp, const Inst &inst);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERSREGISTERS_H
