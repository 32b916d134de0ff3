//===- EmitShared.cpp - Accesses to shared memory -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "fusion/Dialect/Tile/Transforms/SharedMemory.h"
#include "fusion/Support/TileLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Elements of `type` at a fixed place in the block's shared memory.
Value KernelEmitter::sharedView(int64_t byteOffset, int64_t elements,
                                Type type) {
  return atEntry([&]() -> Value {
    auto space = cast<MemRefType>(dynamicShared.getType()).getMemorySpace();
    auto viewType =
        MemRefType::get({elements}, type, MemRefLayoutAttrInterface(), space);
    return memref::ViewOp::create(b, loc, viewType, dynamicShared,
                                  index(byteOffset), ValueRange());
  });
}

LogicalResult KernelEmitter::emitAlloc(AllocOp op) {
  BufferType type = op.getType();
  scalars.map(op.getResult(),
              sharedView(*op.getOffset(),
                         type.getStages() * type.getRows() * type.getColumns(),
                         type.getElementType()));
  return success();
}

Value KernelEmitter::stageOffset(Value buffer, Value stage) {
  auto type = cast<BufferType>(buffer.getType());
  if (type.getStages() == 1)
    return index(0);
  return mul(scalar(stage), index(type.getRows() * type.getColumns()));
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

LogicalResult KernelEmitter::emitCopyAsync(CopyAsyncOp op) {
  if (isBulk(op))
    return emitBulkCopy(op);
  if (op.getOwn())
    return emitOwnCopy(op);
  const View &view = views[op.getView()];
  BufferType buffer = op.getBuffer().getType();
  int64_t elementBytes = buffer.getElementType().getIntOrFloatBitWidth() / 8;
  int64_t perUnit = 16 / elementBytes;
  std::optional<CopyAssignment> assignment =
      getCopies(buffer, kernel.getNumThreads());
  if (!assignment)
    return op.emitOpError("has a tile that cannot be cut into 16-byte units");
  AddressPlan destination = assignment->destination(elementBytes);
  Value memory = scalar(op.getBuffer());
  Value stage = stageOffset(op.getBuffer(), op.getStage());

  // The view's dimensions in the order (row, column) of the buffer.
  int64_t columnDim = view.type.getUnit(), rowDim = 1 - columnDim;
  Value row = scalar(op.getCoordinates()[rowDim]);
  Value column = scalar(op.getCoordinates()[columnDim]);
  auto known = [&](int64_t dim) {
    return op.getInBounds() && (*op.getInBounds())[dim];
  };
  AddressPlan rowPlan = *planOf(assignment->chunks, 0),
              unitPlan = *planOf(assignment->chunks, 1);
  auto partOf = [&](const AddressPlan &plan, int64_t reg) {
    const AddressPlan::Constant &constant =
        plan.registers[plan.registers.size() == 1 ? 0 : reg];
    return std::make_pair(threadOffset(plan, constant.ofThread()),
                          constant.added());
  };
  OpBuilder::InsertionGuard predicated(b);
  // The same for all threads: a branch around everything costs less than a
  // predicate on each copy.
  if (Value predicate = op.getPredicate())
    enterIf(scalar(predicate));
  Value tile;
  if (!view.window)
    tile = add(view.offset, add(mul(row, view.strides[rowDim]), column));
  int64_t bytes = static_cast<int64_t>(op.getTransport());
  int64_t elements = bytes / elementBytes;
  for (int64_t i = 0; i < assignment->iterations; ++i) {
    auto [rowThread, rowFixed] = partOf(rowPlan, i);
    auto [unitThread, unitFixed] = partOf(unitPlan, i);
    OpBuilder::InsertionGuard guard(b);
    if (!assignment->full[i]) {
      // Threads without a chunk in this iteration.
      auto below = [&](Value thread, int64_t fixed, int64_t bound) -> Value {
        return atEntry([&]() -> Value {
          return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                       addConstant(thread, fixed),
                                       index(bound));
        });
      };
      Value isActive = arith::AndIOp::create(
          b, loc, below(rowThread, rowFixed, assignment->rows),
          below(unitThread, unitFixed, assignment->units));
      enterIf(isActive);
    }
    Value thread, fixed;
    if (!view.window) {
      thread = add(mul(rowThread, view.strides[rowDim]),
                   mul(unitThread, index(perUnit)));
      fixed = mul(index(rowFixed), view.strides[rowDim]);
    }
    for (int64_t part = 0; part < perUnit; part += elements) {
      Value source, inside;
      if (view.window) {
        Coordinate at[2];
        at[rowDim] = {row, rowThread, rowFixed, buffer.getRows()};
        at[columnDim] = {column, mul(unitThread, index(perUnit)),
                         unitFixed * perUnit + part, buffer.getColumns()};
        Chunk chunk = windowPlace(view, at);
        source = chunk.position;
        inside = chunk.isInside;
      } else {
        source = add(add(tile, thread),
                     addConstant(fixed, unitFixed * perUnit + part));
      }
      auto require = [&](Value at, Value size) {
        Value below =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at, size);
        inside = inside
                     ? arith::AndIOp::create(b, loc, inside, below).getResult()
                     : below;
      };
      if (!known(rowDim))
        require(addConstant(add(row, rowThread), rowFixed), view.sizes[rowDim]);
      if (!known(columnDim))
        require(addConstant(add(column, mul(unitThread, index(perUnit))),
                            unitFixed * perUnit + part),
                view.sizes[columnDim]);
      Value sourceElements;
      // Nothing is read where the chunk is outside, whatever its address; it
      // arrives as zeros.
      if (inside)
        sourceElements =
            arith::SelectOp::create(b, loc, inside, index(elements), index(0));
      Value target = add(stage, addConstant(address(destination, i), part));
      nvgpu::DeviceAsyncCopyOp::create(
          b, loc, nvgpu::DeviceAsyncTokenType::get(b.getContext()), memory,
          ValueRange{target}, view.memory, ValueRange{source},
          b.getIndexAttr(elements), sourceElements,
          bytes == 16 ? b.getUnitAttr() : UnitAttr());
    }
  }
  return success();
}

