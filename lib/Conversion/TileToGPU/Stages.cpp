//===- Stages.cpp - What belongs to a stage of a buffer -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stages.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fusion;

Value fusion::ofStage(KernelEmitter &e, Value stage, int64_t first,
                      int64_t step) {
  ThreadBuilder &b = e.builder();
  APInt known;
  if (matchPattern(stage, m_ConstantInt(&known)))
    return b.i32(first + known.getSExtValue() * step);
  Value number =
      arith::IndexCastUIOp::create(b, b.getI32Type(), e.scalar(stage));
  return arith::AddIOp::create(b, arith::MulIOp::create(b, number, b.i32(step)),
                               b.i32(first));
}
