//===- ThreadTarget.h - What threads need of a machine ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface between the distribution of a block program to threads, which
// knows layouts and no machine, and a machine. An implementation defines how
// its threads find their indices, synchronize, exchange registers and access
// memory that they share.
//
// Operations of the tile dialect that belong to one machine, such as TMA
// copies, are no part of the interface: the target registers emitters for them
// (EmitterRegistry.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_TILETOTHREADS_THREADTARGET_H
#define FUSION_CONVERSION_TILETOTHREADS_THREADTARGET_H

#include "fusion/Conversion/TileToThreads/ThreadBuilder.h"
#include "fusion/Target/Chips/Intrinsics.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fusion {

class KernelEmitter;

/// The threads of a barrier. After it, all of them see what each has written
/// before.
enum class BarrierScope {
  Warp,              ///< the lanes of each warp
  Block,             ///< the warps of the block that compute
  BlockAndProducers, ///< these and the producer warps
  Cluster,           ///< all threads of the cluster's blocks
};

/// One asynchronous copy of a thread from global to shared memory.
struct ThreadCopy {
  mlir::Value destination, destinationPosition; ///< a memref and an element
  mlir::Value source, sourcePosition;           ///< a memref and an element
  int64_t elements, bytes; ///< of the copy: 4, 8 or 16 bytes
  /// Elements that are read, an index; zeros are stored for the others. Null:
  /// all elements are read.
  mlir::Value sourceElements;
};

/// The interface of a machine to the code of one thread.
///
/// Functions that return a FailureOr or a LogicalResult fail by default: they
/// emit "<name> cannot <what>" at the builder's location. Functions that return
/// a value are hints or have a default implementation. Words are i32.
class ThreadTarget {
public:
  using Value = mlir::Value;
  using LogicalResult = mlir::LogicalResult;
  template <typename T> using FailureOr = mlir::FailureOr<T>;

  virtual ~ThreadTarget();

  /// Returns the subject of the target's diagnostics.
  virtual llvm::StringRef name() const = 0;
  /// Emits the error "<name> cannot <what>" at the builder's location.
  mlir::InFlightDiagnostic cannot(ThreadBuilder &b,
                                  const llvm::Twine &what) const;

  //===--------------------------------------------------------------------===//
  // Threads and blocks
  //===--------------------------------------------------------------------===//

  /// Returns the thread's number in its block, an index. The warps that compute
  /// come first, each with kWarpSize threads.
  virtual Value threadIndex(ThreadBuilder &b) = 0;
  /// Returns the block's number in the grid, an index.
  virtual Value blockIndex(ThreadBuilder &b) = 0;
  /// Returns the number of blocks of the grid, an index.
  virtual Value blockCount(ThreadBuilder &b) = 0;

  /// Emits the code before the kernel's body and after its arguments, such as
  /// the initialization of mbarriers. By default nothing.
  virtual LogicalResult beginKernel(KernelEmitter &emitter);
  /// Emits the code after the kernel's body. By default nothing.
  virtual LogicalResult endKernel(KernelEmitter &emitter);

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// Returns the values of the target that change in the body of `loop`, a loop
  /// of the block program. The loop carries them after its own. By default
  /// none.
  virtual Values loopState(mlir::scf::ForOp loop);
  /// Replaces the values of `loopState`: in a loop by its arguments, after it
  /// by its results. Called only with as many as `loopState` returned for the
  /// loop.
  virtual void setLoopState(mlir::ValueRange state);
  /// Asks later compilers not to unroll a loop. By default nothing.
  virtual void keepRolled(mlir::scf::ForOp loop);

  //===--------------------------------------------------------------------===//
  // Synchronization and exchange of registers
  //===--------------------------------------------------------------------===//

  /// Emits a barrier of all threads of the scope.
  virtual LogicalResult barrier(ThreadBuilder &b, BarrierScope scope);
  /// Returns the word of the lane whose number differs in the bits of `mask`, 1
  /// to 31. All lanes of the warp execute it.
  virtual FailureOr<Value> shuffleXor(ThreadBuilder &b, Value word,
                                      int64_t mask);
  /// Returns the word of lane `lane`, an i32. All lanes of the warp execute it.
  virtual FailureOr<Value> shuffleIndex(ThreadBuilder &b, Value word,
                                        Value lane);
  /// Returns whether `condition`, an i1, holds in a lane of the warp, an i1.
  /// All lanes of the warp execute it.
  virtual FailureOr<Value> anyLane(ThreadBuilder &b, Value condition);

  //===--------------------------------------------------------------------===//
  // Registers
  //===--------------------------------------------------------------------===//

