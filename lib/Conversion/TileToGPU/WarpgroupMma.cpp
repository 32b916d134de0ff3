//===- WarpgroupMma.cpp - MMAs on tiles in shared memory ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpgroupMma.h"
#include "InlineAssembly.h"
#include "fusion/Conversion/TileToThreads/RegisterMap.h"
#include "fusion/Conversion/TileToThreads/Words.h"
#include "fusion/Target/Layouts/FragmentLayouts.h"
#include "fusion/Target/Layouts/MatrixDescriptors.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// The types of accumulator, LHS and RHS in the name of an instruction; empty
/// if no instruction has them.
static std::string typeNames(Type sum, Type first, Type second) {
  if (sum.isInteger(32))
    return first.isInteger(8) && second.isInteger(8) ? ".s32.s8.s8" : "";
  auto nameOf = [](Type type) -> StringRef {
    return llvm::TypeSwitch<Type, StringRef>(type)
        .Case<Float16Type>([](auto) { return ".f16"; })
        .Case<BFloat16Type>([](auto) { return ".bf16"; })
        .Case<Float32Type>([](auto) { return ".tf32"; })
        .Case<Float8E4M3FNType>([](auto) { return ".e4m3"; })
        .Case<Float8E5M2Type>([](auto) { return ".e5m2"; })
        .Default([](Type) { return ""; });
  };
  StringRef names[] = {nameOf(first), nameOf(second)};
  // The two 8-bit types go together.
  bool areAlike = first == second || (first.getIntOrFloatBitWidth() == 8 &&
                                      second.getIntOrFloatBitWidth() == 8);
  if (!sum.isF32() || !areAlike || names[0].empty() || names[1].empty())
    return "";
  return (".f32" + names[0] + names[1]).str();
}

/// Whether the tile is a splat of zero.
static bool isZero(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto dense =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  return dense && dense.isSplat() &&
         (matchPattern(value, m_AnyZeroFloat()) ||
          matchPattern(value, m_Zero()));
}

/// Coordinate `dimension` of the first element that the thread's warpgroup
/// holds, an i32.
static Value warpgroupCoordinate(ThreadBuilder &b, const LinearLayout &layout,
                                 unsigned dimension,
                                 const Intrinsic &intrinsic) {
  return b.atEntry([&]() -> Value {
    int64_t warps = intrinsic.warps;
    Value first = arith::AndIOp::create(b, b.warp(), b.i32(-warps));
    Value sum = b.i32(0);
    for (const LinearLayout::Digit &digit : layout.digits(LayoutDim::Warp)) {
      int64_t step = digit.steps[dimension];
      if (step == 0 || digit.weight * digit.radix <= warps)
        continue;
      Value value = arith::RemUIOp::create(
          b, arith::DivUIOp::create(b, first, b.i32(digit.weight)),
          b.i32(digit.radix));
      sum = arith::AddIOp::create(b, sum,
                                  arith::MulIOp::create(b, value, b.i32(step)));
    }
    return sum;
  });
}

/// The descriptor of a stage of a buffer, an i64; the matrix begins at
/// coordinate `parallel` of the axis that is not summed over.
static Value descriptorOf(KernelEmitter &e, Value buffer, Value stage,
                          const MatrixDescriptors &descriptors,
                          Value parallel) {
  ThreadBuilder &b = e.builder();
  auto type = cast<BufferType>(buffer.getType());
  Value offset = b.atEntry([&]() -> Value {
    // Linear, as warpgroups begin at whole panels.
    int64_t unit =
        descriptors.reducedIsContiguous ? 1 : descriptors.panelElements;
    Value bytes = arith::MulIOp::create(
        b, arith::DivUIOp::create(b, parallel, b.i32(unit)),
        b.i32(descriptors.offset(unit, 0)));
    Value memory =
        memref::ExtractAlignedPointerAsIndexOp::create(b, e.scalar(buffer));
    Value base = arith::IndexCastUIOp::create(b, b.getI32Type(), memory);
    // In a cluster the bits above say which block the address is of. In a
    // descriptor they would be a part of the leading dimension.
    base =
        arith::AndIOp::create(b, base, b.i32(MatrixDescriptors::addressMask));
    return arith::AddIOp::create(b, base, bytes);
  });
  if (type.getStages() > 1) {
    Value number =
        arith::IndexCastUIOp::create(b, b.getI32Type(), e.scalar(stage));
    offset = arith::AddIOp::create(
        b, offset,
        arith::MulIOp::create(b, number, b.i32(type.getStageBytes())));
  }
  // The lowest four bits are 0.
  Value units = arith::ShRUIOp::create(b, offset, b.i32(4));
  Value wide = arith::ExtUIOp::create(b, b.getI64Type(), units);
  return arith::OrIOp::create(
      b, wide,
      arith::ConstantIntOp::create(b, static_cast<int64_t>(descriptors.fields),
                                   64));
}

