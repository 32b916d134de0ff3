//===- ReadChain.cpp - The model of a chain, from IR ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Chains/ReadChain.h"
#include "ChainReader.h"

using namespace fusion;
using namespace mlir;

FailureOr<GroupAxes>
fusion::readChain(ArrayRef<linalg::LinalgOp> operators, ValueRange results,
                  llvm::function_ref<void(const Twine &)> explain) {
  return ChainReader(operators, results, explain).build();
}
