//===- EntryPointCode.cpp - LLVM IR of functions that C can call ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPoint.h"
#include "llvm/IR/IRBuilder.h"

using namespace fusion;
using llvm::ArrayRef;
using llvm::BasicBlock;
using llvm::Function;
using llvm::FunctionType;
using llvm::StringRef;
using llvm::Type;
using llvm::Value;

namespace {

/// Writes the entry points of one module of code.
///
/// An entry point puts the arguments of each kernel into an array on its stack,
/// and hands a task to the caller's loop:
///   struct Task { kernel, arguments, scratch of all workers, bytes of one }
class EntryPointWriter {
public:
  EntryPointWriter(llvm::Module &code,
                   ArrayRef<mlir::DenseElementsAttr> constants)
      : code(code), builder(code.getContext()), pointer(builder.getPtrTy()),
        i64(builder.getInt64Ty()),
        taskType(llvm::StructType::get(pointer, pointer, pointer, i64)),
        kernelType(FunctionType::get(builder.getVoidTy(),
                                     {pointer, i64, i64, pointer},
                                     /*isVarArg=*/false)),
        bodyType(FunctionType::get(builder.getVoidTy(),
                                   {pointer, i64, i64, i64},
                                   /*isVarArg=*/false)),
        loopType(FunctionType::get(builder.getVoidTy(),
                                   {pointer, pointer, pointer, i64},
                                   /*isVarArg=*/false)) {
    for (auto [index, constant] : llvm::enumerate(constants)) {
      llvm::Constant *bytes = llvm::ConstantDataArray::getString(
          code.getContext(), bytesOfElements(constant), /*AddNull=*/false);
      auto *global = new llvm::GlobalVariable(
          code, bytes->getType(), /*isConstant=*/true,
          llvm::GlobalValue::InternalLinkage, bytes, "fusion.constant");
      global->setAlignment(llvm::Align(64));
      constantBuffers.push_back(global);
    }
    body = writeBody();
  }

  void write(const EntryPoint &entry) {
    current = &entry;
    mlir::func::FuncOp source = entry.function;
    llvm::SmallVector<Type *> types;
    for (mlir::Type type : source.getArgumentTypes())
      types.push_back(typeOf(type));
    firstResult = types.size();
    types.append(entry.results.size(), pointer);
    types.append(4, pointer);
    function = Function::Create(
        FunctionType::get(builder.getVoidTy(), types, /*isVarArg=*/false),
        llvm::GlobalValue::ExternalLinkage, entry.symbol, code);
    builder.SetInsertPoint(
        BasicBlock::Create(code.getContext(), "entry", function));
    task = builder.CreateAlloca(taskType);
    for (const EntryPoint::Launch &launch : entry.launches)
      if (launch.blocks > 0)
        writeLaunch(launch);
    for (auto [index, result] : llvm::enumerate(entry.results))
      writeResult(result, resultArgument(index));
    builder.CreateRetVoid();
  }

private:
  /// The loop's body: executes blocks of a task with the scratch memory of a
  /// worker.
  Function *writeBody() {
    Function *written = Function::Create(
        bodyType, llvm::GlobalValue::InternalLinkage, "fusion.blocks", code);
    builder.SetInsertPoint(
        BasicBlock::Create(code.getContext(), "entry", written));
    Value *data = written->getArg(0);
    auto load = [&](unsigned field, Type *type) {
      return builder.CreateLoad(type,
                                builder.CreateStructGEP(taskType, data, field));
    };
    Value *offset = builder.CreateMul(written->getArg(3), load(3, i64));
    Value *scratch =
        builder.CreateGEP(builder.getInt8Ty(), load(2, pointer), offset);
    builder.CreateCall(
        kernelType, load(0, pointer),
        {load(1, pointer), written->getArg(1), written->getArg(2), scratch});
    builder.CreateRetVoid();
    return written;
  }

  /// Returns how C passes a value of this type: the bits of types that C lacks.
  Type *typeOf(mlir::Type type) {
    if (mlir::isa<mlir::RankedTensorType>(type))
      return pointer;
    if (type.isIndex())
      return i64;
    if (type.isF32())
      return builder.getFloatTy();
    if (type.isF64())
      return builder.getDoubleTy();
    return builder.getIntNTy(
        std::max(8u, unsigned(type.getIntOrFloatBitWidth())));
  }

  Value *resultArgument(unsigned index) {
    return function->getArg(firstResult + index);
  }
  /// The last four: workspace, scratch, the loop, and its context.
  Value *lastArgument(unsigned index) {
    return function->getArg(function->arg_size() - 4 + index);
  }

