//===- Transposes.cpp - Transposes of blocks in registers -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transposes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace fusion;
using llvm::SmallVector;

namespace {

/// Transposes square blocks of vectors of `lanes` elements.
class Transposer {
public:
  Transposer(OpBuilder &b, Location loc, Type element, int64_t lanes)
      : b(b), loc(loc), lanes(lanes) {
    constexpr int64_t unitBits = 128;
    unit = std::min<int64_t>(lanes, unitBits / element.getIntOrFloatBitWidth());
  }

  SmallVector<Value> transpose(ArrayRef<Value> rows) {
    // Groups of as many rows as a unit has elements become the columns of
    // their units.
    SmallVector<SmallVector<Value>> groups;
    for (int64_t first = 0; first < lanes; first += unit)
      groups.push_back(withinUnits(rows.slice(first, unit), 1));
    SmallVector<Value> result(lanes);
    for (int64_t column = 0; column < unit; ++column) {
      SmallVector<Value> units;
      for (ArrayRef<Value> group : groups)
        units.push_back(group[column]);
      exchangeUnits(units);
      for (auto [number, value] : llvm::enumerate(units))
        result[number * unit + column] = value;
    }
    return result;
  }

private:
  Value shuffle(Value first, Value second, ArrayRef<int64_t> mask) {
    return vector::ShuffleOp::create(b, loc, first, second, mask);
  }

  /// Interleaves parts of `width` elements of the lower or upper half of each
  /// unit.
  Value interleave(Value first, Value second, int64_t width, bool isUpper) {
    SmallVector<int64_t> mask;
    for (int64_t begin = 0; begin < lanes; begin += unit)
      for (int64_t part = 0; part < unit / 2; part += width)
        for (int64_t source : {int64_t(0), lanes})
          for (int64_t i = 0; i < width; ++i)
            mask.push_back(source + begin + (isUpper ? unit / 2 : 0) + part +
                           i);
    return shuffle(first, second, mask);
  }

  SmallVector<Value> withinUnits(ArrayRef<Value> rows, int64_t width) {
    if (rows.size() == 1)
      return {rows.front()};
    SmallVector<Value> lower, upper;
    for (size_t i = 0; i < rows.size(); i += 2) {
      lower.push_back(interleave(rows[i], rows[i + 1], width, false));
      upper.push_back(interleave(rows[i], rows[i + 1], width, true));
    }
    SmallVector<Value> columns = withinUnits(lower, 2 * width);
    columns.append(withinUnits(upper, 2 * width));
    return columns;
  }

  /// Transposes a square of whole units: vector i gets unit i of all.
  void exchangeUnits(SmallVector<Value> &vectors) {
    int64_t count = vectors.size();
    for (int64_t bit = count / 2; bit > 0; bit /= 2)
      for (int64_t i = 0; i < count; ++i) {
        if (i & bit)
          continue;
        SmallVector<int64_t> lower, upper;
        for (int64_t place = 0; place < count; ++place)
          for (int64_t element = 0; element < unit; ++element) {
            bool isOther = place & bit;
            lower.push_back(isOther ? lanes + (place ^ bit) * unit + element
                                    : place * unit + element);
            upper.push_back(isOther ? lanes + place * unit + element
                                    : (place | bit) * unit + element);
          }
        Value first = vectors[i], second = vectors[i | bit];
        vectors[i] = shuffle(first, second, lower);
        vectors[i | bit] = shuffle(first, second, upper);
      }
  }

  OpBuilder &b;
  Location loc;
  int64_t lanes;
  int64_t unit; ///< elements
};

} // namespace

/// Returns the lanes of vectors of equal length, one vector after another.
/// There is a power of two of them.
static Value concatenate(OpBuilder &b, Location loc, ArrayRef<Value> vectors) {
  if (vectors.size() == 1)
    return vectors.front();
  size_t half = vectors.size() / 2;
  Value lower = concatenate(b, loc, vectors.take_front(half));
  Value upper = concatenate(b, loc, vectors.drop_front(half));
  int64_t count = cast<VectorType>(lower.getType()).getNumElements();
  SmallVector<int64_t> mask = llvm::to_vector(llvm::seq<int64_t>(2 * count));
  return vector::ShuffleOp::create(b, loc, lower, upper, mask);
}

SmallVector<Value> fusion::transposeRows(OpBuilder &b, Location loc,
                                         ValueRange rows) {
  auto type = cast<VectorType>(rows.front().getType());
  int64_t count = rows.size(), lanes = type.getNumElements();
  // LLVM converts narrow floating-point numbers where it only moves them.
  unsigned bits = type.getElementTypeBitWidth();
  if (isa<FloatType>(type.getElementType()) && bits < 32) {
    auto cast = [&](ValueRange values, Type element) {
      return llvm::map_to_vector(values, [&](Value value) -> Value {
        auto vector = mlir::cast<VectorType>(value.getType());
        return arith::BitcastOp::create(b, loc, vector.clone(element), value);
      });
    };
    return cast(transposeRows(b, loc, cast(rows, b.getIntegerType(bits))),
                type.getElementType());
  }
  int64_t side = std::min(count, lanes);
  Transposer square(b, loc, type.getElementType(), side);
  SmallVector<SmallVector<Value>> squares; ///< down the rows, or along them
  for (int64_t first = 0; first < count; first += side)
    for (int64_t lane = 0; lane < lanes; lane += side) {
      SmallVector<Value> block;
      for (int64_t i = 0; i < side; ++i) {
        Value row = rows[first + i];
        if (side < lanes) {
          SmallVector<int64_t> mask =
              llvm::to_vector(llvm::seq<int64_t>(lane, lane + side));
          row = vector::ShuffleOp::create(b, loc, row, row, mask);
        }
        block.push_back(row);
      }
      squares.push_back(square.transpose(block));
    }
  SmallVector<Value> result;
  if (side == count) {
    for (ArrayRef<Value> part : squares)
      result.append(part.begin(), part.end());
    return result;
  }
  for (int64_t i = 0; i < side; ++i) {
    SmallVector<Value> parts;
    for (ArrayRef<Value> part : squares)
      parts.push_back(part[i]);
    result.push_back(concatenate(b, loc, parts));
  }
  return result;
}
