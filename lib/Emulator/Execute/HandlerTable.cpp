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

static const HandlerTable &choose() {
#if defined(FUSION_EMULATOR_X86)
  switch (widestExtension()) {
  case VectorExtension::V4:
    return isa_v4::table;
  case VectorExtension::V3:
    return isa_v3::table;
  case VectorExtension::Base:
    break;
  }
#endif
  return isa_base::table;
}

const HandlerTable &fusion::emulator::handlerTable() {
  static const HandlerTable &chosen = choose();
  return chosen;
}

std::vector<const HandlerTable *> fusion::emulator::allHandlerTables() {
  std::vector<const HandlerTable *> tables{&isa_base::table};
#if defined(FUSION_EMULATOR_X86)
  VectorExtension widest = widestExtension();
  if (widest >= VectorExtension::V3)
    tables.push_back(&isa_v3::table);
  if (widest >= VectorExtension::V4)
    tables.push_back(&isa_v4::table);
#endif
  return tables;
}
