//===- KernelBuilder.h - Kernels and launches for groups ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_FUSETOTILE_KERNELBUILDER_H
#define FUSION_LIB_CONVERSION_FUSETOTILE_KERNELBUILDER_H

#include "fusion/Analysis/Schedules/Codegen.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "mlir/IR/Builders.h"

namespace fusion {

/// The kernel of a group while it is being built: a `tile.kernel` with the
/// group's operands, results and dynamic sizes as arguments.
class KernelBuilder {
public:
  /// Creates an empty kernel called `name` at the end of the module.
  KernelBuilder(fuse::FusedGroupOpInterface group, llvm::StringRef name,
                int64_t warps);

  mlir::OpBuilder &builder() { return b; }
  tile::KernelOp kernel() const { return kernelOp; }

  /// The kernel's argument for an argument of the group's body: a pointer for a
  /// tensor, the scalar itself otherwise.
  mlir::Value argument(mlir::Value bodyArgument) const {
    return arguments.lookup(bodyArgument);
  }
  /// The pointer that result `index` is written to.
  mlir::Value resultPointer(unsigned index);

  /// A pointer to `count` elements that the launch brings along, of no known
  /// value at first, through which blocks tell one another something.
  mlir::Value workspace(mlir::Type element, int64_t count);

  /// Shared memory without any order of its own: `stages` times so many rows,
  /// of each block for `tile.cluster_reduce`, of each thread for
  /// `tile.private_store`. `ahead`: the stages that are wished for.
  mlir::Value plainBuffer(mlir::Location loc, mlir::Type element,
                          int64_t stages, int64_t rows, int64_t columns,
                          tile::BufferSpace space,
                          mlir::IntegerAttr ahead = {});

  /// Size of dimension `dimension` of a tensor of the group's body that is an
  /// argument: a constant, or the argument that carries it.
  mlir::Value size(mlir::Value bodyArgument, int64_t dimension);

  /// Passes on what the schedule says about machine code; nothing where it is
  /// silent.
  void setCodegen(const std::optional<Codegen> &codegen);

  /// Replaces the group by a launch of `grid` blocks, or of a persistent kernel
  /// with as many tiles.
  void finish(mlir::RewriterBase &rewriter, mlir::Value grid,
              bool isPersistent = false);

  /// A constant index, created once at the start of the kernel.
  mlir::Value constant(int64_t value);

private:
  fuse::FusedGroupOpInterface group;
  tile::KernelOp kernelOp;
  mlir::OpBuilder b;
  llvm::DenseMap<mlir::Value, mlir::Value> arguments;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> sizes;
  llvm::DenseMap<int64_t, mlir::Value> constants;
  llvm::SmallVector<mlir::RankedTensorType> workspaces;
};

/// Builds the kernel of a scheduled chain. Fails with a diagnostic where the
/// schedule does not fit.
mlir::LogicalResult lowerChain(mlir::RewriterBase &rewriter,
                               fuse::FusedGroupOpInterface group,
                               llvm::StringRef name);

/// Builds the kernel of a stitched group whose schedule spreads its axes. Fails
/// with a diagnostic where the schedule does not fit.
mlir::LogicalResult lowerStitch(mlir::RewriterBase &rewriter,
                                fuse::FusedGroupOpInterface group,
                                llvm::StringRef name);

/// Builds the kernel of a group in the generic form.
mlir::LogicalResult lowerGeneric(mlir::RewriterBase &rewriter,
                                 fuse::FusedGroupOpInterface group,
                                 llvm::StringRef name);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_FUSETOTILE_KERNELBUILDER_H
