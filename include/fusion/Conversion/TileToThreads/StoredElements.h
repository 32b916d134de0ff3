//===- StoredElements.h - Elements as memory holds them ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_TILETOTHREADS_STOREDELEMENTS_H
#define FUSION_CONVERSION_TILETOTHREADS_STOREDELEMENTS_H

#include "fusion/Conversion/TileToThreads/ThreadBuilder.h"

namespace fusion {

/// Returns the type of an element in memory: i8 for i1, since LLVM would pack
/// vectors of booleans into bits, and otherwise `element`.
mlir::Type memoryType(mlir::Type element);
/// Converts `value`, as loaded from memory, to type `element`.
mlir::Value fromMemory(ThreadBuilder &b, mlir::Value value, mlir::Type element);
/// Converts an element to the value that memory stores for it.
mlir::Value toMemory(ThreadBuilder &b, mlir::Value value);

} // namespace fusion

#endif // FUSION_CONVERSION_TILETOTHREADS_STOREDELEMENTS_H