  /// Returns `word` such that later compilers know nothing of it; if
  /// `isInOrder`, it is computed here and not later. By default `word`.
  virtual Value opaque(ThreadBuilder &b, Value word, bool isInOrder);
  /// Returns `loaded`, a vector or scalar, such that later compilers do not
  /// split its load into loads of single elements or bytes. By default
  /// `loaded`.
  virtual Value asWhole(ThreadBuilder &b, Value loaded);
  /// Returns the low 32 bits of the 64 bits `high`:`low` shifted right by
  /// `amount`, an i32 from 0 to 31. By default in 64-bit arithmetic.
  virtual Value funnelShift(ThreadBuilder &b, Value high, Value low,
                            Value amount);
  /// Returns four of the bytes of `low` (numbers 0 to 3) and `high` (4 to 7),
  /// by the four digits of `selector` in base 16, lowest first.
  virtual FailureOr<Value> permuteBytes(ThreadBuilder &b, Value low, Value high,
                                        int64_t selector);

  //===--------------------------------------------------------------------===//
  // Global memory
  //===--------------------------------------------------------------------===//

  /// Loads the vector at `position`, elements, of `memory`, a memref, which is
  /// aligned to `alignment` bytes. `evictFirst` is a hint that the data is not
  /// used again. By default a plain load.
  virtual Value loadGlobal(ThreadBuilder &b, Value memory, Value position,
                           mlir::VectorType type, int64_t alignment,
                           bool evictFirst);
  /// Stores a vector at `position`, elements, of `memory`, a memref, which is
  /// aligned to `alignment` bytes. `evictFirst` is a hint that the data is not
  /// used soon. By default a plain store.
  virtual void storeGlobal(ThreadBuilder &b, Value vector, Value memory,
                           Value position, int64_t alignment, bool evictFirst);

  //===--------------------------------------------------------------------===//
  // Shared memory
  //===--------------------------------------------------------------------===//

  /// Returns the block's shared memory, `bytes` bytes as a one-dimensional
  /// memref of i8. Called once, in the entry section.
  virtual FailureOr<Value> sharedMemory(ThreadBuilder &b, int64_t bytes);

  /// Returns whether the target has `loadMatrices` and `permuteBytes`;
  /// otherwise elements are loaded one by one. By default false.
  virtual bool hasMatrixLoads() const;
  /// Loads `count` (1, 2 or 4) matrices of 8 x 8 elements of 16 bits at once:
  /// vector<count x 2 x element>. `position` is the element of `memory` at
  /// which the lane's row begins (MatrixAccess, Support/TileLayouts.h). All
  /// lanes of the warp execute it.
  virtual FailureOr<Value> loadMatrices(ThreadBuilder &b, Value memory,
                                        Value position, unsigned count,
                                        bool transposed);
  /// Returns whether the target has `storeMatrices`. By default false.
  virtual bool hasMatrixStores() const;
  /// Stores 1, 2 or 4 matrices of 8 x 8 elements of 16 bits at once, one word
  /// of the thread for each. `address` is where the lane's row begins in shared
  /// memory, bytes, an i32. All lanes of the warp execute it.
  virtual LogicalResult storeMatrices(ThreadBuilder &b, Value address,
                                      mlir::ValueRange words, bool transposed);

  /// Starts a copy in the group that the thread's next `commitCopies` closes.
  virtual LogicalResult copyAsync(ThreadBuilder &b, const ThreadCopy &copy);
  virtual LogicalResult commitCopies(ThreadBuilder &b);
  /// Waits until at most `pending` groups of the thread's copies are in flight.
  virtual LogicalResult awaitCopies(ThreadBuilder &b, int64_t pending);

  //===--------------------------------------------------------------------===//
  // MMA
  //===--------------------------------------------------------------------===//

  /// Returns whether the target has `intrinsic`, one of fragments in registers,
  /// for elements of types `lhs`, `rhs` and `accumulator`. By default false.
  virtual bool hasMma(const Intrinsic &intrinsic, mlir::Type lhs,
                      mlir::Type rhs, mlir::Type accumulator) const;
  /// Returns a register of an operand's fragment from its elements, 32 bits
  /// together.
  virtual FailureOr<Value> mmaOperand(ThreadBuilder &b,
                                      mlir::ValueRange elements);
  /// Emits one MMA and returns the thread's new accumulators, as many as
  /// `accumulators`. `lhs` and `rhs` are the registers of the fragments in the
  /// intrinsic's order, of elements of type `lhsType` and `rhsType`. Called
  /// only if `hasMma`.
  virtual FailureOr<Values> mma(ThreadBuilder &b, const Intrinsic &intrinsic,
                                mlir::Type lhsType, mlir::Type rhsType,
                                mlir::ValueRange lhs, mlir::ValueRange rhs,
                                mlir::ValueRange accumulators);
};

} // namespace fusion

#endif // FUSION_CONVERSION_TILETOTHREADS_THREADTARGET_H
