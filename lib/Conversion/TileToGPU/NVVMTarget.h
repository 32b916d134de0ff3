//===- NVVMTarget.h - Threads of NVIDIA GPUs --------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_NVVMTARGET_H
#define FUSION_LIB_CONVERSION_TILETOGPU_NVVMTARGET_H

#include "Clusters.h"
#include "Election.h"
#include "Mbarriers.h"
#include "ProducerWarps.h"
#include "TensorCopies.h"
#include "fusion/Conversion/TileToThreads/EmitterRegistry.h"
#include "fusion/Conversion/TileToThreads/ThreadTarget.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fusion {

/// The threads of one kernel in the dialects gpu, nvgpu and NVVM, with inline
/// PTX where these have no operation.
///
/// State that operations share, such as phases of mbarriers, lies in classes of
/// its own, which the emitters of those operations use.
class NVVMTarget : public ThreadTarget {
public:
  /// For emission into `function`, whose arguments behind the kernel's own are
  /// pointers to the tensor maps `maps`. A wait for an mbarrier traps after
  /// `waitLimit` tries; 0: never.
  NVVMTarget(tile::KernelOp kernel, mlir::gpu::GPUFuncOp function,
             llvm::ArrayRef<tile::TensorMapAttr> maps, int64_t waitLimit);

  /// Adds the emitters of operations that belong to NVIDIA's GPUs. They refer
  /// to this target.
  void addEmitters(EmitterRegistry &registry);

  llvm::StringRef name() const override { return "NVVM"; }

  Value threadIndex(ThreadBuilder &b) override;
  Value blockIndex(ThreadBuilder &b) override;
  Value blockCount(ThreadBuilder &b) override;
  LogicalResult beginKernel(KernelEmitter &emitter) override;
  LogicalResult endKernel(KernelEmitter &emitter) override;

  Values loopState(mlir::scf::ForOp loop) override;
  void setLoopState(mlir::ValueRange state) override;
  void keepRolled(mlir::scf::ForOp loop) override;

  LogicalResult barrier(ThreadBuilder &b, BarrierScope scope) override;
  FailureOr<Value> shuffleXor(ThreadBuilder &b, Value word,
                              int64_t mask) override;
  FailureOr<Value> shuffleIndex(ThreadBuilder &b, Value word,
                                Value lane) override;
  FailureOr<Value> anyLane(ThreadBuilder &b, Value condition) override;

  Value opaque(ThreadBuilder &b, Value word, bool isInOrder) override;
  Value asWhole(ThreadBuilder &b, Value loaded) override;
  Value funnelShift(ThreadBuilder &b, Value high, Value low,
                    Value amount) override;
  FailureOr<Value> permuteBytes(ThreadBuilder &b, Value low, Value high,
                                int64_t selector) override;

  Value loadGlobal(ThreadBuilder &b, Value memory, Value position,
                   mlir::VectorType type, int64_t alignment,
                   bool evictFirst) override;
  void storeGlobal(ThreadBuilder &b, Value vector, Value memory, Value position,
                   int64_t alignment, bool evictFirst) override;

  FailureOr<Value> sharedMemory(ThreadBuilder &b, int64_t bytes) override;
  bool hasMatrixLoads() const override { return true; }
  FailureOr<Value> loadMatrices(ThreadBuilder &b, Value memory, Value position,
                                unsigned count, bool transposed) override;
  bool hasMatrixStores() const override { return true; }
  LogicalResult storeMatrices(ThreadBuilder &b, Value address,
                              mlir::ValueRange words, bool transposed) override;
  LogicalResult copyAsync(ThreadBuilder &b, const ThreadCopy &copy) override;
  LogicalResult commitCopies(ThreadBuilder &b) override;
  LogicalResult awaitCopies(ThreadBuilder &b, int64_t pending) override;

  bool hasMma(const Intrinsic &intrinsic, mlir::Type lhs, mlir::Type rhs,
              mlir::Type accumulator) const override;
  FailureOr<Value> mmaOperand(ThreadBuilder &b,
                              mlir::ValueRange elements) override;
  FailureOr<Values> mma(ThreadBuilder &b, const Intrinsic &intrinsic,
                        mlir::Type lhsType, mlir::Type rhsType,
                        mlir::ValueRange lhs, mlir::ValueRange rhs,
                        mlir::ValueRange accumulators) override;

private:
  mlir::gpu::GPUFuncOp function;
  Election election;
  ProducerWarps producers;
  ClusterExchange exchange;
  Mbarriers mbarriers;
  TensorCopies copies;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_NVVMTARGET_H
