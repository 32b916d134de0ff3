//===- ShadowTable.cpp - Chooses the widest vector extension --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/ShadowTable.h"

#include "Emulator/Machine/VectorExtension.h"

using namespace fusion::emulator;

namespace fusion::emulator {
#define FUSION_DECLARE_ISA(name)                                               \
  namespace name {                                                             \
  extern const ShadowTable shadows;                                            \
  }
FUSION_DECLARE_ISA(isa_base)
#if defined(FUSION_EMULATOR_X86)
FUSION_DECLARE_ISA(isa_v3)
FUSION_DECLARE_ISA(isa_v4)
#endif
#undef FUSION_DECLARE_ISA
} // namespace fusion::emulator

const ShadowTable &fusion::emulator::shadowTable() {
  static const ShadowTable &widest = *allShadowTables().back();
  return widest;
}

std::vector<const ShadowTable *> fusion::emulator::allShadowTables() {
  return executableTables({
      &isa_base::shadows,
#if defined(FUSION_EMULATOR_X86)
      &isa_v3::shadows,
      &isa_v4::shadows,
#endif
  });
}
