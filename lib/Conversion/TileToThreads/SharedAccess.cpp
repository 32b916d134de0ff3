//===- SharedAccess.cpp - Where threads access shared memory --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/TileToThreads/SharedAccess.h"
#include "fusion/Conversion/TileToThreads/Words.h"
#include "fusion/Support/TileLayouts.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

Value fusion::sharedView(KernelEmitter &e, int64_t byteOffset, int64_t elements,
                         Type type) {
  ThreadBuilder &b = e.builder();
  Value memory = e.sharedMemory();
  return b.atEntry([&]() -> Value {
    auto space = cast<MemRefType>(memory.getType()).getMemorySpace();
    auto viewType =
        MemRefType::get({elements}, type, MemRefLayoutAttrInterface(), space);
    return memref::ViewOp::create(b, viewType, memory, b.index(byteOffset),
                                  ValueRange());
  });
}

Value fusion::sharedAddress(KernelEmitter &e, Value bytes) {
  ThreadBuilder &b = e.builder();
  Value base = b.atEntry([&]() -> Value {
    Value memory =
        memref::ExtractAlignedPointerAsIndexOp::create(b, e.sharedMemory());
    return arith::IndexCastUIOp::create(b, b.getI32Type(), memory);
  });
  return arith::AddIOp::create(b, base, bytes);
}

Value fusion::stageOffset(KernelEmitter &e, Value buffer, Value stage) {
  ThreadBuilder &b = e.builder();
  auto type = cast<BufferType>(buffer.getType());
  if (type.getStages() == 1)
    return b.index(0);
  return b.mul(e.scalar(stage), b.index(type.getRows() * type.getColumns()));
}

void fusion::storeRegisters(ThreadBuilder &b, Value memory, Value base,
                            const AddressPlan &plan, int64_t width,
                            const Values &values, Value predicate) {
  OpBuilder::InsertionGuard guard(b);
  b.enterIf(predicate);
  Type element = values.front().getType();
  auto type = VectorType::get({width}, element);
  // Registers that hold the same element store it once.
  llvm::DenseSet<std::pair<int64_t, int64_t>> stored;
  for (int64_t reg = 0; reg < static_cast<int64_t>(values.size());
       reg += width) {
    const AddressPlan::Constant &place =
        plan.registers[reg % plan.registers.size()];
    if (!stored.insert({place.xorPart, place.addPart}).second)
      continue;
    Value packed = vector::FromElementsOp::create(
        b, type, ValueRange(values).slice(reg, width));
    vector::StoreOp::create(
        b, packed, memory, b.add(base, b.address(plan, reg)),
        /*nontemporal=*/false,
        llvm::MaybeAlign(width * element.getIntOrFloatBitWidth() / 8));
  }
}

Values fusion::loadRegisters(ThreadBuilder &b, Value memory, Value base,
                             const AddressPlan &plan, int64_t width,
                             int64_t count, Type element) {
  auto type = VectorType::get({width}, element);
  Values results;
  for (int64_t reg = 0; reg < count; reg += width) {
    Value packed = vector::LoadOp::create(
        b, type, memory, b.add(base, b.address(plan, reg)),
        /*nontemporal=*/false,
        llvm::MaybeAlign(width * element.getIntOrFloatBitWidth() / 8));
    for (int64_t i = 0; i < width; ++i)
      results.push_back(vector::ExtractOp::create(b, packed, i));
  }
  return results;
}

int64_t fusion::sharedWidth(const LinearLayout &layout, Type element) {
  return std::min<int64_t>(layout.contiguousRegisters(LayoutDim::Dim1),
                           128 / element.getIntOrFloatBitWidth());
}

/// The layout of a part, continued over the whole buffer by more significant
/// register digits, and the number of registers before the part's own.
static std::pair<LinearLayout, int64_t> placePart(LinearLayout part,
                                                  int64_t rows, int64_t columns,
                                                  ArrayRef<int64_t> origin) {
  int64_t skipped = 0;
  int64_t sizes[] = {rows, columns};
  for (unsigned d : {0u, 1u}) {
    int64_t size = part.outSize(tileDim(d));
    int64_t before = part.inSize(LayoutDim::Register);
    if (sizes[d] > size) {
      part *= LinearLayout::identity(LayoutDim::Register, tileDim(d),
                                     sizes[d] / size);
      skipped += before * (origin[d] / size);
    }
  }
  return {part, skipped};
}

std::optional<AddressPlan> fusion::planPart(const LinearLayout &part,
                                            BufferType buffer,
                                            ArrayRef<int64_t> origin) {
  if (buffer.getRows() % part.outSize(LayoutDim::Dim0) ||
      buffer.getColumns() % part.outSize(LayoutDim::Dim1) ||
      origin[0] % part.outSize(LayoutDim::Dim0) ||
      origin[1] % part.outSize(LayoutDim::Dim1))
    return std::nullopt;
  int64_t count = part.inSize(LayoutDim::Register);
  auto [whole, skipped] =
      placePart(part, buffer.getRows(), buffer.getColumns(), origin);
  std::optional<LinearLayout> inverse = buffer.getLayout().getValue().invert();
  if (!inverse)
    return std::nullopt;
  std::optional<LinearLayout> offsets = compose(whole, *inverse);
  if (!offsets)
    return std::nullopt;
  std::optional<AddressPlan> plan = planAddresses(*offsets);
  if (!plan)
    return std::nullopt;
  std::vector<AddressPlan::Constant> own;
  for (int64_t reg = 0; reg < count; ++reg)
    own.push_back(plan->registers[(skipped + reg) % plan->registers.size()]);
  plan->registers = std::move(own);
  return plan;
}

