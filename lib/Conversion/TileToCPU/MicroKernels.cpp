//===- MicroKernels.cpp - Contractions by register tiles ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernels.h"
#include "fusion/Target/Chips/RowBlocks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;

MicroKernels::MicroKernels(KernelState &state, const Intrinsic &intrinsic)
    : state(state), b(state.b), loc(state.loc), rowsOfKernel(intrinsic.i1),
      columnsOfKernel(intrinsic.i2), inWord(intrinsic.r1) {}

/// Calls `body` for all parts of `extent` elements: in a loop for parts of
/// `step`, and for the part that is left, rounded up to a multiple of `unit`.
/// `possible` are the values that the extent may have.
void MicroKernels::forParts(
    OpFoldResult extent, int64_t step,
    const std::optional<llvm::SmallVector<int64_t, 2>> &possible, int64_t unit,
    Body body) {
  auto rounded = [&](int64_t value) -> int64_t {
    return llvm::alignTo(value % step, unit);
  };
  Value zero = state.access.constant(0);
  if (std::optional<int64_t> known = getConstantIntValue(extent)) {
    int64_t whole = *known / step * step;
    if (whole == step) {
      body({zero, step, true});
    } else if (whole > 0) {
      auto loop = scf::ForOp::create(b, loc, zero, state.access.constant(whole),
                                     state.access.constant(step));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      body({loop.getInductionVar(), step, true});
    }
    if (whole != *known)
      body({state.access.constant(whole), rounded(*known),
            (*known - whole) % unit == 0});
    return;
  }
  Value end = state.access.valueOf(extent);
  Value rest = arith::RemUIOp::create(b, loc, end, state.access.constant(step));
  Value whole = arith::SubIOp::create(b, loc, end, rest);
  auto loop =
      scf::ForOp::create(b, loc, zero, whole, state.access.constant(step));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body({loop.getInductionVar(), step, true});
  }
  llvm::SmallVector<int64_t> counts;
  if (possible) {
    for (int64_t value : *possible)
      if (value % step != 0 && !llvm::is_contained(counts, rounded(value)))
        counts.push_back(rounded(value));
  } else {
    for (int64_t count = unit; count < step; count += unit)
      counts.push_back(count);
    if (unit > 1)
      counts.push_back(step);
  }
  if (counts.empty())
    return;
  Value units =
      arith::CeilDivUIOp::create(b, loc, rest, state.access.constant(unit));
  for (int64_t count : counts) {
    Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, units,
                                     state.access.constant(count / unit));
    auto branch = scf::IfOp::create(b, loc, is, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body({whole, count, unit == 1});
  }
}

void MicroKernels::emit(const TileProduct &product) {
  if (product.isOfRows)
    return emitProductsOfRows(product);
  int64_t lanes = state.registerLanes(product.accumulated);
  // A vector of the RHS panel is read for all rows before the next panel: it
  // stays in the first level of cache.
  forParts(product.columns, columnsOfKernel, product.possibleColumns, lanes,
           [&](const Part &columns) {
             Vectors offsets;
             if (inWord > 1 && !isa<FloatType>(product.accumulated))
               offsets = sumOffsets(product, columns);
             forParts(product.rows, rowsOfKernel, product.possibleRows,
                      /*unit=*/1, [&](const Part &rows) {
                        emitKernel(product, rows, columns, offsets);
                      });
           });
}

/// Converts what was loaded to the type that products are accumulated in.
Value MicroKernels::widen(Value value, Type accumulated) {
  Type have = getElementTypeOrSelf(value);
  if (have == accumulated)
    return value;
  auto vector = dyn_cast<VectorType>(value.getType());
  Type type = vector ? vector.clone(accumulated) : accumulated;
  if (isa<FloatType>(accumulated))
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::ExtSIOp::create(b, loc, type, value);
}