LogicalResult KernelEmitter::emitCommit() {
  nvgpu::DeviceAsyncCreateGroupOp::create(
      b, loc, nvgpu::DeviceAsyncTokenType::get(b.getContext()), ValueRange());
  return success();
}

// nvgpu's wait takes a group that dominates it; the last one may have been
// closed in a loop.
LogicalResult KernelEmitter::emitWait(int64_t pending) {
  NVVM::CpAsyncWaitGroupOp::create(b, loc, static_cast<uint32_t>(pending));
  return success();
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

void KernelEmitter::storeRegisters(Value memory, Value base,
                                   const AddressPlan &plan, int64_t width,
                                   const Values &values, Value predicate) {
  OpBuilder::InsertionGuard guard(b);
  enterIf(predicate);
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
        b, loc, type, ValueRange(values).slice(reg, width));
    vector::StoreOp::create(
        b, loc, packed, memory, add(base, address(plan, reg)),
        /*nontemporal=*/false,
        llvm::MaybeAlign(width * element.getIntOrFloatBitWidth() / 8));
  }
}

KernelEmitter::Values KernelEmitter::loadRegisters(Value memory, Value base,
                                                   const AddressPlan &plan,
                                                   int64_t width, int64_t count,
                                                   Type element) {
  auto type = VectorType::get({width}, element);
  Values results;
  for (int64_t reg = 0; reg < count; reg += width) {
    Value packed = vector::LoadOp::create(
        b, loc, type, memory, add(base, address(plan, reg)),
        /*nontemporal=*/false,
        llvm::MaybeAlign(width * element.getIntOrFloatBitWidth() / 8));
    for (int64_t i = 0; i < width; ++i)
      results.push_back(vector::ExtractOp::create(b, loc, packed, i));
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

std::optional<KernelEmitter::Values>
KernelEmitter::loadPart(Value memory, int64_t byteOffset, Value base,
                        const LinearLayout &layout, BufferType buffer,
                        ArrayRef<int64_t> origin) {
  Type element = buffer.getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  std::optional<MatrixAccess> matrices;
  if (bits == 8 || bits == 16 || bits == 32)
    matrices = matrixAccess(layout, bits);
  std::optional<AddressPlan> plan =
      planPart(matrices ? matrices->rows : layout, buffer, origin);
  if (!plan)
    return std::nullopt;
  if (!matrices)
    return loadRegisters(memory, base, *plan, sharedWidth(layout, element),
                         layout.inSize(LayoutDim::Register), element);
  if (bits != 16)
    return loadMatrices(byteOffset, base, *matrices, *plan, buffer);
  auto type = VectorType::get({matrices->matrices, 2}, element);
  Values results;
  for (int64_t i = 0; i < matrices->rows.inSize(LayoutDim::Register); ++i) {
    Value fragments = nvgpu::LdMatrixOp::create(
        b, loc, type, memory, ValueRange{add(base, address(*plan, i))},
        matrices->transposed, matrices->matrices);
    for (int64_t m = 0; m < matrices->matrices; ++m)
      for (int64_t e = 0; e < 2; ++e)
        results.push_back(vector::ExtractOp::create(b, loc, fragments,
                                                    ArrayRef<int64_t>{m, e}));
  }
  return results;
}

/// Matrices of 8- or 32-bit elements: ldmatrix moves 16-bit ones, two of them
/// are a word of ours. Transposed ones of 8 bits arrive as pairs of columns,
/// which byte permutations separate (MatrixAccess).
KernelEmitter::Values KernelEmitter::loadMatrices(int64_t byteOffset,
                                                  Value base,
                                                  const MatrixAccess &matrices,
                                                  const AddressPlan &plan,
                                                  BufferType buffer) {
  Type element = buffer.getElementType();
  int64_t bits = element.getIntOrFloatBitWidth();
  int64_t elements =
      buffer.getStages() * buffer.getRows() * buffer.getColumns();
  Type half = b.getI16Type();
  Value memory = sharedView(byteOffset, elements * bits / 16, half);
  auto toHalves = [&](Value elements) -> Value {
    if (bits == 32)
      return mul(elements, index(2));
    return arith::DivUIOp::create(b, loc, elements, index(2));
  };
  auto type = VectorType::get({matrices.matrices, 2}, half);
  auto one = VectorType::get({1}, b.getI32Type());
  Values words;
  for (int64_t i = 0; i < matrices.rows.inSize(LayoutDim::Register); ++i) {
    Value fragments = nvgpu::LdMatrixOp::create(
        b, loc, type, memory, ValueRange{toHalves(add(base, address(plan, i)))},
        matrices.transposed, matrices.matrices);
    for (int64_t m = 0; m < matrices.matrices; ++m) {
      Value pair = vector::ExtractOp::create(b, loc, fragments, m);
      words.push_back(vector::ExtractOp::create(
          b, loc, vector::BitCastOp::create(b, loc, one, pair), int64_t(0)));
    }
  }
  if (matrices.transposed)
    for (size_t i = 0; i < words.size(); i += 2) {
      Value low = words[i], high = words[i + 1];
      for (auto [j, selector] : {std::pair(0, 0x6420), std::pair(1, 0x7531)})
        words[i + j] = NVVM::PermuteOp::create(
            b, loc, b.getI32Type(), low, high,
            arith::ConstantIntOp::create(b, loc, selector, 32),
            NVVM::PermuteMode::DEFAULT);
    }
  Values results;
  for (Value word : words)
    llvm::append_range(results, unpackWord(word, element));
  return results;
}

LogicalResult KernelEmitter::emitLocalLoad(LocalLoadOp op) {
  LinearLayout layout = getLayout(op.getType()).getValue();
  if (op.getTransposed())
    layout = layout.transposeOuts({1, 0});
  std::optional<Values> values =
      loadPart(scalar(op.getBuffer()),
               *op.getBuffer().getDefiningOp<AllocOp>().getOffset(),
               stageOffset(op.getBuffer(), op.getStage()), layout,
               op.getBuffer().getType(), op.getOrigin());
  if (!values)
    return op.emitOpError("has a layout that does not fit the buffer");
  registers[op] = std::move(*values);
  return success();
}

/// Fragments of 16-bit elements as matrices (stmatrix), where they have their
/// form and the chip has the instruction: whoever stores in bulk has it.
bool KernelEmitter::storeMatrices(LocalStoreOp op, const LinearLayout &layout) {
  BufferType buffer = op.getBuffer().getType();
  auto alloc = op.getBuffer().getDefiningOp<AllocOp>();
  constexpr int64_t bits = 16;
  if (!isStoredInBulk(alloc) ||
      buffer.getElementType().getIntOrFloatBitWidth() != bits)
    return false;
  std::optional<MatrixAccess> matrices = matrixAccess(layout, bits);
  if (!matrices)
    return false;
  std::optional<AddressPlan> plan = planPart(matrices->rows, buffer, {0, 0});
  if (!plan)
    return false;
  OpBuilder::InsertionGuard guard(b);
  enterIf(isFirstHolder(layout)); // of warps: no lane is a replica
  auto pair = VectorType::get({2}, buffer.getElementType());
  auto word = VectorType::get({1}, b.getI32Type());
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  Value stage = stageOffset(op.getBuffer(), op.getStage());
  const Values &values = registers[op.getValue()];
  for (int64_t i = 0; i < matrices->rows.inSize(LayoutDim::Register); ++i) {
    Values words;
    for (unsigned m = 0; m < matrices->matrices; ++m) {
      int64_t reg = 2 * (i * matrices->matrices + m);
      Value packed = vector::FromElementsOp::create(
          b, loc, pair, ValueRange(values).slice(reg, 2));
      words.push_back(vector::ExtractOp::create(
          b, loc, vector::BitCastOp::create(b, loc, word, packed), int64_t(0)));
    }
    Value bytes = mul(add(stage, address(*plan, i)), index(bits / 8));
    Value place = sharedAddress(arith::AddIOp::create(
        b, loc, arith::IndexCastUIOp::create(b, loc, b.getI32Type(), bytes),
        i32(*alloc.getOffset())));
    NVVM::StMatrixOp::create(
        b, loc, LLVM::IntToPtrOp::create(b, loc, pointer, place), words,
        matrices->transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
        NVVM::LdStMatrixEltType::B16);
  }
  return true;
}

LogicalResult KernelEmitter::emitLocalStore(LocalStoreOp op) {
  BufferType buffer = op.getBuffer().getType();
  LinearLayout layout = getLayout(op.getValue().getType()).getValue();
  if (op.getTransposed())
    layout = layout.transposeOuts({1, 0});
  if (storeMatrices(op, layout))
    return success();
  std::optional<AddressPlan> plan = planPart(layout, buffer, {0, 0});
  if (!plan)
    return op.emitOpError("has a layout that does not fit the buffer");
  storeRegisters(scalar(op.getBuffer()),
                 stageOffset(op.getBuffer(), op.getStage()), *plan,
                 sharedWidth(layout, buffer.getElementType()),
                 registers[op.getValue()], isFirstHolder(layout));
  return success();
}

LogicalResult KernelEmitter::emitConvert(ConvertLayoutOp op) {
  LinearLayout from = getLayout(op.getValue().getType()).getValue();
  LinearLayout to = getLayout(op.getType()).getValue();
  const Values &values = registers[op.getValue()];
  if (auto permutation = registerPermutation(from, to)) {
    Values results;
    for (int64_t reg : *permutation)
      results.push_back(values[reg]);
    registers[op] = std::move(results);
    return success();
  }
  if (!op.getOffset())
    return op.emitOpError("has no scratch; run tile-allocate-shared");
  std::optional<ScratchShape> scratch = getScratch(op);
  if (!scratch)
    return op.emitOpError("cannot go through shared memory");
  Type element = op.getType().getElementType();
  if (scratch->padded) {
    const PaddedScratch &padded = *scratch->padded;
    Type stored = memoryType(element);
    Value memory = sharedView(*op.getOffset(), padded.elements, stored);
    Values own;
    for (Value value : values)
      own.push_back(toMemory(value));
    storeRegisters(memory, index(0), padded.from, padded.fromWidth, own,
                   isFirstHolder(from));
    emitBarrier(staysInWarps(op, kernel.getWarps()));
    Values results = loadRegisters(memory, index(0), padded.to, padded.toWidth,
                                   to.inSize(LayoutDim::Register), stored);
    for (Value &result : results)
      result = fromMemory(result, element);
    registers[op] = std::move(results);
    return success();
  }
  auto buffer = BufferType::get(
      b.getContext(), 1, scratch->rows, scratch->columns, element,
      LayoutAttr::get(b.getContext(), scratch->layout));
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
      sharedView(*op.getOffset(), scratch->rows * scratch->columns, element);
  storeRegisters(memory, index(0), *fromPlan, sharedWidth(from, element),
                 values, isFirstHolder(from));
  emitBarrier(staysInWarps(op, kernel.getWarps()));
  std::optional<Values> results =
      loadPart(memory, *op.getOffset(), index(0), to, buffer, {0, 0});
  if (!results)
    return op.emitOpError("has layouts that do not fit its scratch");
  registers[op] = std::move(*results);
  return success();
}
