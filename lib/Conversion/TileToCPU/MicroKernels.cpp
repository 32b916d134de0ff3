//===- MicroKernels.cpp - Contractions by register tiles ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;

MicroKernels::MicroKernels(KernelState &state, const Intrinsic &intrinsic)
    : state(state), b(state.b), loc(state.loc), rowsOfKernel(intrinsic.i1),
      columnsOfKernel(intrinsic.i2) {}

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
  int64_t lanes = state.registerLanes(product.accumulated);
  // A vector of the RHS panel is read for all rows before the next panel: it
  // stays in the first level of cache.
  forParts(product.columns, columnsOfKernel, product.possibleColumns, lanes,
           [&](const Part &columns) {
             forParts(product.rows, rowsOfKernel, product.possibleRows,
                      /*unit=*/1, [&](const Part &rows) {
                        emitKernel(product, rows, columns);
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

void MicroKernels::emitKernel(const TileProduct &product, const Part &rows,
                              const Part &columns) {
  Type accumulated = product.accumulated;
  int64_t lanes = state.registerLanes(accumulated);
  int64_t vectors = llvm::divideCeil(columns.count, lanes);
  auto type = VectorType::get({lanes}, accumulated);
  TileAccess &access = state.access;
  Value zero = access.constant(0);
  TileMemory lhs = access.partAt(product.lhs, {rows.first, zero});
  TileMemory rhs = access.partAt(product.rhs, {zero, columns.first});
  if (rhs.panel != 0)
    rhs.strides.back() = b.getIndexAttr(1);
  TileMemory sums =
      access.partAt(product.accumulator, {rows.first, columns.first});

  // Lanes of the last vector that are no columns must not be read.
  Value mask;
  if (!rhs.isPadded && !columns.fillsVectors) {
    Value left = arith::SubIOp::create(
        b, loc, access.valueOf(product.columns),
        access.add(columns.first, access.constant((vectors - 1) * lanes)));
    mask = access.firstLanes(left, lanes);
  }
  auto at = [&](int64_t i, int64_t j) {
    return llvm::SmallVector<Value>{access.constant(i),
                                    access.constant(j * lanes)};
  };
  llvm::SmallVector<Value> start;
  for (int64_t i = 0; i < rows.count; ++i)
    for (int64_t j = 0; j < vectors; ++j)
      start.push_back(
          product.startsFromZero
              ? arith::ConstantOp::create(b, loc, b.getZeroAttr(type))
                    .getResult()
              : access.load(sums, at(i, j), {lanes, Value()}, accumulated));
  auto loop = scf::ForOp::create(b, loc, zero, access.valueOf(product.depth),
                                 access.constant(1), start);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    llvm::SmallVector<Value> columnsOfRhs, results(loop.getRegionIterArgs());
    for (int64_t j = 0; j < vectors; ++j)
      columnsOfRhs.push_back(
          widen(access.load(rhs, {k, access.constant(j * lanes)},
                            {lanes, j + 1 == vectors ? mask : Value()},
                            rhs.elementType),
                accumulated));
    for (int64_t i = 0; i < rows.count; ++i) {
      Value scalar = widen(
          access.load(lhs, {access.constant(i), k}, Lanes(), lhs.elementType),
          accumulated);
      Value factor = vector::BroadcastOp::create(b, loc, type, scalar);
      for (int64_t j = 0; j < vectors; ++j) {
        Value &sum = results[i * vectors + j];
        if (isa<FloatType>(accumulated))
          sum = vector::FMAOp::create(b, loc, factor, columnsOfRhs[j], sum);
        else
          sum = arith::AddIOp::create(
              b, loc, sum,
              arith::MulIOp::create(b, loc, factor, columnsOfRhs[j]));
      }
    }
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, results);
  }
  for (int64_t i = 0; i < rows.count; ++i)
    for (int64_t j = 0; j < vectors; ++j)
      access.store(loop.getResult(i * vectors + j), sums, at(i, j),
                   {lanes, Value()});
}