/// Emits the steps along the reduced axis, each with an element of each row.
MicroKernels::Vectors MicroKernels::multiplySteps(const TileProduct &product,
                                                  const Operands &operands,
                                                  Vectors sums) {
  Type accumulated = product.accumulated;
  int64_t lanes = state.registerLanes(accumulated);
  auto type = VectorType::get({lanes}, accumulated);
  TileAccess &access = state.access;
  auto loop = scf::ForOp::create(b, loc, access.constant(0),
                                 access.valueOf(product.depth),
                                 access.constant(1), sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value k = loop.getInductionVar();
  Vectors columns, results(loop.getRegionIterArgs());
  for (int64_t j = 0; j < operands.vectors; ++j) {
    bool isLast = j + 1 == operands.vectors;
    columns.push_back(
        widen(access.load(operands.rhs, {k, access.constant(j * lanes)},
                          {lanes, isLast ? operands.mask : Value()},
                          operands.rhs.elementType),
              accumulated));
  }
  for (int64_t i = 0; i < operands.rows; ++i) {
    Value scalar = widen(access.load(operands.lhs, {access.constant(i), k},
                                     Lanes(), operands.lhs.elementType),
                         accumulated);
    Value factor = vector::BroadcastOp::create(b, loc, type, scalar);
    for (int64_t j = 0; j < operands.vectors; ++j) {
      Value &sum = results[i * operands.vectors + j];
      if (isa<FloatType>(accumulated))
        sum = vector::FMAOp::create(b, loc, factor, columns[j], sum);
      else
        sum = arith::AddIOp::create(
            b, loc, sum, arith::MulIOp::create(b, loc, factor, columns[j]));
    }
  }
  scf::YieldOp::create(b, loc, results);
  return loop.getResults();
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

/// 8-bit integers of the LHS are multiplied as unsigned ones, 128 more each.
static constexpr int64_t kSignBits = 0x80808080;

/// Adds the products of the elements of words, by VDPBF16PS or VPDPBUSD.
Value MicroKernels::addDot(Value sum, Value lhs, Value rhs) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(sum));
  Type element = isFloat ? Type(b.getBF16Type()) : b.getI8Type();
  auto words = cast<VectorType>(rhs.getType());
  auto type = VectorType::get({words.getNumElements() * inWord}, element);
  auto elements = [&](Value word) {
    return vector::BitCastOp::create(b, loc, type, word).getResult();
  };
  Value operands[] = {sum, elements(lhs), elements(rhs)};
  return LLVM::CallIntrinsicOp::create(
             b, loc, sum.getType(),
             b.getStringAttr(isFloat ? "llvm.x86.avx512bf16.dpbf16ps.512"
                                     : "llvm.x86.avx512.vpdpbusd.512"),
             operands)
      .getResult(0);
}

/// Adds the products of one word of each row by the words of number `word`.
MicroKernels::Vectors
MicroKernels::addDots(const Operands &operands, Value word,
                      llvm::function_ref<Value(int64_t)> wordOfRow,
                      ValueRange sums, Type accumulated) {
  int64_t lanes = state.registerLanes(accumulated);
  auto type = VectorType::get({lanes}, b.getI32Type());
  Vectors columns, results(sums);
  for (int64_t j = 0; j < operands.vectors; ++j)
    columns.push_back(state.access.load(
        operands.rhs, {word, state.access.constant(j * lanes)},
        {lanes, Value()}, b.getI32Type()));
  for (int64_t i = 0; i < operands.rows; ++i) {
    Value own = wordOfRow(i);
    if (!isa<FloatType>(accumulated))
      own = arith::XOrIOp::create(
          b, loc, own,
          arith::ConstantIntOp::create(b, loc, b.getI32Type(),
                                       int32_t(kSignBits)));
    Value factor = vector::BroadcastOp::create(b, loc, type, own);
    for (int64_t j = 0; j < operands.vectors; ++j) {
      Value &sum = results[i * operands.vectors + j];
      sum = addDot(sum, factor, columns[j]);
    }
  }
  return results;
}

