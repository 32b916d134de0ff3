//===- Windows.h - Operands read through a window ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution is a contraction whose LHS is read through a window
// (docs/convolutions.md): O[p, f] = Σ over r, c of I[stride·p + dilation·r, c]
// · W[r, c, f]. Loops over adjacent dimensions of a tensor may have been
// collapsed into one. The window then decomposes its index into digits: m =
// n·P·Q + p·Q + q.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_GROUPS_WINDOWS_H
#define FUSION_ANALYSIS_GROUPS_WINDOWS_H

#include "fusion/Analysis/Groups/GroupModel.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fusion {

/// A tensor padded with zeros by an operator of its own (what `fuse-normalize`
/// makes of `tensor.pad`).
struct Padding {
  mlir::Value source;
  llvm::SmallVector<int64_t, 4> low; ///< zeros in front, by dimension
};

/// Returns the padding that an operator does, or nullopt. A padding has one
/// static result; its body reads the source at index - low if that is inside of
/// the source, and yields zero elsewhere.
std::optional<Padding> matchPadding(mlir::linalg::LinalgOp op);
/// Returns the padding by the operator that computes a value, or nullopt.
std::optional<Padding> matchPadding(mlir::Value value);

/// Returns, by result of the map, the digits of loops whose sum it is; `axis`
/// is the number of the loop. Returns nullopt if a result is no such sum with
/// positive coefficients, or if a digit occurs twice. `extents` are those of
/// the loops.
std::optional<llvm::SmallVector<llvm::SmallVector<TensorWindow::Digit, 2>>>
matchDigits(mlir::AffineMap map, llvm::ArrayRef<int64_t> extents);

/// The loops of a contraction by what they index, as upstream's
/// inferContractionDims, and also for contractions that read an operand through
/// a window.
struct ContractionLoops {
  llvm::SmallVector<unsigned, 2> batch; ///< both operands and the result
  llvm::SmallVector<unsigned, 2> m;     ///< the LHS and the result
  llvm::SmallVector<unsigned, 2> n;     ///< the RHS and the result
  llvm::SmallVector<unsigned, 2> k;     ///< the operands only
  /// The result only, which repeats its values along them.
  llvm::SmallVector<unsigned, 2> repeated;
};
/// Returns the loops by kind, or nullopt if a loop is of no kind: one that
/// reduces a single operand.
std::optional<ContractionLoops>
inferContractionLoops(mlir::linalg::LinalgOp op);

/// Returns whether the operator is a convolution of any number of dimensions: a
/// contraction of static sizes that reads one operand through a window. Each
/// operand has loops that the other does not have. Depthwise convolutions, with
/// groups of one channel, have no loop that only the filter has.
bool isConvolution(mlir::linalg::LinalgOp op);

/// Returns the reason why an operator that sums products over a window is no
/// such contraction; nullopt for all other operators.
std::optional<std::string> whyNoContraction(mlir::linalg::LinalgOp op);

/// Returns whether a contraction reads an operand through a window or its
/// padding: its dimensions are other than plain loops over the tensor in
/// memory.
bool readsThroughWindow(mlir::OpOperand &operand);

/// Returns the window by which `operand` reads its tensor, with `axes` by loop
/// of the operator.
TensorWindow describeWindow(mlir::OpOperand &operand,
                            llvm::ArrayRef<unsigned> axes,
                            llvm::ArrayRef<int64_t> extents);

/// The axes that a window with elements of `elementBytes` depends on. The last
/// one is the axis along which elements are contiguous, if there is one.
/// `alignment` is the bytes that copies along it may rely on, 0 without such an
/// axis.
struct WindowAxes {
  llvm::SmallVector<unsigned, 4> axes;
  unsigned alignment = 0;
};
WindowAxes orderWindowAxes(const TensorWindow &window, unsigned elementBytes);

} // namespace fusion

#endif // FUSION_ANALYSIS_GROUPS_WINDOWS_H
