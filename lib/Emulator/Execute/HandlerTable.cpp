//===- HandlerTable.cpp - Chooses the widest vector extension -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlerTable.h"

#include "Emulator/Machine/VectorExtension.h"

using namespace fusion::emulator;

namespace fusion::emulator {
#define FUSION_DECLARE_ISA(name)                                               \
  namespace name {                                                             \
  extern const HandlerTable table;                                             \
  }
FUSION_DECLARE_ISA(isa_base)
#if defined(FUSION_EMULATOR_X86)
FUSION_DECLARE_ISA(isa_v3)
FUSION_DECLARE_ISA(isa_v4)
#endif
#undef FUSION_DECLARE_ISA
} // namespace fusion::emulator

const HandlerTable &fusion::emulator::handlerTable() {
  static const HandlerTable &widest = *allHandlerTables().back();
  return widest;
}

std::vector<const HandlerTable *> fusion::emulator::allHandlerTables() {
  return executableTables({
      &isa_base::table,
#if defined(FUSION_EMULATOR_X86)
      &isa_v3::table,
      &isa_v4::table,
#endif
  });
}
