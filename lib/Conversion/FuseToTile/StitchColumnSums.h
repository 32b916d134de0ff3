//===- StitchColumnSums.h - Sums of columns over rows -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some groups reduce rows and also columns of many rows, as gradients of a
// layer norm do. A block then runs over its rows, a few at a time, and over the
// columns of each.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_FUSETOTILE_STITCHCOLUMNSUMS_H
#define FUSION_LIB_CONVERSION_FUSETOTILE_STITCHCOLUMNSUMS_H

#include "StitchLowering.h"

namespace fusion {

/// The sums of a block's columns over its rows, for each step of the serial
/// loop. They stay in the registers of the threads that have these columns, or
/// at their places in shared memory.
class StitchLowering::ColumnSums {
public:
  explicit ColumnSums(StitchLowering &lowering);

  /// Reserves shared memory, sets the sums there to the identity, and returns
  /// as many identities as there are sums in registers.
  llvm::SmallVector<Value> start();
  /// Sets the sums in registers, which a loop carries.
  void setCarried(mlir::ValueRange values);
  llvm::SmallVector<Value> getCarried() const;
  /// Adds a step's values to the sums of its columns.
  void add(unsigned op, Value tile, const Scope &scope);
  /// Stores all sums as partial results, after the loop over rows.
  void store();

private:
  /// Returns a tile of a reduction's identity.
  Value identity(unsigned op);
  /// Emits a loop over the steps of the serial loop whose sums are in shared
  /// memory.
  void forEachSlot(llvm::function_ref<void(Value slot)> act);
  void store(unsigned op, Value sum, Scope &scope);

  StitchLowering &lowering;
  const StitchGroup &group;
  const StitchSchedule &schedule;
  mlir::OpBuilder &b;
  mlir::Location &loc;
  llvm::SmallVector<unsigned> operators; ///< reductions of columns
  /// By step that is retained in registers.
  std::vector<Accumulators> carried;
  /// By operator: the sums of all steps in shared memory.
  llvm::DenseMap<unsigned, Value> buffers;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_FUSETOTILE_STITCHCOLUMNSUMS_H