/// Calls `visit` with row, step and value of each word of the fragments of an
/// LHS in registers, four for each instruction.
static void
forEachWord(KernelEmitter &e, SharedDotOp op, const Intrinsic &intrinsic,
            llvm::function_ref<void(int64_t, int64_t, Value)> visit) {
  ThreadBuilder &b = e.builder();
  RankedTensorType type = op.getLhs().getType();
  RegisterMap fragments(getLayout(type).getValue());
  const Values &elements = e.registers(op.getLhs());
  int64_t groupRows = intrinsic.warps * intrinsic.i1;
  int64_t perWord = 32 / intrinsic.operandBits;
  SmallVector<int64_t> rows;
  for (const auto &[at, reg] : fragments.all())
    if (at.first % groupRows == 0 && at.second == 0)
      rows.push_back(at.first);
  llvm::sort(rows);
  for (int64_t row : rows)
    for (int64_t at = 0; at < op.getDepth(); at += intrinsic.r1)
      for (int64_t half : {0, 1})
        for (int64_t lower : {0, 8}) {
          int64_t reg = fragments.at(row + lower, at + half * 4 * perWord);
          // In registers words are what the instruction multiplies.
          Value word =
              type.getElementType().isF32()
                  ? NVVM::ConvertFloatToTF32Op::create(
                        b, b.getI32Type(), elements[reg],
                        NVVM::FPRoundingMode::RNA, NVVM::SaturationMode::NONE,
                        /*relu=*/false)
                        .getResult()
                  : packWord(b, ValueRange(elements).slice(reg, perWord));
          visit(row, at, word);
        }
}

namespace {

/// Emits one tile.shared_dot.
class WarpgroupDot {
public:
  WarpgroupDot(SharedDotOp op, const Intrinsic &intrinsic, KernelEmitter &e)
      : op(op), intrinsic(intrinsic), e(e), b(e.builder()),
        n(op.getType().getDimSize(1)), k(op.getDepth()),
        groupRows(intrinsic.warps * intrinsic.i1),
        startsAtZero(isZero(op.getAccumulator())) {}

  LogicalResult emit();

private:
  /// Descriptors of an operand's matrices: an input of the piece of PTX, and
  /// what is added to it by part (rows of the LHS, columns of the RHS) and
  /// step, units of 16 bytes. It is added where it is used: sums before a loop
  /// would wait there in two registers each.
  struct Operand {
    unsigned start;
    SmallVector<SmallVector<int64_t>> units;
  };

  /// Fails with a diagnostic if operands have other layouts than the
  /// intrinsic's fragments, or types that no instruction multiplies.
  LogicalResult checkOperands();
  /// Sets how the operands lie in shared memory.
  LogicalResult describeOperands();
  std::optional<MatrixDescriptors>
  describe(BufferType type, bool reducedIsContiguous, int64_t part);
  /// Sets the rows and columns that a warpgroup's instructions begin at.
  LogicalResult findInstructions();
  /// Adds the operands of the piece of PTX.
  void addOperands();
  Operand addDescriptors(Value start, const MatrixDescriptors &descriptors,
                         ArrayRef<int64_t> parallels);
  /// The name of a descriptor, whose sum is written before the instruction.
  std::string writeDescriptor(const Operand &operand, size_t part, size_t step);
  void writeInstruction(size_t step, size_t rowNumber, size_t columnNumber);