/// Loads what `matrices` says by matrices of the 16-bit elements of `memory`
/// and calls `visit` with each vector<matrices x 2 x element> that an
/// instruction loads. `scale` makes a position in the buffer one in `memory`.
static LogicalResult loadMatrixVectors(KernelEmitter &e, Value memory,
                                       Value base, const MatrixAccess &matrices,
                                       const AddressPlan &plan,
                                       llvm::function_ref<Value(Value)> scale,
                                       llvm::function_ref<void(Value)> visit) {
  ThreadBuilder &b = e.builder();
  for (int64_t i = 0; i < matrices.rows.inSize(LayoutDim::Register); ++i) {
    FailureOr<Value> loaded = e.target().loadMatrices(
        b, memory, scale(b.add(base, b.address(plan, i))), matrices.matrices,
        matrices.transposed);
    if (failed(loaded))
      return failure();
    visit(*loaded);
  }
  return success();
}

/// Loads matrices of 16-bit elements.
static FailureOr<Values> loadMatrices(KernelEmitter &e,
                                      const SharedBuffer &buffer,
                                      const MatrixAccess &matrices,
                                      const AddressPlan &plan) {
  ThreadBuilder &b = e.builder();
  Values results;
  LogicalResult loaded = loadMatrixVectors(
      e, buffer.memory, buffer.base, matrices, plan,
      [](Value position) { return position; },
      [&](Value fragments) {
        for (int64_t m = 0; m < matrices.matrices; ++m)
          for (int64_t i = 0; i < 2; ++i)
            results.push_back(vector::ExtractOp::create(
                b, fragments, ArrayRef<int64_t>{m, i}));
      });
  if (failed(loaded))
    return failure();
  return results;
}

/// Loads matrices of 8- or 32-bit elements as those of 16-bit elements, of
/// which two are a word. Transposed ones of 8 bits arrive as pairs of columns,
/// which byte permutations separate (MatrixAccess).
static FailureOr<Values> loadMatricesAsWords(KernelEmitter &e,
                                             const SharedBuffer &buffer,
                                             const MatrixAccess &matrices,
                                             const AddressPlan &plan) {
  ThreadBuilder &b = e.builder();
  BufferType type = buffer.type;
  Type element = type.getElementType();
  int64_t bits = element.getIntOrFloatBitWidth();
  int64_t elements = type.getStages() * type.getRows() * type.getColumns();
  Value memory =
      sharedView(e, buffer.byteOffset, elements * bits / 16, b.getI16Type());
  auto one = VectorType::get({1}, b.getI32Type());
  Values words;
  LogicalResult loaded = loadMatrixVectors(
      e, memory, buffer.base, matrices, plan,
      [&](Value position) -> Value {
        if (bits == 32)
          return b.mul(position, b.index(2));
        return arith::DivUIOp::create(b, position, b.index(2));
      },
      [&](Value fragments) {
        for (int64_t m = 0; m < matrices.matrices; ++m) {
          Value pair = vector::ExtractOp::create(b, fragments, m);
          words.push_back(vector::ExtractOp::create(
              b, vector::BitCastOp::create(b, one, pair), int64_t(0)));
        }
      });
  if (failed(loaded))
    return failure();
  if (matrices.transposed)
    for (size_t i = 0; i < words.size(); i += 2) {
      Value low = words[i], high = words[i + 1];
      for (auto [j, selector] : {std::pair(0, 0x6420), std::pair(1, 0x7531)}) {
        FailureOr<Value> permuted =
            e.target().permuteBytes(b, low, high, selector);
        if (failed(permuted))
          return failure();
        words[i + j] = *permuted;
      }
    }
  Values results;
  for (Value word : words)
    llvm::append_range(results, unpackWord(b, word, element));
  return results;
}

FailureOr<std::optional<Values>> fusion::loadPartial(KernelEmitter &e,
                                                     const SharedBuffer &buffer,
                                                     const LinearLayout &layout,
                                                     ArrayRef<int64_t> origin) {
  Type element = buffer.type.getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  std::optional<MatrixAccess> matrices;
  if (e.target().hasMatrixLoads() && (bits == 8 || bits == 16 || bits == 32))
    matrices = matrixAccess(layout, bits);
  std::optional<AddressPlan> plan =
      planPart(matrices ? matrices->rows : layout, buffer.type, origin);
  if (!plan)
    return std::optional<Values>();
  if (!matrices)
    return std::optional<Values>(
        loadRegisters(e.builder(), buffer.memory, buffer.base, *plan,
                      sharedWidth(layout, element),
                      layout.inSize(LayoutDim::Register), element));
  FailureOr<Values> results =
      bits == 16 ? loadMatrices(e, buffer, *matrices, *plan)
                 : loadMatricesAsWords(e, buffer, *matrices, *plan);
  if (failed(results))
    return failure();
  return std::optional<Values>(std::move(*results));
}
