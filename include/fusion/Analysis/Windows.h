//===- Windows.h - Operands read through a window ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution is a product whose first operand is read through a window
// (docs/convolutions.md): O[p, f] = Σ over r, c of I[stride·p + dilation·r, c]
// · W[r, c, f]. Loops that one tensor's dimensions put side by side may have
// become one, of which the window then takes digits: m = n·P·Q + p·Q + q.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_WINDOWS_H
#define FUSION_ANALYSIS_WINDOWS_H

#include "fusion/Analysis/GroupModel.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fusion {

/// A tensor with zeros around it, made by an operator of its own (what
/// `fuse-normalize` makes of `tensor.pad`).
struct Padding {
  mlir::Value source;
  llvm::SmallVector<int64_t, 4> low; ///< zeros in front, by dimension
};

/// The padding that an operator is, or nullopt: one static result whose body
/// reads the source at index - low where that is inside of it, and is zero
/// elsewhere.
std::optional<Padding> matchPadding(mlir::linalg::LinalgOp op);
/// The same of the operator that makes a value.
std::optional<Padding> matchPadding(mlir::Value value);

/// By result of the map the digits of loops that it sums, `axis` being the
/// loop; nullopt where it is not such a sum with positive coefficients, or
/// where one digit occurs twice. `extents` are those of the loops.
std::optional<llvm::SmallVector<llvm::SmallVector<TensorWindow::Digit, 2>>>
matchDigits(mlir::AffineMap map, llvm::ArrayRef<int64_t> extents);

/// The loops of a product by what they index; as inferContractionDims of
/// upstream, but for products that read an operand through a window, too.
struct ContractionLoops {
  llvm::SmallVector<unsigned, 2> batch; ///< both operands and the result
  llvm::SmallVector<unsigned, 2> m;     ///< the first operand and the result
  llvm::SmallVector<unsigned, 2> n;     ///< the second operand and the result
  llvm::SmallVector<unsigned, 2> k;     ///< the operands only
  /// The result only, which repeats its values along them.
  llvm::SmallVector<unsigned, 2> repeated;
};
/// nullopt where a loop is of none of the five kinds: one that sums over an
/// operand by itself.
std::optional<ContractionLoops>
inferContractionLoops(mlir::linalg::LinalgOp op);

/// Whether the operator is a sum of products of two operands of static sizes,
/// of which one is read through a window and both have loops of their own: a
/// convolution of any number of dimensions. Those by groups of one channel have
/// no loop that only the filter has.
bool isConvolution(mlir::linalg::LinalgOp op);

/// Of an operator that sums products over a window without being such a
/// product: why not. nullopt for all others.
std::optional<std::string> whyNoContraction(mlir::linalg::LinalgOp op);

/// Whether a product reads an operand through a window or its padding: whether
/// its dimensions are other than plain loops over the tensor behind it.
bool readsThroughWindow(mlir::OpOperand &operand);

/// The window by which `operand` reads `values`, over axes `axes` (by loop of
/// the operator).
TensorWindow describeWindow(mlir::OpOperand &operand,
                            llvm::ArrayRef<unsigned> axes,
                            llvm::ArrayRef<int64_t> extents);

/// Of a window with `elementBytes` an element: the axes that it depends on,
/// last the one along which elements lie side by side, if there is one, and
/// what copies along that may rely on, in bytes; 0 where there is none.
struct WindowAxes {
  llvm::SmallVector<unsigned, 4> axes;
  unsigned alignment = 0;
};
WindowAxes orderWindowAxes(const TensorWindow &window, unsigned elementBytes);

} // namespace fusion

#endif // FUSION_ANALYSIS_WINDOWS_H
