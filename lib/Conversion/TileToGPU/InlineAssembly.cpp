//===- InlineAssembly.cpp - Pieces of PTX ---------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace fusion;

void fusion::emitAssembly(ThreadBuilder &b, ValueRange operands, StringRef text,
                          StringRef inputs) {
  std::string constraints = inputs.empty() ? "" : (inputs + ",").str();
  LLVM::InlineAsmOp::create(
      b, /*res=*/TypeRange(), operands, text, constraints + "~{memory}",
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      /*operand_attrs=*/ArrayAttr());
}

unsigned Assembly::addResult(Type type, Value init) {
  results.push_back(type);
  inits.push_back(init);
  return results.size() - 1;
}

unsigned Assembly::addInput(Value value, char constraint) {
  inputs.push_back(value);
  inputConstraints.push_back(constraint);
  return results.size() + inputs.size() - 1;
}

Values Assembly::create(ThreadBuilder &b) {
  // What is written is written before all inputs have been read. Tied inputs
  // come last: their numbers are those of the results.
  std::string constraints;
  for (Type type : results)
    constraints += type.isF32() ? "=&f," : "=&r,";
  for (char each : inputConstraints)
    (constraints += each) += ',';
  Values operands(inputs);
  for (auto [number, init] : llvm::enumerate(inits))
    if (init) {
      constraints += std::to_string(number) + ",";
      operands.push_back(init);
    }
  constraints += "~{memory}";
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), results);
  Value all = LLVM::InlineAsmOp::create(
                  b, type, operands, code, constraints,
                  /*has_side_effects=*/true, /*is_align_stack=*/false,
                  LLVM::tailcallkind::TailCallKind::None,
                  LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr())
                  .getRes();
  Values values;
  for (int64_t i = 0, end = results.size(); i < end; ++i)
    values.push_back(LLVM::ExtractValueOp::create(b, all, i));
  return values;
}
