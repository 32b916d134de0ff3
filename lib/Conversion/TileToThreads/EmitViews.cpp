//===- EmitViews.cpp - tile.view and tile.window --------------------------===//
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

static LogicalResult emitView(ViewOp op, KernelEmitter &e) {
  TensorView view;
  view.memory = e.globalMemory(op.getBase());
  view.offset = e.scalar(op.getOffset());
  view.sizes = e.scalarsOf(op.getSizes());
  view.strides = e.scalarsOf(op.getStrides());
  view.type = op.getType();
  e.setView(op, std::move(view));
  return success();
}

static LogicalResult emitWindow(WindowOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  TensorView view;
  view.memory = e.globalMemory(op.getBase());
  view.offset = b.index(0);
  view.sizes = e.scalarsOf(op.getSizes());
  view.type = op.getType();
  view.window = op;
  e.setView(op, std::move(view));
  return success();
}

void fusion::addViewEmitters(EmitterRegistry &registry) {
  registry.add<ViewOp>(emitView);
  registry.add<WindowOp>(emitWindow);
}
