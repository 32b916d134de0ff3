//===- NVVMTarget.cpp - Threads of NVIDIA GPUs ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NVVMTarget.h"
#include "EvictFirstAccess.h"
#include "GridOperations.h"
#include "Mma.h"
#include "PingPong.h"
#include "WarpgroupMma.h"
#include "fusion/Conversion/TileToThreads/CopiesByThreads.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

NVVMTarget::NVVMTarget(KernelOp kernel, gpu::GPUFuncOp function,
                       ArrayRef<TensorMapAttr> maps, int64_t waitLimit)
    : function(function), producers(kernel),
      mbarriers(kernel, election, producers, waitLimit),
      copies(function, maps, election, mbarriers) {}

//===----------------------------------------------------------------------===//
// Threads, blocks, loops
//===----------------------------------------------------------------------===//

Value NVVMTarget::threadIndex(ThreadBuilder &b) {
  return gpu::ThreadIdOp::create(b, gpu::Dimension::x);
}

Value NVVMTarget::blockIndex(ThreadBuilder &b) {
  return gpu::BlockIdOp::create(b, gpu::Dimension::x);
}

Value NVVMTarget::blockCount(ThreadBuilder &b) {
  return gpu::GridDimOp::create(b, gpu::Dimension::x);
}

LogicalResult NVVMTarget::beginKernel(KernelEmitter &emitter) {
  mbarriers.begin(emitter);
  copies.begin(emitter);
  return success();
}

LogicalResult NVVMTarget::endKernel(KernelEmitter &emitter) {
  mbarriers.end(emitter);
  return success();
}

Values NVVMTarget::loopState(scf::ForOp loop) {
  return mbarriers.loopState(loop);
}

void NVVMTarget::setLoopState(ValueRange state) {
  mbarriers.setLoopState(state);
}

