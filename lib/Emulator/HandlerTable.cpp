//===- HandlerTable.cpp - Chooses the handlers for this machine -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

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
  __builtin_cpu_init();
  bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
            __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
            __builtin_cpu_supports("f16c");
  bool v4 = v3 && __builtin_cpu_supports("avx512f") &&
            __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") &&
            __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  if (v4)
    return isa_v4::table;
  if (v3)
    return isa_v3::table;
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
  const HandlerTable *widest = &handlerTable();
  if (widest != &isa_base::table)
    tables.push_back(&isa_v3::table);
  if (widest == &isa_v4::table)
    tables.push_back(&isa_v4::table);
#endif
  return tables;
}
