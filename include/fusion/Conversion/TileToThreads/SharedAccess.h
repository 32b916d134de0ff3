//===- SharedAccess.h - Where threads access shared memory ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_TILETOTHREADS_SHAREDACCESS_H
#define FUSION_CONVERSION_TILETOTHREADS_SHAREDACCESS_H

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"

namespace fusion {

/// Elements that one access of a thread to a buffer of panels moves: a unit has
/// 16 bytes.
int64_t sharedWidth(const LinearLayout &layout, mlir::Type element);

/// The address plan of registers that hold the part of a buffer that begins at
/// `origin` and has the layout `part`, the part's registers first; nullopt if
/// the layout does not fit the buffer.
std::optional<AddressPlan> planPart(const LinearLayout &part,
                                    tile::BufferType buffer,
                                    llvm::ArrayRef<int64_t> origin);

/// `elements` elements of type `type` from byte `byteOffset` of the block's
/// shared memory on, a one-dimensional memref.
mlir::Value sharedView(KernelEmitter &e, int64_t byteOffset, int64_t elements,
                       mlir::Type type);

/// The address of byte `bytes`, an i32, of the block's shared memory, an i32.
mlir::Value sharedAddress(KernelEmitter &e, mlir::Value bytes);

/// The first element of a stage of a buffer, an index.
mlir::Value stageOffset(KernelEmitter &e, mlir::Value buffer,
                        mlir::Value stage);

/// Stores `values`, a thread's registers, to `memory` at `base` plus the
/// addresses of `plan`, elements, `width` consecutive registers at a time;
/// nothing if `predicate` is given and does not hold.
void storeRegisters(ThreadBuilder &b, mlir::Value memory, mlir::Value base,
                    const AddressPlan &plan, int64_t width,
                    const Values &values, mlir::Value predicate);
/// Loads `count` registers of type `type` from `memory` at `base` plus the
/// addresses of `plan`, elements, `width` consecutive registers at a time.
Values loadRegisters(ThreadBuilder &b, mlir::Value memory, mlir::Value base,
                     const AddressPlan &plan, int64_t width, int64_t count,
                     mlir::Type type);

/// A buffer in shared memory as a thread reaches it.
struct SharedBuffer {
  mlir::Value memory; ///< its elements, a one-dimensional memref
  int64_t byteOffset; ///< in the block's shared memory
  mlir::Value base;   ///< the first element of the stage, an index
  tile::BufferType type;
};

/// Loads the part of a buffer that begins at `origin` in the given layout, as
/// matrices if it has their form and the target loads them. nullopt, without a
/// diagnostic, if the layout does not fit the buffer.
mlir::FailureOr<std::optional<Values>>
loadPartial(KernelEmitter &e, const SharedBuffer &buffer,
            const LinearLayout &layout, llvm::ArrayRef<int64_t> origin);

} // namespace fusion

#endif // FUSION_CONVERSION_TILETOTHREADS_SHAREDACCESS_H
