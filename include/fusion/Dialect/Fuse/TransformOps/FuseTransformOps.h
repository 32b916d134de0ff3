//===- FuseTransformOps.h - Groups and schedules from scripts ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_FUSE_TRANSFORMOPS_FUSETRANSFORMOPS_H
#define FUSION_DIALECT_FUSE_TRANSFORMOPS_FUSETRANSFORMOPS_H

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

#define GET_OP_CLASSES
#include "fusion/Dialect/Fuse/TransformOps/FuseTransformOps.h.inc"

namespace fusion::fuse {

/// Adds the operations above to the transform dialect.
void registerTransformDialectExtension(mlir::DialectRegistry &registry);

} // namespace fusion::fuse

#endif // FUSION_DIALECT_FUSE_TRANSFORMOPS_FUSETRANSFORMOPS_H