  SharedDotOp op;
  const Intrinsic &intrinsic;
  KernelEmitter &e;
  ThreadBuilder &b;
  int64_t n, k;
  int64_t groupRows;   ///< rows of a warpgroup's instruction
  bool startsAtZero;   ///< the accumulator is a constant zero
  std::string types;   ///< in the name of the instruction
  int64_t columns = 0; ///< of an instruction
  std::optional<MatrixDescriptors> lhs, rhs; ///< no LHS if it is in registers
  std::optional<RegisterMap> accumulators;
  SmallVector<int64_t> rows, starts;
  Assembly assembly;
  std::optional<Operand> lhsOperand, rhsOperand;
  /// Four inputs of an LHS in registers, by row and step.
  llvm::DenseMap<std::pair<int64_t, int64_t>, SmallVector<unsigned, 4>> words;
  unsigned sumCount = 0;
};

} // namespace

LogicalResult WarpgroupDot::checkOperands() {
  int64_t m = op.getType().getDimSize(0);
  ArrayRef<int64_t> warps = op.getWarps();
  LayoutAttr layout = getLayout(op.getType());
  BufferType buffer = op.getRhsBuffer().getType();
  if (buffer.getElementType().getIntOrFloatBitWidth() !=
          intrinsic.operandBits ||
      !intrinsic.divides(m, n, k, warps) || !layout ||
      layout.getValue() != accumulatorTile(intrinsic, m, n, warps) ||
      (op.getLhs() && getLayout(op.getLhs().getType()).getValue() !=
                          operandATile(intrinsic, m, k, warps)))
    return op.emitOpError("operands are not laid out as its fragments");
  Type accumulator = op.getType().getElementType();
  Type left =
      op.getLhs()
          ? op.getLhs().getType().getElementType()
          : cast<BufferType>(op.getLhsBuffer().getType()).getElementType();
  types = typeNames(accumulator, left, buffer.getElementType());
  if (types.empty())
    return op.emitOpError("no instruction multiplies ")
           << left << " by " << buffer.getElementType() << " to "
           << accumulator;
  return success();
}

std::optional<MatrixDescriptors>
WarpgroupDot::describe(BufferType type, bool reducedIsContiguous,
                       int64_t part) {
  int64_t bytes = intrinsic.operandBits / 8;
  if (type.getLayout().getValue() !=
      sharedPanels(type.getRows(), type.getColumns(), bytes))
    return std::nullopt;
  std::optional<MatrixDescriptors> result = matrixDescriptors(
      type.getRows(), type.getColumns(), bytes, reducedIsContiguous);
  return result && result->canCut(part) ? result : std::nullopt;
}

LogicalResult WarpgroupDot::describeOperands() {
  columns = instructionColumns(n, op.getWarps()[1], intrinsic.operandBits / 8);
  rhs = describe(op.getRhsBuffer().getType(), op.getRhsTransposed(), columns);
  if (Value buffer = op.getLhsBuffer())
    lhs = describe(cast<BufferType>(buffer.getType()), !op.getLhsTransposed(),
                   groupRows);
  if (!columns || !rhs || (op.getLhsBuffer() && !lhs))
    return op.emitOpError("operands do not lie in shared memory as its "
                          "descriptors can say");
  return success();
}

LogicalResult WarpgroupDot::findInstructions() {
  accumulators.emplace(getLayout(op.getType()).getValue());
  for (const auto &[at, reg] : accumulators->all())
    if (at.first % groupRows == 0 && at.second == 0)
      rows.push_back(at.first);
  llvm::sort(rows);
  for (int64_t start = 0; start < n; start += columns)
    if (accumulators->contains(rows.front(), start))
      starts.push_back(start);
  for (int64_t start : starts)
    for (int64_t column = start; column < start + columns; column += 8)
      if (!accumulators->contains(rows.front(), column))
        return op.emitOpError("an instruction's columns are another group's");
  return success();
}