/// Emits the steps along the reduced axis, each with a word of each row. A last
/// word may have fewer elements.
MicroKernels::Vectors MicroKernels::multiplyWords(const TileProduct &product,
                                                  const Operands &operands,
                                                  Vectors sums) {
  TileAccess &access = state.access;
  TileMemory lhs = operands.lhs;
  Type element = lhs.elementType;
  Value step = access.constant(inWord);
  OpFoldResult whole = access.multipleBelow(product.depth, inWord);
  Value end = access.valueOf(whole);
  auto loop = scf::ForOp::create(b, loc, access.constant(0), end, step, sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    Value word = arith::DivUIOp::create(b, loc, k, step);
    auto wordAt = [&](int64_t i) -> Value {
      Value address = access.addressOf(lhs, {access.constant(i), k});
      return LLVM::LoadOp::create(b, loc, b.getI32Type(), address,
                                  element.getIntOrFloatBitWidth() / 8);
    };
    scf::YieldOp::create(b, loc,
                         addDots(operands, word, wordAt,
                                 loop.getRegionIterArgs(),
                                 product.accumulated));
  }
  sums = loop.getResults();
  std::optional<int64_t> known = getConstantIntValue(product.depth);
  if (known && *known % inWord == 0)
    return sums;
  Value rest =
      arith::SubIOp::create(b, loc, access.valueOf(product.depth), end);
  Value isLeft = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, rest,
                                       access.constant(0));
  auto branch = scf::IfOp::create(b, loc, ValueRange(sums).getTypes(), isLeft,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value mask = access.firstLanes(rest, inWord);
  auto lastWord = [&](int64_t i) -> Value {
    Value elements =
        access.load(lhs, {access.constant(i), end}, {inWord, mask}, element);
    if (lhs.isPadded) // the lanes that do not exist have any value
      elements = arith::SelectOp::create(
          b, loc, mask, elements,
          arith::ConstantOp::create(b, loc, b.getZeroAttr(elements.getType())));
    auto type = VectorType::get({1}, b.getI32Type());
    return vector::ExtractOp::create(
        b, loc, vector::BitCastOp::create(b, loc, type, elements),
        ArrayRef<int64_t>{0});
  };
  scf::YieldOp::create(b, loc,
                       addDots(operands,
                               arith::DivUIOp::create(b, loc, end, step),
                               lastWord, sums, product.accumulated));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, sums);
  return branch.getResults();
}

/// Returns what the products of columns are too large by, as 128 is added to
/// each element of the LHS: 128 times the sums of the columns.
MicroKernels::Vectors MicroKernels::sumOffsets(const TileProduct &product,
                                               const Part &columns) {
  TileAccess &access = state.access;
  int64_t lanes = state.registerLanes(product.accumulated);
  auto type = VectorType::get({lanes}, b.getI32Type());
  Value zero = access.constant(0);
  TileMemory rhs = access.partAt(product.rhs, {zero, columns.first});
  rhs.strides.back() = b.getIndexAttr(1);
  Vectors start(
      llvm::divideCeil(columns.count, lanes),
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type)).getResult());
  Value words = arith::CeilDivUIOp::create(
      b, loc, access.valueOf(product.depth), access.constant(inWord));
  auto loop =
      scf::ForOp::create(b, loc, zero, words, access.constant(1), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value factor = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(
          type, b.getI32IntegerAttr(int32_t(kSignBits)).getValue()));
  Vectors sums(loop.getRegionIterArgs());
  for (auto [j, sum] : llvm::enumerate(sums))
    sum = addDot(sum, factor,
                 access.load(rhs,
                             {loop.getInductionVar(),
                              access.constant(int64_t(j) * lanes)},
                             {lanes, Value()}, b.getI32Type()));
  scf::YieldOp::create(b, loc, sums);
  return loop.getResults();
}

