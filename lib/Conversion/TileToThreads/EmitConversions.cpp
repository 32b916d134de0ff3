//===- EmitConversions.cpp - tile.convert_layout --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "fusion/Conversion/TileToThreads/Exchange.h"
#include "fusion/Conversion/TileToThreads/SharedAccess.h"
#include "fusion/Conversion/TileToThreads/StoredElements.h"
#include "fusion/Dialect/Tile/Transforms/SharedMemory.h"
#include "fusion/Support/TileLayouts.h"
#include "fusion/Support/WarpExchange.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Returns the element of a source among the thread's registers `values`. `bit`
/// counts the bits of its lane and, behind them, those of its warp.
static Value selectRegister(ThreadBuilder &b, const WarpSource &source,
                            const Values &values, int64_t reg, unsigned bit) {
  unsigned ofLane = source.byLaneBit.size(),
           all = ofLane + source.byWarpBit.size();
  auto changeOf = [&](unsigned at) {
    return at < ofLane ? source.byLaneBit[at] : source.byWarpBit[at - ofLane];
  };
  while (bit < all && changeOf(bit) == 0)
    ++bit;
  if (bit == all)
    return values[reg];
  bool isOfLane = bit < ofLane;
  Value number = isOfLane ? b.lane() : b.warp();
  Value mask = b.i32(int64_t(1) << (isOfLane ? bit : bit - ofLane));
  Value isSet =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                            arith::AndIOp::create(b, number, mask), b.i32(0));
  Value zero = selectRegister(b, source, values, reg, bit + 1),
        one = selectRegister(b, source, values, reg ^ changeOf(bit), bit + 1);
  return arith::SelectOp::create(b, isSet, one, zero);
}

/// Emits a conversion inside of each warp.
static LogicalResult emitInWarp(ConvertLayoutOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  std::optional<SmallVector<WarpSource>> sources =
      planWarpExchange(getLayout(op.getValue().getType()).getValue(),
                       getLayout(op.getType()).getValue());
  const Values &values = e.registers(op.getValue());
  Values results;
  for (const WarpSource &source : *sources) {
    Value own = selectRegister(b, source, values, source.base, /*bit=*/0);
    if (!source.isOwn(kWarpSize)) {
      Value lane = b.i32(source.added);
      if (source.kept != 0)
        lane = arith::OrIOp::create(
            b, arith::AndIOp::create(b, b.lane(), b.i32(source.kept)), lane);
      FailureOr<Value> read = exchangeWords(b, own, [&](Value word) {
        return e.target().shuffleIndex(b, word, lane);
      });
      if (failed(read))
        return failure();
      own = *read;
    }
    results.push_back(own);
  }
  e.setRegisters(op, std::move(results));
  return success();
}

static LogicalResult emitConvert(ConvertLayoutOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  LinearLayout from = getLayout(op.getValue().getType()).getValue();
  LinearLayout to = getLayout(op.getType()).getValue();
  const Values &values = e.registers(op.getValue());
  if (auto permutation = registerPermutation(from, to)) {
    Values results;
    for (int64_t reg : *permutation)
      results.push_back(values[reg]);
    e.setRegisters(op, std::move(results));
    return success();
  }
  if (op.getInWarp())
    return emitInWarp(op, e);
  if (!op.getOffset())
    return op.emitOpError("has no scratch; run tile-allocate-shared");
  std::optional<ScratchShape> scratch = getScratch(op);
  if (!scratch)
    return op.emitOpError("cannot go through shared memory");
  Type element = op.getType().getElementType();
  BarrierScope scope = isReducedInWarps(op, e.warps()) ? BarrierScope::Warp
                                                       : BarrierScope::Block;
  if (scratch->padded) {
    const PaddedScratch &padded = *scratch->padded;
    Type stored = memoryType(element);
    Value memory = sharedView(e, *op.getOffset(), padded.elements, stored);
    Values own;
    for (Value value : values)
      own.push_back(toMemory(b, value));
    storeRegisters(b, memory, b.index(0), padded.from, padded.fromWidth, own,
                   b.isFirstHolder(from));
    if (failed(e.target().barrier(b, scope)))
      return failure();
    Values results =
        loadRegisters(b, memory, b.index(0), padded.to, padded.toWidth,
                      to.inSize(LayoutDim::Register), stored);
    for (Value &result : results)
      result = fromMemory(b, result, element);
    e.setRegisters(op, std::move(results));
    return success();
  }
  auto buffer = BufferType::get(
      b.getContext(), 1, scratch->rows, scratch->columns, element,
      LayoutAttr::get(b.getContext(), scratch->layout), BufferSpace::Shared);
  if (op.getType().getRank() == 1) {
    from = asRow(from);
    to = asRow(to);
  } else if (scratch->transposed) {
    from = from.transposeOuts({1, 0});
    to = to.transposeOuts({1, 0});
  }
  std::optional<AddressPlan> fromPlan = planPart(from, buffer, {0, 0});
  if (!fromPlan)
    return op.emitOpError("has layouts that do not fit its scratch");
  Value memory =
      sharedView(e, *op.getOffset(), scratch->rows * scratch->columns, element);
  storeRegisters(b, memory, b.index(0), *fromPlan, sharedWidth(from, element),
                 values, b.isFirstHolder(from));
  if (failed(e.target().barrier(b, scope)))
    return failure();
  FailureOr<std::optional<Values>> results = loadPartial(
      e, {memory, static_cast<int64_t>(*op.getOffset()), b.index(0), buffer},
      to, {0, 0});
  if (failed(results))
    return failure();
  if (!*results)
    return op.emitOpError("has layouts that do not fit its scratch");
  e.setRegisters(op, std::move(**results));
  return success();
}

void fusion::addConversionEmitters(EmitterRegistry &registry) {
  registry.add<ConvertLayoutOp>(emitConvert);
}
