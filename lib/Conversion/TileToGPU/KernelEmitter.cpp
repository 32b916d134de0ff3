//===- KernelEmitter.cpp - Threads of a block program ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

KernelEmitter::KernelEmitter(KernelOp kernel, gpu::GPUFuncOp function,
                             ArrayRef<TensorMapAttr> maps, int64_t waitLimit)
    : kernel(kernel), function(function), maps(maps), waitLimit(waitLimit),
      b(kernel.getContext()), loc(kernel.getLoc()) {
  Block &entry = function.getBody().front();
  b.setInsertionPoint(entry.getTerminator());
  Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  Value thread32 = arith::IndexCastUIOp::create(b, loc, b.getI32Type(), thread);
  Value warpSize = i32(32);
  lane = arith::RemUIOp::create(b, loc, thread32, warpSize);
  warp = arith::DivUIOp::create(b, loc, thread32, warpSize);
  if (kernel.getSharedMemory().value_or(0) > 0) {
    auto space = gpu::AddressSpaceAttr::get(
        b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
    dynamicShared = gpu::DynamicSharedMemoryOp::create(
        b, loc,
        MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                        MemRefLayoutAttrInterface(), space));
  }
  // Whatever depends on the thread alone goes before this constant.
  entryEnd = arith::ConstantIndexOp::create(b, loc, 0);
  for (auto [from, to] :
       llvm::zip_first(kernel.getBody().getArguments(), entry.getArguments())) {
    Value argument = to;
    if (from.getType().isIndex())
      argument = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), to);
    scalars.map(from, argument);
  }
}

LogicalResult KernelEmitter::run() {
  emitBarriers();
  prefetchMaps();
  if (failed(emitBlock(kernel.getBody().front())))
    return failure();
  // Nobody arrives any more at the mbarriers of a block that ends.
  if (copiesForCluster)
    emitClusterBarrier();
  return success();
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

KernelEmitter::Values KernelEmitter::scalarsOf(ValueRange values) {
  Values result;
  for (Value value : values)
    result.push_back(scalar(value));
  return result;
}

Value KernelEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value KernelEmitter::add(Value x, Value y) {
  if (matchPattern(x, m_Zero()))
    return y;
  if (matchPattern(y, m_Zero()))
    return x;
  // Offsets lie inside of a tensor, so nothing wraps.
  return arith::AddIOp::create(b, loc, x, y,
                               arith::IntegerOverflowFlags::nsw |
                                   arith::IntegerOverflowFlags::nuw);
}

Value KernelEmitter::addSigned(Value x, Value y) {
  if (matchPattern(x, m_Zero()))
    return y;
  if (matchPattern(y, m_Zero()))
    return x;
  return arith::AddIOp::create(b, loc, x, y, arith::IntegerOverflowFlags::nsw);
}

Value KernelEmitter::addConstant(Value x, int64_t constant) {
  return constant == 0 ? x : add(x, index(constant));
}

Value KernelEmitter::mul(Value x, Value y) {
  if (matchPattern(x, m_One()))
    return y;
  if (matchPattern(y, m_One()))
    return x;
  return arith::MulIOp::create(b, loc, x, y,
                               arith::IntegerOverflowFlags::nsw |
                                   arith::IntegerOverflowFlags::nuw);
}

Value KernelEmitter::i32(int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

void KernelEmitter::enterIf(Value condition) {
  if (condition)
    b.setInsertionPointToStart(
        scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false)
            .thenBlock());
}

Value KernelEmitter::threadDigit(LayoutDim input, int64_t weight,
                                 std::optional<int64_t> radix) {
  Value digit = input == LayoutDim::Lane ? lane : warp;
  if (weight != 1)
    digit = arith::DivUIOp::create(b, loc, digit, i32(weight));
  if (radix)
    digit = arith::RemUIOp::create(b, loc, digit, i32(*radix));
  return digit;
}

Value KernelEmitter::threadOffset(const AddressPlan &plan, int64_t xorPart) {
  return atEntry([&]() -> Value {
    Value xored, added;
    for (const AddressPlan::Term &term : plan.terms) {
      Value digit = threadDigit(term.input, term.weight,
                                term.last ? std::nullopt
                                          : std::optional<int64_t>(term.radix));
      if (term.step != 1)
        digit = arith::MulIOp::create(b, loc, digit, i32(term.step));
      Value &sum = term.isXor ? xored : added;
      if (!sum)
        sum = digit;
      else if (term.isXor)
        sum = arith::XOrIOp::create(b, loc, sum, digit);
      else
        sum = arith::AddIOp::create(b, loc, sum, digit);
    }
    if (xorPart != 0)
      xored =
          xored ? arith::XOrIOp::create(b, loc, xored, i32(xorPart)).getResult()
                : i32(xorPart);
    Value sum = xored && added
                    ? arith::AddIOp::create(b, loc, xored, added).getResult()
                : xored ? xored
                : added ? added
                        : i32(0);
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), sum);
  });
}