/// The annotation that keeps LLVM and ptxas from unrolling a loop.
static LLVM::LoopAnnotationAttr disableUnrolling(MLIRContext *context) {
  auto yes = BoolAttr::get(context, true);
  auto unroll = LLVM::LoopUnrollAttr::get(context, /*disable=*/yes, {}, {}, {},
                                          {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {},
                                       {}, {}, {}, {}, {}, {}, {}, {});
}

void NVVMTarget::keepRolled(scf::ForOp loop) {
  loop->setAttr("llvm.loop_annotation", disableUnrolling(loop.getContext()));
}

//===----------------------------------------------------------------------===//
// Synchronization and exchange of registers
//===----------------------------------------------------------------------===//

LogicalResult NVVMTarget::barrier(ThreadBuilder &b, BarrierScope scope) {
  switch (scope) {
  case BarrierScope::Warp:
    emitWarpBarrier(b);
    return success();
  case BarrierScope::Block:
    producers.blockBarrier(b);
    return success();
  case BarrierScope::BlockAndProducers:
    producers.barrierWithProducer(b);
    return success();
  case BarrierScope::Cluster:
    emitClusterBarrier(b);
    return success();
  }
  llvm_unreachable("all scopes are above");
}

FailureOr<Value> NVVMTarget::shuffleXor(ThreadBuilder &b, Value word,
                                        int64_t mask) {
  return gpu::ShuffleOp::create(b, word, static_cast<int32_t>(mask), kWarpSize,
                                gpu::ShuffleMode::XOR)
      .getShuffleResult();
}

FailureOr<Value> NVVMTarget::shuffleIndex(ThreadBuilder &b, Value word,
                                          Value lane) {
  return gpu::ShuffleOp::create(b, word, lane, b.i32(kWarpSize),
                                gpu::ShuffleMode::IDX)
      .getShuffleResult();
}

FailureOr<Value> NVVMTarget::anyLane(ThreadBuilder &b, Value condition) {
  constexpr int64_t allLanes = -1;
  Value any = NVVM::VoteSyncOp::create(
                  b, b.getI1Type(),
                  LLVM::ConstantOp::create(b, b.getI32Type(), allLanes),
                  condition, NVVM::VoteSyncKind::any)
                  .getResult();
  // What a vote decides is for exceptions: the usual code is in line.
  return LLVM::ExpectOp::create(
             b, any, LLVM::ConstantOp::create(b, b.getBoolAttr(false)))
      .getResult();
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Through an empty piece of PTX.
Value NVVMTarget::opaque(ThreadBuilder &b, Value word, bool isInOrder) {
  return LLVM::InlineAsmOp::create(
             b, b.getI32Type(), ValueRange{word}, /*asm_string=*/"",
             /*constraints=*/"=r,0", /*has_side_effects=*/isInOrder,
             /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
             /*asm_dialect=*/LLVM::AsmDialectAttr(),
             /*operand_attrs=*/ArrayAttr())
      .getRes();
}

/// A frozen value: LLVM makes no loads of elements of it.
Value NVVMTarget::asWhole(ThreadBuilder &b, Value loaded) {
  Type type = loaded.getType(), element = getElementTypeOrSelf(type);
  auto vector = dyn_cast<VectorType>(type);
  bool isOne = !vector || vector.getNumElements() == 1;
  constexpr unsigned byteBits = 8;
  // LLVM loads all bytes of a single element, unless it is an integer that is
  // truncated.
  if (isOne && (!element.isSignlessInteger() ||
                element.getIntOrFloatBitWidth() <= byteBits))
    return loaded;
  // LLVM has no floats of eight bits.
  Type held = type;
  if (!LLVM::isCompatibleType(element))
    held = vector.clone(b.getIntegerType(element.getIntOrFloatBitWidth()));
  if (held != type)
    loaded = arith::BitcastOp::create(b, held, loaded);
  loaded = LLVM::FreezeOp::create(b, loaded);
  if (held != type)
    loaded = arith::BitcastOp::create(b, type, loaded);
  return loaded;
}

Value NVVMTarget::funnelShift(ThreadBuilder &b, Value high, Value low,
                              Value amount) {
  return LLVM::FshrOp::create(b, high, low, amount);
}

FailureOr<Value> NVVMTarget::permuteBytes(ThreadBuilder &b, Value low,
                                          Value high, int64_t selector) {
  return NVVM::PermuteOp::create(b, b.getI32Type(), low, high, b.i32(selector),
                                 NVVM::PermuteMode::DEFAULT)
      .getResult();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value NVVMTarget::loadGlobal(ThreadBuilder &b, Value memory, Value position,
                             VectorType type, int64_t alignment,
                             bool evictFirst) {
  if (evictFirst && canEvictFirst(type))
    return loadEvictFirst(b, memory, type, position);
  return ThreadTarget::loadGlobal(b, memory, position, type, alignment,
                                  evictFirst);
}

void NVVMTarget::storeGlobal(ThreadBuilder &b, Value vector, Value memory,
                             Value position, int64_t alignment,
                             bool evictFirst) {
  if (evictFirst && canEvictFirst(cast<VectorType>(vector.getType())))
    storeEvictFirst(b, memory, vector, position);
  else
    ThreadTarget::storeGlobal(b, vector, memory, position, alignment,
                              evictFirst);
}

FailureOr<Value> NVVMTarget::sharedMemory(ThreadBuilder &b, int64_t) {
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  return gpu::DynamicSharedMemoryOp::create(
             b, MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                                MemRefLayoutAttrInterface(), space))
      .getResult();
}

FailureOr<Value> NVVMTarget::loadMatrices(ThreadBuilder &b, Value memory,
                                          Value position, unsigned count,
                                          bool transposed) {
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  return nvgpu::LdMatrixOp::create(b, VectorType::get({count, 2}, element),
                                   memory, ValueRange{position}, transposed,
                                   count)
      .getResult();
}

LogicalResult NVVMTarget::storeMatrices(ThreadBuilder &b, Value address,
                                        ValueRange words, bool transposed) {
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  NVVM::StMatrixOp::create(
      b, LLVM::IntToPtrOp::create(b, pointer, address), words,
      transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  return success();
}

LogicalResult NVVMTarget::copyAsync(ThreadBuilder &b, const ThreadCopy &copy) {
  constexpr int64_t bytesPastL1 = 16;
  nvgpu::DeviceAsyncCopyOp::create(
      b, nvgpu::DeviceAsyncTokenType::get(b.getContext()), copy.destination,
      ValueRange{copy.destinationPosition}, copy.source,
      ValueRange{copy.sourcePosition}, b.getIndexAttr(copy.elements),
      copy.sourceElements,
      copy.bytes == bytesPastL1 ? b.getUnitAttr() : UnitAttr());
  return success();
}

LogicalResult NVVMTarget::commitCopies(ThreadBuilder &b) {
  nvgpu::DeviceAsyncCreateGroupOp::create(
      b, nvgpu::DeviceAsyncTokenType::get(b.getContext()), ValueRange());
  return success();
}

LogicalResult NVVMTarget::awaitCopies(ThreadBuilder &b, int64_t pending) {
  // nvgpu's wait takes a group that dominates it; the last one may have been
  // closed in a loop.
  NVVM::CpAsyncWaitGroupOp::create(b, static_cast<uint32_t>(pending));
  return success();
}

//===----------------------------------------------------------------------===//
// MMA
//===----------------------------------------------------------------------===//

bool NVVMTarget::hasMma(const Intrinsic &, Type lhs, Type rhs,
                        Type accumulator) const {
  return hasMmaSync(lhs, rhs, accumulator);
}

FailureOr<Value> NVVMTarget::mmaOperand(ThreadBuilder &b, ValueRange elements) {
  return mmaSyncOperand(b, elements);
}

FailureOr<Values> NVVMTarget::mma(ThreadBuilder &b, const Intrinsic &intrinsic,
                                  Type lhsType, Type rhsType, ValueRange lhs,
                                  ValueRange rhs, ValueRange accumulators) {
  return mmaSync(b, intrinsic, lhsType, rhsType, lhs, rhs, accumulators);
}

//===----------------------------------------------------------------------===//
// Operations of NVIDIA's GPUs
//===----------------------------------------------------------------------===//

/// Passes what has been written to shared memory to the asynchronous proxy.
static LogicalResult emitProxyFence(ProxyFenceOp, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  NVVM::FenceProxyOp::create(
      b, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
  return success();
}

void NVVMTarget::addEmitters(EmitterRegistry &registry) {
  // Contractions in shared memory.
  registry.add<SharedDotOp>(emitSharedDot);
  registry.add<AwaitDotOp>(emitAwaitDot);
  registry.add<AwaitDotsOp>(emitAwaitDots);
  registry.add<ProxyFenceOp>(emitProxyFence);
  registry.add<PingPongWaitOp>(emitPingPongWait);
  registry.add<PingPongArriveOp>(emitPingPongArrive);
  // TMA copies and mbarriers.
  registry.add<CopyAsyncOp>([this](CopyAsyncOp op, KernelEmitter &e) {
    return isTMA(op) ? copies.emitLoad(op, e) : emitCopyByThreads(op, e);
  });
  registry.add<StoreAsyncOp>([this](StoreAsyncOp op, KernelEmitter &e) {
    return copies.emitStore(op, e);
  });
  registry.add<StoreWaitOp>([this](StoreWaitOp op, KernelEmitter &e) {
    return copies.emitStoreWait(op, e);
  });
  registry.add<AwaitOp>([this](AwaitOp op, KernelEmitter &e) {
    return mbarriers.emitAwait(op, e);
  });
  registry.add<AcquireOp>([this](AcquireOp op, KernelEmitter &e) {
    return mbarriers.emitAcquire(op, e);
  });
  registry.add<ReleaseOp>([this](ReleaseOp op, KernelEmitter &e) {
    return mbarriers.emitRelease(op, e);
  });
  // Warp specialization.
  registry.add<WarpSpecializeOp>([this](WarpSpecializeOp op, KernelEmitter &e) {
    return producers.emitSpecialize(op, e, mbarriers);
  });
  // Clusters.
  registry.add<ClusterReduceOp>([this](ClusterReduceOp op, KernelEmitter &e) {
    return exchange.emitReduce(op, e);
  });
  registry.add<ClusterScatterOp>([this](ClusterScatterOp op, KernelEmitter &e) {
    return exchange.emitScatter(op, e);
  });
  // Blocks and launches.
  registry.add<LastBlockOp>([this](LastBlockOp op, KernelEmitter &e) {
    return emitLastBlock(op, producers, function, e);
  });
  registry.add<DiscardOp>([this](DiscardOp op, KernelEmitter &e) {
    return emitDiscard(op, producers, e);
  });
  registry.add<AwaitLaunchesOp>(emitAwaitLaunches);
  registry.add<LaunchDependentsOp>(emitLaunchDependents);
}
