//===- ThreadBuilder.h - Arithmetic of one thread ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_TILETOTHREADS_THREADBUILDER_H
#define FUSION_CONVERSION_TILETOTHREADS_THREADBUILDER_H

#include "fusion/Support/AddressPlan.h"
#include "fusion/Target/Chips/Hardware.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace fusion {

using Values = llvm::SmallVector<mlir::Value>;

/// Builds what one thread of a block computes: index arithmetic, its lane and
/// warp, addresses by an AddressPlan.
///
/// What depends on the thread alone is emitted once, at the end of an entry
/// section in front of the kernel's body (`atEntry`). All operations have the
/// builder's current location.
class ThreadBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using Value = mlir::Value;

  /// Emits at the insertion point of `at`, which the section of the entry
  /// begins at, for a block of `warps` warps.
  ThreadBuilder(const mlir::OpBuilder &at, mlir::Location loc, int64_t warps)
      : ImplicitLocOpBuilder(loc, at), warps(warps) {}

  /// Emits the lane and the warp of the thread with index `thread` in its block
  /// (an index).
  void setThread(Value thread);
  /// Ends the entry section at the insertion point. Before, `atEntry` must not
  /// be called.
  void endEntry();

  /// The thread's lane, from 0 to kWarpSize - 1, an i32.
  Value lane() const { return laneIndex; }
  /// The thread's warp in its block, an i32.
  Value warp() const { return warpIndex; }

  /// Calls `emit` with the insertion point at the end of the entry section and
  /// returns its result. `emit` may use nothing of the kernel's body.
  template <typename Emit> auto atEntry(Emit emit) {
    InsertionGuard guard(*this);
    setInsertionPoint(entryEnd);
    return emit();
  }

  /// A constant of type index.
  Value index(int64_t value);
  /// A constant of type i32.
  Value i32(int64_t value);
  /// `a` + `b` of numbers that are not negative, whose sum does not overflow.
  Value add(Value a, Value b);
  /// `a` + `b` of signed numbers, whose sum does not overflow.
  Value addSigned(Value a, Value b);
  /// `a` + `constant` of indices, which are not negative.
  Value addConstant(Value a, int64_t constant);
  /// `a` * `b` of numbers that are not negative, without overflow.
  Value mul(Value a, Value b);
  /// `a` and `b` of booleans, of which each may be null for true; null if both
  /// are.
  Value both(Value a, Value b);
  /// Moves the insertion point into a branch taken if `condition` holds; does
  /// nothing if `condition` is null. The caller restores the insertion point.
  void enterIf(Value condition);
  /// A value of type `type`: the one that `then` emits where `condition` holds,
  /// and elsewhere the one that `otherwise` emits.
  Value ifElse(mlir::Type type, Value condition,
               llvm::function_ref<Value()> then,
               llvm::function_ref<Value()> otherwise);

  /// A digit of the thread's lane or warp, an i32: floor(id / weight) mod
  /// radix, without the modulus if `radix` is absent.
  Value threadDigit(LayoutDim input, int64_t weight,
                    std::optional<int64_t> radix);
  /// The part of an address that depends on the thread, an index, XORed with
  /// `xorPart`.
  Value threadOffset(const AddressPlan &plan, int64_t xorPart);
  /// The address of register `reg` of the thread, an index.
  Value address(const AddressPlan &plan, int64_t reg);

  /// Whether the thread is the first of the threads that hold the same elements
  /// by `layout`, an i1; null if no two threads do.
  Value isFirstHolder(const LinearLayout &layout) {
    return isFirstHolder(layout, layout);
  }
  /// Whether the thread's lane is the first of the lanes that hold the same
  /// elements by `ofLanes`, and its warp the first of the warps by `ofWarps`,
  /// an i1; null if no two lanes and no two warps do.
  Value isFirstHolder(const LinearLayout &ofLanes, const LinearLayout &ofWarps);

private:
  int64_t warps;
  mlir::Operation *entryEnd = nullptr;
  Value laneIndex, warpIndex;
};

/// Whether the lanes and warps of `a` and `b` hold the same elements, whatever
/// their registers hold.
bool areThreadsAlike(const LinearLayout &a, const LinearLayout &b);

} // namespace fusion

#endif // FUSION_CONVERSION_TILETOTHREADS_THREADBUILDER_H
