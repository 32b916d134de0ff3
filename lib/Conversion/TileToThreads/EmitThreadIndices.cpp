//===- EmitThreadIndices.cpp - Which thread and block it is ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

void fusion::addThreadIndexEmitters(EmitterRegistry &registry) {
  registry.add<ProgramIdOp>([](ProgramIdOp op, KernelEmitter &e) {
    e.setScalar(op.getResult(), e.target().blockIndex(e.builder()));
    return success();
  });
  registry.add<ProgramCountOp>([](ProgramCountOp op, KernelEmitter &e) {
    e.setScalar(op.getResult(), e.target().blockCount(e.builder()));
    return success();
  });
  registry.add<ThreadIdOp>([](ThreadIdOp op, KernelEmitter &e) {
    e.setScalar(op.getResult(), e.target().threadIndex(e.builder()));
    return success();
  });
}
