//===- Words.h - Elements in 32-bit registers -------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_TILETOTHREADS_WORDS_H
#define FUSION_CONVERSION_TILETOTHREADS_WORDS_H

#include "fusion/Conversion/TileToThreads/ThreadBuilder.h"

namespace fusion {

/// The i32 that holds `elements`, which have 8, 16 or 32 bits each and 32 bits
/// together; the first lies in the lowest bits.
mlir::Value packWord(ThreadBuilder &b, mlir::ValueRange elements);
/// The elements of type `type`, of 8, 16 or 32 bits, that `word`, an i32,
/// holds; the first lies in the lowest bits.
Values unpackWord(ThreadBuilder &b, mlir::Value word, mlir::Type type);

} // namespace fusion

#endif // FUSION_CONVERSION_TILETOTHREADS_WORDS_H