WarpgroupDot::Operand
WarpgroupDot::addDescriptors(Value start, const MatrixDescriptors &descriptors,
                             ArrayRef<int64_t> parallels) {
  Operand added{assembly.addInput(start, 'l'), {}};
  for (int64_t parallel : parallels) {
    auto &steps = added.units.emplace_back();
    for (int64_t at = 0; at < k; at += intrinsic.r1)
      steps.push_back(descriptors.offset(parallel, at) / 16);
  }
  return added;
}

void WarpgroupDot::addOperands() {
  // The results, in the order of the accumulator's registers.
  for (Value value : e.registers(op.getAccumulator()))
    assembly.addResult(value.getType(), startsAtZero ? Value() : value);
  const LinearLayout &layout = getLayout(op.getType()).getValue();
  rhsOperand =
      addDescriptors(descriptorOf(e, op.getRhsBuffer(), op.getRhsStage(), *rhs,
                                  warpgroupCoordinate(b, layout, 1, intrinsic)),
                     *rhs, starts);
  if (lhs)
    lhsOperand = addDescriptors(
        descriptorOf(e, op.getLhsBuffer(), op.getLhsStage(), *lhs,
                     warpgroupCoordinate(b, layout, 0, intrinsic)),
        *lhs, rows);
  if (op.getLhs())
    forEachWord(e, op, intrinsic, [&](int64_t row, int64_t at, Value word) {
      words[{row, at}].push_back(assembly.addInput(word, 'r'));
    });
}

std::string WarpgroupDot::writeDescriptor(const Operand &operand, size_t part,
                                          size_t step) {
  std::string start = "$" + std::to_string(operand.start);
  int64_t units = operand.units[part][step];
  if (units == 0)
    return start;
  std::string own = "matrix" + std::to_string(sumCount++);
  assembly.text() << ".reg .b64 " << own << ";\nadd.s64 " << own << ", "
                  << start << ", " << units << ";\n";
  return own;
}

void WarpgroupDot::writeInstruction(size_t step, size_t rowNumber,
                                    size_t columnNumber) {
  llvm::raw_ostream &os = assembly.text();
  int64_t row = rows[rowNumber], start = starts[columnNumber],
          at = step * intrinsic.r1;
  std::string left = lhsOperand ? writeDescriptor(*lhsOperand, rowNumber, step)
                                : std::string();
  std::string right = writeDescriptor(*rhsOperand, columnNumber, step);
  os << "wgmma.mma_async.sync.aligned.m" << groupRows << "n" << columns << "k"
     << intrinsic.r1 << types << " {";
  llvm::ListSeparator separator;
  for (int64_t column = start; column < start + columns; column += 8)
    for (int64_t lower : {0, 8})
      for (int64_t next : {0, 1})
        os << separator << "$" << accumulators->at(row + lower, column + next);
  os << "}, ";
  if (lhsOperand) {
    os << left;
  } else {
    os << "{";
    llvm::interleaveComma(words[{row, at}], os,
                          [&](unsigned word) { os << "$" << word; });
    os << "}";
  }
  os << ", " << right << ", " << (startsAtZero && at == 0 ? "begins" : "adds");
  // Factors, and whether operands are MN-major.
  if (op.getType().getElementType().isF32())
    os << ", 1, 1";
  bool choosesMajor = !intrinsic.needsReducedContiguous();
  if (choosesMajor && lhs)
    os << ", " << (lhs->reducedIsContiguous ? 0 : 1);
  if (choosesMajor)
    os << ", " << (rhs->reducedIsContiguous ? 0 : 1);
  os << ";\n";
}

