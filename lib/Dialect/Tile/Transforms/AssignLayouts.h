//===- AssignLayouts.h - Layouts of a kernel's tiles ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_DIALECT_TILE_TRANSFORMS_ASSIGNLAYOUTS_H
#define FUSION_LIB_DIALECT_TILE_TRANSFORMS_ASSIGNLAYOUTS_H

#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "fusion/Target/Layouts/FragmentLayouts.h"

namespace fusion::tile {

/// Works elementwise on tensors of one shape.
inline bool isElementwiseOp(mlir::Operation *op) {
  return mlir::OpTrait::hasElementwiseMappableTraits(op) ||
         mlir::isa<MaskOp, OptimizationBarrierOp, ScaleOp>(op);
}

/// Has its result in the layout of what it works on, element by element.
inline bool keepsLayout(mlir::Operation *op) {
  return isElementwiseOp(op) || mlir::isa<ClusterReduceOp>(op);
}

/// Elements that one access to the view may move.
inline int64_t vectorWidth(ViewType view) {
  unsigned bits = view.getElementType().getIntOrFloatBitWidth();
  return std::max<int64_t>(1, 8 * view.getAlignment() / bits);
}

/// The layouts of one kernel. What spreads forwards is in PropagateLayouts.cpp,
/// what is asked for backwards in DemandLayouts.cpp.
class Assigner {
public:
  explicit Assigner(KernelOp kernel)
      : kernel(kernel), context(kernel.getContext()) {}

  llvm::LogicalResult run();

private:
  LayoutAttr attr(const LinearLayout &layout) {
    return LayoutAttr::get(context, layout);
  }
  llvm::LogicalResult checkInput();
  bool propagate();
  llvm::LogicalResult checkContraction(mlir::Operation *op,
                                       llvm::StringRef name,
                                       mlir::RankedTensorType sum,
                                       int64_t depth, mlir::Type element,
                                       llvm::ArrayRef<int64_t> warps);
  template <typename Product> LayoutAttr sumLayout(Product product);
  LayoutAttr firstLayout(SharedDotOp dot);
  std::pair<LayoutAttr, LayoutAttr> operandLayouts(DotOp dot);
  LayoutAttr fragmentLayout(ReduceOp reduce);
  LayoutAttr wantedLayout(mlir::Value value);
  bool fix(mlir::Value value, LayoutAttr layout);
  LayoutAttr fixedLayout(mlir::Value value) const {
    return fixed.lookup(value);
  }

  mlir::FailureOr<mlir::Value> demand(mlir::Value value, LayoutAttr layout);
  mlir::FailureOr<mlir::Value> remake(mlir::Operation *op, LayoutAttr layout);
  llvm::LogicalResult rewrite(mlir::Operation *op);
  llvm::LogicalResult setOperand(mlir::OpOperand &operand, LayoutAttr layout);
  LayoutAttr storeLayout(mlir::RankedTensorType type, int64_t unit,
                         int64_t width);
  LayoutAttr loadLayout(mlir::Value value);
  bool fixReduced();

  KernelOp kernel;
  mlir::MLIRContext *context;
  llvm::DenseMap<mlir::Value, LayoutAttr> fixed;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value> made;
};

} // namespace fusion::tile

#endif // FUSION_LIB_DIALECT_TILE_TRANSFORMS_ASSIGNLAYOUTS_H
