//===- HandlersTensorMap.h - Instructions of tensor maps --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERSTENSORMAP_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERSTENSORMAP_H

#include "Emulator/Execute/Access.h"

namespace fusion::emulator {

/// [value, address]; a: field, b: ordinal
Handler tensorMapReplaceHandler();
Handler tensorMapCopyHandler(); ///< [destination, source]

/// Finds the 128 bytes of a tensor map, in any space, and its generic address.
/// Returns false after a fault.
bool tensorMapAt(Warp &warp, const Inst &inst, unsigned lane, Ref address,
                 AccessKind kind, uint8_t *&bytes, uint64_t &place);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERSTENSORMAP_H
