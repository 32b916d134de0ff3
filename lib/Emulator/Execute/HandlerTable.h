//===- HandlerTable.h - Handlers by operation and type ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers whose loops vectorise are compiled several times, for vector
// extensions of growing width (folder Isa), and chosen once when the program
// starts. Every function returns null if there is no such instruction.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERTABLE_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERTABLE_H

#include "Emulator/Execute/Operations.h"

#include <vector>

namespace fusion::emulator {

struct WgmmaOp;

struct HandlerTable {
  const char *name;
  Handler (*integer)(IntOp op, Type type);
  Handler (*floating)(FloatOp op, Type type, uint8_t flags);
  Handler (*compare)(const CompareSpec &spec);
  /// Widths of the registers that hold source and destination may exceed the
  /// types'. Inst::a: flags, b: rounding, c and d: types, e: register widths.
  Handler (*convert)(Type destination, Type source, Rounding rounding,
                     uint8_t flags);
  /// op: [values…, address]; a: bytes of an element, b: elements, c: address
  /// width, d: bit 0 sign extension, e: bytes of the registers.
  Handler (*load)(Space space, unsigned bytes);
  Handler (*store)(Space space, unsigned bytes);
  Handler (*mma)(const MmaSpec &spec);
  Handler (*wmma)(const MmaSpec &spec);
  /// Carries out wgmmas of the warp that share accumulators, in order.
  void (*wgmma)(Warp &warp, const WgmmaOp *ops, size_t count);
};

/// Returns the widest table that this machine executes.
const HandlerTable &handlerTable();
/// Returns every table that this machine executes, for tests.
std::vector<const HandlerTable *> allHandlerTables();

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERTABLE_H