Value KernelEmitter::address(const AddressPlan &plan, int64_t reg) {
  const AddressPlan::Constant &constant = plan.registers[reg];
  return addConstant(threadOffset(plan, constant.ofThread()),
                     constant.added());
}

Value KernelEmitter::isFirstHolder(const LinearLayout &ofLanes,
                                   const LinearLayout &ofWarps) {
  return atEntry([&]() -> Value {
    Value result;
    for (LayoutDim input : {LayoutDim::Lane, LayoutDim::Warp}) {
      Value id = input == LayoutDim::Lane ? lane : warp;
      const LinearLayout &layout = input == LayoutDim::Lane ? ofLanes : ofWarps;
      auto require = [&](Value value, arith::CmpIPredicate predicate,
                         int64_t against) {
        Value holds =
            arith::CmpIOp::create(b, loc, predicate, value, i32(against));
        result = result
                     ? arith::AndIOp::create(b, loc, result, holds).getResult()
                     : holds;
      };
      for (const LinearLayout::Digit &digit : layout.freeDigits(input))
        require(threadDigit(input, digit.weight, digit.radix),
                arith::CmpIPredicate::eq, 0);
      // An index counts modulo its input's size: threads beyond it are
      // replicas.
      int64_t threads = input == LayoutDim::Lane ? 32 : kernel.getWarps();
      if (layout.inSize(input) < threads)
        require(id, arith::CmpIPredicate::ult, layout.inSize(input));
    }
    return result;
  });
}

void KernelEmitter::emitBarrier(bool ofWarp) {
  if (!ofWarp && hasProducers()) {
    emitBarrierOfRoles(/*withProducers=*/false);
    return;
  }
  if (!ofWarp) {
    gpu::BarrierOp::create(b, loc);
    return;
  }
  constexpr int64_t allLanes = -1;
  NVVM::SyncWarpOp::create(
      b, loc, LLVM::ConstantOp::create(b, loc, b.getI32Type(), allLanes));
}

//===----------------------------------------------------------------------===//
// Control flow and dispatch
//===----------------------------------------------------------------------===//

LogicalResult KernelEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    loc = op.getLoc();
    if (failed(emit(&op)))
      return failure();
  }
  return success();
}

