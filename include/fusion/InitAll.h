//===- InitAll.h - Registers what the tools know ----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list of dialects, interface implementations and passes for all tools.
// It names what the compiler works with and nothing else: everything named
// here ends up in the static binary.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_INITALL_H
#define FUSION_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fusion {

/// Registers the project's dialects, the upstream dialects they are used with,
/// the external interface models (tiling, bufferization, value bounds) and the
/// translations to LLVM IR.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the project's passes and pipelines, to be called once: for a
/// compiler that has upstream's.
void registerOwnPasses();

/// Registers them and the upstream passes that belong to the same work. To be
/// called once.
void registerAllPasses();

} // namespace fusion

#endif // FUSION_INITALL_H
