//===- Codegen.cpp - What a schedule tells about machine code -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/Codegen.h"
#include "fusion/Support/Counted.h"
#include "fusion/Target/Chips/Hardware.h"

using namespace mlir;
using namespace fusion;

Codegen fusion::importCodegen(fuse::CodegenAttr attr) {
  Codegen codegen;
  codegen.residentBlocks = attr.getResidentBlocks();
  if (ArrayRef<int64_t> registers = attr.getRegisterBudgets();
      !registers.empty()) {
    codegen.producerRegisters = registers[0];
    codegen.consumerRegisters = registers[1];
  }
  codegen.unmaskedIterations = attr.getUnmaskedIterations();
  return codegen;
}

fuse::CodegenAttr fusion::exportCodegen(const Codegen &codegen,
                                        ArrayRef<StringAttr> masked,
                                        MLIRContext *context) {
  SmallVector<int64_t, 2> registers;
  if (codegen.hasRoleRegisters())
    registers = {codegen.producerRegisters, codegen.consumerRegisters};
  return fuse::CodegenAttr::get(context, codegen.residentBlocks, registers,
                                masked, codegen.unmaskedIterations);
}
