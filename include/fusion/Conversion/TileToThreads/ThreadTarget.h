//===- ThreadTarget.h - What threads need of a machine ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface between distribution of a block program to threads, which knows
// layouts and no machine, and a machine. An implementation says how its threads
// find themselves, wait for one another, exchange registers and reach memory
// that they share.
//
// Operations of the tile dialect that belong to one machine, such as copies by
// tensor maps, are no part of the interface: the target registers emitters for
// them (EmitterRegistry.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_TILETOTHREADS_THREADTARGET_H
#define FUSION_CONVERSION_TILETOTHREADS_THREADTARGET_H

#include "fusion/Conversion/TileToThreads/ThreadBuilder.h"
#include "fusion/Target/Intrinsics.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fusion {

class KernelEmitter;

/// Who waits for whom at a barrier. What each has written before is visible to
/// all of them behind it.
enum class BarrierScope {
  Warp,              ///< the lanes of each warp
  Block,             ///< the warps of the block that compute
  BlockAndProducers, ///< those and the producer warps
  Cluster,           ///< all threads of the cluster's blocks
};

/// One asynchronous copy of a thread from global to shared memory.
struct ThreadCopy {
  mlir::Value destination, destinationPosition; ///< a memref and an element
  mlir::Value source, sourcePosition;           ///< a memref and an element
  int64_t elements, bytes; ///< of the copy: 4, 8 or 16 bytes
  /// Elements that are read, an index; what is beyond them arrives as zeros.
  /// Null: all of them.
  mlir::Value sourceElements;
};

/// What a machine offers to threads.
///
/// Functions that return a FailureOr or a LogicalResult fail by default: they
/// emit "<name> cannot <what>" at the builder's location. Functions that return
/// a value are hints or have a plain form, which is the default. Words are i32.
class ThreadTarget {
public:
  using Value = mlir::Value;
  using LogicalResult = mlir::LogicalResult;
  template <typename T> using FailureOr = mlir::FailureOr<T>;

  virtual ~ThreadTarget();

  /// The subject of its diagnostics.
  virtual llvm::StringRef name() const = 0;
  /// Emits the error "<name> cannot <what>" at the builder's location.
  mlir::InFlightDiagnostic cannot(ThreadBuilder &b,
                                  const llvm::Twine &what) const;

  //===--------------------------------------------------------------------===//
  // Threads and blocks
  //===--------------------------------------------------------------------===//

  /// The thread's number in its block, an index; the warps that compute come
  /// first, each with kWarpSize threads.
  virtual Value threadIndex(ThreadBuilder &b) = 0;
  /// The block's number in the grid, an index.
  virtual Value blockIndex(ThreadBuilder &b) = 0;
  /// The number of blocks of the grid, an index.
  virtual Value blockCount(ThreadBuilder &b) = 0;

  /// Emits what stands in front of the kernel's body and behind its arguments,
  /// such as the start of mbarriers. By default nothing.
  virtual LogicalResult beginKernel(KernelEmitter &emitter);
  /// Emits what stands behind the kernel's body. By default nothing.
  virtual LogicalResult endKernel(KernelEmitter &emitter);

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// Values of the target that change in the body of `loop`, a loop of the
  /// block program, and are carried through it behind its own. By default none.
  virtual Values loopState(mlir::scf::ForOp loop);
  /// Replaces these values: in a loop by its arguments, behind it by its
  /// results. Called only with as many as `loopState` returned for the loop.
  virtual void setLoopState(mlir::ValueRange state);
  /// Asks compilers below not to unroll a loop. By default nothing.
  virtual void keepRolled(mlir::scf::ForOp loop);

  //===--------------------------------------------------------------------===//
  // Synchronization and exchange of registers
  //===--------------------------------------------------------------------===//

  /// All threads of the scope come here.
  virtual LogicalResult barrier(ThreadBuilder &b, BarrierScope scope);
  /// The word of the lane whose number differs in the bits of `mask`, 1 to 31.
  /// All lanes of the warp come here.
  virtual FailureOr<Value> shuffleXor(ThreadBuilder &b, Value word,
                                      int64_t mask);
  /// The word of lane `lane`, an i32. All lanes of the warp come here.
  virtual FailureOr<Value> shuffleIndex(ThreadBuilder &b, Value word,
                                        Value lane);
  /// Whether `condition`, an i1, holds in a lane of the warp, an i1. All lanes
  /// of the warp come here.
  virtual FailureOr<Value> anyLane(ThreadBuilder &b, Value condition);

  //===--------------------------------------------------------------------===//
  // Registers
  //===--------------------------------------------------------------------===//

