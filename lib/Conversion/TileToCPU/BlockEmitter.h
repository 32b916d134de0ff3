//===- BlockEmitter.h - The program of a block on one core ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOCPU_BLOCKEMITTER_H
#define FUSION_LIB_CONVERSION_TILETOCPU_BLOCKEMITTER_H

#include "LoopNests.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fusion {

/// Emits a block program as the code of one core, at the builder's place.
class BlockEmitter {
public:
  /// `program` is the number of the block. `thread` is the number of the thread
  /// in kernels of the generic form, whose threads run one after the other.
  BlockEmitter(KernelState &state, mlir::Value program, mlir::Value thread)
      : state(state), b(state.b), loc(state.loc), nests(state),
        program(program), thread(thread) {}

  /// Emits the operations of a region's only block, without its terminator.
  mlir::LogicalResult emit(mlir::Block &block);
  /// Emits what is pending at the end of the program.
  mlir::LogicalResult finish() { return nests.flush(); }

private:
  mlir::LogicalResult emit(mlir::Operation *op);
  mlir::LogicalResult emitScalar(mlir::Operation *op);
  mlir::LogicalResult emit(mlir::scf::ForOp op);
  mlir::LogicalResult emit(mlir::scf::IfOp op);
  mlir::LogicalResult emit(tile::DotOp op);
  mlir::LogicalResult pack(tile::LoadOp op);
  mlir::LogicalResult emit(tile::MakeArrayOp op);
  mlir::LogicalResult emit(tile::ArrayGetOp op);
  mlir::LogicalResult emit(tile::ArraySetOp op);

  mlir::FailureOr<TileMemory> carry(mlir::OpOperand &init);
  mlir::LogicalResult yield(mlir::scf::ForOp op,
                            llvm::SmallVectorImpl<mlir::Value> &scalars);
  mlir::LogicalResult prepareCaptured(mlir::Operation *op);
  mlir::LogicalResult putInto(mlir::OpOperand &use, const TileMemory &target);
  mlir::FailureOr<TileMemory> copyOperand(mlir::Value tile, mlir::Operation *at,
                                          tile::DotOp dot, bool isRhs);
  mlir::FailureOr<TileMemory> operandMemory(tile::DotOp dot, bool isRhs);
  std::optional<TileMemory> rowsOfRhs(tile::DotOp dot, const TileMemory &lhs);
  mlir::FailureOr<TileMemory> accumulatorMemory(tile::DotOp op,
                                                bool &startsFromZero);
  /// Allocates an array and fills it with the tiles that it starts from.
  mlir::FailureOr<ArrayMemory> start(tile::MakeArrayOp op);
  mlir::FailureOr<ArrayMemory> arrayOf(mlir::Value array);
  TileMemory slotOf(const ArrayMemory &array, mlir::Value number);

  KernelState &state;
  mlir::OpBuilder &b;
  mlir::Location &loc;
  LoopNests nests;
  mlir::Value program, thread;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOCPU_BLOCKEMITTER_H