  Value *buffer(StringRef name) {
    auto number = [](StringRef digits) {
      unsigned value = 0;
      digits.getAsInteger(10, value);
      return value;
    };
    if (name.consume_front("arg"))
      return function->getArg(number(name));
    if (name.consume_front("result"))
      return resultArgument(number(name));
    if (name.consume_front("const"))
      return constantBuffers[number(name)];
    name.consume_front("temp");
    int64_t offset = current->temporaryOffsets[number(name)];
    return builder.CreateConstGEP1_64(builder.getInt8Ty(), lastArgument(0),
                                      offset);
  }

  /// Returns a number as C passes it.
  Value *numberOf(const EntryPoint::Scalar &scalar) {
    if (scalar.input)
      return function->getArg(*scalar.input);
    Type *type = typeOf(scalar.type);
    auto floating = mlir::dyn_cast<mlir::FloatType>(scalar.type);
    if (!floating)
      return llvm::ConstantInt::getSigned(type, scalar.integer);
    llvm::APFloat value(scalar.number.value_or(double(scalar.integer)));
    bool isInexact;
    value.convert(floating.getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &isInexact);
    llvm::Constant *bits = builder.getInt(value.bitcastToAPInt());
    return builder.CreateBitCast(bits, type);
  }

  /// Returns a number as kernels expect it: integers sign-extended, the bits of
  /// other types in the low bytes.
  Value *argumentOf(const EntryPoint::Scalar &scalar) {
    Value *value = numberOf(scalar);
    bool isSigned = scalar.type.isIntOrIndex() && !scalar.type.isInteger(1);
    if (!value->getType()->isIntegerTy())
      value = builder.CreateBitCast(
          value, builder.getIntNTy(value->getType()->getScalarSizeInBits()));
    return builder.CreateIntCast(value, i64, isSigned);
  }

  void writeLaunch(const EntryPoint::Launch &launch) {
    Type *arrayType = llvm::ArrayType::get(i64, launch.arguments.size());
    BasicBlock &entryBlock = function->getEntryBlock();
    llvm::IRBuilder<> atStart(&entryBlock, entryBlock.begin());
    Value *arguments = atStart.CreateAlloca(arrayType);
    for (auto [index, argument] : llvm::enumerate(launch.arguments)) {
      Value *slot = builder.CreateConstGEP1_64(i64, arguments, index);
      if (auto *name = std::get_if<std::string>(&argument))
        builder.CreateStore(buffer(*name), slot);
      else
        builder.CreateStore(argumentOf(std::get<EntryPoint::Scalar>(argument)),
                            slot);
    }
    Function *kernel = code.getFunction(launch.kernel);
    Value *fields[] = {kernel, arguments, lastArgument(1),
                       builder.getInt64(current->scratchBytes)};
    for (auto [index, field] : llvm::enumerate(fields))
      builder.CreateStore(field,
                          builder.CreateStructGEP(taskType, task, index));
    // Without a loop the caller executes all blocks.
    Value *count = builder.getInt64(launch.blocks), *loop = lastArgument(2);
    auto makeBlock = [&](const char *name) {
      return BasicBlock::Create(code.getContext(), name, function);
    };
    BasicBlock *alone = makeBlock("alone"), *shared = makeBlock("shared"),
               *next = makeBlock("next");
    builder.CreateCondBr(builder.CreateIsNull(loop), alone, shared);
    builder.SetInsertPoint(alone);
    builder.CreateCall(
        kernelType, kernel,
        {arguments, builder.getInt64(0), count, lastArgument(1)});
    builder.CreateBr(next);
    builder.SetInsertPoint(shared);
    builder.CreateCall(loopType, loop, {lastArgument(3), body, task, count});
    builder.CreateBr(next);
    builder.SetInsertPoint(next);
  }

  void writeResult(const EntryPoint::Result &result, Value *to) {
    if (result.value)
      builder.CreateStore(numberOf(*result.value), to);
    else if (!result.alias.empty() && result.bytes)
      builder.CreateMemMove(to, llvm::Align(1), buffer(result.alias),
                            llvm::Align(1), result.bytes);
  }

  llvm::Module &code;
  llvm::IRBuilder<> builder;
  Type *pointer, *i64;
  llvm::StructType *taskType;
  FunctionType *kernelType, *bodyType, *loopType;
  llvm::SmallVector<llvm::GlobalVariable *> constantBuffers;
  Function *body = nullptr;

  // The entry point that is being written.
  const EntryPoint *current = nullptr;
  Function *function = nullptr;
  unsigned firstResult = 0; ///< its argument's number
  Value *task = nullptr;
};

} // namespace

void fusion::addEntryPoints(llvm::Module &code, ArrayRef<EntryPoint> entries,
                            ArrayRef<mlir::DenseElementsAttr> constants) {
  if (llvm::all_of(entries, [](const EntryPoint &entry) {
        return !entry.whyNone.empty();
      }))
    return;
  EntryPointWriter writer(code, constants);
  for (const EntryPoint &entry : entries)
    if (entry.whyNone.empty())
      writer.write(entry);
}
