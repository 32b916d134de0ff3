//===- Inputs.h - Inputs of a function --------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TOOLS_FUSIONRUN_INPUTS_H
#define FUSION_TOOLS_FUSIONRUN_INPUTS_H

#include "Options.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fusion::run {

/// Reads or generates the inputs of `function`. Sizes that its type leaves open
/// come from --shape or the file. Generated indices stay below every size of
/// every input.
llvm::Expected<std::vector<HostTensor>> makeInputs(mlir::func::FuncOp function,
                                                   const Options &options);

/// Returns the narrowest floating-point type that occurs in the function, or
/// F64 if there is none.
ElementType narrowestFloat(mlir::func::FuncOp function);

/// Returns the largest number of operators on a path through the function that
/// round their results to `type`.
unsigned countRoundings(mlir::func::FuncOp function, ElementType type);

} // namespace fusion::run

#endif // FUSION_TOOLS_FUSIONRUN_INPUTS_H
