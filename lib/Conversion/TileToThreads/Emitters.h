//===- Emitters.h - Emitters of the library ---------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOTHREADS_EMITTERS_H
#define FUSION_LIB_CONVERSION_TILETOTHREADS_EMITTERS_H

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"

namespace fusion {

// Each function adds the emitters of the operations named after it. They stand
// in the file Emit<subject>.cpp.

/// tile.alloc, tile.free, tile.local_load, tile.local_store.
void addBufferEmitters(EmitterRegistry &registry);
/// scf.for, scf.if, tile.barrier.
void addControlFlowEmitters(EmitterRegistry &registry);
/// tile.convert_layout.
void addConversionEmitters(EmitterRegistry &registry);
/// tile.iota, tile.mask.
void addCoordinateEmitters(EmitterRegistry &registry);
/// tile.copy_async by threads, tile.commit, tile.wait, and the markers of
/// pipelines that copies by threads do not need.
void addCopyEmitters(EmitterRegistry &registry);
/// tile.dot.
void addDotEmitters(EmitterRegistry &registry);
/// tile.gather, tile.element_load, tile.element_store.
void addElementEmitters(EmitterRegistry &registry);
/// tile.exponent, tile.exponent_step.
void addExponentEmitters(EmitterRegistry &registry);
/// tile.load.
void addLoadEmitters(EmitterRegistry &registry);
/// tile.reduce.
void addReductionEmitters(EmitterRegistry &registry);
/// arith.constant of tensors, tile.splat, tile.broadcast, tile.slice,
/// tile.transpose, tile.optimization_barrier, tile.scale.
void addRegisterEmitters(EmitterRegistry &registry);
/// tile.private_store, tile.private_load.
void addStagingEmitters(EmitterRegistry &registry);
/// tile.store.
void addStoreEmitters(EmitterRegistry &registry);
/// tile.program_id, tile.program_count, tile.thread_id.
void addThreadIndexEmitters(EmitterRegistry &registry);
/// tile.view, tile.window.
void addViewEmitters(EmitterRegistry &registry);

/// Emits an element-wise operation on tensors: the same for every register.
mlir::LogicalResult emitElementwise(mlir::Operation *op,
                                    KernelEmitter &emitter);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOTHREADS_EMITTERS_H
