//===- BulkCopies.h - Data of bulk copies -----------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_BULKCOPIES_H
#define FUSION_LIB_EMULATOR_EXECUTE_BULKCOPIES_H

#include "Emulator/Execute/Operations.h"
#include "Emulator/Machine/Async.h"

namespace fusion::emulator {

/// Moves the data of a copy.
void carryOut(BulkCopy &copy);
/// Reads the source of a copy from shared to global memory, once.
void readSource(BulkCopy &copy);
/// The elements of a tensor map as PTX type, and whether a bulk reduction knows
/// them.
Type tensorElement(uint8_t type);
bool canReduce(AtomicOp op, Type type);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_BULKCOPIES_H