//===----------------------------------------------------------------------===//
// Rows by rows
//===----------------------------------------------------------------------===//

/// Emits a contraction of operands that are both dense along the reduced axis.
/// Vectors go along it, and their lanes are added at the end.
void MicroKernels::emitProductsOfRows(const TileProduct &product) {
  auto most = [](OpFoldResult extent) {
    return std::max<int64_t>(1,
                             getConstantIntValue(extent).value_or(INT64_MAX));
  };
  RowBlock block = blockOfRows(most(product.rows), most(product.columns));
  forParts(product.columns, block.columns, product.possibleColumns, /*unit=*/1,
           [&](const Part &columns) {
             forParts(product.rows, block.rows, product.possibleRows,
                      /*unit=*/1, [&](const Part &rows) {
                        multiplyRows(product, rows, columns);
                      });
           });
}

/// Adds the products of vectors that begin at `k` along the reduced axis.
MicroKernels::Vectors MicroKernels::addVectors(const TileProduct &product,
                                               const Part &rows,
                                               const Part &columns, Value k,
                                               Value mask, ValueRange sums) {
  Type accumulated = product.accumulated;
  Lanes lanes{state.registerLanes(accumulated), mask};
  TileAccess &access = state.access;
  auto vectorAt = [&](const TileMemory &memory, ValueRange at) {
    TileMemory row = memory;
    row.base = access.addressOf(memory, at);
    row.strides = {b.getIndexAttr(1)};
    row.isPadded = false; // lanes beyond the last element are zero
    return widen(access.load(row, access.constant(0), lanes, row.elementType),
                 accumulated);
  };
  auto lhsAt = [&](int64_t i) {
    return vectorAt(product.lhs,
                    {access.add(rows.first, access.constant(i)), k});
  };
  auto rhsAt = [&](int64_t j) {
    return vectorAt(product.rhs,
                    {k, access.add(columns.first, access.constant(j))});
  };
  // The side of fewer vectors stays in registers; each of the other side is
  // loaded once.
  bool keepsRows = rows.count <= columns.count;
  Vectors kept, results(sums);
  for (int64_t i = 0; i < std::min(rows.count, columns.count); ++i)
    kept.push_back(keepsRows ? lhsAt(i) : rhsAt(i));
  for (int64_t other = 0; other < std::max(rows.count, columns.count);
       ++other) {
    Value vector = keepsRows ? rhsAt(other) : lhsAt(other);
    for (auto [own, keptVector] : llvm::enumerate(kept)) {
      int64_t i = keepsRows ? own : other, j = keepsRows ? other : own;
      Value &sum = results[i * columns.count + j];
      if (isa<FloatType>(accumulated))
        sum = vector::FMAOp::create(b, loc, keptVector, vector, sum);
      else
        sum = arith::AddIOp::create(
            b, loc, sum, arith::MulIOp::create(b, loc, keptVector, vector));
    }
  }
  return results;
}

