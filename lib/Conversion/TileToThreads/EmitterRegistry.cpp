//===- EmitterRegistry.cpp - Emitters of single operations ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/TileToThreads/EmitterRegistry.h"
#include "Emitters.h"

using namespace mlir;
using namespace fusion;

const EmitterRegistry::Emitter *EmitterRegistry::lookup(Operation *op) const {
  auto it = emitters.find(op->getName().getTypeID());
  return it == emitters.end() ? nullptr : &it->second;
}

void fusion::addThreadEmitters(EmitterRegistry &registry) {
  addBufferEmitters(registry);
  addControlFlowEmitters(registry);
  addConversionEmitters(registry);
  addCoordinateEmitters(registry);
  addCopyEmitters(registry);
  addDotEmitters(registry);
  addElementEmitters(registry);
  addExponentEmitters(registry);
  addLoadEmitters(registry);
  addReductionEmitters(registry);
  addRegisterEmitters(registry);
  addStagingEmitters(registry);
  addStoreEmitters(registry);
  addThreadIndexEmitters(registry);
  addViewEmitters(registry);
}