  /// `word`, of which compilers below know nothing; if `isInOrder`, it is
  /// computed here and not later. By default `word`.
  virtual Value opaque(ThreadBuilder &b, Value word, bool isInOrder);
  /// `loaded`, a vector or scalar, as something that is used as a whole:
  /// compilers below make no loads of single elements or bytes of its load. By
  /// default `loaded`.
  virtual Value asWhole(ThreadBuilder &b, Value loaded);
  /// The low 32 bits of the 64 bits `high`:`low` shifted right by `amount`, an
  /// i32 from 0 to 31. By default in 64-bit arithmetic.
  virtual Value funnelShift(ThreadBuilder &b, Value high, Value low,
                            Value amount);
  /// Four of the bytes of `low` (numbers 0 to 3) and `high` (4 to 7), by the
  /// four digits of `selector` in base 16, lowest first.
  virtual FailureOr<Value> permuteBytes(ThreadBuilder &b, Value low, Value high,
                                        int64_t selector);

  //===--------------------------------------------------------------------===//
  // Global memory
  //===--------------------------------------------------------------------===//

  /// Loads the vector at `position`, elements, of `memory`, a memref, which is
  /// aligned to `alignment` bytes. `evictFirst` is a hint: nobody touches it
  /// again. By default a plain load.
  virtual Value loadGlobal(ThreadBuilder &b, Value memory, Value position,
                           mlir::VectorType type, int64_t alignment,
                           bool evictFirst);
  /// Stores a vector at `position`, elements, of `memory`, a memref, which is
  /// aligned to `alignment` bytes. `evictFirst` is a hint: nobody touches it
  /// soon. By default a plain store.
  virtual void storeGlobal(ThreadBuilder &b, Value vector, Value memory,
                           Value position, int64_t alignment, bool evictFirst);

  //===--------------------------------------------------------------------===//
  // Shared memory
  //===--------------------------------------------------------------------===//

  /// The block's shared memory, `bytes` bytes as a one-dimensional memref of
  /// i8. Called once, in the entry section.
  virtual FailureOr<Value> sharedMemory(ThreadBuilder &b, int64_t bytes);

  /// Whether there are `loadMatrices` and `permuteBytes`; otherwise elements
  /// are loaded by themselves. By default not.
  virtual bool hasMatrixLoads() const;
  /// Loads `count` (1, 2 or 4) matrices of 8 x 8 elements of 16 bits at once:
  /// vector<count x 2 x element>. `position` is the element of `memory` that
  /// the lane's row begins at (MatrixAccess, Support/TileLayouts.h). All lanes
  /// of the warp come here.
  virtual FailureOr<Value> loadMatrices(ThreadBuilder &b, Value memory,
                                        Value position, unsigned count,
                                        bool transposed);
  /// Whether there is `storeMatrices`. By default not.
  virtual bool hasMatrixStores() const;
  /// Stores matrices of 8 x 8 elements of 16 bits at once, a word of the thread
  /// for each: 1, 2 or 4. `address` is where the lane's row begins in shared
  /// memory, bytes, an i32. All lanes of the warp come here.
  virtual LogicalResult storeMatrices(ThreadBuilder &b, Value address,
                                      mlir::ValueRange words, bool transposed);

  /// Starts a copy, which joins the group that the thread's next
  /// `commitCopies` closes.
  virtual LogicalResult copyAsync(ThreadBuilder &b, const ThreadCopy &copy);
  virtual LogicalResult commitCopies(ThreadBuilder &b);
  /// Waits until at most `pending` groups of the thread are under way.
  virtual LogicalResult awaitCopies(ThreadBuilder &b, int64_t pending);

  //===--------------------------------------------------------------------===//
  // MMA
  //===--------------------------------------------------------------------===//

  /// Whether `intrinsic`, one of fragments in registers, multiplies elements of
  /// `lhs` by elements of `rhs` and adds to elements of `accumulator`. By
  /// default not.
  virtual bool hasMma(const Intrinsic &intrinsic, mlir::Type lhs,
                      mlir::Type rhs, mlir::Type accumulator) const;
  /// A register of an operand's fragment from its elements, 32 bits together.
  virtual FailureOr<Value> mmaOperand(ThreadBuilder &b,
                                      mlir::ValueRange elements);
  /// One MMA: the new accumulators of the thread, as many as `accumulators`.
  /// The fragments are the registers of `lhs` and `rhs` in the intrinsic's
  /// order, of elements of type `lhsType` and `rhsType`. `hasMma` holds.
  virtual FailureOr<Values> mma(ThreadBuilder &b, const Intrinsic &intrinsic,
                                mlir::Type lhsType, mlir::Type rhsType,
                                mlir::ValueRange lhs, mlir::ValueRange rhs,
                                mlir::ValueRange accumulators);
};

} // namespace fusion

#endif // FUSION_CONVERSION_TILETOTHREADS_THREADTARGET_H