/// Multiplies some rows of both operands.
void MicroKernels::multiplyRows(const TileProduct &product, const Part &rows,
                                const Part &columns) {
  Type accumulated = product.accumulated;
  int64_t lanes = state.registerLanes(accumulated);
  auto type = VectorType::get({lanes}, accumulated);
  TileAccess &access = state.access;
  Vectors sums(rows.count * columns.count,
               arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
  OpFoldResult whole = access.multipleBelow(product.depth, lanes);
  Value end = access.valueOf(whole);
  auto loop = scf::ForOp::create(b, loc, access.constant(0), end,
                                 access.constant(lanes), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b, loc,
                         addVectors(product, rows, columns,
                                    loop.getInductionVar(), Value(),
                                    loop.getRegionIterArgs()));
  }
  sums = loop.getResults();
  std::optional<int64_t> known = getConstantIntValue(product.depth);
  if (!known || *known % lanes != 0) {
    Value rest =
        arith::SubIOp::create(b, loc, access.valueOf(product.depth), end);
    sums = addVectors(product, rows, columns, end,
                      access.firstLanes(rest, lanes), sums);
  }
  auto kind = isa<FloatType>(accumulated) ? arith::AtomicRMWKind::addf
                                          : arith::AtomicRMWKind::addi;
  for (int64_t i = 0; i < rows.count; ++i)
    for (int64_t j = 0; j < columns.count; ++j) {
      Value at[] = {access.add(rows.first, access.constant(i)),
                    access.add(columns.first, access.constant(j))};
      Value sum = combineLanes(b, loc, kind, sums[i * columns.count + j]);
      if (!product.startsFromZero)
        sum = arith::getReductionOp(
            kind, b, loc,
            access.load(product.accumulator, at, Lanes(), accumulated), sum);
      access.store(sum, product.accumulator, at, Lanes());
    }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Returns how many vectors a line of the cache has.
int64_t MicroKernels::vectorsOfLine(VectorType type) const {
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  return std::max<int64_t>(1, state.chip.cpu->lineBytes / bytes);
}

/// Emits one micro-kernel. `offsets` are subtracted from the columns.
void MicroKernels::emitKernel(const TileProduct &product, const Part &rows,
                              const Part &columns, ArrayRef<Value> offsets) {
  Type accumulated = product.accumulated;
  int64_t lanes = state.registerLanes(accumulated);
  int64_t vectors = llvm::divideCeil(columns.count, lanes);
  auto type = VectorType::get({lanes}, accumulated);
  TileAccess &access = state.access;
  Value zero = access.constant(0);
  Operands operands{access.partAt(product.lhs, {rows.first, zero}),
                    access.partAt(product.rhs, {zero, columns.first}),
                    rows.count, vectors, Value()};
  if (operands.rhs.panel != 0)
    operands.rhs.strides.back() = b.getIndexAttr(1);
  TileMemory target =
      access.partAt(product.accumulator, {rows.first, columns.first});

  // Lanes of the last vector that are no columns must not be read.
  if (!operands.rhs.isPadded && !columns.fillsVectors) {
    Value left = arith::SubIOp::create(
        b, loc, access.valueOf(product.columns),
        access.add(columns.first, access.constant((vectors - 1) * lanes)));
    operands.mask = access.firstLanes(left, lanes);
  }
  auto at = [&](int64_t i, int64_t j) {
    return llvm::SmallVector<Value>{access.constant(i),
                                    access.constant(j * lanes)};
  };
  // Sums that the tile has already are added at the end: until then their
  // lines are on the way.
  if (!product.startsFromZero)
    for (int64_t i = 0; i < rows.count; ++i)
      for (int64_t j = 0; j < vectors; j += vectorsOfLine(type))
        LLVM::Prefetch::create(b, loc, access.addressOf(target, at(i, j)),
                               /*rw=*/1, /*hint=*/3, /*cache=*/1);
  Vectors sums;
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  for (int64_t i = 0; i < rows.count; ++i)
    for (int64_t j = 0; j < vectors; ++j)
      sums.push_back(
          offsets.empty()
              ? none
              : arith::SubIOp::create(b, loc, none, offsets[j]).getResult());
  sums = inWord > 1 ? multiplyWords(product, operands, sums)
                    : multiplySteps(product, operands, sums);
  for (int64_t i = 0; i < rows.count; ++i)
    for (int64_t j = 0; j < vectors; ++j) {
      Value sum = sums[i * vectors + j];
      if (!product.startsFromZero) {
        Value before =
            access.load(target, at(i, j), {lanes, Value()}, accumulated);
        sum = isa<FloatType>(accumulated)
                  ? arith::AddFOp::create(b, loc, before, sum).getResult()
                  : arith::AddIOp::create(b, loc, before, sum).getResult();
      }
      access.store(sum, target, at(i, j), {lanes, Value()});
    }
}