/// Keeps LLVM and ptxas from unrolling a loop.
static LLVM::LoopAnnotationAttr disableUnrolling(MLIRContext *context) {
  auto yes = BoolAttr::get(context, true);
  auto unroll = LLVM::LoopUnrollAttr::get(context, /*disable=*/yes, {}, {}, {},
                                          {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {},
                                       {}, {}, {}, {}, {}, {}, {}, {});
}

/// Whether no value of a loop's induction variable, nor the first one beyond
/// the end, needs more than 31 bits.
static bool countsIn32Bits(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return false;
  return lower.isNonNegative() && lower.isSignedIntN(32) &&
         !upper.isNegative() && !step.isNegative() &&
         (upper + step).isSignedIntN(32);
}

LogicalResult KernelEmitter::emitFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  // Elements narrower than a register travel in pairs, as the register holds
  // them.
  auto travelsInPairs = [&](Type type, size_t count) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getElementType().isIntOrFloat() &&
           tensor.getElementTypeBitWidth() == 16 && count % 2 == 0;
  };
  auto travelsInWords = [&](Type type, size_t count) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getElementType().isIntOrFloat() &&
           tensor.getElementTypeBitWidth() == 8 && count % 4 == 0;
  };
  auto flatten = [&](ValueRange values) {
    Values flat;
    for (Value value : values) {
      if (!isa<RankedTensorType>(value.getType())) {
        flat.push_back(scalar(value));
        continue;
      }
      Values elements = registers.lookup(value);
      if (travelsInWords(value.getType(), elements.size())) {
        for (size_t i = 0; i < elements.size(); i += 4)
          flat.push_back(packWord(ValueRange(elements).slice(i, 4)));
        continue;
      }
      if (!travelsInPairs(value.getType(), elements.size())) {
        llvm::append_range(flat, elements);
        continue;
      }
      auto pair = VectorType::get({2}, elements.front().getType());
      for (size_t i = 0; i < elements.size(); i += 2)
        flat.push_back(vector::FromElementsOp::create(
            b, loc, pair, ValueRange{elements[i], elements[i + 1]}));
    }
    return flat;
  };
  Values inits = flatten(loop.getInitArgs());
  // The phases of mbarriers are carried last, where they are turned inside.
  bool awaits =
      loop.walk([&](Operation *inner) {
            bool turns =
                isProducer ? isa<AcquireOp>(inner) : isa<AwaitOp>(inner);
            return turns ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  if (awaits)
    inits.push_back(phases);
  // The machine's integers have 32 bits; addresses only need more.
  bool isNarrow = countsIn32Bits(loop);
  auto bound = [&](Value value) {
    Value index = scalar(value);
    return isNarrow
               ? arith::IndexCastUIOp::create(b, loc, b.getI32Type(), index)
                     .getResult()
               : index;
  };
  auto lowered = scf::ForOp::create(b, loc, bound(loop.getLowerBound()),
                                    bound(loop.getUpperBound()),
                                    bound(loop.getStep()), inits);
  // A loop over tiles has the overlap that its stages give; copies of its body
  // would push one another out of the instruction cache, and hold addresses and
  // fragments that the schedule's registers do not count.
  bool multiplies = loop.walk([](Operation *op) {
                          return isa<DotOp, SharedDotOp>(op)
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
  if (multiplies)
    lowered->setAttr("llvm.loop_annotation", disableUnrolling(b.getContext()));
  // Splits a flat list again, following the types of the tile program.
  auto unflatten = [&](ValueRange flat, ValueRange values) {
    unsigned next = 0;
    for (auto [value, init] : llvm::zip_equal(values, loop.getInitArgs())) {
      if (!isa<RankedTensorType>(value.getType())) {
        scalars.map(value, flat[next++]);
        continue;
      }
      unsigned count = registers.lookup(init).size();
      if (travelsInWords(value.getType(), count)) {
        Values elements;
        Type type = cast<RankedTensorType>(value.getType()).getElementType();
        for (unsigned i = 0; i < count; i += 4)
          llvm::append_range(elements, unpackWord(flat[next++], type));
        registers[value] = std::move(elements);
        continue;
      }
      if (!travelsInPairs(value.getType(), count)) {
        registers[value] = Values(flat.slice(next, count));
        next += count;
        continue;
      }
      Values elements;
      for (unsigned i = 0; i < count; ++i)
        elements.push_back(vector::ExtractOp::create(
            b, loc, flat[next + i / 2], static_cast<int64_t>(i % 2)));
      registers[value] = std::move(elements);
      next += count / 2;
    }
  };
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(lowered.getBody());
    Value induction = lowered.getInductionVar();
    if (isNarrow)
      induction =
          arith::IndexCastUIOp::create(b, loc, b.getIndexType(), induction);
    scalars.map(loop.getInductionVar(), induction);
    unflatten(lowered.getRegionIterArgs(), loop.getRegionIterArgs());
    if (awaits)
      phases = lowered.getRegionIterArgs().back();
    if (failed(emitBlock(*loop.getBody())))
      return failure();
    Values results = flatten(loop.getYieldedValues());
    if (awaits)
      results.push_back(phases);
    b.setInsertionPointToEnd(lowered.getBody());
    if (!results.empty() || lowered.getBody()->empty() ||
        !lowered.getBody()->back().hasTrait<OpTrait::IsTerminator>())
      scf::YieldOp::create(b, loc, results);
  }
  unflatten(lowered.getResults(), loop.getResults());
  if (awaits)
    phases = lowered.getResults().back();
  return success();
}

/// Conditions and their branches stay as they are, over scalars.
LogicalResult KernelEmitter::emitIf(Operation *op) {
  auto conditional = cast<scf::IfOp>(op);
  auto lowered = scf::IfOp::create(b, loc, conditional.getResultTypes(),
                                   scalar(conditional.getCondition()),
                                   !conditional.getElseRegion().empty());
  auto emitBranch = [&](Block *from, Block *to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    if (!to->empty() && to->back().hasTrait<OpTrait::IsTerminator>())
      to->back().erase();
    b.setInsertionPointToEnd(to);
    if (failed(emitBlock(*from)))
      return failure();
    scf::YieldOp::create(b, loc,
                         scalarsOf(from->getTerminator()->getOperands()));
    return success();
  };
  if (failed(emitBranch(conditional.thenBlock(), lowered.thenBlock())))
    return failure();
  if (!conditional.getElseRegion().empty() &&
      failed(emitBranch(conditional.elseBlock(), lowered.elseBlock())))
    return failure();
  for (auto [from, to] :
       llvm::zip_equal(conditional.getResults(), lowered.getResults()))
    scalars.map(from, to);
  return success();
}

static bool touchesTensors(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

LogicalResult KernelEmitter::emit(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<ViewOp>([&](auto o) { return emitView(o); })
      .Case<WindowOp>([&](auto o) { return emitWindow(o); })
      .Case<LoadOp>([&](auto o) { return emitLoad(o); })
      .Case<GatherOp>([&](auto o) { return emitGather(o); })
      .Case<StoreOp>([&](auto o) { return emitStore(o); })
      .Case<ElementLoadOp>([&](auto o) { return emitElementLoad(o); })
      .Case<ElementStoreOp>([&](auto o) { return emitElementStore(o); })
      .Case<AllocOp>([&](auto o) { return emitAlloc(o); })
      .Case<FreeOp>([](auto) { return success(); })
      .Case<CopyAsyncOp>([&](auto o) { return emitCopyAsync(o); })
      .Case<LocalLoadOp>([&](auto o) { return emitLocalLoad(o); })
      .Case<LocalStoreOp>([&](auto o) { return emitLocalStore(o); })
      .Case<StashOp>([&](auto o) { return emitStash(o); })
      .Case<UnstashOp>([&](auto o) { return emitUnstash(o); })
      .Case<ConvertLayoutOp>([&](auto o) { return emitConvert(o); })
      .Case<DotOp>([&](auto o) { return emitDot(o); })
      .Case<SharedDotOp>([&](auto o) { return emitSharedDot(o); })
      .Case<AwaitDotOp>([&](auto o) { return emitAwaitDot(o); })
      .Case<ProxyFenceOp>([&](auto) {
        NVVM::FenceProxyOp::create(
            b, loc, NVVM::ProxyKind::async_shared,
            NVVM::SharedSpaceAttr::get(b.getContext(),
                                       NVVM::SharedSpace::shared_cta));
        return success();
      })
      .Case<ReduceOp>([&](auto o) { return emitReduce(o); })
      .Case<BroadcastOp>([&](auto o) { return emitBroadcast(o); })
      .Case<SliceOp>([&](auto o) { return emitSlice(o); })
      .Case<TransposeOp>([&](auto o) { return emitTranspose(o); })
      .Case<IotaOp>([&](auto o) { return emitIota(o); })
      .Case<MaskOp>([&](auto o) { return emitMask(o); })
      .Case<HoldOp>([&](auto o) { return emitHold(o); })
      .Case<ScaleOp>([&](auto o) { return emitScale(o); })
      .Case<SplatOp>([&](SplatOp o) {
        int64_t count =
            getLayout(o.getType()).getValue().inSize(LayoutDim::Register);
        registers[o] = Values(count, scalar(o.getValue()));
        return success();
      })
      .Case<CommitOp, ProducerCommitOp>([&](auto) { return emitCommit(); })
      .Case<WaitOp, ConsumerWaitOp>(
          [&](auto o) { return emitWait(o.getPending()); })
      // Barriers keep these where copies are synchronised by groups.
      .Case<ProducerAcquireOp, ConsumerReleaseOp>(
          [](auto) { return success(); })
      .Case<AwaitOp>([&](auto o) { return emitAwait(o); })
      .Case<StoreAsyncOp>([&](auto o) { return emitStoreAsync(o); })
      .Case<StoreWaitOp>([&](auto) { return emitStoreWait(); })
      .Case<AcquireOp>([&](auto o) { return emitAcquire(o); })
      .Case<ReleaseOp>([&](auto o) { return emitRelease(o); })
      .Case<BarrierOp>([&](BarrierOp o) {
        if (o.getCluster())
          emitClusterBarrier();
        else if (o.getWithProducers() && hasProducers())
          emitBarrierOfRoles(/*withProducers=*/true);
        else
          emitBarrier(o.getWarp());
        return success();
      })
      .Case<SpecializeOp>([&](auto o) { return emitSpecialize(o); })
      .Case<TakeTurnOp>([&](auto o) { return emitTakeTurn(o); })
      .Case<PassTurnOp>([&](auto o) { return emitPassTurn(o); })
      .Case<LaunchDependentsOp>([&](auto) {
        NVVM::GriddepcontrolOp::create(
            b, loc, NVVM::GridDepActionKind::launch_dependents);
        return success();
      })
      .Case<AwaitLaunchesOp>([&](auto) { return emitAwaitLaunches(); })
      .Case<LastBlockOp>([&](auto o) { return emitLastBlock(o); })
      .Case<DiscardOp>([&](auto o) { return emitDiscard(o); })
      .Case<ClusterReduceOp>([&](auto o) { return emitClusterReduce(o); })
      .Case<ClusterScatterOp>([&](auto o) { return emitClusterScatter(o); })
      .Case<ProgramIdOp>([&](auto o) {
        scalars.map(o.getResult(),
                    gpu::BlockIdOp::create(b, loc, gpu::Dimension::x));
        return success();
      })
      .Case<ProgramCountOp>([&](auto o) {
        scalars.map(o.getResult(),
                    gpu::GridDimOp::create(b, loc, gpu::Dimension::x));
        return success();
      })
      .Case<ThreadIdOp>([&](auto o) {
        scalars.map(o.getResult(),
                    gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x));
        return success();
      })
      .Case<scf::ForOp>([&](auto o) { return emitFor(o); })
      .Case<scf::IfOp>([&](auto o) { return emitIf(o); })
      .Default([&](Operation *other) -> LogicalResult {
        if (isa<arith::ConstantOp>(other) && touchesTensors(other))
          return emitConstant(other);
        if (touchesTensors(other))
          return emitElementwise(other);
        if (other->getNumRegions() != 0)
          return other->emitOpError("cannot be distributed to threads");
        Operation *copy = b.clone(*other, scalars);
        scalars.map(other->getResults(), copy->getResults());
        return success();
      });
}
