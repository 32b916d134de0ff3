//===- MisalignedWords.h - Words of misaligned rows -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's neighbours along a row lie in two aligned pieces of memory. Words
// of pieces, and the elements in them, are passed between the lanes along the
// row and moved by as many elements as the row is off.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOTHREADS_MISALIGNEDWORDS_H
#define FUSION_LIB_CONVERSION_TILETOTHREADS_MISALIGNEDWORDS_H

#include "MisalignedOrder.h"
#include "fusion/Conversion/TileToThreads/ThreadTarget.h"

namespace fusion {

/// The number of the thread's lane along the row, an i32.
mlir::Value laneAlongRow(ThreadBuilder &b,
                         const MisalignedOrder::Neighbour &neighbour);

/// Whether the thread's lane is the last one along the row (`by` 1) or the
/// first one (`by` -1), an i1; null if the row has one lane.
mlir::Value isEndOfRow(ThreadBuilder &b,
                       const MisalignedOrder::Neighbour &neighbour, int by);

/// The words of a piece of the lane `by` lanes further along the row, 1 or -1:
/// `own` of every lane, and `atEnd`, if not empty, of the lane that the row's
/// end is given the words of. Between lanes, so that all of them must come
/// here.
mlir::FailureOr<Values> passWords(ThreadBuilder &b, ThreadTarget &target,
                                  const MisalignedOrder::Neighbour &neighbour,
                                  int by, llvm::ArrayRef<mlir::Value> own,
                                  llvm::ArrayRef<mlir::Value> atEnd);

/// Makes the first half of `words` those from element `elements` (an i32, at
/// most as many as the half has) on, for `perWord` elements in a word.
void moveWords(ThreadBuilder &b, ThreadTarget &target,
               llvm::MutableArrayRef<mlir::Value> words, mlir::Value elements,
               int64_t perWord);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOTHREADS_MISALIGNEDWORDS_H