LogicalResult WarpgroupDot::emit() {
  if (failed(checkOperands()) || failed(describeOperands()) ||
      failed(findInstructions()))
    return failure();
  addOperands();
  llvm::raw_ostream &os = assembly.text();
  os << "{\n.reg .pred begins, adds;\nsetp.ne.b32 begins, 0, 0;\n"
        "setp.ne.b32 adds, 1, 0;\nwgmma.fence.sync.aligned;\n";
  for (int64_t step = 0; step < k / intrinsic.r1; ++step)
    for (size_t row = 0; row < rows.size(); ++row)
      for (size_t column = 0; column < starts.size(); ++column)
        writeInstruction(step, row, column);
  os << "wgmma.commit_group.sync.aligned;\n";
  if (!op.getAsync())
    os << "wgmma.wait_group.sync.aligned 0;\n";
  os << "}";
  e.setRegisters(op.getResult(), assembly.create(b));
  return success();
}

LogicalResult fusion::emitSharedDot(SharedDotOp op, KernelEmitter &e) {
  const Intrinsic *intrinsic = lookupIntrinsic(op.getIntrinsic());
  if (!intrinsic || !intrinsic->readsShared())
    return op.emitOpError("'")
           << op.getIntrinsic() << "' does not multiply in shared memory";
  return WarpgroupDot(op, *intrinsic, e).emit();
}

LogicalResult fusion::emitAwaitDot(AwaitDotOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  Assembly assembly;
  for (Value value : e.registers(op.getValue()))
    assembly.addResult(value.getType(), value);
  // The fragments of the LHS are read until here: as long as they are inputs no
  // other value gets their registers.
  SharedDotOp dot = op.getDot();
  if (dot.getLhs())
    forEachWord(
        e, dot, *lookupIntrinsic(dot.getIntrinsic()),
        [&](int64_t, int64_t, Value word) { assembly.addInput(word, 'r'); });
  SmallVector<unsigned> ofRows;
  for (Value value : op.getComputed()) {
    const Values &elements = e.registers(value);
    auto tile = cast<RankedTensorType>(value.getType());
    Type type = tile.getElementType();
    size_t perWord = 32 / type.getIntOrFloatBitWidth();
    SmallVector<int64_t> first = firstRegisters(getLayout(tile).getValue());
    if (type.isF32())
      for (auto [number, element] : llvm::enumerate(elements)) {
        if (first[number] != static_cast<int64_t>(number))
          continue; // a replica
        unsigned input = assembly.addInput(element, 'f');
        if (tile.getRank() == 1)
          ofRows.push_back(input);
      }
    else if (perWord > 1 && elements.size() % perWord == 0)
      for (size_t i = 0; i < elements.size(); i += perWord)
        assembly.addInput(packWord(b, ValueRange(elements).slice(i, perWord)),
                          'r');
  }
  // LLVM keeps what the assembly reads in front of it; ptxas, which sees a wait
  // that reads nothing, does not, and moves what tensor cores should hide
  // behind it. It keeps stores in order, and does not know that this one never
  // happens: arithmetic makes one NaN only, and that is another (PTX ISA,
  // "Floating Point Instructions"). What rows have been reduced to needs all of
  // the tile.
  llvm::raw_ostream &os = assembly.text();
  os << "{\n.reg .pred never;\n.reg .b32 word, nowhere;\nmov.b32 nowhere, 0;\n";
  for (unsigned number : ofRows)
    os << "mov.b32 word, $" << number
       << ";\nsetp.eq.b32 never, word, 0xffc12345;\n"
          "@never st.volatile.shared.b32 [nowhere], word;\n";
  os << "wgmma.wait_group.sync.aligned " << op.getPending() << ";\n";
  // Behind a loop ptxas moves what reads the accumulators in front of the wait,
  // and then runs MMAs one by one (its warning C7514). It moves nothing across
  // the end of a basic block. No grid has no blocks.
  if (op.getValue().getDefiningOp() != dot)
    os << ".reg .b32 blocks;\nmov.u32 blocks, %nctaid.x;\n"
          "setp.eq.u32 never, blocks, 0;\n@never trap;\n";
  os << "}";
  e.setRegisters(op.getResult(), assembly.create(b));
  return success();
}

LogicalResult fusion::emitAwaitDots(AwaitDotsOp op, KernelEmitter &e) {
  Assembly assembly;
  assembly.text() << "wgmma.wait_group.sync.aligned " << op.getPending() << ";";
  assembly.create(e.builder());
  return success();
}
